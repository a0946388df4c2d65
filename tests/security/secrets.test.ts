import { afterAll, expect, test } from 'bun:test'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '@csp/testing/eventually'
import { startSandbox } from '../../packages/sandbox/test/support/sandbox.ts'
import { processesNaming } from '../support/processes.ts'
import { standInClaude } from '../support/quick-claude.ts'
import { claudeEnvironment, scratchHome } from '../support/real-claude.ts'
import { entry } from '../support/tested-program.ts'

// A csp that tells as much as it can, in a shell that hides nothing: what it writes down is for its owner alone.

const key = 'key-of-the-caller-8c1f'
const wrong = 'key-of-a-stranger-77aa'
const query = 'a query about harbour seals 9d3e'
const token = 'sk-ant-oat01-sandbox'

const standIn = startSandbox()
const home = await scratchHome()
const mask = process.umask(0)
const flags = ['--port', '0', '--log-level', 'debug', '--rate', '0', '--timeout', '20']
const child = Bun.spawn([process.execPath, entry, 'serve', ...flags], {
  env: {
    ...claudeEnvironment(standIn.url, home.path),
    CSP_CLAUDE_BIN: standInClaude(),
    CSP_API_KEYS: key,
    // Failures are to be seen as such.
    CSP_MEMORY: 'off',
    TMPDIR: home.path,
  },
  cwd: home.path,
  stdio: ['ignore', 'ignore', 'pipe'],
})
process.umask(mask)
let log = ''
void (async () => {
  const decoder = new TextDecoder()
  for await (const bytes of child.stderr) log += decoder.decode(bytes, { stream: true })
})()
await eventually(() => log.includes('listening on'))
const url = /http:\/\/[\d.:]+/.exec(log)?.[0] ?? ''
afterAll(async () => {
  child.kill('SIGTERM')
  await child.exited
  await standIn.stop()
  await home[Symbol.asyncDispose]()
})

const replies: string[] = []

async function ask(path: string, headers: Record<string, string>, body?: unknown): Promise<number> {
  const response = await fetch(`${url}${path}`, {
    headers,
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  })
  replies.push(await response.text())
  return response.status
}

test('keys, queries and tokens appear in no log, error or process argument', async () => {
  const search = `/v1/search?${new URLSearchParams({ q: query })}`
  const chat = { model: 'sonar-pro', messages: [{ role: 'user', content: query }] }
  const bearer = { authorization: `Bearer ${key}` }
  expect(await ask(search, bearer)).toBe(200)
  expect(await ask('/v1/chat/completions', { 'x-api-key': key }, chat)).toBe(200)
  expect(await ask('/tavily/search', {}, { api_key: key, query })).toBe(200)
  const contents = { contents: [{ parts: [{ text: query }] }], tools: [{ googleSearch: {} }] }
  expect(await ask(`/v1beta/models/gemini-flash-latest:generateContent?key=${key}`, {}, contents)).toBe(200)
  expect(await ask(`/v1beta/models/gemini-flash-latest:generateContent?key=${wrong}`, {}, contents)).toBe(401)
  expect(await ask(search, { authorization: `Bearer ${wrong}` })).toBe(401)
  expect(await ask('/tavily/search', {}, { api_key: wrong, query })).toBe(401)
  expect(await ask(`${search}&count=${query}`, bearer)).toBe(400)
  const google = `/customsearch/v1?${new URLSearchParams({ q: query })}`
  expect(await ask(`${google}&key=${key}`, {})).toBe(200)
  expect(await ask(`${google}&key=${wrong}`, {})).toBe(400)
  expect(await ask(`/nowhere?key=${wrong}`, bearer)).toBe(404)
  for (const scenario of ['error-401', 'error-429', 'error-500', 'garbage', 'cut'] as const) {
    standIn.sandbox.configure({ scenario })
    expect(await ask(`${search}+${scenario}`, bearer)).toBeGreaterThanOrEqual(400)
    expect(await ask('/v1/chat/completions', bearer, { ...chat, user: scenario })).toBeGreaterThanOrEqual(200)
  }
  standIn.sandbox.configure({ scenario: 'ok' })
  expect(await ask('/health', bearer)).toBeGreaterThanOrEqual(200)
  const commands = processesNaming(home.path).map(({ command }) => command)
  expect(commands.length).toBeGreaterThan(1)
  for (const secret of [key, wrong, token]) expect(replies.join('\n')).not.toContain(secret)
  for (const secret of [key, wrong, token, 'harbour seals', '9d3e']) {
    expect(log).not.toContain(secret)
    expect(commands.filter((command) => command.includes(secret))).toEqual([])
  }
  expect(log).toContain('/v1/chat/completions 200')
})

test('files of csp can be read by their owner alone, whatever the umask', () => {
  const made = readdirSync(home.path, { recursive: true, encoding: 'utf8' }).filter((name) => !ofOthers(name))
  expect(made.some((name) => name.endsWith('.json'))).toBe(true)
  expect(made.some((name) => name.includes('csp-scratch'))).toBe(true)
  const open = made.filter((name) => (statSync(join(home.path, name)).mode & 0o077) !== 0)
  expect(open).toEqual([])
})

/** What the CLI and Bun write for themselves is their own affair. */
function ofOthers(name: string): boolean {
  return /^(\.bun|\.claude|\.cache\/claude|\.config|\.local|claude-)/.test(name) || name === '.cache'
}
