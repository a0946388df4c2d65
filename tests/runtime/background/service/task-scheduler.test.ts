import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCommandRunner } from '../../../../src/runtime/background/service/command-runner.ts'
import {
  createTaskScheduler,
  taskDefinition,
  taskScript,
} from '../../../../src/runtime/background/service/task-scheduler.ts'
import { UsageError } from '../../../../src/runtime/config/usage-error.ts'
import { fakeManagers } from '../../../support/fake-managers.ts'
import { testNeeding } from '../../../support/needs.ts'

let state: string
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'csp-task-'))
})
afterEach(() => rmSync(state, { recursive: true, force: true }))

const plan = () => ({
  program: { command: 'C:\\Program Files\\node.exe', args: ['C:\\csp\\csp.mjs', 'serve', '--model=50%PATH%'] },
  environment: { PATH: 'C:\\Program Files;C:\\%x', CSP_MANAGER: 'task-scheduler' },
  logFile: join(state, 'log/csp.log'),
})

describe('a task of Windows', () => {
  test('sets the variables and runs csp again after a failure, with percent signs as they are', () => {
    expect(taskScript({ ...plan(), logFile: 'C:\\log' }).split('\r\n')).toEqual([
      '@echo off',
      'chcp 65001 >nul',
      'set "PATH=C:\\Program Files;C:\\%%x"',
      'set "CSP_MANAGER=task-scheduler"',
      ':again',
      '"C:\\Program Files\\node.exe" "C:\\csp\\csp.mjs" "serve" "--model=50%%PATH%%" >>"C:\\log" 2>&1',
      'if %errorlevel% equ 0 exit /b 0',
      'if %errorlevel% equ 2 exit /b 2',
      'ping -n 6 127.0.0.1 >nul',
      'goto again',
      '',
    ])
  })

  test('is refused for a text that would begin another command', () => {
    for (const text of ['a" & evil.exe "', 'a\r\nevil.exe']) {
      expect(() => taskScript({ ...plan(), environment: { CSP_MODEL: text } })).toThrow(UsageError)
      expect(() => taskScript({ ...plan(), program: { command: 'node', args: [text] } })).toThrow(UsageError)
    }
  })

  test('starts at the login of its user, with least rights, on battery too, and for more than three days', () => {
    const definition = taskDefinition('C:\\a & b\\csp.cmd', 'DESK\\jo')
    expect(definition).toContain('<LogonTrigger><Enabled>true</Enabled><UserId>DESK\\jo</UserId></LogonTrigger>')
    expect(definition).toContain('<RunLevel>LeastPrivilege</RunLevel>')
    for (const name of ['DisallowStartIfOnBatteries', 'StopIfGoingOnBatteries'])
      expect(definition).toContain(`<${name}>false</${name}>`)
    expect(definition).toContain('<ExecutionTimeLimit>PT0S</ExecutionTimeLimit>')
    expect(definition).toContain('cmd.exe /d /c "C:\\a &amp; b\\csp.cmd"')
  })

  test.each([
    [0, '<Task><Settings><Enabled>true</Enabled></Settings></Task>', true],
    [0, '<Task><Settings><Enabled>false</Enabled></Settings></Task>', false],
    [0, '<Enabled>false</Enabled><Settings></Settings>', true],
    [1, '', false],
  ])('of which schtasks says %p, %p, starts at login: %p', async (code, said, isEnabled) => {
    const manager = createTaskScheduler(async () => ({ code, said }), {}, state)
    expect(await manager.state()).toEqual({ isEnabled, state: undefined })
    expect(await manager.hint()).toBeUndefined()
  })

  test.each([
    ['/Create', '', 'Task Scheduler could not make the task: exit code 5'],
    ['/Run', 'Access is denied.', 'Task Scheduler could not start the task: Access is denied.'],
  ])('that cannot be done by %s says so', async (verb, said, message) => {
    const run = async (_: string, args: readonly string[]) =>
      args.includes(verb) ? { code: 5, said } : { code: 0, said }
    const manager = createTaskScheduler(run, { USERNAME: 'jo' }, state)
    await expect(manager.install(plan())).rejects.toThrow(message)
    if (verb === '/Run') await expect(manager.restart()).rejects.toThrow(message)
  })

  test('is made from a definition that is there already, for the user of this login', async () => {
    const definitions: string[] = []
    const run = async (_: string, args: readonly string[]) => {
      const file = args[args.indexOf('/XML') + 1] ?? ''
      if (args.includes('/Create')) definitions.push(readFileSync(file, 'utf16le'))
      return { code: 0, said: '' }
    }
    await createTaskScheduler(run, { USERNAME: 'jo' }, state).install(plan())
    expect(definitions).toEqual([`\ufeff${taskDefinition(join(state, 'service/csp.cmd'), 'jo')}`])
    const nobody = createTaskScheduler(run, { USERDOMAIN: 'DESK' }, state)
    await expect(nobody.install(plan())).rejects.toThrow('USERNAME is not set')
    expect(await nobody.uninstall()).toHaveLength(2)
    expect(await nobody.uninstall()).toEqual([])
  })

  testNeeding('python3', Bun.which('python3') !== null)(
    'is XML as Task Scheduler writes it, with any name',
    async () => {
      const { folder } = fakeManagers(state, { schtasks: 'exit 0' })
      const environment = { PATH: `${folder}:${process.env['PATH']}`, USERNAME: 'Zoë & 林', USERDOMAIN: 'DESK' }
      const home = join(state, 'Zoë & 林')
      await createTaskScheduler(createCommandRunner(environment), environment, home).install(plan())
      const script = `
import sys, json, xml.etree.ElementTree as tree
data = open(sys.argv[1], 'rb').read()
root = tree.fromstring(data)
texts = {each.tag.split('}')[1]: each.text for each in root.iter()}
print(json.dumps({'mark': data[:2].hex(), 'tag': root.tag, 'texts': texts}))`
      const { stdout } = Bun.spawnSync(['python3', '-c', script, join(home, 'service/task.xml')])
      expect(JSON.parse(stdout.toString())).toMatchObject({
        mark: 'fffe',
        tag: '{http://schemas.microsoft.com/windows/2004/02/mit/task}Task',
        texts: {
          UserId: 'DESK\\Zoë & 林',
          Command: 'conhost.exe',
          Arguments: `--headless cmd.exe /d /c "${join(home, 'service/csp.cmd')}"`,
        },
      })
    },
  )

  test('is made and run, ended and run again, and removed with its files', async () => {
    const { folder, calls } = fakeManagers(state, {
      schtasks: 'echo "<Task><Settings><Enabled>true</Enabled></Settings></Task>"',
    })
    const environment = { PATH: `${folder}:${process.env['PATH']}`, USERNAME: 'jo', USERDOMAIN: 'DESK' }
    const manager = createTaskScheduler(createCommandRunner(environment), environment, state)
    await manager.install(plan())
    expect(readFileSync(manager.file, 'utf8')).toBe(taskScript(plan()))
    expect(await manager.state()).toEqual({ isEnabled: true, state: undefined })
    await manager.restart()
    const xml = join(state, 'service/task.xml')
    expect(await manager.uninstall()).toEqual([manager.file, xml])
    expect(existsSync(join(state, 'service'))).toBe(false)
    const task = '/TN claude-search-proxy'
    expect(calls()).toEqual([
      `schtasks /End ${task}`,
      `schtasks /Create ${task} /XML ${xml} /F`,
      `schtasks /Run ${task}`,
      `schtasks /Query ${task} /XML`,
      `schtasks /End ${task}`,
      `schtasks /Run ${task}`,
      `schtasks /End ${task}`,
      `schtasks /Delete ${task} /F`,
    ])
  })
})
