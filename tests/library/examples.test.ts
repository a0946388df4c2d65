import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@csp/testing/eventually'
import { Miniflare } from 'miniflare'
import { type RunningSandbox, startSandbox } from '../../packages/sandbox/test/support/sandbox.ts'
import { startSearxng } from '../edge/support/searxng.ts'
import { testNeeding } from '../support/needs.ts'
import { descendantsOf, untilGone } from '../support/processes.ts'
import { standInClaude } from '../support/quick-claude.ts'
import { claudeEnvironment } from '../support/real-claude.ts'
import { workerModules } from '../support/worker-modules.ts'

// The examples as their readers run them: in a folder of their own, with the library as one module, on node and on Bun.

const root = join(import.meta.dir, '../..')
let folder = ''
let sandbox: RunningSandbox

beforeAll(async () => {
  sandbox = startSandbox()
  folder = mkdtempSync(join(tmpdir(), 'csp-examples-'))
  cpSync(join(root, 'examples'), join(folder, 'examples'), { recursive: true })
  // As a package manager leaves it; Deno looks for the name there.
  writeFileSync(join(folder, 'package.json'), '{"dependencies": {"claude-search-proxy": "*"}}')
  const library = join(folder, 'node_modules/claude-search-proxy')
  mkdirSync(library, { recursive: true })
  writeFileSync(
    join(library, 'package.json'),
    '{"name": "claude-search-proxy", "type": "module", "main": "library.js"}',
  )
  for (const name of ['hono', '@hono'])
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  const entrypoints = [join(root, 'src/library/library.ts')]
  await Bun.build({ entrypoints, target: 'node', format: 'esm', outdir: library })
})

afterAll(async () => {
  await sandbox.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Starts an example; `says` resolves with its first words. */
function start(command: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const environment = { ...claudeEnvironment(sandbox.url, folder), CSP_CLAUDE_BIN: standInClaude(), PORT: '0' }
  const env = { ...environment, ...variables }
  const child = Bun.spawn([...command], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const address = async () => {
    const decoder = new TextDecoder()
    let text = ''
    for await (const chunk of child.stdout) {
      text += decoder.decode(chunk)
      const found = /http:\/\/\S+/.exec(text)?.[0]
      if (found) return found.replace(/[/)]+$/, '')
    }
    throw new Error(`It did not start: ${text}${await new Response(child.stderr).text()}`)
  }
  return { child, address }
}

describe.each([
  ['node', ['node', 'examples/node.mjs']],
  ['Bun', [process.execPath, 'examples/bun.mjs']],
])('the example for %s', (_, command) => {
  test('serves lists and streamed answers of the Claude CLI below a path, beside the other pages', async () => {
    const { child, address } = start(command)
    try {
      const base = await address()
      expect(await (await fetch(new URL('/', base))).text()).toBe('My own page.')
      const list = await post(`${base}/v1/search`, { query: 'tea' })
      expect(list.status).toBe(200)
      expect(await list.json()).toMatchObject({ success: true, total_results: 8 })
      const body = { model: 'sonar-pro', stream: true, messages: [{ role: 'user', content: 'What is tea?' }] }
      const answer = await (await post(`${base}/chat/completions`, body)).text()
      expect(answer).toContain('chat.completion.chunk')
      expect(answer).toContain('[DONE]')
    } finally {
      const started = descendantsOf(child.pid).map(({ pid }) => pid)
      child.kill('SIGTERM')
      expect(await child.exited).toBe(0)
      await untilGone(started)
      expect(started.length).toBeGreaterThan(0)
    }
  }, 60_000)

  test('asks SearXNG first where there is one', async () => {
    await using searxng = startSearxng()
    const { child, address } = start(command, { SEARXNG_URL: searxng.url })
    const list = await post(`${await address()}/v1/search`, { query: 'tea' })
    expect(await list.json()).toMatchObject({ results: [{ title: 'On tea', url: 'https://found.example/page' }] })
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
  })
})

describe('the example of a backend', () => {
  test.each([
    ['node', 'node'],
    ['Bun', process.execPath],
  ])('runs on %s', async (_, runtime) => {
    const { child } = start([runtime, 'examples/own-backend.mjs', 'coffee'])
    expect(await new Response(child.stdout).text()).toMatch(
      /^Coffee {2}https:.*\n(?:.*\n)*.*Green tea: .* 70 to 80 °C\. \[1\]/,
    )
    expect(await new Response(child.stderr).text()).toBe('')
    expect(await child.exited).toBe(0)
  })
})

testNeeding('deno', Bun.which('deno') !== null)('the example for Deno serves lists of SearXNG', async () => {
  await using searxng = startSearxng()
  const command = ['deno', 'run', '--no-prompt', '--allow-net', '--allow-env', '--allow-read', '--allow-sys']
  const { child, address } = start([...command, 'examples/deno.mjs'], { SEARXNG_URL: searxng.url, NO_COLOR: '1' })
  const list = await post(`${await address()}/v1/search`, { query: 'tea' })
  expect(await list.json()).toMatchObject({ results: [{ title: 'On tea' }] })
  child.kill('SIGKILL')
  await child.exited
})

test('the example for a Worker serves lists in workerd, keeps them in KV and wants its key', async () => {
  const asked: string[] = []
  await using brave = serve((request) => {
    asked.push(request.url)
    const results = [{ title: 'On tea', url: 'https://found.example/page', description: 'An excerpt.' }]
    return Response.json({ type: 'search', web: { results } })
  })
  const miniflare = new Miniflare({
    modules: await workerModules(join(root, 'examples/worker.mjs')),
    compatibilityDate: '2026-07-30',
    cf: false,
    kvNamespaces: ['CACHE'],
    bindings: { CSP_KEY: 'a-key-of-mine', BRAVE_KEY: 'brave-key', BRAVE_URL: `http://127.0.0.1:${brave.port}` },
  })
  try {
    const { origin } = await miniflare.ready
    const search = (headers: Record<string, string>) => post(`${origin}/v1/search`, { query: 'tea' }, headers)
    expect((await search({})).status).toBe(401)
    for (const cache of ['miss', 'hit']) {
      const list = await search({ authorization: 'Bearer a-key-of-mine' })
      expect({ status: list.status, cache: list.headers.get('x-cache') }).toEqual({ status: 200, cache })
      expect(await list.json()).toMatchObject({ results: [{ title: 'On tea' }] })
      await eventually(async () => (await keysIn(miniflare)).length > 0)
    }
    expect(asked).toHaveLength(1)
  } finally {
    await miniflare.dispose()
  }
})

async function keysIn(miniflare: Miniflare): Promise<readonly unknown[]> {
  // Its types are those of a package that is not among the dependencies.
  const namespace = (await miniflare.getKVNamespace('CACHE')) as unknown as { list(): Promise<{ keys: unknown[] }> }
  return (await namespace.list()).keys
}

function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const json = { 'content-type': 'application/json', ...headers }
  return fetch(url, { method: 'POST', headers: json, body: JSON.stringify(body) })
}

function serve(answer: (request: Request) => Response) {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: answer })
  return { port: server.port, [Symbol.asyncDispose]: () => server.stop(true) }
}
