import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DOMParser } from 'linkedom'
import { createCommandRunner } from '../../../../src/runtime/background/service/command-runner.ts'
import { createLaunchd, launchAgent } from '../../../../src/runtime/background/service/launchd.ts'
import { UsageError } from '../../../../src/runtime/config/usage-error.ts'
import { fakeManagers } from '../../../support/fake-managers.ts'
import { testNeeding } from '../../../support/needs.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'csp-launchd-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const plan = () => ({
  program: { command: '/opt/a & b/node', args: ['/opt/<csp>/csp.mjs', 'serve', '--model="x"'] },
  environment: { PATH: '/usr/bin', CSP_MANAGER: 'launchd' },
  logFile: join(home, 'state/log/csp.log'),
})

function launchd(script: string) {
  const { folder, calls } = fakeManagers(home, { launchctl: script })
  const environment = { HOME: home, PATH: `${folder}:${process.env['PATH']}` }
  return { manager: createLaunchd(createCommandRunner(environment), environment, 501), calls }
}

const target = 'gui/501/com.github.claude-search-proxy'

describe('a launch agent', () => {
  test('runs the program with its arguments and variables, which XML leaves as they are', () => {
    const document = new DOMParser().parseFromString(launchAgent(plan()), 'text/xml')
    const texts = (selector: string) => [...document.querySelectorAll(selector)].map(({ textContent }) => textContent)
    expect(texts('array > string')).toEqual(['/opt/a & b/node', '/opt/<csp>/csp.mjs', 'serve', '--model="x"'])
    expect(texts('dict > dict > key')).toEqual(['PATH', 'CSP_MANAGER', 'SuccessfulExit'])
    expect(texts('dict > dict > string')).toEqual(['/usr/bin', 'launchd'])
  })

  testNeeding('python3', Bun.which('python3') !== null)('is a property list', () => {
    const script = 'import sys, json, plistlib; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))'
    const stdin = Buffer.from(launchAgent(plan()))
    const { stdout } = Bun.spawnSync(['python3', '-c', script], { stdin })
    expect(JSON.parse(stdout.toString())).toEqual({
      Label: 'com.github.claude-search-proxy',
      ProgramArguments: ['/opt/a & b/node', '/opt/<csp>/csp.mjs', 'serve', '--model="x"'],
      EnvironmentVariables: plan().environment,
      RunAtLoad: true,
      KeepAlive: { SuccessfulExit: false },
      ExitTimeOut: 15,
      StandardOutPath: plan().logFile,
      StandardErrorPath: plan().logFile,
    })
  })

  test.each([
    ['', 'exit code 7'],
    ['No room.', 'No room.'],
  ])('that launchd does not load is said to be written, and what it said: %p', async (said, words) => {
    // Its tries wait for an agent that may still be ending.
    const tries: number[] = []
    const run = async (_: string, args: readonly string[]) => {
      const isLoad = args.includes('bootstrap')
      if (isLoad) tries.push(Date.now())
      return { code: isLoad ? 7 : 0, said: isLoad ? said : '' }
    }
    jest.useFakeTimers()
    try {
      const installing = createLaunchd(run, { HOME: home }, 501).install(plan())
      let isOver = false
      const ended = installing.catch(String).finally(() => {
        isOver = true
      })
      while (!isOver) {
        await new Promise<void>((resolve) => setImmediate(resolve))
        jest.advanceTimersByTime(500)
      }
      expect(await ended).toContain(`launchd did not load it: ${words}\n`)
      expect(tries.map((at) => at - Number(tries[0]))).toEqual([...Array(11).keys()].map((index) => 500 * index))
    } finally {
      jest.useRealTimers()
    }
  })

  test.each([
    [0, 'x = {\n\tstate = spawn scheduled\n}', 'spawn scheduled'],
    [0, 'x = {\n\tlast exit state = 1\n}', undefined],
    [113, 'Could not find service "x"\n\tstate = running', 'not loaded'],
    [undefined, '', 'not loaded'],
  ])('of which launchctl says %p, %p, is %p', async (code, said, state) => {
    const manager = createLaunchd(async () => ({ code, said }), { HOME: home }, 501)
    expect(await manager.state()).toEqual({ isEnabled: false, state })
  })

  test('that is started again is loaded only where it was not, and removed only where it is there', async () => {
    const verbs: (string | undefined)[] = []
    let code = 0
    const run = async (_: string, args: readonly string[]) => {
      verbs.push(args[0])
      return { code: args[0] === 'kickstart' ? code : 0, said: '' }
    }
    const manager = createLaunchd(run, { HOME: home }, 501)
    await manager.restart()
    code = 113
    await manager.restart()
    expect(verbs).toEqual(['kickstart', 'kickstart', 'enable', 'bootstrap'])
    expect(await manager.uninstall()).toEqual([])
    expect(await manager.hint()).toBeUndefined()
  })

  test('is refused for a text that XML cannot hold', () => {
    expect(() => launchAgent({ ...plan(), environment: { PATH: '/a\n/b' } })).toThrow(UsageError)
  })

  test('is written, loaded anew, started again, unloaded and removed', async () => {
    const { manager, calls } = launchd('[ "$1" != print ] || printf "%s = {\\n\\tstate = running\\n}\\n" "$2"')
    await manager.install(plan())
    expect(manager.file).toBe(join(home, 'Library/LaunchAgents/com.github.claude-search-proxy.plist'))
    expect(readFileSync(manager.file, 'utf8')).toBe(launchAgent(plan()))
    expect(statSync(plan().logFile).mode & 0o777).toBe(0o600)
    expect(await manager.state()).toEqual({ isEnabled: true, state: 'running' })
    await manager.restart()
    expect(await manager.uninstall()).toEqual([manager.file])
    expect(existsSync(manager.file)).toBe(false)
    expect(calls()).toEqual([
      `launchctl bootout ${target}`,
      `launchctl enable ${target}`,
      `launchctl bootstrap gui/501 ${manager.file}`,
      `launchctl print ${target}`,
      `launchctl kickstart -k ${target}`,
      `launchctl bootout ${target}`,
    ])
  })

  test('is loaded again after csp stop has unloaded it, also while the old one still ends', async () => {
    const once = `touch '${home}/tried'; echo "Bootstrap failed: 5: Input/output error" >&2; exit 5`
    const { manager, calls } = launchd(
      `case $1 in kickstart) exit 113 ;; bootstrap) [ -e '${home}/tried' ] || { ${once}; } ;; esac`,
    )
    await manager.restart()
    expect(calls().filter((call) => call.startsWith('launchctl bootstrap'))).toHaveLength(2)
  })

  test('that launchd is not there for stays written, and the error says so', async () => {
    const environment = { HOME: home, PATH: home }
    const manager = createLaunchd(createCommandRunner(environment), environment, 501)
    await expect(manager.install(plan())).rejects.toThrow(`The service is written to ${manager.file}, but launchd`)
    expect(existsSync(manager.file)).toBe(true)
  })
})
