import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { anyRunningExecutor, preferRunning, runningExecutor } from '../../../src/runtime/background/running-executor.ts'
import { announceServer, createLocalToken } from '../../../src/runtime/background/running-servers.ts'
import { settingsDigest } from '../../../src/runtime/background/settings-digest.ts'
import { loadConfig } from '../../../src/runtime/config/config.ts'
import { found, scriptedExecutor } from '../../support/scripted-executor.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'csp-running-executor-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const load = (flags: Readonly<Record<string, string>> = {}) =>
  loadConfig({ backends: 'searxng', 'searxng-url': 'http://127.0.0.1:9', ...flags }, { HOME: home }, home).config

/** A csp that says that it lives, and its record. It refuses searches, and has their bodies. */
async function running(record: { readonly settings?: string; readonly sandbox?: true }) {
  const searches: unknown[] = []
  const live = async (request: Request) => {
    if (request.method === 'POST') searches.push(await request.json())
    const status = request.method === 'POST' ? 503 : 200
    return Response.json({ status: 'ok' }, { status, headers: { 'x-csp': '1' } })
  }
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: live })
  const {
    url: { origin: url },
    port = 0,
  } = server
  const about = { version: '1.2.3', token: createLocalToken(), flags: [], manager: 'terminal' as const }
  await announceServer(load().stateDir, { ...about, url, port, settings: 'others', ...record })
  return { url, searches, [Symbol.dispose]: () => void server.stop(true) }
}

test('a csp with the same settings searches for a command; one with others only where any will do', async () => {
  using other = await running({})
  expect(await runningExecutor(load(), {})).toBeUndefined()
  expect((await anyRunningExecutor(load()))?.url).toBe(other.url)
  using _same = await running({ settings: settingsDigest(load({ port: '4711' }), {}) })
  expect(await runningExecutor(load(), {})).toBeDefined()
})

test('the sandbox never searches in the place of a csp that cannot', async () => {
  using _sandbox = await running({ sandbox: true })
  expect(await anyRunningExecutor(load())).toBeUndefined()
  using other = await running({})
  expect((await anyRunningExecutor(load()))?.url).toBe(other.url)
})

test('a csp that does not answer any more is passed over', async () => {
  const settings = settingsDigest(load(), {})
  const gone = await running({ settings })
  gone[Symbol.dispose]()
  expect(await runningExecutor(load(), {})).toBeUndefined()
  using there = await running({ settings })
  expect((await anyRunningExecutor(load()))?.url).toBe(there.url)
})

test('each search goes to the csp that runs at that moment, which may ask its memory, and otherwise is its own', async () => {
  const own = scriptedExecutor(found(1))
  const executor = preferRunning(own, load(), {})
  const search = async () => {
    const request = { query: 'seals', want: 'results', effort: 'low' } as const
    for await (const _ of executor.search(request as never, { signal: new AbortController().signal } as never));
  }
  await search()
  expect(own.calls).toHaveLength(1)
  using there = await running({ settings: settingsDigest(load(), {}) })
  expect(await search().catch(() => 'refused')).toBe('refused')
  expect(own.calls).toHaveLength(1)
  expect(there.searches).toEqual([
    expect.objectContaining({ request: expect.objectContaining({ query: 'seals', memory: 'last' }) }),
  ])
})
