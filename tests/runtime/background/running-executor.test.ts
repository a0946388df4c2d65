import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeAnswerSettings } from '../../../src/runtime/background/answer-settings.ts'
import { anyRunningExecutor, preferRunning } from '../../../src/runtime/background/running-executor.ts'
import { announceServer, createLocalToken } from '../../../src/runtime/background/running-servers.ts'
import { whatRuns } from '../../../src/runtime/background/what-runs.ts'
import { loadConfig } from '../../../src/runtime/config/config.ts'
import { found, scriptedExecutor } from '../../support/scripted-executor.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'csp-running-executor-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const load = (flags: Readonly<Record<string, string>> = {}) =>
  loadConfig({ backends: 'searxng', 'searxng-url': 'http://127.0.0.1:9', ...flags }, { HOME: home }, home)

const token = createLocalToken()
const asking = (flags?: Readonly<Record<string, string>>) => ({ loaded: load(flags), environment: {} })
const settingsOf = (flags?: Readonly<Record<string, string>>) =>
  writeAnswerSettings({ config: load(flags).config, environment: {}, token })

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
  const about = { version: '1.2.3', token, flags: [], manager: 'terminal' as const }
  await announceServer(load().config.stateDir, { ...about, url, port, settings: 'others', ...record })
  return { url, searches, [Symbol.dispose]: () => void server.stop(true) }
}

test('a csp with the same settings searches for a command; one with others only where any will do', async () => {
  using other = await running({})
  expect((await whatRuns(asking())).kind).not.toBe('usable')
  expect((await anyRunningExecutor({ loaded: load() }))?.url).toBe(other.url)
  using _same = await running({ settings: settingsOf({ port: '4711' }) })
  expect((await whatRuns(asking())).kind).toBe('usable')
})

test('the sandbox never searches in the place of a csp that cannot', async () => {
  using _sandbox = await running({ sandbox: true })
  expect(await anyRunningExecutor({ loaded: load() })).toBeUndefined()
  using other = await running({})
  expect((await anyRunningExecutor({ loaded: load() }))?.url).toBe(other.url)
})

test('a csp that does not answer any more is passed over', async () => {
  const settings = settingsOf()
  const gone = await running({ settings })
  gone[Symbol.dispose]()
  expect((await whatRuns(asking())).kind).not.toBe('usable')
  using there = await running({ settings })
  expect((await anyRunningExecutor({ loaded: load() }))?.url).toBe(there.url)
})

test('each search goes to the csp that runs at that moment, which may ask its memory, and otherwise is its own', async () => {
  const own = scriptedExecutor(found(1))
  const executor = preferRunning(own, asking())
  const search = async () => {
    const request = { query: 'seals', want: 'results', effort: 'low' } as const
    for await (const _ of executor.search(request as never, { signal: new AbortController().signal } as never));
  }
  await search()
  expect(own.calls).toHaveLength(1)
  using there = await running({ settings: settingsOf() })
  expect(await search().catch(() => 'refused')).toBe('refused')
  expect(own.calls).toHaveLength(1)
  expect(there.searches).toEqual([
    expect.objectContaining({ request: expect.objectContaining({ query: 'seals', memory: 'last' }) }),
  ])
})
