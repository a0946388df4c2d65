import { afterAll, describe, expect, test } from 'bun:test'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../../../../src/app.ts'
import { main } from '../../../../src/runtime/cli/main.ts'
import { clientNames } from '../../../../src/runtime/client-files/known-clients.ts'
import { startServer } from '../../../../src/runtime/server/server.ts'
import { found, scriptedExecutor } from '../../../support/scripted-executor.ts'
import { testShell } from '../../test-shell.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp-setup-'))
afterAll(() => rmSync(scratch, { recursive: true }))

interface Machine {
  readonly config: string
  csp(args: readonly string[], reply?: string): Promise<{ code: number; printed: string; complaints: string }>
  read(): unknown
}

/** A home with this text in OpenClaw's configuration, or without any. */
function machine(text?: string, more: Readonly<Record<string, string>> = {}): Machine {
  const home = mkdtempSync(join(scratch, 'home-'))
  const config = join(home, '.openclaw', 'openclaw.json')
  if (text !== undefined) {
    mkdirSync(join(home, '.openclaw'))
    writeFileSync(config, text, { mode: 0o600 })
  }
  return {
    config,
    read: () => Bun.JSON5.parse(readFileSync(config, 'utf8')),
    async csp(args, reply) {
      // Nothing listens on port 9, so no csp of this machine is found.
      const environment = { HOME: home, PATH: '', CSP_PORT: '9', ...more }
      const shell = testShell({ environment, directory: home, reply })
      const code = await main(['setup', ...args], shell)
      return { code, printed: shell.printed(), complaints: shell.complaints() }
    },
  }
}

const brave = (baseUrl: string, apiKey = 'local') => ({ enabled: true, config: { webSearch: { baseUrl, apiKey } } })
const ours = 'http://127.0.0.1:9'

describe('csp setup openclaw', () => {
  test('shows the changes, asks, makes a backup and keeps all other settings', async () => {
    const text =
      '{\n  // my notes\n  gateway: {port: 1, token: "t-1"}, tools: {web: {search: {provider: "perplexity"}}},\n}'
    const { csp, config, read } = machine(text)
    const { code, printed } = await csp(['openclaw'], 'y')
    expect(code).toBe(0)
    expect(printed.replaceAll(join(config, '../..'), '~')).toBe(`\
~/.openclaw/openclaw.json
- tools.web.search.provider: "perplexity"
+ tools.web.search.provider: "brave"
+ tools.web.search.timeoutSeconds: 120
+ plugins.entries.brave.enabled: true
+ plugins.entries.brave.config.webSearch.baseUrl: "${ours}"
+ plugins.entries.brave.config.webSearch.apiKey: "local"
Write this? [y/N] Written; the former file is ~/.openclaw/openclaw.json.before-csp.
If you have not yet:
  openclaw plugins install @openclaw/brave-plugin
csp does not answer at ${ours} now, so no search was tried. csp start starts it, csp start --at-login from each login on; then csp setup openclaw tries it.
`)
    expect(read()).toEqual({
      gateway: { port: 1, token: 't-1' },
      tools: { web: { search: { provider: 'brave', timeoutSeconds: 120 } } },
      plugins: { entries: { brave: brave(ours) } },
    })
    expect(readFileSync(`${config}.before-csp`, 'utf8')).toBe(text)
    expect(statSync(config).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(config, '..')).toSorted()).toEqual(['openclaw.json', 'openclaw.json.before-csp'])
  })

  test.each(['n', ''])('changes nothing after the answer "%s"', async (reply) => {
    const { csp, config } = machine('{}')
    const { code, printed } = await csp(['openclaw'], reply)
    expect([code, printed]).toEqual([0, expect.stringContaining('Nothing was changed')])
    expect(readFileSync(config, 'utf8')).toBe('{}')
    expect(existsSync(`${config}.before-csp`)).toBe(false)
  })

  test('without a terminal only shows the change, and how to have it written', async () => {
    const { csp, config } = machine('{}')
    const { code, printed } = await csp(['openclaw'])
    expect(code).toBe(0)
    expect(printed).toContain('+ tools.web.search.provider: "brave"\n')
    expect(printed).toMatch(/--yes .*--print .*\n$/)
    expect(readFileSync(config, 'utf8')).toBe('{}')
  })

  test('changes nothing in a second run', async () => {
    const { csp, config } = machine('{}')
    await csp(['openclaw', '--yes'])
    const written = readFileSync(config, 'utf8')
    const { code, printed } = await csp(['openclaw'])
    expect(code).toBe(0)
    expect(printed).not.toContain('+ ')
    expect(readFileSync(config, 'utf8')).toBe(written)
  })

  test('backs up the file from before csp, and --undo restores it', async () => {
    const text = '{"tools": {"web": {"search": {"enabled": false, "timeoutSeconds": 300}}}}'
    const { csp, config, read } = machine(text)
    await csp(['openclaw', '--yes'])
    expect(read()).toMatchObject({ tools: { web: { search: { enabled: true, timeoutSeconds: 300 } } } })
    await csp(['openclaw', '--yes', '--url', 'https://csp.example/'])
    expect(read()).toMatchObject({ plugins: { entries: { brave: brave('https://csp.example') } } })
    const { code, printed } = await csp(['openclaw', '--undo'], 'yes')
    expect(code).toBe(0)
    expect(printed).toContain('- plugins.entries.brave.config.webSearch.baseUrl: "https://csp.example"')
    expect(readFileSync(config, 'utf8')).toBe(text)
    expect((await csp(['openclaw', '--undo'], 'yes')).code).toBe(0)
  })

  test.each([
    ['{\n  // mine\n  "gateway": {"port": 1}, // the port\n}\n', ['// mine', '// the port']],
    [
      "{\n  /* it's mine */\n  gateway: {port: 0x10, 'name': 'a \"b\"', on: true}, // the port\n  http: 'http://x',\n}\n",
      ["/* it's mine */", '// the port', '"http://x"'],
    ],
  ])('keeps the comments of %s', async (text, kept) => {
    const { csp, config, read } = machine(text)
    expect((await csp(['openclaw', '--yes'])).code).toBe(0)
    for (const part of kept) expect(readFileSync(config, 'utf8')).toContain(part)
    expect(read()).toMatchObject({
      ...Object(Bun.JSON5.parse(text)),
      tools: { web: { search: { provider: 'brave' } } },
    })
    await csp(['openclaw', '--undo', '--yes'])
    expect(readFileSync(config, 'utf8')).toBe(text)
  })

  test('leaves with --undo what else has changed since', async () => {
    const { csp, config, read } = machine('{"tools": {"web": {"search": {"provider": "gemini"}}}, "a": {}}')
    await csp(['openclaw', '--yes'])
    writeFileSync(config, JSON.stringify({ ...Object(read()), later: { b: 1 } }))
    const { code, printed } = await csp(['openclaw', '--undo', '--yes'])
    expect(code).toBe(0)
    expect(printed).not.toContain('later')
    expect(read()).toEqual({ tools: { web: { search: { provider: 'gemini' } } }, a: {}, later: { b: 1 } })
    expect(existsSync(`${config}.before-csp`)).toBe(false)
  })

  test('writes keys and never shows them', async () => {
    const { csp, read } = machine('{"plugins": {"entries": {"brave": {"config": {"webSearch": {"apiKey": "BSA-1"}}}}}}')
    const { printed } = await csp(['openclaw', '--yes', '--api-keys', 'secret-1,secret-2'])
    expect(read()).toMatchObject({ plugins: { entries: { brave: brave(ours, 'secret-1') } } })
    expect(printed).toContain('- plugins.entries.brave.config.webSearch.apiKey: (hidden)')
    expect(printed).not.toMatch(/secret-|BSA/)
  })

  test('explains how to create a key where one is required and none is available', async () => {
    const { csp, config } = machine('{}')
    const made = await csp(['openclaw', '-y'])
    expect(made.complaints).toBe('')
    const keyFile = join(config, '../../.config/csp/keys.json')
    mkdirSync(join(keyFile, '..'), { recursive: true })
    const key = { name: 'phone', sha256: 'a'.repeat(64), created: '2026-11-20T10:00:00.000Z' }
    writeFileSync(keyFile, JSON.stringify({ version: 1, keys: [key] }))
    expect((await csp(['openclaw', '-y'])).complaints).toContain('CSP_API_KEYS=$(csp keys add NAME) csp setup openclaw')
    expect((await csp(['openclaw', '--print'])).complaints).toContain('CSP_API_KEYS=$(csp keys add NAME) csp setup')
    expect((await csp(['mcp'])).complaints).toContain('CSP_API_KEYS=$(csp keys add NAME) csp setup mcp')
    expect((await csp(['mcp', '--api-keys', 'secret'])).complaints).toBe('')
  })

  test('prints the commands where OpenClaw is not installed', async () => {
    const { csp, config } = machine()
    const { code, printed, complaints } = await csp(['openclaw', '--yes'])
    expect({ code, complaints }).toEqual({ code: 1, complaints: expect.stringContaining(`${config} is not there`) })
    expect(printed.split('\n')).toEqual([
      'openclaw plugins install @openclaw/brave-plugin',
      'openclaw config set plugins.entries.brave.enabled true',
      `openclaw config set plugins.entries.brave.config.webSearch.baseUrl ${ours}`,
      'openclaw config set plugins.entries.brave.config.webSearch.apiKey local',
      'openclaw config set tools.web.search.provider brave',
      'openclaw config set tools.web.search.timeoutSeconds 120',
      '',
    ])
    expect(existsSync(config)).toBe(false)
  })

  test('quotes a key so that a shell does not interpret it', async () => {
    const { printed } = await machine().csp(['openclaw', '--print', '--api-keys', `a"b'$HOME`])
    const [line = ''] = printed.split('\n').filter((text) => text.includes('apiKey'))
    const said = Bun.spawnSync(['sh', '-c', line.replace('openclaw config set', 'echo')], { env: { HOME: '/secret' } })
    expect(said.stdout.toString()).toBe(`plugins.entries.brave.config.webSearch.apiKey a"b'$HOME\n`)
  })

  test('changes nothing with --print, whatever is installed', async () => {
    const { csp, config } = machine('{}')
    const { code, printed } = await csp(['openclaw', '--print', '--yes', '--timeout', '5m'])
    expect(code).toBe(0)
    expect(printed).toContain('timeoutSeconds 300')
    expect(readFileSync(config, 'utf8')).toBe('{}')
  })

  test('creates a configuration for an OpenClaw without one', async () => {
    const home = mkdtempSync(join(scratch, 'programs-'))
    writeFileSync(join(home, 'openclaw'), '#!/bin/sh\n', { mode: 0o755 })
    const { csp } = machine(undefined, { PATH: home, OPENCLAW_STATE_DIR: join(home, 'state') })
    expect((await csp(['openclaw', '--yes'])).code).toBe(0)
    const config = JSON.parse(readFileSync(join(home, 'state', 'openclaw.json'), 'utf8'))
    expect(config.tools.web.search.provider).toBe('brave')
    expect((await csp(['openclaw', '--undo', '--yes'])).code).toBe(0)
    expect(readFileSync(join(home, 'state', 'openclaw.json'), 'utf8')).toBe('{}\n')
  })

  test.each([
    ['{', [], 'is not a JSON5 object'],
    ['[]', [], 'is not a JSON5 object'],
    ['{}', ['--url', 'localhost:1'], '--url must be an address'],
  ])('refuses and leaves alone %s %j', async (text, flags, message) => {
    const { csp, config } = machine(text)
    const { code, complaints } = await csp(['openclaw', '--yes', ...flags])
    expect({ code, complaints }).toEqual({ code: 2, complaints: expect.stringContaining(message) })
    expect(readFileSync(config, 'utf8')).toBe(text)
  })
})

describe('csp setup openclaw with keys', () => {
  const written = (baseUrl: string, apiKey: string) =>
    JSON.stringify({ plugins: { entries: { brave: brave(baseUrl, apiKey) } } })
  const keyOf = (config: unknown) => JSON.stringify(config).match(/"apiKey":"([^"]*)"/)?.[1]

  async function cspWithKey() {
    const app = createApp({ executor: scriptedExecutor([]), version: '1.2.3', keys: ['working-key'] })
    return startServer((request) => app.fetch(request), '127.0.0.1', 0)
  }

  test('keeps a key that works, also with --yes', async () => {
    const server = await cspWithKey()
    const { csp, read } = machine(written(`${server.url}/`, 'working-key'))
    const flags = ['--yes', '--no-search', '--url', server.url, '--api-keys', 'another-key']
    const { code, printed } = await csp(['openclaw', ...flags])
    await server.stop(AbortSignal.abort())
    expect([code, keyOf(read())]).toEqual([0, 'working-key'])
    expect(printed).not.toContain('GET ')
  })

  test('gives our plugin the key that the Brave plugin has for csp', async () => {
    const server = await cspWithKey()
    const { csp } = machine(written(server.url, 'working-key'))
    const { printed } = await csp(['openclaw', '--plugin', '--yes', '--url', server.url])
    await server.stop(AbortSignal.abort())
    expect(printed).toContain('config set plugins.entries.csp.config.webSearch.apiKey working-key')
  })

  test('writes no key that csp would refuse, and says how to create one', async () => {
    const server = await cspWithKey()
    for (const text of ['{}', written(server.url, 'an-old-key')]) {
      const { csp, config } = machine(text)
      const { code, complaints } = await csp(['openclaw', '--yes', '--url', server.url])
      expect({ code, complaints }).toEqual({
        code: 1,
        complaints: expect.stringMatching(/refuse OpenClaw.* csp restart/),
      })
      const other = await csp(['openclaw', '--yes', '--url', server.url, '--api-keys', 'a-wrong-key'])
      expect(other.complaints).toMatch(/refuse this key(?!.*csp restart)/)
      expect(readFileSync(config, 'utf8')).toBe(text)
    }
    await server.stop(AbortSignal.abort())
  })

  test('takes out nothing of a Brave of the user’s own', async () => {
    const { csp, config } = machine(written('https://api.search.brave.com', 'true-brave-key'))
    const text = readFileSync(config, 'utf8')
    expect((await csp(['openclaw', '--undo', '--yes'])).code).toBe(0)
    expect(readFileSync(config, 'utf8')).toBe(text)
  })

  test('does not send the key of another address to csp', async () => {
    const { csp, read } = machine(written('https://api.search.brave.com', 'true-brave-key'))
    expect((await csp(['openclaw', '--yes'])).code).toBe(0)
    expect(keyOf(read())).toBe('local')
  })
})

describe('the search at the end of csp setup openclaw', () => {
  async function cspThatFinds(key?: string) {
    const executor = scriptedExecutor(found(2))
    const app = createApp({ executor, version: '1.2.3', keys: key ? [key] : [] })
    return startServer((request) => app.fetch(request), '127.0.0.1', 0)
  }

  /** A stand-in for OpenClaw's program: what it is called with, and what its search prints. */
  function program(reply: unknown, uninstalls = true) {
    const folder = mkdtempSync(join(scratch, 'openclaw-'))
    const [calls, said] = [join(folder, 'calls'), join(folder, 'reply.json')]
    writeFileSync(said, JSON.stringify(reply))
    const script = `#!/bin/sh\necho "$@" >> '${calls}'\nif [ "$1" = infer ]; then /bin/cat '${said}'; fi\n${uninstalls ? '' : '[ "$2" != uninstall ] || exit 1'}\n`
    writeFileSync(join(folder, 'openclaw'), script, { mode: 0o755 })
    return { PATH: folder, calls: () => readFileSync(calls, 'utf8').trim().split('\n') }
  }

  const results = (provider: string) => ({
    ok: true,
    capability: 'web.search',
    provider,
    outputs: [{ result: { query: 'q', provider, count: 2, results: [{}, {}] } }],
  })
  const refusal = (message: string) => ({ ok: false, error: { type: 'cli_error', message } })

  test('is the request of its Brave plugin where there is no program of OpenClaw', async () => {
    const server = await cspThatFinds('key-of-csp')
    const { csp } = machine('{}')
    const { code, printed } = await csp(['openclaw', '--yes', '--url', server.url, '--api-keys', 'key-of-csp'])
    await server.stop(AbortSignal.abort())
    expect(code).toBe(0)
    expect(printed).toMatch(/GET \/res\/v1\/web\/search.*: 2 results/)
  })

  test('is not tried where csp does not run and cannot be started, which is said', async () => {
    const { PATH, calls } = program(results('csp'))
    const state = mkdtempSync(join(scratch, 'state-'))
    // No log can be written there, so no csp starts.
    writeFileSync(join(state, 'log'), '')
    const { csp } = machine('{}', { PATH, CSP_STATE_DIR: state })
    const { code, printed, complaints } = await csp(['openclaw', '--plugin', '--yes'])
    expect(complaints).toContain('log')
    expect({ code, printed }).toEqual({ code: 0, printed: expect.stringContaining(ours) })
    expect(calls().filter((call) => call.startsWith('infer'))).toEqual([])
  })

  test('goes through the program of OpenClaw where it is there, after our plugin is installed', async () => {
    const server = await cspThatFinds()
    const { PATH, calls } = program(results('csp'))
    const { csp, read } = machine('{"plugins": {"allow": ["other"]}}', { PATH })
    const { code, printed } = await csp(['openclaw', '--plugin', '--yes', '--url', server.url])
    await server.stop(AbortSignal.abort())
    expect({ code, calls: calls() }).toEqual({
      code: 0,
      calls: [
        expect.stringMatching(/^plugins install .*integrations\/openclaw --force --accept-capabilities$/),
        'infer web search --query latest stable release of Node.js --json',
      ],
    })
    expect(printed).toContain('OpenClaw works: 2 results')
    expect(read()).toEqual({
      plugins: {
        allow: ['other', 'csp'],
        entries: {
          csp: {
            enabled: true,
            config: {
              command: expect.any(Array),
              webSearch: { baseUrl: server.url },
            },
          },
        },
      },
      tools: { web: { search: { provider: 'csp', timeoutSeconds: 120 }, fetch: { provider: 'csp' } } },
    })
  })

  test('is made by our plugin until --undo takes out all that it has brought, and the plugin', async () => {
    const { PATH, calls } = program(results('csp'))
    const text = '{plugins: {allow: ["other"]}, tools: {web: {search: {provider: "brave", timeoutSeconds: 20}}}}\n'
    const { csp, config, read } = machine(text, { PATH })
    await csp(['openclaw', '--plugin', '--yes', '--no-search'])
    mkdirSync(join(config, '../extensions/csp'), { recursive: true })
    const { plugins, ...rest } = Object(read())
    plugins.entries.csp.config.webSearch.mode = 'answer'
    writeFileSync(config, JSON.stringify({ ...rest, plugins, later: 1 }))
    // OpenClaw writes what it has read, and something of its own, when it has removed the plugin.
    const written = join(scratch, 'written.json')
    writeFileSync(written, JSON.stringify({ ...rest, plugins, later: 2 }))
    appendFileSync(
      join(PATH, 'openclaw'),
      `if [ "$2" = uninstall ]; then /bin/sleep 0.2; /bin/cp ${written} ${config}; fi\n`,
    )
    expect((await csp(['openclaw', '--undo', '--yes'])).code).toBe(0)
    expect(calls().at(-1)).toBe('plugins uninstall csp --force')
    expect(read()).toEqual({ ...Object(Bun.JSON5.parse(text)), later: 2 })
  })

  test('says how the plugin goes if OpenClaw keeps it', async () => {
    const { csp, config } = machine('{}', { PATH: program(results('csp'), false).PATH })
    await csp(['openclaw', '--plugin', '--yes', '--no-search'])
    mkdirSync(join(config, '../extensions/csp'), { recursive: true })
    const { printed } = await csp(['openclaw', '--undo', '--yes'])
    expect(printed).toContain('openclaw plugins uninstall csp')
  })

  test.each([
    [refusal('web_search is disabled or no provider is available.'), 'Install it: openclaw plugins install @openclaw/'],
    [
      { ...refusal('OpenClaw config is invalid: /f'), issues: [{ path: 'tools.x', message: 'is not known' }] },
      'tools.x: is not known\nopenclaw config validate',
    ],
  ])('says what is wrong when OpenClaw says %j', async (reply, advice) => {
    const server = await cspThatFinds()
    const { csp } = machine('{}', { PATH: program(reply).PATH })
    const { code, printed } = await csp(['openclaw', '--yes', '--url', server.url])
    await server.stop(AbortSignal.abort())
    expect(code).toBe(1)
    expect(printed).toContain(advice)
  })

  test('is not reached when OpenClaw does not install our plugin: the last that it says is shown, and nothing is changed', async () => {
    const bin = mkdtempSync(join(scratch, 'bin-'))
    const says = 'for each in 1 2 3 4 5 6; do echo line $each; done; echo sorry >&2'
    writeFileSync(join(bin, 'openclaw'), `#!/bin/sh\n${says}\nexit 1\n`, { mode: 0o755 })
    const { csp, config } = machine('{"a": 1}', { PATH: bin })
    const { code, complaints } = await csp(['openclaw', '--plugin', '--yes'])
    expect([code, complaints]).toEqual([
      1,
      expect.stringMatching(/:\nline 3\nline 4\nline 5\nline 6\nsorry\n.*: openclaw plugins install .*\n$/),
    ])
    expect([readFileSync(config, 'utf8'), existsSync(`${config}.before-csp`)]).toEqual(['{"a": 1}', false])
    // A copy that was there before stays.
    writeFileSync(`${config}.before-csp`, '{}')
    expect((await csp(['openclaw', '--plugin', '--yes'])).code).toBe(1)
    expect(readFileSync(`${config}.before-csp`, 'utf8')).toBe('{}')
  })

  test('cannot follow on our plugin without a program that installs it', async () => {
    const { csp, config } = machine('{}')
    const { code, printed, complaints } = await csp(['openclaw', '--plugin', '--yes'])
    expect({ code, complaints }).toEqual({ code: 1, complaints: expect.stringContaining('openclaw is not on PATH') })
    expect(printed).toContain('openclaw config set tools.web.fetch.provider csp')
    expect(readFileSync(config, 'utf8')).toBe('{}')
  })
})

describe('csp setup', () => {
  test('lists its targets when it has no argument', async () => {
    const { printed } = await machine().csp([])
    expect(printed).toContain('csp setup openclaw ')
    expect(printed).toContain('csp setup mcp ')
  })

  test('refuses an unknown target, and names those that it knows', async () => {
    const { code, complaints } = await machine().csp(['emacs'])
    expect(code).toBe(2)
    for (const name of [...clientNames, 'mcp', 'edge']) expect(complaints).toContain(name)
  })

  test('mcp prints JSON for each client, with an existing program and the key', async () => {
    const { printed } = await machine().csp(['mcp', '--api-keys', 'secret-1'])
    const blocks = printed
      .split('\n\n')
      .filter((block) => block.startsWith('{'))
      .map((block) => JSON.parse(block))
    // Taken first: toMatchObject puts its matchers into what it is given.
    const { command, args } = blocks[0].mcpServers.csp
    const paths = [command, args[0]]
    const headers = { Authorization: 'Bearer secret-1' }
    expect(blocks).toMatchObject([
      { mcpServers: { csp: { args: [expect.stringContaining('csp.mjs'), 'mcp'] } } },
      { mcpServers: { csp: { url: `${ours}/mcp`, headers } } },
      { servers: { csp: { type: 'http', url: `${ours}/mcp`, headers } } },
      { mcp: { servers: { csp: { url: `${ours}/mcp`, transport: 'streamable-http', headers } } } },
    ])
    for (const path of paths) expect(existsSync(path)).toBe(true)
    expect(printed).toContain(
      `claude mcp add --transport http csp ${ours}/mcp --header 'Authorization: Bearer secret-1'`,
    )
  })
})

test('the command of csp setup mcp works for a desktop client without a PATH', async () => {
  const { printed } = await machine(undefined, { CSP_CLAUDE_BIN: process.execPath }).csp(['mcp'])
  const [first = ''] = printed.split('\n\n').filter((block) => block.startsWith('{'))
  const { command, args, env } = JSON.parse(first).mcpServers.csp
  expect(env).toEqual({ CSP_CLAUDE_BIN: process.execPath })
  const words = ['claude', 'mcp', 'add', 'csp', '--env', `CSP_CLAUDE_BIN=${process.execPath}`, '--', command, ...args]
  expect(printed).toContain(words.join(' '))
})
