import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { announceServer, createLocalToken } from '../../../../src/runtime/background/running-servers.ts'
import type { InitCall } from '../../../../src/runtime/cli/init/init-call.ts'
import { managerHere, setUpServer, trySearch } from '../../../../src/runtime/cli/init/init-server.ts'
import { main } from '../../../../src/runtime/cli/main.ts'
import { loadConfig } from '../../../../src/runtime/config/config.ts'
import { type TestShellOptions, testShell } from '../../test-shell.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp-init-server-'))
const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => Response.json({ status: 'ok', backends: [] }) })
afterAll(async () => {
  await server.stop(true)
  rmSync(scratch, { recursive: true })
})

/** A call of csp init in a home of its own, with a session of systemd or without one. */
function calling(
  options: Partial<InitCall['options']>,
  { environment: variables, ...more }: Partial<TestShellOptions> = {},
  hasSession = false,
) {
  const home = mkdtempSync(join(scratch, 'home-'))
  if (hasSession) mkdirSync(join(home, 'systemd'))
  const environment = {
    HOME: home,
    PATH: '',
    XDG_RUNTIME_DIR: home,
    CSP_PORT: `${server.port}`,
    CSP_CLAUDE_BIN: '/gone',
    ...variables,
  }
  const shell = testShell({ directory: home, ...more, environment })
  const usual = { yes: false, clients: undefined, serve: undefined, noSearch: false, json: false }
  const loaded = loadConfig({}, environment, home)
  const call: InitCall = { shell, loaded, flags: {}, arguments: [], options: { ...usual, ...options } }
  return { call, shell, stateDir: loaded.config.stateDir }
}

/** Where a csp runs already. */
const url = `http://127.0.0.1:${server.port}`
function announce(stateDir: string) {
  const record = { url, port: server.port ?? 0, version: '1.2.3', token: createLocalToken(), settings: 'a', flags: [] }
  return announceServer(stateDir, { ...record, manager: 'background' })
}

test('a csp that runs already is used, and asked to start only with --serve', async () => {
  for (const serve of [undefined, 'background'] as const) {
    const { call, shell, stateDir } = calling({ serve })
    await announce(stateDir)
    expect(await setUpServer(call, true)).toEqual({ how: serve ?? 'running', ok: true, url })
    expect(shell.printed()).toMatch(/^Server\n.*csp 1\.2\.3/s)
    expect(shell.printed()).toContain(url)
  }
})

test('csp init says where the csp that runs shows its state, and names no way to start one', async () => {
  const { shell, stateDir } = calling({}, { environment: { CSP_BACKENDS: 'brave', BRAVE_API_KEY: 'b' } })
  await announce(stateDir)
  expect(await main(['init', '--yes', '--no-search', '--clients', 'none'], shell)).toBe(0)
  expect(shell.printed()).toContain(url)
  expect(shell.printed()).not.toContain('csp start\n')
})

const background = 'csp stop'
const service = 'systemd'
const needless = 'need no server'

type Refused = [
  when: string,
  options: Partial<InitCall['options']>,
  isNeeded: boolean,
  hasSession: boolean,
  asked: string[],
]

test.skipIf(process.platform !== 'linux').each<Refused>([
  ['where no client needs one, with --yes', { yes: true }, false, false, []],
  ['after a no', {}, false, false, [needless, background]],
  ['after a no, where a client needs one', {}, true, false, [background]],
  ['after two, with a session of systemd', {}, true, true, [service, background]],
])('no csp is started %s', async (_, options, isNeeded, hasSession, asked) => {
  const { call, shell } = calling(options, { reply: 'n' }, hasSession)
  expect(await setUpServer(call, isNeeded)).toBeUndefined()
  const lines = shell.printed().split(/\n|\[Y\/n\]/)
  expect(lines).toEqual(['Server', ...asked.map((word) => expect.stringContaining(word)), expect.any(String), ''])
  expect(managerHere(call)?.name).toBe(hasSession ? 'systemd' : undefined)
})

test('who has accepted the whole plan is neither asked nor advised against a server', async () => {
  // It has no place for its log, so that none is started.
  const { call, shell } = calling({ yes: true }, { environment: { CSP_STATE_DIR: '/dev/null/csp' } })
  expect(await setUpServer({ ...call, isAttended: true }, false)).toMatchObject({ how: 'background', ok: false })
  expect(shell.printed()).not.toContain(needless)
  expect(shell.printed()).not.toContain('[Y/n]')
})

test('no search is tried after a no', async () => {
  const { call, shell } = calling({}, { reply: 'n' })
  expect(await trySearch(call, 'unused')).toBeUndefined()
  expect(shell.printed()).toMatch(/^First search\n.*your plan.* \[Y\/n\] $/)
})
