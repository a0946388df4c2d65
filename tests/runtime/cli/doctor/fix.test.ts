import { afterAll, describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { main } from '../../../../src/runtime/cli/main.ts'
import { serveApi } from '../../../executor/backends/http/api-server.ts'
import { fakeManagers } from '../../../support/fake-managers.ts'
import { stoppedLogin } from '../../../support/stopped-login.ts'
import { testShell } from '../../test-shell.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp-doctor-fix-'))
const searxng = serveApi(() => Response.json({ error: 'No query' }, { status: 400 }))
afterAll(async () => {
  await searxng[Symbol.asyncDispose]()
  rmSync(scratch, { recursive: true })
})

/** A home with these files. Its csp has the backend SearXNG, so that the doctor needs no CLI. */
function machine(files: Readonly<Record<string, string>> = {}) {
  const home = mkdtempSync(join(scratch, 'home-'))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true, mode: 0o700 })
    writeFileSync(join(home, name), text, { mode: 0o600 })
  }
  return {
    home,
    path: (name: string) => join(home, name),
    async csp(args: readonly string[], reply?: string, more: Readonly<Record<string, string>> = {}) {
      const usual = { HOME: home, PATH: '', CSP_PORT: '0', CSP_BACKENDS: 'searxng', CSP_SEARXNG_URL: searxng.url }
      const environment = { ...usual, ...more }
      const shell = testShell({ environment, directory: home, reply })
      const code = await main(['doctor', ...args], shell)
      return { code, printed: shell.printed(), complaints: shell.complaints() }
    },
  }
}

const state = '.local/state/csp'

/** A machine whose log others can read. */
function withOpenLog(files: Readonly<Record<string, string>> = {}) {
  const name = `${state}/log/csp.log`
  const { path, ...rest } = machine({ ...files, [name]: 'x' })
  chmodSync(path(name), 0o644)
  return { ...rest, path, isOpen: () => (statSync(path(name)).mode & 0o077) !== 0 }
}

describe('csp doctor --fix', () => {
  test('finds nothing to mend in a new home, and makes nothing but the folder of the cache', async () => {
    const { csp, path } = machine()
    const { code, printed } = await csp(['--fix'])
    expect(code).toBe(0)
    expect(printed).toContain('Nothing was repaired.\n')
    expect(existsSync(path(state))).toBe(false)
    expect(existsSync(path('.config'))).toBe(false)
  })

  test('takes what is secret from other users', async () => {
    const { csp, path } = machine({
      '.config/csp/keys.json': '{"version": 1, "keys": []}',
      '.config/csp/config.json': '{"remote-key": "r"}',
      [`${state}/log/csp.log`]: 'x',
      '.claude/proxy.env': 'OPENAI_API_KEY=k',
    })
    const open = [
      '.config/csp/keys.json',
      '.config/csp/config.json',
      `${state}/log/csp.log`,
      '.claude/proxy.env',
      state,
    ]
    for (const name of open) chmodSync(path(name), name === state ? 0o755 : 0o644)
    expect((await csp([])).printed).toContain('warn  permissions')
    const { printed } = await csp(['--fix'], 'y')
    expect(printed).toContain('and 2 more')
    for (const name of open) expect(statSync(path(name)).mode & 0o077).toBe(0)
    expect((await csp([])).printed).toContain('ok    permissions')
  })

  test('ends at Ctrl-C in the login that it offers, and mends nothing after it', async () => {
    const { csp, isOpen, home } = withOpenLog()
    const more = { CSP_BACKENDS: 'claude', PATH: '/usr/bin:/bin', CSP_CLAUDE_BIN: stoppedLogin(home, 'exit 130') }
    const { code, complaints } = await csp(['--fix'], 'y', more)
    expect({ code, complaints }).toEqual({ code: 130, complaints: '\nThe login was stopped.\n' })
    expect(isOpen()).toBe(true)
    // The same, but for Ctrl-C: the login does not help, and what follows is mended.
    stoppedLogin(home, 'exit 1')
    expect(await csp(['--fix'], 'y', more)).toMatchObject({
      code: 3,
    })
    expect(isOpen()).toBe(false)
  })

  test('ends with what can be searched now, in the words of the csp that runs', async () => {
    const text = 'Signed out: no new searches until `csp login`.'
    const health = { status: 'down', sandbox: true, searches: { status: 'signed-out', text, from_memory: false } }
    const headers = { 'x-csp': '1' }
    using server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Response.json(health, { headers }) })
    const { code, printed } = await machine().csp(['--port', String(server.port)])
    expect(printed).toEndWith(`\nSandbox: nothing here comes from the web. ${text} No other problems.\n`)
    expect(code).toBe(3)
  })

  test('names a damaged key file and a wrong configuration, with the command for each', async () => {
    const { csp, path } = machine({ '.config/csp/keys.json': '{', '.config/csp/config.json': '{"port": "x"}' })
    const { code, printed } = await csp(['--fix', '--yes'], undefined, { CSP_PORT: '' })
    expect(code).toBe(1)
    expect(printed).toContain(`mv '${path('.config/csp/keys.json')}'`)
    expect(printed).toContain('line 1: "port"')
    expect(printed).toContain('csp config edit')
  })

  test('asks on a terminal only, and does nothing that is declined', async () => {
    const { csp, isOpen } = withOpenLog()
    expect(await csp(['--fix'])).toMatchObject({ code: 2 })
    expect((await csp(['--fix'], 'n')).printed).toContain('Nothing was repaired.')
    expect(isOpen()).toBe(true)
  })

  test('has the CLI sign in', async () => {
    const { csp, home } = machine()
    const claude = join(home, 'claude')
    const script = `#!/bin/sh
case "$*" in
*status*) [ -e "$HOME/signed-in" ] && echo '{"loggedIn": true}' || { echo '{"loggedIn": false}'; exit 1; } ;;
"auth login") echo 1 >"$HOME/signed-in" ;;
*version*) echo '2.1.1 (Claude Code)' ;;
*) exit 1 ;;
esac
`
    writeFileSync(claude, script, { mode: 0o755 })
    const more = { CSP_BACKENDS: 'claude', CSP_CLAUDE_BIN: claude }
    expect((await csp(['--fix', '--yes'], undefined, more)).printed).not.toContain('Done.')
    expect(existsSync(join(home, 'signed-in'))).toBe(false)
    const { printed } = await csp(['--fix'], 'y', more)
    expect(printed).toContain(`${claude} auth login? [Y/n]   Done.\n`)
  })
})

describe.if(process.platform === 'linux')('a service whose programs have moved', () => {
  const unit = (program: string, claude: string) =>
    `[Service]\nExecStart=${program} /gone/bin/csp.mjs serve --port=8081 --model=haiku\nEnvironment="PATH=/a b:/usr/bin"\nEnvironment=CSP_CLAUDE_BIN=${claude}\n`

  test('is found, and installed again with its flags', async () => {
    const { csp, home, path } = machine({ '.config/systemd/user/csp.service': unit('/gone/node', '/gone/claude') })
    const managers = fakeManagers(home, { systemctl: 'exit 1' })
    const { printed } = await csp(['--fix', '--yes'], undefined, { PATH: managers.folder })
    expect(printed).toContain('/gone/node /gone/bin/csp.mjs /gone/claude')
    expect(readFileSync(path('.config/systemd/user/csp.service'), 'utf8')).toMatch(
      /^ExecStart=\/.* serve --port=8081 --model=haiku$/m,
    )
    expect((await csp([], undefined, { PATH: managers.folder })).printed).toContain('ok    service')
  })
})
