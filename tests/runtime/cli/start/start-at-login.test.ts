import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { stopServer } from '../../../../src/runtime/background/background.ts'
import { runningServers } from '../../../../src/runtime/background/running-servers.ts'
import { type FakeManagers, fakeManagers, fakeSystemctl } from '../../../support/fake-managers.ts'
import { freePort } from '../../../support/free-port.ts'
import { describeNeeding } from '../../../support/needs.ts'
import { standInClaude } from '../../../support/quick-claude.ts'
import { entry, launcher, testedFolder } from '../../../support/tested-program.ts'
import { runHere } from '../../run-here.ts'

const root = join(import.meta.dir, '../../../..')
const onLinux = describeNeeding('Linux', process.platform === 'linux')

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'csp-service-'))
  mkdirSync(join(home, 'fakes'))
  symlinkSync(launcher, join(home, 'fakes/csp'))
})
afterEach(async () => {
  for (const folder of ['.local/state/csp', 'state']) {
    for (const left of await runningServers(join(home, folder))) await stopServer(left, true)
  }
  rmSync(home, { recursive: true, force: true })
})

/** On a PATH that begins with the folder of fakes. */
function environmentOf(own: Readonly<Record<string, string>> = {}): Record<string, string> {
  const PATH = `${join(home, 'fakes')}:${process.env['PATH'] ?? ''}`
  return { PATH, HOME: home, TMPDIR: home, CSP_CLAUDE_BIN: standInClaude(), CSP_WARM_UP: 'off', ...own }
}

/** Runs a command of csp in this process: one that starts no csp. */
function here(...args: readonly string[]) {
  return runHere(args, { environment: environmentOf(), directory: home })
}

/** Runs a command of csp as a user does. */
async function csp(
  args: readonly string[],
  { environment, program = launcher }: { environment?: Record<string, string>; program?: string } = {},
) {
  const child = Bun.spawn(['node', program, ...args], {
    env: environmentOf(environment),
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { output, errors, code }
}

/** For a csp whose searches are not the subject, and start no CLI. */
const withoutCli = ['--sandbox', '--backends', 'messages']

const unit = () => join(home, '.config/systemd/user/csp.service')

function systemd(): FakeManagers {
  return fakeManagers(home, {
    systemctl: fakeSystemctl(home),
    loginctl: 'echo Linger=no',
    journalctl: `cat '${join(home, 'journal')}'`,
  })
}

onLinux('csp start --at-login with systemd', () => {
  test('installs, shows, restarts, stops and removes a csp that answers', async () => {
    const { calls } = systemd()
    const port = freePort()
    const installed = await csp(['start', '--at-login', '--port', port, ...withoutCli])
    expect(installed).toMatchObject({ code: 0, errors: '' })
    expect(installed.output).toContain(`The service is written to ${unit()}.`)
    expect(installed.output).toContain(`listens on http://127.0.0.1:${port}`)
    expect(installed.output).toContain('loginctl enable-linger')
    expect(calls().slice(0, 3)).toEqual([
      'systemctl --user daemon-reload',
      'systemctl --user enable csp',
      'systemctl --user restart csp',
    ])
    expect(calls().at(-1)).toBe(`loginctl show-user ${process.getuid?.()} -p Linger`)
    expect((await fetch(`http://127.0.0.1:${port}/v1/search?q=harbour+seals`)).status).toBe(200)

    const shown = await here('status', '--port', port, '--json')
    expect(shown.code).toBe(0)
    expect(JSON.parse(shown.output)).toMatchObject({
      status: 'ok',
      at_login: { manager: 'systemd', file: unit(), enabled: true, state: 'active' },
    })
    expect((await here('status', '--port', port)).output).toContain('at login: started by systemd')
    expect((await here('start', '--port', port)).output).toContain('csp restart starts it again')
    const [before] = await runningServers(join(home, '.local/state/csp'))
    expect(before?.manager).toBe('systemd')
    expect(await csp(['restart'])).toMatchObject({ code: 0, errors: '' })
    const [after] = await runningServers(join(home, '.local/state/csp'))
    expect(after?.pid).not.toBe(before?.pid)

    const logged = await here('logs', '-n', '7')
    expect(logged.output).toContain(`listening on http://127.0.0.1:${port}`)
    expect(calls().at(-1)).toBe('journalctl --user -u csp -n 7 --no-pager')

    expect((await here('stop', '--port', port)).output).toContain('starts again at the next login')
    expect(calls()).toContain('systemctl --user stop csp')
    const stopped = await here('status', '--port', port)
    expect(stopped.code).toBe(1)
    expect(stopped.errors).toContain('at login: started by systemd')
    expect(await here('restart', '--model', 'haiku')).toMatchObject({ code: 2 })

    expect((await here('restart')).code).toBe(0)
    const removed = await csp(['stop', '--at-login'])
    expect(removed).toMatchObject({ code: 0, errors: '' })
    expect(removed.output).toBe(`Removed ${unit()}.\ncsp at http://127.0.0.1:${port} has stopped.\n`)
    expect(existsSync(unit())).toBe(false)
    expect(await runningServers(join(home, '.local/state/csp'))).toEqual([])
    expect(await here('stop', '--at-login')).toMatchObject({ code: 0 })
    expect((await here('stop', '--at-login')).output).toContain('csp does not start at login.')
    expect((await here('status', '--port', port)).errors).not.toContain('at login')
  }, 120_000)

  test('is replaced when it is installed again', async () => {
    systemd()
    const [first, second] = [freePort(), freePort()]
    expect((await csp(['start', '--at-login', '--port', first, ...withoutCli])).code).toBe(0)
    expect((await csp(['start', '--at-login', '--port', second, ...withoutCli])).code).toBe(0)
    const servers = await runningServers(join(home, '.local/state/csp'))
    expect(servers.map(({ port }) => String(port))).toEqual([second])
  }, 60_000)

  test('holds no secret of the terminal, and says where secrets go', async () => {
    systemd()
    const secrets = {
      CSP_CONNECT_SECRET: 'connect-secret-of-a-terminal',
      CLAUDE_CODE_OAUTH_TOKEN: 'login-secret-of-a-terminal',
      HTTPS_PROXY: 'http://user:proxy-secret-of-a-terminal@127.0.0.1:9',
    }
    const environment = { ...secrets, CSP_MODEL: 'haiku', CSP_STATE_DIR: 'state', NO_PROXY: '127.0.0.1' }
    const port = freePort()
    const flags = ['--port', port, '--sandbox', '--api-keys', 'flag-secret-of-a-terminal']
    const { code, errors } = await csp(['start', '--at-login', ...flags], { environment })
    expect(code).toBe(0)
    const text = readFileSync(unit(), 'utf8')
    expect(text).not.toContain('of-a-terminal')
    expect(text).toContain('Environment=CSP_MODEL=haiku\n')
    expect(text).toContain(`Environment=CSP_STATE_DIR=${join(home, 'state')}\n`)
    expect(text).toContain('Environment=NO_PROXY=127.0.0.1\n')
    expect(text).toContain(`Environment=CSP_CLAUDE_BIN=${standInClaude()}\n`)
    const file = join(home, '.config/csp/config.json')
    expect(errors).toContain(
      `--api-keys is a secret, so the service does not include it. Set "api-keys" in ${file}, or make keys`,
    )
    expect(errors).toContain(
      `CSP_CONNECT_SECRET is a secret, so the service does not include it. Set "connect-secret" in ${file}.`,
    )
    expect(errors).toContain('CLAUDE_CODE_OAUTH_TOKEN is a secret')
    expect(errors).toContain('HTTPS_PROXY holds a password')
    expect(errors).not.toContain('-secret-of-a-terminal')
    expect(statSync(unit()).mode & 0o777).toBe(0o600)
    // What it holds is enough to search with the CLI.
    expect((await fetch(`http://127.0.0.1:${port}/v1/search?q=harbour+seals`)).status).toBe(200)
  }, 60_000)

  test('is not installed where it could not start: without its keys, or on the port of another csp', async () => {
    const { calls } = systemd()
    const open = await runHere(['start', '--at-login', '--host', '0.0.0.0', '--sandbox'], {
      environment: environmentOf({ CSP_API_KEYS: 'a-key-of-this-terminal-alone' }),
      directory: home,
    })
    expect(open).toMatchObject({ code: 2 })
    expect(open.errors).toContain('csp listens there only with keys')
    const port = freePort()
    expect((await csp(['start', '--port', port, ...withoutCli])).code).toBe(0)
    const taken = await here('start', '--at-login', '--port', port, '--sandbox')
    expect(taken.code).toBe(1)
    expect(taken.errors).toContain(`csp runs already at http://127.0.0.1:${port}`)
    expect(existsSync(unit())).toBe(false)
    expect(calls()).toEqual([])
  }, 60_000)

  test('is written where systemd serves no user, and the message says how to start it', async () => {
    fakeManagers(home, { systemctl: 'echo "Failed to connect to bus: No medium found" >&2; exit 1' })
    const { code, errors } = await here('start', '--at-login', '--port', freePort(), '--sandbox')
    expect(code).toBe(1)
    expect(errors).toContain(`The service is written to ${unit()}, but systemd runs no services for this user here`)
    expect(errors).toContain('Failed to connect to bus')
    expect(errors).toContain('systemctl --user enable --now csp')
    expect(existsSync(unit())).toBe(true)
    // The CLI has to be there, if it is to search.
    const searxng = ['--backends', 'searxng', '--searxng-url', 'http://127.0.0.1:9']
    for (const [flags, isMissed] of [
      [[], false],
      [['--claude-bin', join(home, 'none')], true],
      [['--claude-bin', join(home, 'none'), ...searxng], false],
    ] as const) {
      const said = (await here('start', '--at-login', '--port', freePort(), ...flags)).errors
      expect([flags, said.includes('The Claude Code CLI was not found')]).toEqual([flags, isMissed])
    }
    expect((await here('stop', '--at-login')).output).toBe(`Removed ${unit()}.\n`)
    expect(existsSync(unit())).toBe(false)
  }, 60_000)

  test('that fails to start is reported as such', async () => {
    systemd()
    const other = Bun.serve({ port: 0, fetch: () => new Response('hello') })
    try {
      const { code, errors } = await csp(['start', '--at-login', '--port', String(other.port), ...withoutCli])
      expect(code).toBe(1)
      expect(errors).toContain('csp does not listen. csp logs shows why.')
      expect((await here('logs')).output).toContain(`Port ${other.port} is in use by another program`)
    } finally {
      await other.stop(true)
    }
  }, 60_000)
})

describe('csp start --at-login', () => {
  test('is not installed from a folder of npx, which will be emptied', async () => {
    const folder = join(home, '.npm/_npx/1a2b/node_modules/claude-search-proxy')
    mkdirSync(folder, { recursive: true })
    const [program = ''] = relative(testedFolder, entry).split(sep)
    for (const name of ['bin', program, 'package.json', 'bunfig.toml']) {
      cpSync(join(testedFolder, name), join(folder, name), { recursive: true })
    }
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    const { code, errors } = await csp(['start', '--at-login'], { program: join(folder, 'bin/csp.mjs') })
    expect(code).toBe(2)
    expect(errors).toContain('npm install -g . in a checkout')
    expect(existsSync(unit())).toBe(false)
  }, 60_000)

  test('goes apart from --for', async () => {
    expect(await here('start', '--at-login', '--for', '4711')).toMatchObject({ code: 2 })
  }, 60_000)
})

test.each<[NodeJS.Platform, RegExp]>([
  ['win32', /^On Windows csp runs in WSL: .*\n$/],
  ['freebsd', /needs systemd or launchd; csp start needs none\.\n$/],
])('on %s csp start --at-login says in one line why it cannot', async (platform, said) => {
  const own = process.platform
  Object.defineProperty(process, 'platform', { value: platform })
  try {
    const { code, errors } = await here('start', '--at-login')
    expect([code, errors]).toEqual([2, expect.stringMatching(said)])
  } finally {
    Object.defineProperty(process, 'platform', { value: own })
  }
})
