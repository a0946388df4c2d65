import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { identityOf } from '../../../../src/runtime/background/process-identity.ts'
import { announceServer, type RunningServerRecord } from '../../../../src/runtime/background/running-servers.ts'
import { logs } from '../../../../src/runtime/cli/logs/logs.ts'
import { restart } from '../../../../src/runtime/cli/restart/restart.ts'
import { runCommand } from '../../../../src/runtime/cli/run-command.ts'
import { start } from '../../../../src/runtime/cli/start/start.ts'
import { stop } from '../../../../src/runtime/cli/stop/stop.ts'
import { UsageError } from '../../../../src/runtime/config/usage-error.ts'
import { fakeManagers } from '../../../support/fake-managers.ts'
import { testShell } from '../../test-shell.ts'

// csp stop, restart and logs beside processes that stand for csps.

let home: string
const children: Bun.Subprocess[] = []
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'csp-stop-'))
})
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  await Promise.all(children.splice(0).map((child) => child.exited))
  rmSync(home, { recursive: true })
})

const state = () => join(home, '.local/state/csp')

/** A process that has written down that it is a csp at this port. */
async function running(port: number, manager: RunningServerRecord['manager'] = 'background') {
  const child = Bun.spawn(['sleep', '60'])
  children.push(child)
  const before = new Set(readdirSync(state(), { recursive: true }).map(String))
  const about = { version: '0', token: 't'.repeat(32), settings: '', flags: [], manager }
  await announceServer(state(), { ...about, url: `http://127.0.0.1:${port}`, port })
  const name = readdirSync(state(), { recursive: true })
    .map(String)
    .find((path) => path.endsWith('.json') && !before.has(path))
  const record = join(state(), name ?? '')
  const own = { ...JSON.parse(readFileSync(record, 'utf8')), pid: child.pid, identity: identityOf(child.pid) }
  writeFileSync(record, JSON.stringify(own))
  return child
}

interface Options {
  readonly reply?: string
  readonly systemctl?: string
  readonly port?: string
}

async function csp(
  command: typeof stop | typeof start,
  args: readonly string[],
  { reply, systemctl, port }: Options = {},
) {
  const managers = systemctl === undefined ? undefined : fakeManagers(home, { systemctl, journalctl: systemctl })
  const PATH = managers ? `${managers.folder}:/usr/bin:/bin` : ''
  const shell = testShell({
    environment: { HOME: home, PATH, ...(port && { CSP_PORT: port }) },
    directory: home,
    reply,
  })
  const code = await runCommand(command, args, shell)
  const flat = (text: string) => text.replaceAll(/\s+/g, ' ').trim()
  const calls = managers?.calls() ?? []
  return { code, printed: flat(shell.printed()), complaints: flat(shell.complaints()), calls }
}

const ended = (child: Bun.Subprocess) => child.exited.then(() => child.signalCode)
beforeEach(() => mkdirSync(state(), { recursive: true }))

describe('csp stop', () => {
  test('ends the only csp wherever it listens, and waits for its end', async () => {
    const child = await running(52999)
    expect(await csp(stop, [])).toMatchObject({ code: 0, printed: 'csp at http://127.0.0.1:52999 has stopped.' })
    expect(await ended(child)).toBe('SIGTERM')
    expect(await csp(stop, [])).toMatchObject({
      code: 0,
      printed: 'No csp of this user is running at port 52480.',
    })
  })

  test('ends the one at --port, at once with --force, and no other', async () => {
    const [first, second] = [await running(52998), await running(52999)]
    expect(await csp(stop, ['--port', '52999', '--force'])).toMatchObject({
      ...{ code: 0, printed: 'csp at http://127.0.0.1:52999 has stopped.', complaints: '' },
    })
    expect(await ended(second)).toBe('SIGKILL')
    expect(first.exitCode).toBeNull()
    expect((await csp(stop, ['--port', '52997'])).printed).toBe(
      'No csp of this user is running at port 52997. Running: http://127.0.0.1:52998. Choose one with --port.',
    )
    expect(first.killed).toBe(false)
  })

  test('asks which of several is meant, and ends nothing where the answer names none', async () => {
    const [first, second] = [await running(52998), await running(52999)]
    const asked = `2 csps of this user run: 1 http://127.0.0.1:52998 (process ${first.pid}) 2 http://127.0.0.1:52999 (process ${second.pid})`
    for (const reply of ['3', '0', 'x', '', undefined]) {
      expect(await csp(stop, [], reply === undefined ? {} : { reply })).toMatchObject({
        code: 2,
        complaints: `${asked} Stop one of them: csp stop --port 52998. Or all: csp stop --all.`,
      })
    }
    expect(await csp(stop, [], { reply: ' 2 ' })).toMatchObject({ code: 0, complaints: asked })
    expect([await ended(second), first.exitCode]).toEqual(['SIGTERM', null])
  })

  test.each([
    [['--all'], {}],
    [[], { reply: ' ALL' }],
  ])('ends all with %j %j', async (args, options) => {
    const [first, second] = [await running(52998), await running(52999)]
    const { code, printed } = await csp(stop, args, options)
    expect(code).toBe(0)
    for (const port of [52998, 52999]) expect(printed).toContain(`csp at http://127.0.0.1:${port} has stopped.`)
    expect([await ended(first), await ended(second)]).toEqual(['SIGTERM', 'SIGTERM'])
  })

  test('says of one that does not end that it still runs', async () => {
    const child = await running(52999)
    let ms = 0
    const mocks = [
      spyOn(process, 'kill').mockReturnValue(true),
      spyOn(performance, 'now').mockImplementation(() => (ms += 1000)),
    ]
    const { code, printed } = await csp(stop, [])
    for (const mock of mocks) mock.mockRestore()
    expect([code, printed]).toEqual([
      1,
      `csp at http://127.0.0.1:52999 (process ${child.pid}) still runs. csp stop --force ends it.`,
    ])
  })

  test('works with a configuration that is broken, as csp logs does', async () => {
    await running(52999)
    mkdirSync(join(home, '.config/csp'), { recursive: true })
    writeFileSync(join(home, '.config/csp/config.json'), '{')
    expect(await csp(stop, [])).toMatchObject({ code: 0, printed: 'csp at http://127.0.0.1:52999 has stopped.' })
    expect((await csp(logs, [])).complaints).toContain('There is no log at')
  })

  test.if(process.platform === 'linux')('has a service stopped by its manager, and no other csp', async () => {
    const child = await running(52999, 'systemd')
    const { code, printed, calls } = await csp(stop, [], { systemctl: `sleep 0.2; kill -HUP ${child.pid}; sleep 0.2` })
    expect([code, calls]).toEqual([0, ['systemctl --user stop csp']])
    expect(printed).toBe(
      'csp at http://127.0.0.1:52999 has stopped. It starts again at the next login; csp stop --at-login ends that.',
    )
    // The manager comes first.
    expect(await ended(child)).toBe('SIGHUP')
    rmSync(join(home, 'fakes'), { recursive: true })
    for (const [port, manager] of [
      [52998, 'background'],
      [52997, 'launchd'],
    ] as const) {
      await running(port, manager)
      expect((await csp(stop, [], { systemctl: '' })).calls).toEqual([])
    }
  })

  test.if(process.platform === 'linux')('--at-login removes the service, and says whether csp has ended', async () => {
    expect(await csp(stop, ['--at-login'], { systemctl: '' })).toMatchObject({
      ...{ code: 0, printed: 'csp does not start at login. csp start --at-login has it do so.' },
    })
    const unit = join(home, '.config/systemd/user/csp.service')
    mkdirSync(join(unit, '..'), { recursive: true })
    writeFileSync(unit, '')
    expect((await csp(stop, ['--at-login'], { systemctl: '' })).printed).toBe(`Removed ${unit}.`)
    writeFileSync(unit, '')
    const child = await running(52999, 'systemd')
    const url = 'http://127.0.0.1:52999'
    expect(await csp(stop, ['--at-login'], { systemctl: '' })).toMatchObject({
      ...{ code: 1, printed: `Removed ${unit}.` },
      complaints: `csp at ${url} (process ${child.pid}) still runs. csp stop ends it.`,
    })
    writeFileSync(unit, '')
    const script = `case "$2" in disable) kill ${child.pid}; while kill -0 ${child.pid} 2>/dev/null; do sleep 0.05; done ;; esac`
    expect(await csp(stop, ['--at-login'], { systemctl: script })).toMatchObject({
      ...{ code: 0, printed: `Removed ${unit}. csp at ${url} has stopped.`, complaints: '' },
    })
  })
})

describe.if(process.platform === 'linux')('a service of systemd', () => {
  const failed = 'case "$2" in is-active) echo failed; exit 3 ;; esac'

  test('is restarted by systemd, with its own flags only', async () => {
    await running(52999, 'systemd')
    const refused = csp(restart, ['--model', 'haiku'], { systemctl: failed })
    await expect(refused).rejects.toThrow(
      new UsageError('csp starts at login, with flags of its own: csp start --at-login --model=haiku'),
    )
    const { code, complaints, calls } = await csp(restart, [], { systemctl: failed })
    expect([code, complaints]).toEqual([1, 'It was started, but csp does not listen. csp logs shows why.'])
    expect(calls[0]).toBe('systemctl --user restart csp')
  })

  test('is not said to serve again while the csp before is all there is', async () => {
    await running(52999, 'systemd')
    const { code, complaints } = await csp(start, ['--at-login', '--port', '52999'], { systemctl: failed })
    expect([code, complaints]).toEqual([1, expect.stringContaining('It was started, but csp does not listen.')])
  })

  test('is restarted where it does not run', async () => {
    const unit = join(home, '.config/systemd/user/csp.service')
    mkdirSync(join(unit, '..'), { recursive: true })
    writeFileSync(unit, '')
    const { code, calls } = await csp(restart, [], { systemctl: failed })
    expect([code, calls[0]]).toEqual([1, 'systemctl --user restart csp'])
  })

  test('has its log in the journal, running or not', async () => {
    const journal = 'echo "from the journal"'
    await running(52999, 'background')
    expect((await csp(logs, [], { systemctl: journal })).code).toBe(1)
    await running(52998, 'systemd')
    const shown = await csp(logs, [], { systemctl: journal, port: '52998' })
    expect(shown).toMatchObject({ code: 0, printed: 'from the journal', complaints: '' })
    expect(shown.calls).toEqual(['journalctl --user -u csp -n 50 --no-pager'])
    for (const child of children) child.kill('SIGKILL')
    await Promise.all(children.map((child) => child.exited))
    expect((await csp(logs, [], { systemctl: journal })).complaints).toContain('There is no log at')
    const unit = join(home, '.config/systemd/user/csp.service')
    mkdirSync(join(unit, '..'), { recursive: true })
    writeFileSync(unit, '')
    const followed = await csp(logs, ['-f', '-n', '7'], { systemctl: 'echo Oops; exit 1' })
    expect(followed).toMatchObject({ code: 1, printed: 'Oops' })
    expect(followed.calls.at(-1)).toBe('journalctl --user -u csp -n 7 --no-pager -f')
  })
})
