import { afterAll, beforeEach, expect } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../../src/app.ts'
import { SearchError } from '../../src/domain/error.ts'
import { main } from '../../src/runtime/cli/main.ts'
import { testShell } from '../runtime/test-shell.ts'
import { fakeExecutor } from '../support/fake-executor.ts'
import { testNeeding } from '../support/needs.ts'

// The real Copilot CLI on csp, in a home of its own, with invented tokens.

const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'csp-tests')
const program = join(cache, 'copilot-linux-x64-1.0.102/copilot')
const testCopilot = testNeeding('Copilot CLI', existsSync(program))

const usage = { searches: 1, inputTokens: 5, outputTokens: 7 }
const page = { title: 'Seals', url: 'https://a.example/seals', snippet: 'Seals bark.', source: 'fake' }
const executor = fakeExecutor(async function* ({ want, tools = [], continuation = [], query, model }) {
  if (model === 'haiku') throw new SearchError('rate-limited', 'The plan is used up.', { retryAfterSeconds: 9_000 })
  const last = continuation.at(-1)
  if (want === 'results') {
    yield { type: 'search-start', id: 's', query }
    yield { type: 'search-results', id: 's', results: [page] }
  } else if (last?.role === 'tool') yield { type: 'text-delta', text: `It says: ${last.text}` }
  else {
    const { name } = tools.find((tool) => tool.name === 'csp-web_search') ?? { name: 'none' }
    yield { type: 'tool-call-start', id: 'c1', name }
    yield { type: 'tool-call-delta', id: 'c1', arguments: JSON.stringify({ query: 'seals' }) }
    yield { type: 'done', reason: 'tool-calls', usage, model: 'claude-x' }
    return
  }
  yield { type: 'done', reason: 'stop', usage, model: 'claude-x' }
})

const seen: { readonly path: string; readonly headers: string }[] = []
const apps = {
  open: createApp({ executor, version: '0' }),
  keyed: createApp({ executor, version: '0', keys: ['key-1'] }),
}
const servers = Object.entries(apps).map(([name, app]) => {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    fetch(request) {
      seen.push({ path: new URL(request.url).pathname, headers: JSON.stringify([...request.headers]) })
      return app.fetch(request)
    },
  })
  return { name, server, url: `http://127.0.0.1:${server.port}` }
})
const urlOf = (name: keyof typeof apps) => servers.find((each) => each.name === name)?.url ?? ''

const scratch = mkdtempSync(join(tmpdir(), 'csp-copilot-'))
mkdirSync(join(scratch, '.copilot'))
afterAll(async () => {
  await Promise.all(servers.map(({ server }) => server.stop(true)))
  rmSync(scratch, { recursive: true })
})
beforeEach(() => {
  seen.length = 0
})

/** Nothing leaves this machine. */
const onlyHere = { HTTPS_PROXY: 'http://127.0.0.1:9', HTTP_PROXY: 'http://127.0.0.1:9', NO_PROXY: '127.0.0.1' }

async function copilot(words: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const child = Bun.spawn([program, ...words], {
    cwd: scratch,
    env: { PATH: process.env['PATH'] ?? '', HOME: scratch, TMPDIR: tmpdir(), ...onlyHere, ...variables },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  await child.exited
  return `${output}\n${errors}`
}

const ask = (variables: Readonly<Record<string, string>>) =>
  copilot(['-p', 'How do seals sound?', '--allow-all-tools'], { COPILOT_OFFLINE: 'true', ...variables })

async function setup(...words: readonly string[]) {
  const environment = { HOME: scratch, PATH: '', ...(words.includes(urlOf('keyed')) && { CSP_API_KEYS: 'key-1' }) }
  const shell = testShell({ environment, directory: scratch })
  const code = await main(['setup', 'copilot', '--no-search', '--write', '--yes', ...words], shell)
  return { code, text: shell.printed() }
}

const file = join(scratch, '.copilot/mcp-config.json')

testCopilot('reads what csp setup copilot writes beside its own entries, and --undo gives back the file', async () => {
  await copilot(['mcp', 'add', '--transport', 'http', 'other', 'https://b.example/mcp'])
  const before = readFileSync(file, 'utf8')
  expect((await setup('--url', urlOf('open'))).code).toBe(0)
  const known = await copilot(['mcp', 'get', 'csp'])
  expect(known).toContain(`${urlOf('open')}/mcp`)
  expect(known).toContain('180000ms')
  expect(await copilot(['mcp', 'list'])).toContain('other')
  expect((await setup('--undo')).code).toBe(0)
  expect(readFileSync(file, 'utf8')).toBe(before)
  expect(await copilot(['mcp', 'list'])).not.toContain('csp')
})

/** Its doors to a model of one's own, as docs/clients/copilot.md has them. */
const doors = [
  ['/v1/chat/completions', (url: string) => ({ COPILOT_PROVIDER_BASE_URL: `${url}/v1` })],
  [
    '/v1/responses',
    (url: string) => ({ COPILOT_PROVIDER_BASE_URL: `${url}/v1`, COPILOT_PROVIDER_WIRE_API: 'responses' }),
  ],
  ['/v1/messages', (url: string) => ({ COPILOT_PROVIDER_BASE_URL: url, COPILOT_PROVIDER_TYPE: 'anthropic' })],
] as const

for (const [path, provider] of doors) {
  testCopilot(`searches with csp by MCP, in a whole turn on csp by ${path}, where csp has keys`, async () => {
    writeFileSync(file, '{}')
    expect((await setup('--url', urlOf('keyed'))).code).toBe(0)
    const key = { COPILOT_PROVIDER_API_KEY: 'key-1', COPILOT_MODEL: 'sonnet' }
    const said = await ask({ ...provider(urlOf('keyed')), ...key })
    expect(said).toContain('It says:')
    expect(said).toContain(page.url)
    expect(seen.map((each) => each.path)).toEqual(expect.arrayContaining(['/mcp', path]))
  })
}

testCopilot('sends csp no token of GitHub', async () => {
  writeFileSync(file, '{}')
  expect((await setup('--url', urlOf('open'))).code).toBe(0)
  const tokens = { COPILOT_GITHUB_TOKEN: 'invented-1', GH_TOKEN: 'invented-2', GITHUB_TOKEN: 'invented-3' }
  const provider = { COPILOT_PROVIDER_BASE_URL: `${urlOf('open')}/v1`, COPILOT_MODEL: 'sonnet' }
  expect(await ask({ ...tokens, ...provider, COPILOT_OFFLINE: 'false' })).toContain('It says:')
  expect(seen.filter(({ headers }) => headers.includes('invented'))).toEqual([])
})

testCopilot('says that a plan is spent and when it ends, and asks once', async () => {
  const provider = { COPILOT_PROVIDER_BASE_URL: `${urlOf('open')}/v1`, COPILOT_MODEL: 'haiku' }
  expect(await ask(provider)).toMatch(/The plan is used up\. Resets at/)
  expect(seen.filter(({ path }) => path === '/v1/chat/completions').length).toBe(1)
})
