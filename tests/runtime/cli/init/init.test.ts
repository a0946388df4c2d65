import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parse as parseJsonc } from 'jsonc-parser'
import { main } from '../../../../src/runtime/cli/main.ts'
import { knownClients } from '../../../../src/runtime/client-files/known-clients.ts'
import { serveApi } from '../../../executor/backends/http/api-server.ts'
import { standInClaude } from '../../../support/quick-claude.ts'
import { stoppedLogin } from '../../../support/stopped-login.ts'
import { testShell } from '../../test-shell.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp-init-'))
afterAll(() => rmSync(scratch, { recursive: true }))

/** A home with these files. Its csp has the backend Brave, so that most tests need no CLI. */
function machine(files: Readonly<Record<string, string>> = {}, more: Readonly<Record<string, string>> = {}) {
  const home = mkdtempSync(join(scratch, 'home-'))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), text, { mode: 0o640 })
  }
  const environment = { HOME: home, PATH: '', CSP_PORT: '9', CSP_BACKENDS: 'brave', BRAVE_API_KEY: 'b', ...more }
  return {
    home,
    read: (name: string) => readFileSync(join(home, name), 'utf8'),
    shell: (reply: readonly string[]) => testShell({ environment, directory: home, reply }),
    async csp(args: readonly string[], reply?: readonly string[]) {
      const shell = testShell({ environment, directory: home, reply })
      const code = await main(args, shell)
      return { code, printed: shell.printed(), complaints: shell.complaints() }
    },
  }
}

const quiet = ['--yes', '--no-search', '--serve', 'no']
const cursor = '.cursor/mcp.json'
const desktop =
  process.platform === 'darwin'
    ? 'Library/Application Support/Claude/claude_desktop_config.json'
    : '.config/Claude/claude_desktop_config.json'

describe('csp init', () => {
  test('asks which clients, shows each change, keeps the rest of the file and a copy of it', async () => {
    const text = '{\n    // mine\n    "mcpServers": {\n        "other": {"url": "http://x.example"}\n    }\n}\n'
    const { csp, home, read } = machine({ [cursor]: text })
    const number =
      1 +
      knownClients({ HOME: home }, home)
        .filter(({ file }) => file !== undefined)
        .findIndex(({ id }) => id === 'cursor')
    const replies = ['what?', 's', `${number}, curser`, `${number},claude-code`, 'no', 'y', 'n', 'n', 'n']
    const { code, printed } = await csp(['init', '--no-search'], replies)
    expect(code).toBe(0)
    expect(printed).toMatch(/Cursor +found {2}/)
    expect(printed).toContain(`none [${number}] `)
    expect(printed).toContain('csp knows no client "curser". Did you mean cursor?')
    expect(read(cursor)).toBe(text)
    expect(existsSync(join(home, `${cursor}.before-csp`))).toBe(false)
    expect(printed).toContain(`Claude Code: ${join(home, '.claude.json')}\n  + mcpServers.csp.type: "http"\n`)
    expect(JSON.parse(read('.claude.json'))).toEqual({
      mcpServers: { csp: { type: 'http', url: 'http://127.0.0.1:9/mcp' } },
    })
    expect(statSync(join(home, '.claude.json')).mode & 0o777).toBe(0o600)

    expect(await csp(['init', ...quiet, '--clients', 'cursor'])).toMatchObject({ code: 0 })
    expect(read(cursor)).toContain('    // mine\n')
    expect(read(cursor)).toContain('"csp": {\n            "url": "http://127.0.0.1:9/mcp"\n        }')
    expect(read(`${cursor}.before-csp`)).toBe(text)
    expect(statSync(join(home, cursor)).mode & 0o777).toBe(0o640)
    const again = await csp(['init', ...quiet])
    expect(again.printed.match(/Searches with csp already/g)).toHaveLength(2)
  })

  test('asks once, when one answer is enough', async () => {
    const text = '{"mcpServers":{}}'
    const { csp, read } = machine({ [cursor]: text })
    const call = ['init', '--no-search', '--serve', 'no']
    expect(await csp(call, ['no'])).toMatchObject({ code: 0, printed: expect.stringContaining('Nothing was changed') })
    expect(read(cursor)).toBe(text)
    // A second question would get this answer again, and be asked once more.
    const { code, printed } = await csp(call, ['', 'never asked'])
    expect(code).toBe(0)
    expect(printed.match(/\[Y\/n/g)).toHaveLength(1)
    expect(read(cursor)).toContain('/mcp')
    expect(read(`${cursor}.before-csp`)).toBe(text)
  })

  // A CLI that is signed out, and whose login ends as one does at Ctrl-C.
  test.each(['exit 130', 'kill -INT $$'])(
    'ends at Ctrl-C in the login (%s), and leaves what was there',
    async (end) => {
      const CSP_CLAUDE_BIN = stoppedLogin(mkdtempSync(join(scratch, 'claude-')), end)
      const environment = { CSP_BACKENDS: 'claude', PATH: '/usr/bin:/bin', CSP_CLAUDE_BIN }
      const { csp, home, read } = machine({ [cursor]: '{}' }, environment)
      const call = ['init', '--no-search', '--serve', 'no']
      const { code, printed, complaints } = await csp(call, ['s', 'y', 'n'])
      expect({ code, complaints }).toEqual({ code: 130, complaints: expect.stringContaining('login') })
      expect(printed).toContain('Sign in')
      expect(printed).not.toContain('Next')
      expect(read(cursor)).toBe('{}')
      expect(existsSync(join(home, '.config/csp'))).toBe(false)
    },
  )

  test('ends at Ctrl-C in the first search', async () => {
    await using never = serveApi(() => new Promise<never>(() => {}))
    const { shell, home } = machine({}, { CSP_BACKENDS: 'searxng', CSP_SEARXNG_URL: never.url })
    const asked = shell(['y'])
    const ended = main(['init', '--clients', 'none', '--serve', 'no'], asked)
    await asked.says('First search')
    await never.until(({ open }) => open > 0)
    asked.send('SIGINT')
    expect(await ended).toBe(130)
    expect(asked.complaints()).toContain('stopped')
    expect(asked.printed()).not.toContain('Next')
    expect(existsSync(join(home, '.config/csp'))).toBe(false)
  })

  test('makes each client a key where csp has keys, once, and shows none', async () => {
    const { csp, read, home } = machine({ [cursor]: '{}', [desktop]: '' })
    const [first = ''] = (await csp(['keys', 'add', 'cursor'])).printed.split('\n')
    const { code, printed } = await csp(['init', ...quiet, '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(printed)).toMatchObject({
      claude: 'unused',
      clients: [
        { client: 'claude-desktop', outcome: 'written' },
        { client: 'cursor', outcome: 'written', key: 'cursor-2', backup: join(home, `${cursor}.before-csp`) },
      ],
    })
    const [, key = ''] = /Bearer (csp_[\w-]{43})"/.exec(read(cursor)) ?? []
    expect(key).not.toBe('')
    expect(printed).not.toContain(key)
    expect(first).not.toBe(key)
    expect(read(desktop)).not.toContain('Bearer')
    expect(JSON.parse((await csp(['init', ...quiet, '--json'])).printed).clients[1]).toMatchObject({
      outcome: 'unchanged',
    })
    expect(JSON.parse((await csp(['keys', 'list', '--json'])).printed).keys).toHaveLength(2)
  })

  test('says of OpenClaw, too, what became of its file, and has only what it wrote restarted', async () => {
    const { csp, read } = machine({ '.openclaw/openclaw.json': '{}' })
    const only = ['--clients', 'openclaw']
    const declined = await csp(['init', '--no-search', '--serve', 'no', ...only], ['n'])
    expect(declined.printed).not.toContain('Restart OpenClaw')
    expect(read('.openclaw/openclaw.json')).toBe('{}')
    for (const [outcome, next] of [
      ['written', 'Restart OpenClaw'],
      ['unchanged', 'csp start'],
    ] as const) {
      const { code, printed } = await csp(['init', ...quiet, ...only, '--json'])
      const report = JSON.parse(printed)
      expect({ code, ...report }).toMatchObject({ code: 0, clients: [{ client: 'openclaw', outcome }] })
      expect(report.next[0]).toContain(next)
    }
  })

  test('leaves a file that is not JSON alone, and goes on with the others', async () => {
    const { csp, read, home } = machine({ [cursor]: '[1', '.claude.json': '{}' })
    const { code, printed } = await csp(['init', ...quiet])
    expect(code).toBe(1)
    expect(printed).toContain(join(home, cursor))
    expect(read(cursor)).toBe('[1')
    expect(read('.claude.json')).toContain('http://127.0.0.1:9/mcp')
  })

  test('changes nothing where nobody can be asked', async () => {
    const { csp, read, home } = machine({ [cursor]: '{}' })
    const { code, complaints } = await csp(['init'])
    expect(code).toBe(2)
    expect(complaints).toContain('csp init --yes')
    expect(await csp(['init', '--clients', 'cursor'])).toMatchObject({ code: 2 })
    expect(await csp(['init', '--yes', '--serve', 'later'])).toMatchObject({ code: 2 })
    expect(read(cursor)).toBe('{}')
    expect(existsSync(join(home, '.local'))).toBe(false)
  })

  test('says where it looked for the CLI, how to get it, and changes no client without it', async () => {
    const { csp, read } = machine({ [cursor]: '{}' }, { CSP_BACKENDS: 'claude', CSP_CLAUDE_BIN: '/none/claude' })
    const { code, printed } = await csp(['init', ...quiet])
    expect(code).toBe(3)
    for (const word of ['~/.local/bin', 'npm install -g @anthropic-ai/claude-code', 'csp init'])
      expect(printed).toContain(word)
    expect(read(cursor)).toBe('{}')
  })

  test('says that the CLI is too old before it sets up anything, and prints JSON all the same', async () => {
    const { csp, home } = machine({}, { CSP_BACKENDS: 'claude', CSP_CLAUDE_BIN: '' })
    const claude = join(home, '.local/bin/claude')
    mkdirSync(dirname(claude), { recursive: true })
    writeFileSync(claude, '#!/bin/sh\necho "2.1.1 (Claude Code)"\n', { mode: 0o755 })
    const { code, printed, complaints } = await csp(['init', ...quiet, '--json'])
    expect(complaints).toMatch(/2\.1\.1.*too old.*csp init/s)
    expect([code, JSON.parse(printed)]).toEqual([3, { claude: 'missing', clients: [], next: ['csp init'] }])
  })

  test('says that nothing is real on the sandbox, and asks for no login', async () => {
    const claude = { CSP_BACKENDS: 'claude', CSP_CLAUDE_BIN: standInClaude(), PATH: '/usr/bin:/bin' }
    const { csp } = machine({}, { ...claude, CSP_SANDBOX: 'on' })
    const { code, printed } = await csp(['init', '--no-search', '--clients', 'none', '--serve', 'no'], ['y'])
    expect(printed).toContain('Sandbox: ')
    expect(printed).not.toMatch(/sign(?:ed)? in/i)
    expect(code).toBe(0)
  })

  test('complains of an unknown client before anything is fetched', async () => {
    const { csp } = machine({}, { CSP_BACKENDS: 'claude', CSP_CLAUDE_BIN: '' })
    const { code, printed, complaints } = await csp(['init', '--no-search', '--clients', 'emacs'], ['y'])
    expect([code, printed]).toEqual([2, ''])
    expect(complaints).toContain('"emacs"')
  })

  test('finds the CLI signed out, has it sign in, and goes on when it is not', async () => {
    const { csp, home } = machine({}, { CSP_BACKENDS: 'claude', CSP_CLAUDE_BIN: '' })
    const claude = join(home, '.local/bin/claude')
    mkdirSync(dirname(claude), { recursive: true })
    const script = `#!/bin/sh
case "$*" in
*status*) [ -e "$HOME/signed-in" ] && echo '{"loggedIn": true, "authMethod": "claude.ai"}' || { echo '{"loggedIn": false}'; exit 1; } ;;
"auth login") echo 1 >"$HOME/signed-in" ;;
*version*) echo '2.1.328 (Claude Code)' ;;
*) exit 1 ;;
esac
`
    writeFileSync(claude, script, { mode: 0o755 })
    const quietly = await csp(['init', ...quiet, '--clients', 'none'])
    expect(quietly).toMatchObject({ code: 3 })
    expect(quietly.printed).toContain('csp login')
    const { code, printed } = await csp(['init', '--no-search', '--clients', 'none', '--serve', 'no'], ['y'])
    expect(printed).toContain('(claude.ai)')
    expect(code).toBe(0)
  })

  test('asks whether a third party is asked when Claude cannot search, and takes only a yes for one', async () => {
    const free = async (flags: readonly string[], reply?: readonly string[], isBlocked = false) => {
      const { csp, home } = machine({}, { CSP_BACKENDS: '', BRAVE_API_KEY: '', CSP_CLAUDE_BIN: '' })
      const claude = join(home, '.local/bin/claude')
      mkdirSync(dirname(claude), { recursive: true })
      const script =
        '#!/bin/sh\ncase "$*" in *status*) echo \'{"loggedIn": true}\' ;; *version*) echo "2.1.328 (Claude Code)" ;; esac\n'
      writeFileSync(claude, script, { mode: 0o755 })
      const file = join(home, '.config/csp/config.json')
      // In the place of a file that is written with it.
      if (isBlocked) mkdirSync(join(dirname(file), 'config.schema.json/x'), { recursive: true })
      const call = ['init', '--no-search', '--clients', 'none', '--serve', 'no', ...flags]
      const { code, printed } = await csp(call, reply)
      return {
        isAsked: printed.includes('search.parallel.ai'),
        isWritten: code === 0 && printed.includes('Written to'),
        text: existsSync(file) ? readFileSync(file, 'utf8') : '',
      }
    }
    const yes = await free([], ['y'])
    expect(yes).toMatchObject({ isAsked: true, isWritten: true })
    expect(parseJsonc(yes.text)).toMatchObject({ backends: ['claude', 'parallel-free'] })
    expect(await free([], [''])).toEqual({ isAsked: true, isWritten: false, text: '' })
    expect(await free(['--yes'])).toEqual({ isAsked: false, isWritten: false, text: '' })
    expect(await free([], ['y'], true)).toMatchObject({ isAsked: true, isWritten: false })
  })

  test('makes a search, and shows what it found', async () => {
    const { csp } = machine(
      {},
      {
        CSP_SANDBOX: '1',
        CSP_BACKENDS: 'claude',
        BRAVE_API_KEY: '',
        CSP_CLAUDE_BIN: standInClaude(),
        PATH: '/usr/bin:/bin',
      },
    )
    const { code, printed } = await csp(['init', '--yes', '--clients', 'none', '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(printed)).toMatchObject({ claude: 'ready', clients: [], search: { ok: true, results: 1 } })
  })

  test('searches while OpenClaw installs the plugin, and then shows what became of it', async () => {
    const bin = mkdtempSync(join(scratch, 'bin-'))
    const searching = join(bin, 'searching')
    const program = (name: string, script: string) =>
      writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    const claude = `exec '${standInClaude()}' "$@"`
    program('claude', `case "$*" in *serve* | *stream-json*) : >'${searching}' ;; esac\n${claude}`)
    const wait = `for i in $(seq 300); do [ -e '${searching}' ] && exit 0; sleep 0.1; done`
    program('openclaw', `${wait}\necho 'no search was made' >&2; exit 1`)
    const { csp } = machine(
      { '.openclaw/openclaw.json': '{}' },
      { CSP_SANDBOX: '1', CSP_BACKENDS: 'claude', BRAVE_API_KEY: '', PATH: `${bin}:/usr/bin:/bin` },
    )
    const { code, printed, complaints } = await csp(['init', '--yes', '--serve', 'no'])
    expect({ code, complaints }).toEqual({ code: 0, complaints: '' })
    const steps = ['Claude Code CLI', 'First search', 'Clients', 'Installing the plugin', 'Next', 'Restart OpenClaw']
    expect(steps.toSorted((left, right) => printed.indexOf(left) - printed.indexOf(right))).toEqual(steps)
  })
})
