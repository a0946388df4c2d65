import { describe, expect, test } from 'bun:test'
import { withoutWordsOf } from '@csp/lib/quoted-words'
import type { RequestLog } from '../../../src/api/exchange/request-log.ts'
import type { RequestNote } from '../../../src/api/exchange/trace.ts'
import { createApp } from '../../../src/app.ts'
import { SearchError } from '../../../src/domain/error.ts'
import type { SearchEvent } from '../../../src/domain/search.ts'
import type { Executor, SearchContext } from '../../../src/executor/executor.ts'
import { found, scriptedExecutor } from '../../support/scripted-executor.ts'
import { fixedNow, testApp } from '../test-app.ts'

test('every reply has a request id and may not be stored', async () => {
  const { get } = testApp()
  for (const [index, path] of ['/health', '/v1/search?q=bees', '/v1/search', '/nope'].entries()) {
    const { headers } = await get(path)
    expect(headers.get('x-request-id')).toBe(`id-${index + 1}`)
    expect(headers.get('cache-control')).toBe('no-store')
  }
})

test('a cached answer has the headers of a cache hit', async () => {
  const { headers } = await testApp([{ type: 'cache', status: 'stale', ageSeconds: 42 }, ...found(1)]).get(
    '/v1/search?q=bees',
  )
  expect(headers.get('x-cache')).toBe('stale')
  expect(headers.get('age')).toBe('42')
  expect(headers.get('server-timing')).toBe('cache;desc=stale, search;dur=0, total;dur=0')
})

test('an old answer that replaces a failed search names the reason', async () => {
  const cache = { type: 'cache', status: 'stale', ageSeconds: 42, reason: 'rate-limited' } as const
  const { headers } = await testApp([cache, ...found(1)]).get('/v1/search?q=bees')
  expect(headers.get('x-csp-stale-reason')).toBe('rate-limited')
})

test('a reply without a cache has no cache headers', async () => {
  const { headers } = await testApp().get('/v1/search?q=bees')
  expect(headers.get('x-cache')).toBeNull()
  expect(headers.get('age')).toBeNull()
})

test('the times of a reply come from the clock', async () => {
  let milliseconds = 0
  const now = () => {
    milliseconds += 10
    return new Date(fixedNow.getTime() + milliseconds)
  }
  const { body, headers } = await testApp(undefined, { now }).get('/v1/search?q=bees')
  expect(body.elapsed_ms).toBeGreaterThan(0)
  expect(headers.get('server-timing')).toMatch(/^search;dur=[1-9]\d*, total;dur=[1-9]\d*$/)
})

describe("the caller's cache headers", () => {
  test.each([
    [{}, 'default'],
    [{ 'cache-control': 'no-cache' }, 'no-cache'],
    [{ pragma: 'no-cache' }, 'no-cache'],
    [{ 'cache-control': 'max-age=0, No-Store' }, 'no-store'],
    [{ 'cache-control': 'max-age=0' }, 'default'],
  ] as const)('%p ask for the cache mode %s', async (headers, cache) => {
    const { get, executor } = testApp()
    await get('/v1/search?q=bees', headers)
    expect(executor.calls[0]?.context.cache).toBe(cache)
  })
})

test('the log has one entry for each request, with neither queries nor keys', async () => {
  const { get, post, log } = testApp([{ type: 'cache', status: 'hit', ageSeconds: 1 }, ...found(2)], {
    keys: ['secret-one'],
  })
  const headers = { authorization: 'Bearer secret-one' }
  await get('/v1/search?q=bees', headers)
  await get('/res/v1/web/search?q=bees&count=0', headers)
  await post('/search', { query: 'bees' }, { authorization: 'Bearer bees' })
  expect(log).toEqual([
    {
      id: 'id-1',
      method: 'GET',
      path: '/v1/search',
      dialect: 'native',
      status: 200,
      cache: 'hit',
      ms: 0,
      results: 2,
      caller: 'key-1',
      want: 'results',
      effort: 'fast',
      model: 'claude-x',
      searches: 0,
      inputTokens: 0,
      outputTokens: 0,
      queuedMs: 0,
      upstreamMs: 0,
      ownMs: 0,
    },
    {
      id: 'id-2',
      method: 'GET',
      path: '/res/v1/web/search',
      dialect: 'brave',
      status: 422,
      code: 'invalid-request',
      ms: 0,
      caller: 'key-1',
    },
    { id: 'id-3', method: 'POST', path: '/search', dialect: 'perplexity', status: 401, code: 'unauthorized', ms: 0 },
  ])
  expect(JSON.stringify(log)).not.toMatch(/bees|secret-one/)
})

describe('the log entry of a request', () => {
  /** An app with a clock that only the search moves. */
  function timedApp(script: (context: SearchContext, pass: (ms: number) => void) => AsyncIterable<SearchEvent>) {
    let ms = 0
    const pass = (more: number) => {
      ms += more
    }
    const base = scriptedExecutor(found(2))
    const executor: Executor = { ...base, health: base.health, search: (_, context) => script(context, pass) }
    const log: RequestLog[] = []
    const notes: RequestNote[] = []
    const app = createApp({
      executor,
      version: '1',
      now: () => new Date(ms),
      newId: () => 'id-1',
      log: (entry) => log.push(entry),
      note: (note) => notes.push(note),
    })
    return { app, log, notes }
  }

  test('has waiting, backend and other times that add up to the whole, and counts the model calls', async () => {
    const { app, log } = timedApp(async function* ({ trace }, pass) {
      pass(3)
      const endWait = trace?.begin('queued')
      pass(20)
      endWait?.()
      const endWork = trace?.begin('upstream')
      pass(100)
      const endOther = trace?.begin('upstream')
      pass(50)
      endWork?.()
      endWork?.()
      pass(30)
      endOther?.()
      const endPages = trace?.begin('pages')
      pass(40)
      endPages?.()
      trace?.modelCalled()
      trace?.modelCalled()
      pass(4)
      yield* found(2)
    })
    const { headers } = await app.request('/v1/search?q=bees')
    expect(headers.get('server-timing')).toBe('queue;dur=20, search;dur=180, pages;dur=40, total;dur=247')
    expect(log[0]).toMatchObject({ ms: 247, queuedMs: 20, upstreamMs: 180, pagesMs: 40, ownMs: 7, modelCalls: 2 })
  })

  test('names what failed before another backend answered, and why no cached answer was used', async () => {
    const { app, log, notes } = timedApp(async function* ({ trace }) {
      trace?.uncached('none is kept')
      trace?.replaced('claude', new SearchError('signed-out', 'Sign in.', { cause: 'the CLI says no' }))
      yield* found(2)
    })
    await app.request('/v1/search?q=bees')
    expect(log[0]).toMatchObject({ uncached: 'none is kept', replaced: ['claude: signed-out'] })
    expect(notes).toEqual([
      { id: 'id-1', message: 'claude failed', causes: ['signed-out: Sign in.', 'the CLI says no'] },
    ])
  })

  test('has the place of an unexpected error, and at debug its causes, without the query', async () => {
    const { app, log, notes } = timedApp(() => {
      throw new TypeError('No seals are found', {
        cause: new Error('the address https://x.test/?q=where%20do+seals+sleep'),
      })
    })
    await app.request('/v1/search?q=where+do+seals+sleep')
    expect(log[0]).toMatchObject({ code: 'failed', status: 500, failure: { message: 'The search failed.' } })
    expect(log[0]?.failure?.fault).toMatch(/^TypeError at .*exchange\.test\.ts:\d+/)
    expect(notes).toHaveLength(1)
    expect(notes[0]?.causes).toEqual([
      'failed: The search failed.',
      expect.stringMatching(/^TypeError: No seals are found \(at .*exchange\.test\.ts:\d+/),
      expect.stringMatching(/^Error: the address https:\/\/x\.test\/\?q=\[…\] \(at /),
    ])
  })
})

test.each([
  [['harbour seals'], 'no rows for Harbour Seals here', 'no rows for […] here'],
  [['why do harbour seals sleep so long'], 'quoted: "do harbour seals sleep", cut', 'quoted: "[…]", cut'],
  [['timeout'], 'timeout after 5 s', '[…] after 5 s'],
  [['harbour seals'], 'seals in a harbour', 'seals in a harbour'],
  [['潮汐表'], 'no rows for 潮汐表', 'no rows for […]'],
  [[''], 'nothing', 'nothing'],
  [['Harbour Seals'], 'a+b%20c of harbour+seals', 'a b c of […]'],
  [['Harbour Seals'], 'a+b%20c of seals', 'a+b%20c of seals'],
])('the words of %p are cut out of the message "%s"', (texts, message, expected) => {
  expect(withoutWordsOf(texts, message)).toBe(expected)
})

test.each([
  ['haiku', 'haiku'],
  ['claude-haiku-5-5', 'claude-haiku-5-5'],
  [undefined, null],
  ['no header\r\nx-other: 1', null],
  ['模型', null],
])('the header of the model that searched, %j, is %j', async (model, header) => {
  const events = found(2).map((event) => (event.type === 'search-start' && model ? { ...event, model } : event))
  const app = createApp({ executor: scriptedExecutor(events), version: '1' })
  for (const body of [{ query: 'bees' }, { query: 'bees', max_results: 2 }]) {
    const { status, headers } = await app.request('/search', { method: 'POST', body: JSON.stringify(body) })
    expect([status, headers.get('x-csp-search-model'), headers.get('x-other')]).toEqual([200, header, null])
  }
})
