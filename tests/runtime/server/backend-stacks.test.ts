import { afterAll, afterEach, describe, expect, jest, spyOn, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { quickTimers } from '@csp/testing/quick-timers'
import { collect } from '../../../src/domain/answer.ts'
import type { SearchRequest } from '../../../src/domain/search.ts'
import type { Executor } from '../../../src/executor/executor.ts'
import { loadConfig } from '../../../src/runtime/config/config.ts'
import { claudeOptions, createBackendStacks, searchPace } from '../../../src/runtime/server/backend-stacks.ts'
import { failureOf } from '../../support/failure-of.ts'
import { requestFor } from '../../support/fake-executor.ts'

const home = mkdtempSync(join(tmpdir(), 'csp-stacks-'))
afterAll(() => rmSync(home, { recursive: true }))

const keys = { BRAVE_API_KEY: 'k', EXA_API_KEY: 'k', CSP_ANTHROPIC_API_KEY: 'k' }
const gateway = { upstreams: [{ name: 'ollama', upstream: {} }] } as never

/** The stacks of these settings; no CLI is there. */
function stacks(flags: Readonly<Record<string, string | boolean>>, parts: object = {}) {
  const environment = { HOME: home, PATH: '/nowhere', ...keys }
  const { config } = loadConfig({ 'claude-bin': join(home, 'none'), ...flags }, environment, home)
  return createBackendStacks({ ...config, ...parts }, environment, home, () => {}, {
    onCall: () => {},
    gateway,
    ...parts,
  })
}

const healthOf = async (executor: Executor | undefined) => {
  const health = await executor?.health()
  return { ...health?.backends[0], queue: health?.queue }
}
const names = (executors: readonly Executor[]) => executors.map(({ name }) => name)

describe('backends and writers behind their layers', () => {
  test('are those of the settings in their order, and one that only writes is no backend', () => {
    const both = stacks({ backends: 'brave,exa', writers: 'messages,ollama/qwen3,messages' })
    expect([names(both.backends), names(both.writers)]).toEqual([
      ['brave', 'exa'],
      ['messages', 'ollama/qwen3'],
    ])
    const alone = stacks({ backends: 'brave' }, { writers: ['ollama/qwen3'], gateway: undefined })
    expect([names(alone.backends), names(alone.writers)]).toEqual([['brave'], []])
    expect(names(stacks({ backends: 'claude' }).writers)).toEqual(['claude'])
  })

  test('have a queue of their own and a breaker, but a model of the gateway has the queue of its upstream', async () => {
    const { backends, writers } = stacks({ backends: 'brave,messages', writers: 'ollama/qwen3' })
    for (const backend of backends) {
      const health = await healthOf(backend)
      expect(health.queue).toMatchObject({ concurrency: 5, capacity: 100 })
      expect(health.breaker).toMatchObject({ state: 'closed' })
    }
    const writer = await healthOf(writers[0])
    expect([writer.queue, writer.breaker?.state]).toEqual([undefined, 'closed'])
  })

  test('Claude has as many places as the settings say, a reserve of its plan, and is warmed without an error', async () => {
    const { backends, warm, offered, renewLogin } = stacks({
      backends: 'claude',
      concurrency: '3',
      'plan-reserve': '20',
    })
    const health = await healthOf(backends[0])
    expect(health.queue).toMatchObject({
      capacity: 100,
      lanes: { main: { concurrency: 3 }, light: { concurrency: 10 } },
    })
    expect(health.plan).toMatchObject({ reserve: 0.2, planOnly: expect.any(Boolean) })
    await warm()
    expect(offered()).toEqual([])
    renewLogin()
    for (const backend of backends) await backend.close()
  })

  test.each([
    ['on', true],
    ['off', false],
  ])('a plan that only is to be used, %s, is one: %p', async (planOnly, isOnly) => {
    const { backends } = stacks({ backends: 'claude', 'plan-only': planOnly })
    expect((await healthOf(backends[0])).plan?.planOnly).toBe(isOnly)
    for (const backend of backends) await backend.close()
  })

  test('an API key has no plan', async () => {
    const { backends } = stacks({ backends: 'claude', auth: 'api-key' })
    expect((await healthOf(backends[0])).plan).toBeUndefined()
    for (const backend of backends) await backend.close()
  })

  test('without Claude nothing is warmed', async () => {
    const { warm, offered, renewLogin } = stacks({ backends: 'brave' })
    await warm()
    renewLogin()
    expect(offered()).toEqual([])
  })
})

describe('what backends ask', () => {
  const signal = new AbortController().signal
  const asked: string[] = []
  let sent: { mockRestore(): void } | undefined
  const answering = (answer: (init: RequestInit | undefined) => Promise<Response>) => {
    asked.length = 0
    sent = spyOn(globalThis, 'fetch').mockImplementation((async (_: unknown, init?: RequestInit) => {
      asked.push(/"model":"[^"]*(haiku|opus|sonnet)/.exec(String(init?.body))?.[1] ?? '')
      return answer(init)
    }) as typeof fetch)
  }
  afterEach(() => {
    sent?.mockRestore()
    jest.useRealTimers()
  })

  test('is limited by model: where one is spent, the other goes on', async () => {
    using _ = quickTimers()
    const error = { type: 'error', error: { type: 'rate_limit_error', message: 'Slow down.' } }
    answering(async () => Response.json(error, { status: 429, headers: { 'retry-after': '600' } }))
    const [messages] = stacks({ backends: 'messages', model: 'sonnet', 'search-model': 'haiku' }).backends
    const search = async (more: Partial<SearchRequest>) => {
      const before = asked.length
      const searching = collect(messages?.search(requestFor('bees', more), { signal }) ?? (async function* () {})())
      const { code } = await failureOf(searching)
      return [code, ...asked.slice(before)]
    }
    expect(await search({ want: 'answer' })).toEqual(['rate-limited', 'sonnet'])
    expect(await search({ want: 'answer' })).toEqual(['rate-limited'])
    expect(await search({ want: 'answer', model: 'opus' })).toEqual(['rate-limited', 'opus'])
    expect(await search({ want: 'results' })).toEqual(['rate-limited', 'haiku'])
    expect(await search({ want: 'results' })).toEqual(['rate-limited'])
  })

  test('has the time of the settings', async () => {
    answering((init) => {
      return new Promise((_, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
      })
    })
    jest.useFakeTimers()
    const [brave] = stacks({ backends: 'brave', timeout: '2' }).backends
    let code: string | undefined
    const searching = collect(brave?.search(requestFor('bees'), { signal }) ?? (async function* () {})())
    const ended = failureOf(searching).then((failure) => {
      code = failure.code
    })
    while (asked.length === 0) await Promise.resolve()
    jest.advanceTimersByTime(1999)
    for (let turn = 0; turn < 50; turn++) await Promise.resolve()
    expect(code).toBeUndefined()
    jest.advanceTimersByTime(1)
    await ended
    expect(code).toBe('timeout')
  })
})

test.each([
  [{ 'idle-time': '0' }, { idleMs: Number.POSITIVE_INFINITY }],
  [{ 'idle-time': '60' }, { idleMs: 60_000 }],
  // Timers end at 24 days.
  [{ 'idle-time': '1999999' }, { idleMs: 1_999_999_000 }],
  [{ 'idle-time': '2000000' }, { idleMs: Number.POSITIVE_INFINITY }],
  [{ excerpts: 'none' }, { excerpts: 'none' }],
  [{ excerpts: 'lines' }, { excerpts: 'lines' }],
  [{ excerpts: 'pages' }, { excerpts: 'lines' }],
  [{ 'warm-up': 'on' }, { startsAhead: true }],
  [{ 'warm-up': 'off' }, { startsAhead: false }],
] as const)('with %j Claude is made with %j', (flags, options) => {
  const { config } = loadConfig(flags, { HOME: home }, home)
  expect(claudeOptions(config, {}, home, () => {})).toMatchObject(options)
})

test.each([
  ['0', 0, 0],
  ['2', 2, 10],
  ['2/1', 2, 1],
  ['0.5', 0.5, 2.5],
])('the rate %s is %d searches a second, of which %d may start at once', (rate, startsPerSecond, burst) => {
  const { config } = loadConfig({ rate }, { HOME: home }, home)
  expect(searchPace(config.rate)).toEqual({ startsPerSecond, burst })
})
