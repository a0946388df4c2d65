import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHomeApp } from '../../../../src/app.ts'
import { main } from '../../../../src/runtime/cli/main.ts'
import { root } from '../../../docs/markdown.ts'
import { answers, fails, fakeExecutor, hangs, type Script } from '../../../support/fake-executor.ts'
import { type TestShellOptions, testShell } from '../../test-shell.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp-doctor-'))
const servers: { stop(isNow: true): unknown }[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.stop(true)
})
afterAll(() => rmSync(scratch, { recursive: true }))

/** Another csp that answers with this script, or with this status. */
function farCsp(script: Script | number = answers): string {
  const app = createHomeApp({ executor: fakeExecutor(typeof script === 'number' ? answers : script), version: '1.2.3' })
  const server = Bun.serve({
    ...{ hostname: '127.0.0.1', port: 0, idleTimeout: 0 },
    fetch(request) {
      if (new URL(request.url).pathname !== '/v1/models') return app.fetch(request)
      return new Response('{}', { status: typeof script === 'number' ? script : 200 })
    },
  })
  servers.push(server)
  return `http://127.0.0.1:${server.port}`
}

interface Trial extends Partial<TestShellOptions> {
  readonly script?: Script | number
  readonly columns?: number
  readonly home?: string
}

const noClaude = { CSP_BACKENDS: 'claude', CSP_CLAUDE_BIN: '/gone/claude', CSP_REMOTE_URL: '' }

/** csp doctor with the backend remote, so that it needs no CLI. */
async function doctor(args: readonly string[], { script, columns = 80, home, environment, ...more }: Trial = {}) {
  const HOME = home ?? mkdtempSync(join(scratch, 'home-'))
  const usual = {
    HOME,
    PATH: '',
    CSP_PORT: '0',
    CSP_BACKENDS: 'remote',
    CSP_REMOTE_URL: farCsp(script),
    CSP_PAGES: 'off',
  }
  const shell = testShell({ directory: HOME, ...more, environment: { ...usual, ...environment } })
  const code = await main(['doctor', ...args], { ...shell, output: { ...shell.output, columns } })
  return { code, printed: shell.printed(), complaints: shell.complaints(), home: HOME, shell }
}
/** A home whose file of keys others can read, which csp can mend. */
function openHome(): string {
  const home = mkdtempSync(join(scratch, 'home-'))
  mkdirSync(join(home, '.config/csp'), { recursive: true, mode: 0o700 })
  writeFileSync(join(home, '.config/csp/keys.json'), '{"version": 1, "keys": []}')
  chmodSync(join(home, '.config/csp/keys.json'), 0o644)
  return home
}

test('csp doctor prints a line for each check, what to do under it, and one sentence at the end', async () => {
  const cache = { CSP_CACHE_TTL: '0' }
  const keys = { ANTHROPIC_API_KEY: 'a', BRAVE_API_KEY: 'b', CSP_BACKENDS: 'claude,remote' }
  const environment = { ...noClaude, ...cache, ...keys, CSP_REMOTE_URL: 'http://127.0.0.1:9' }
  const { code, printed, complaints, home } = await doctor([], { environment, home: openHome(), columns: 50 })
  const text = printed
    .replaceAll(home, '~')
    .replaceAll(root, 'csp')
    .replace(/\S+ on Bun .*/, 'PROGRAM')
    .replace(/[\d,]+ MB/, 'N MB')
  expect([code, complaints]).toEqual([3, ''])
  expect(text).toBe(`\
ok    csp           PROGRAM
fail  claude        /gone/claude is not a program
                    Correct --claude-bin, or leave it out.
warn  billing       the subscription pays; set and ignored: ANTHROPIC_API_KEY
                    No action needed. To pay with the key instead, use --auth api-key.
fail  remote        remote at 127.0.0.1:9 cannot be reached.
                    csp/docs/backends.md says how to set it up.
ok    order         asked in this order, the next where one fails: claude, remote
warn  other keys    Set up but not used: brave (BRAVE_API_KEY). --backends auto asks in this order, the next where one fails: brave, remote, claude.
                    csp config set backends auto
ok    port          any free port
ok    access        programs of this machine, without a key; requests that come through a proxy are refused
ok    cache         off (--cache-ttl 0)
ok    disk          N MB free
ok    memory        nothing is kept yet
warn  permissions   other users of this machine can read ~/.config/csp/keys.json
                    chmod go= ~/.config/csp/keys.json
ok    config        ~/.config/csp/config.json (no such file, which is fine)

Anthropic's terms for subscriptions: csp/docs/terms.md

2 problems: claude, remote; 3 warnings: billing, other keys, permissions.
`)
})

const rows = (printed: string) =>
  [...printed.matchAll(/^(ok|warn|fail) +(\S+)/gm)].map(([, status, check]) => `${status} ${check}`)

describe('csp doctor ends', () => {
  test('with 0 where nothing failed, and names each check', async () => {
    const { code, printed, complaints } = await doctor([])
    expect([code, complaints]).toEqual([0, ''])
    const checks = 'csp remote port access cache disk memory permissions config'.split(' ')
    expect(rows(printed)).toEqual(checks.map((check) => `ok ${check}`))
    expect(printed).toEndWith('\n\nNo problems.\n')
    expect(printed).not.toContain('terms.md')
  })

  test('with 1 where a check failed, and with 3 where the CLI did', async () => {
    const failed = await doctor([], { script: 401 })
    expect(failed.code).toBe(1)
    expect(failed.printed).toEndWith('\n\n1 problem: remote.\n')
    const paid = await doctor([], { environment: { ...noClaude, CSP_AUTH: 'api-key' } })
    expect(paid.code).toBe(3)
    expect(paid.printed).not.toContain('terms.md')
  })

  test('with 0 where the gateway alone serves, which needs no CLI', async () => {
    using upstream = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Response.json({ data: [{ id: 'a' }] }) })
    const environment = { ...noClaude, OPENAI_BASE_URL: `http://127.0.0.1:${upstream.port}/v1` }
    const { code, printed } = await doctor([], { environment })
    expect([code, rows(printed).slice(0, 2)]).toEqual([0, ['ok csp', 'warn claude']])
  })

  test('with what can be searched now, and whether anything else is wrong', async () => {
    const endOf = async (status: string, more: Trial = {}) => {
      const searches = { status, text: 'So it is.', from_memory: false }
      const headers = { 'x-csp': '1' }
      const statement = { status: 'ok', version: '1', searches }
      using server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Response.json(statement, { headers }) })
      const { printed } = await doctor(['--port', String(server.port)], more)
      return printed.slice(printed.lastIndexOf('\n\n') + 2)
    }
    expect(await endOf('ok')).toBe('So it is. No problems.\n')
    expect(await endOf('degraded')).toBe('So it is. No other problems.\n')
    expect(await endOf('ok', { script: 401, home: openHome() })).toBe(
      'So it is. 1 problem: remote; 1 warning: permissions.\n',
    )
  })

  test('with 1 where the configuration is wrong, and checks everything else without it', async () => {
    const home = mkdtempSync(join(scratch, 'home-'))
    mkdirSync(join(home, '.config/csp'), { recursive: true, mode: 0o700 })
    writeFileSync(join(home, '.config/csp/config.json'), '{"port": "x"}')
    const { code, printed } = await doctor([], { home, environment: { CSP_PORT: '' } })
    // Without its configuration it looks at the usual port, which another csp of this machine may have.
    expect(code).toBe(1)
    expect(printed).toMatch(/\n\n(?:1 problem: config|2 problems: port, config)\.\n$/)
  })

  test('on the sandbox with a line that says so', async () => {
    const { printed } = await doctor(['--sandbox'])
    expect(rows(printed).slice(0, 2)).toEqual(['ok csp', 'ok sandbox'])
    expect((await doctor([])).printed).not.toContain('sandbox')
  })
})

describe('csp doctor --json', () => {
  test('prints the findings alone, without what a repair is', async () => {
    const { code, printed, complaints } = await doctor(['--json'], { home: openHome() })
    const { findings } = JSON.parse(printed)
    expect([code, complaints]).toEqual([0, ''])
    const open = findings.find(({ check }: { check: string }) => check === 'permissions')
    expect(Object.keys(open).toSorted()).toEqual(['check', 'message', 'remedy', 'status'])
  })

  test('tells the story of a repair on standard error', async () => {
    const { printed, complaints } = await doctor(['--json', '--fix', '--yes'], { home: openHome() })
    const { findings } = JSON.parse(printed)
    expect(findings.find(({ check }: { check: string }) => check === 'permissions')).toMatchObject({ mended: true })
    expect(complaints).toContain('keys.json')
  })
})

describe('csp doctor --fix', () => {
  test('says what it did, and what is left to do by hand', async () => {
    const { code, printed } = await doctor(['--fix', '--yes'], { script: 401, home: openHome() })
    expect(code).toBe(1)
    expect(printed).toMatch(/keys\.json.*\n {2}Done\.\n\nTo do by hand:\nfail {2}remote {8}\S/)
    const nothing = await doctor(['--fix'])
    expect(nothing.printed).toContain('\nNothing was repaired.\n\nNo problems.\n')
  })

  test('is what --yes goes with', async () => {
    expect(await doctor(['--yes'])).toMatchObject({ code: 2, complaints: '--yes needs --fix.\n', printed: '' })
    expect((await doctor(['--fix'])).code).toBe(0)
  })
})

describe('the lines of csp doctor', () => {
  test('are broken on a terminal, and on a narrow one stand below the name of the check', async () => {
    const on = (columns: number) =>
      doctor([], { script: 401, columns, isTerminal: true, environment: { NO_COLOR: '1' } })
    for (const columns of [40, 59, 60, 80]) {
      const { printed } = await on(columns)
      expect(printed).toMatch(columns < 60 ? /^fail {2}remote\n {4}\S/m : /^fail {2}remote {8}\S/m)
      const wide = printed.split('\n').filter((line) => line.length > columns)
      expect(wide.filter((line) => line.slice(columns < 60 ? 4 : 20).includes(' '))).toEqual([])
    }
    const bold = await doctor([], { script: 401, isTerminal: true })
    expect(bold.printed).toMatch(/^\x1b\[1mfail\x1b\[22m {2}remote {8}\S/m)
    expect(bold.printed).toMatch(/^ok {4}port /m)
  })
})

describe('csp doctor --live', () => {
  const live = (printed: string) =>
    [...printed.matchAll(/^(\w+) +live (?:(\w+) +)?(.*)$/gm)].map(([, ...found]) => found)

  test('makes a search with each strategy, and says what came', async () => {
    const { printed } = await doctor(['--live'])
    expect(live(printed).map(([status, strategy]) => `${status} ${strategy}`)).toEqual([
      ...['ok results', 'ok fast', 'ok standard', 'ok deep'],
    ])
    expect(live(printed)[0]?.[2]).toStartWith('2 pages, 1 with excerpt, 1 with date, 2 searches, ')
    expect((await doctor([])).printed).not.toContain('live')
  })

  test('says why nothing could be measured', async () => {
    const limited = await doctor(['--live'], { script: fails('rate-limited') })
    expect(live(limited.printed)).toEqual([['fail', undefined, expect.stringContaining('limit')]])
    const failed = await doctor(['--live'], { script: fails('ungrounded') })
    expect(live(failed.printed)).toHaveLength(4)
    expect(live(failed.printed)[0]?.[2]).toStartWith('ungrounded, after ')
    const signedOut = await doctor(['--live'], {
      script: fails('signed-out'),
      environment: { CSP_CLAUDE_BIN: '/gone/x' },
    })
    expect(signedOut.code).toBe(3)
    expect(signedOut.printed).toContain('csp login')
  })

  test('ends at Ctrl-C', async () => {
    const shell = testShell({ environment: {}, directory: '/' })
    const far = fakeExecutor(hangs)
    const app = createHomeApp({ executor: far, version: '1' })
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 0, fetch: (request) => app.fetch(request) })
    servers.push(server)
    const environment = { HOME: mkdtempSync(join(scratch, 'home-')), PATH: '', CSP_PAGES: 'off' }
    const flags = ['--live', '--port', '0', '--backends', 'remote', '--remote-url', `http://127.0.0.1:${server.port}`]
    const running = main(['doctor', ...flags], { ...shell, environment })
    await far.begun()
    shell.send('SIGINT')
    expect(await running).toBe(1)
    expect(live(shell.printed())).toEqual([['fail', undefined, expect.stringContaining('stopped')]])
  })
})
