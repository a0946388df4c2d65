import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createGateway } from '@csp/gateway/gateway'
import { nativeUpstream } from '@csp/gateway/native/native'
import { messagesServer } from '../../packages/gateway/test/support/messages-server.ts'
import { createApp } from '../../src/app.ts'
import { SearchError } from '../../src/domain/error.ts'
import { main } from '../../src/runtime/cli/main.ts'
import { testShell } from '../runtime/test-shell.ts'
import { fakeExecutor } from '../support/fake-executor.ts'
import { testNeeding } from '../support/needs.ts'

// The real Codex on csp, in a home of its own, with an invented login.

const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'csp-tests')
const codexProgram = join(cache, 'codex-0.171.0-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex')
const testCodex = testNeeding('Codex', existsSync(codexProgram))

const login = { access: 'invented-access-token', refresh: 'invented-refresh-token', account: 'invented-account' }
const usage = { searches: 1, inputTokens: 5, outputTokens: 7 }
const page = { title: 'Seals', url: 'https://a.example/seals', snippet: 'Seals bark.', source: 'fake' }

const seen: { readonly path: string; readonly headers: string; readonly body: string }[] = []
const executor = fakeExecutor(async function* ({ want, tools = [], continuation = [], query, model }) {
  if (model === 'haiku') throw new SearchError('rate-limited', 'The plan is used up.', { retryAfterSeconds: 9_000 })
  const last = continuation.at(-1)
  if (want === 'results') {
    yield { type: 'search-start', id: 's', query }
    yield { type: 'search-results', id: 's', results: [page] }
  } else if (last?.role === 'tool') yield { type: 'text-delta', text: `It says: ${last.text}` }
  else {
    const standalone = tools.find(({ name }) => name === 'web__run')
    const { name } = standalone ?? tools.find((tool) => /^mcp__csp__\w*search$/.test(tool.name)) ?? { name: 'none' }
    yield { type: 'tool-call-start', id: 'c1', name }
    const asked = standalone ? { search_query: [{ q: 'seals' }] } : { query: 'seals' }
    yield { type: 'tool-call-delta', id: 'c1', arguments: JSON.stringify(asked) }
    yield { type: 'done', reason: 'tool-calls', usage, model: 'claude-x' }
    return
  }
  yield { type: 'done', reason: 'stop', usage, model: 'claude-x' }
})

/** An upstream whose model runs a command, and then says what it printed. */
const upstream = messagesServer('succeed', (body) => {
  const said = JSON.stringify(body['messages'])
  const content = said.includes('tool_result')
    ? { type: 'text', text: said.includes('csp-42') ? 'It printed csp-42.' : said }
    : { type: 'tool_use', id: 'c1', name: 'exec_command', input: { cmd: 'echo csp-$((40+2))' } }
  return Response.json({
    ...{ id: 'm', type: 'message', role: 'assistant', model: body['model'], content: [content], stop_sequence: null },
    ...{ stop_reason: content.type === 'text' ? 'end_turn' : 'tool_use', usage: { input_tokens: 1, output_tokens: 1 } },
  })
})
const native = nativeUpstream({ name: 'local', baseUrl: upstream.url })
const gateway = createGateway({
  upstreams: [{ name: 'local', upstream: native, native: async () => native, isAnthropic: false, patterns: [] }],
})
const app = createApp({ executor, gateway, version: '0' })
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 0,
  async fetch(request) {
    const body = await request.clone().text()
    seen.push({ path: new URL(request.url).pathname, headers: JSON.stringify([...request.headers]), body })
    return app.fetch(request)
  },
})
const scratch = mkdtempSync(join(tmpdir(), 'csp-codex-'))
const url = `http://127.0.0.1:${server.port}`
afterAll(async () => {
  await Promise.all([server.stop(true), upstream.stop(), gateway.close()])
  rmSync(scratch, { recursive: true })
})

let home = ''
beforeAll(() => {
  home = join(scratch, '.codex')
  mkdirSync(home)
  const token = (claims: object) => `${part({ alg: 'none' })}.${part(claims)}.${part('x')}`
  const auth = { chatgpt_account_id: login.account, chatgpt_plan_type: 'plus' }
  const tokens = {
    id_token: token({ email: 'a@a.example', 'https://api.openai.com/auth': auth }),
    access_token: login.access,
    refresh_token: login.refresh,
    account_id: login.account,
  }
  const text = JSON.stringify({ OPENAI_API_KEY: null, tokens, last_refresh: new Date().toISOString() })
  writeFileSync(join(home, 'auth.json'), text, { mode: 0o600 })
})

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** The configuration of csp as Codex's provider, as docs/clients/codex.md has it. */
const profile = (features = '') => `model = "sonnet"
model_provider = "csp"

[model_providers.csp]
name = "csp"
base_url = "${url}/v1"
wire_api = "responses"
supports_standalone_web_search = true
${features}`

/** With a login Codex calls its vendor, too: nothing leaves this machine. */
const onlyHere = { HTTPS_PROXY: 'http://127.0.0.1:9', HTTP_PROXY: 'http://127.0.0.1:9', NO_PROXY: '127.0.0.1' }

async function codex(...words: readonly string[]) {
  const child = Bun.spawn([codexProgram, ...words], {
    cwd: scratch,
    env: { PATH: process.env['PATH'] ?? '', HOME: scratch, TMPDIR: tmpdir(), CODEX_HOME: home, ...onlyHere },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { output, errors, code }
}

const exec = (profileName: string, ...more: readonly string[]) =>
  codex(
    ...['exec', '-p', profileName, '--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'],
    ...[...more, 'How do seals sound?'],
  )

async function setup(...words: readonly string[]) {
  const shell = testShell({ environment: { HOME: scratch, CODEX_HOME: home, PATH: '' }, directory: scratch })
  const code = await main(['setup', 'codex', '--url', url, '--no-search', '--write', '--yes', ...words], shell)
  return { code, text: shell.printed() }
}

testCodex(
  'searches with csp by MCP, in a whole turn on csp, after csp setup codex; --undo gives back the file',
  async () => {
    const file = join(home, 'config.toml')
    const before = '# mine\nhide_agent_reasoning = true   # note\n\n[projects."/a b"]\ntrust_level = "trusted"'
    writeFileSync(file, before)
    writeFileSync(join(home, 'plain.config.toml'), profile().replace('supports_standalone_web_search = true\n', ''))
    expect((await setup()).code).toBe(0)
    const { output: known } = await codex('mcp', 'get', 'csp', '--json')
    expect(JSON.parse(known).transport.url).toBe(`${url}/mcp`)
    seen.length = 0
    const { output, errors } = await exec('plain')
    expect([output, errors].join('\n')).toContain('turn.completed')
    expect(output).toContain('It says:')
    expect(output).toContain(page.url)
    expect(seen.map(({ path }) => path)).toEqual(expect.arrayContaining(['/mcp', '/v1/responses']))
    expect(leaked()).toEqual([])
    expect((await setup('--undo')).code).toBe(0)
    expect(readFileSync(file, 'utf8')).toBe(before)
  },
)

testCodex('searches by its own endpoint, whose results have the addresses that the search returned', async () => {
  const features = '\n[features]\nstandalone_web_search = true\n'
  writeFileSync(join(home, 'csp.config.toml'), profile(features))
  seen.length = 0
  const { output, errors } = await exec('csp')
  expect([output, errors].join('\n')).toContain('turn.completed')
  expect(seen.map(({ path }) => path)).toContain('/v1/alpha/search')
  expect(output).toContain(page.url)
  expect(leaked()).toEqual([])
})

testCodex('finishes a turn with a tool call on a model of the gateway', async () => {
  writeFileSync(join(home, 'csp.config.toml'), profile())
  const { output, errors } = await exec('csp', '-m', 'local/qwen3')
  expect([output, errors].join('\n')).toContain('It printed csp-42.')
  expect(output).toContain('turn.completed')
})

testCodex('says that a plan is spent and when it ends, and asks once', async () => {
  writeFileSync(join(home, 'csp.config.toml'), profile())
  seen.length = 0
  const { output } = await exec('csp', '-m', 'haiku')
  expect(output).toMatch(/usage limit.*try again at/i)
  expect(seen.filter(({ path }) => path === '/v1/responses').length).toBe(1)
})

/** The requests in which something of the login stands. */
function leaked(): readonly string[] {
  const secrets = Object.values(login)
  const isTold = (text: string) => secrets.some((secret) => text.includes(secret))
  return seen.filter(({ headers, body }) => isTold(headers) || isTold(body)).map(({ path }) => path)
}

test('what csp setup codex writes stays one table, also with a key, and other forms are left alone', async () => {
  const own = join(scratch, 'own')
  mkdirSync(own)
  const file = join(own, 'config.toml')
  const run = async (...words: readonly string[]) => {
    const shell = testShell({ environment: { HOME: scratch, CODEX_HOME: own, PATH: '' }, directory: scratch })
    return main(['setup', 'codex', '--url', url, '--no-search', '--write', '--yes', ...words], shell)
  }
  const before = 'model = "gpt-5.5" # mine\n\n[mcp_servers.other]\ncommand = "x"\n'
  writeFileSync(file, before)
  expect(await run()).toBe(0)
  expect(readFileSync(file, 'utf8')).toBe(`${before}\n[mcp_servers.csp]\nurl = "${url}/mcp"\n`)
  // What the user has changed since stays.
  writeFileSync(file, `approval_policy = "never"\n${readFileSync(file, 'utf8')}\n[tui]\nanimations = false\n`)
  expect(await run('--undo')).toBe(0)
  expect(readFileSync(file, 'utf8')).toBe(`approval_policy = "never"\n${before}\n[tui]\nanimations = false\n`)
  const braces = 'mcp_servers = { other = { command = "x" } }\n'
  writeFileSync(file, braces)
  expect(await run()).not.toBe(0)
  expect(readFileSync(file, 'utf8')).toBe(braces)
})
