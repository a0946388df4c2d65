import { edenGC } from 'bun:jsc'
import { describe, expect, spyOn, test } from 'bun:test'
import { eventually } from '@csp/testing/eventually'
import { quickTimers } from '@csp/testing/quick-timers'
import { createMemoryStorage, type StorageInterface } from 'ocache'
import { collect } from '../../../../src/domain/answer.ts'
import { SearchError, type SearchErrorCode } from '../../../../src/domain/error.ts'
import type { SearchEvent, SearchRequest } from '../../../../src/domain/search.ts'
import type { Executor, SearchContext } from '../../../../src/executor/executor.ts'
import { type CachedOptions, cached } from '../../../../src/executor/layers/cache/cached.ts'
import { failureOf } from '../../../support/failure-of.ts'
import {
  answers,
  answersAfter,
  done,
  type FakeExecutor,
  fails,
  fakeExecutor,
  hangs,
  requestFor,
  type Script,
} from '../../../support/fake-executor.ts'

describe('the cache', () => {
  test('answers an equal request from the first search and marks the answer as cached', async () => {
    const { fake, executor, clock } = setUp()
    const first = await eventsOf(executor, requestFor('q', { want: 'answer' }))
    clock.seconds += 30
    const second = await eventsOf(executor, requestFor('q', { want: 'answer', limit: undefined }))
    expect(fake.requests.length).toBe(1)
    expect(first[0]).toEqual({ type: 'cache', status: 'miss', ageSeconds: 0 })
    expect(second[0]).toEqual({ type: 'cache', status: 'hit', ageSeconds: 30 })
    expect(await collect(each(second))).toEqual(await collect(each(first)))
    expect((await executor.health()).cache).toEqual({ hits: 1, stale: 0, misses: 1, problem: undefined })
  })

  test('answers from the store what another process has searched', async () => {
    const storage = createMemoryStorage()
    const before = setUp({ storage }).executor
    await eventsOf(before, requestFor('q'))
    await before.close()
    const { fake, executor } = setUp({ storage })
    expect(await statusOf(executor, requestFor('q'))).toBe('hit')
    expect(fake.requests).toEqual([])
  })

  test('reads the store once and then answers from memory', async () => {
    const storage = createMemoryStorage()
    const before = setUp({ storage }).executor
    await eventsOf(before, requestFor('q'))
    await before.close()
    let reads = 0
    const get: StorageInterface['get'] = (key) => {
      reads++
      return storage.get(key)
    }
    const { executor } = setUp({ storage: { ...storage, get } })
    expect(await statusOf(executor, requestFor('q'))).toBe('hit')
    expect(await statusOf(executor, requestFor('q'))).toBe('hit')
    expect(reads).toBe(1)
  })

  test('never shares an answer between requests that differ', async () => {
    const { fake, executor } = setUp()
    const variants: readonly Partial<SearchRequest>[] = [
      {},
      { want: 'answer' },
      { effort: 'deep' },
      { limit: 1 },
      { limit: 2 },
      { offset: 1 },
      { instructions: 'Be brief.' },
      { model: 'haiku' },
      { history: [{ role: 'user', text: 'hello' }] },
      { history: [{ role: 'assistant', text: 'hello' }] },
      { filters: { includeDomains: ['a.example'] } },
      { filters: { excludeDomains: ['a.example'] } },
      { filters: { includeDomains: ['a.example', 'b.example'] } },
      { filters: { includeDomains: ['a.example,b.example'] } },
      { filters: { country: 'DE' } },
      { filters: { language: 'de' } },
      { filters: { safeSearch: 'off' } },
      { filters: { freshness: 'day' } },
      { filters: { publishedAfter: '2026-01-01' } },
      { filters: { publishedBefore: '2026-01-01' } },
    ]
    for (const variant of variants) expect(await statusOf(executor, requestFor('q', variant))).toBe('miss')
    expect(await statusOf(executor, requestFor('Q'))).toBe('miss')
    expect(fake.requests.length).toBe(variants.length + 1)
  })

  test('ignores the order of fields and absent fields in its key', async () => {
    const { executor } = setUp()
    const filters = { country: 'DE', language: 'de' }
    await eventsOf(executor, requestFor('q', { filters }))
    const reversed = { filters: { language: 'de', country: 'DE', freshness: undefined }, query: 'q' }
    expect(await statusOf(executor, { ...reversed, effort: 'fast', want: 'results', history: [] })).toBe('hit')
  })

  test('tells long conversations apart that differ in their last letter alone, and knows an equal one', async () => {
    const { fake, executor } = setUp()
    const conversation = (last: string) =>
      requestFor('q', { history: [{ role: 'user', text: `${'x'.repeat(1_000_000)}${last}` }] })
    expect(await statusOf(executor, conversation('a'))).toBe('miss')
    expect(await statusOf(executor, conversation('b'))).toBe('miss')
    expect(await statusOf(executor, conversation('a'))).toBe('hit')
    await Promise.all([eventsOf(executor, conversation('c')), eventsOf(executor, conversation('c'))])
    expect(fake.requests.length).toBe(3)
  })

  test('stores no failure', async () => {
    const { fake, executor } = setUp({}, fails('unavailable'))
    for (let times = 0; times < 2; times++) await failureOf(eventsOf(executor, requestFor('q')))
    expect(fake.requests.length).toBe(2)
  })

  const said = { sentence: 'It is so.', start: 0, end: 9, verdict: 'partly', score: 0.5, sources: [1] } as const
  const unfit: Readonly<Record<string, Script>> = {
    'an answer without sources': async function* () {
      yield { type: 'text-delta', text: 'I just know.' }
      yield done
    },
    'an answer that was cut off': (request) => endingWith(request, { ...done, reason: 'length' }),
    'a refusal': (request) => endingWith(request, { ...done, reason: 'refusal' }),
    'what stands in for a better answer': (request) => endingWith(request, { ...done, isDegraded: true }),
    'an answer whose judge failed': (request) =>
      endingWith(request, { ...done, evidence: [{ ...said, judge: { problem: 'timeout' } }] }),
  }
  for (const [name, script] of Object.entries(unfit)) {
    test(`does not store ${name}`, async () => {
      const { executor } = setUp({}, script)
      for (let times = 0; times < 2; times++) {
        expect(await statusOf(executor, requestFor('q', { want: 'answer' }))).toBe('miss')
      }
    })
  }

  test('stores an answer that was judged in part', async () => {
    const judged = [
      { ...said, judge: { problem: 'not-counted' as const } },
      { ...said, judge: { says: 'supported' as const } },
    ]
    const { executor } = setUp({}, (request) => endingWith(request, { ...done, evidence: judged }))
    await eventsOf(executor, requestFor('q', { want: 'answer' }))
    expect(await statusOf(executor, requestFor('q', { want: 'answer' }))).toBe('hit')
  })

  test('stores an empty list for one minute only', async () => {
    const { executor, clock } = setUp({ ttlSeconds: 600 }, async function* () {
      yield done
    })
    expect(await statusOf(executor, requestFor('q'))).toBe('miss')
    clock.seconds += 59
    expect(await statusOf(executor, requestFor('q'))).toBe('hit')
    clock.seconds += 1
    expect(await statusOf(executor, requestFor('q'))).toBe('miss')
  })

  test('takes the younger answer when a slow store has an older one', async () => {
    const storage = createMemoryStorage()
    const before = setUp({ storage }).executor
    await eventsOf(before, requestFor('q'))
    await before.close()
    const [asked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const get: StorageInterface['get'] = async (key) => {
      asked.resolve()
      await gate.promise
      return storage.get(key)
    }
    const { executor, clock } = setUp({ storage: { get, set: () => {} } })
    clock.seconds += 100
    const slow = eventsOf(executor, requestFor('q'))
    await asked.promise
    await eventsOf(executor, requestFor('q'), { cache: 'no-cache' })
    gate.resolve()
    expect((await slow)[0]).toEqual({ type: 'cache', status: 'hit', ageSeconds: 0 })
  })

  test('is bounded in memory and evicts the answers of earlier requests', async () => {
    const { fake, executor } = setUp({}, async function* (request) {
      for await (const event of answers(request)) {
        const results = [{ title: 'A', url: 'https://a.example/', snippet: 'x'.repeat(4_000_000), source: 'fake' }]
        yield event.type === 'search-results' ? { ...event, results } : event
      }
    })
    for (let index = 0; index < 20; index++) await eventsOf(executor, requestFor(`q${index}`))
    expect(await statusOf(executor, requestFor('q19'))).toBe('hit')
    expect(await statusOf(executor, requestFor('q0'))).toBe('miss')
    expect(fake.requests.length).toBe(21)
  })

  test('passes plain text through', async () => {
    const { fake, executor } = setUp()
    for (let times = 0; times < 2; times++) {
      const events = await eventsOf(executor, requestFor('q', { want: 'text' }))
      expect(events.map(({ type }) => type)).toEqual(['text-delta', 'done'])
    }
    expect(fake.requests.length).toBe(2)
  })

  test('is off when answers may live 0 s', async () => {
    const { fake, executor } = setUp({ ttlSeconds: 0 })
    for (let times = 0; times < 2; times++) expect(await statusOf(executor, requestFor('q'))).toBeUndefined()
    expect(fake.requests.length).toBe(2)
  })

  test('ignores an answer from the future', async () => {
    const { executor, clock } = setUp()
    await eventsOf(executor, requestFor('q'))
    clock.seconds -= 3600
    expect(await statusOf(executor, requestFor('q'))).toBe('miss')
  })
})

describe("a caller's cache mode", () => {
  test('no-cache searches again and stores the answer', async () => {
    const { fake, executor, clock } = setUp()
    await eventsOf(executor, requestFor('q'))
    clock.seconds += 10
    expect(await statusOf(executor, requestFor('q'), { cache: 'no-cache' })).toBe('miss')
    const [event] = await eventsOf(executor, requestFor('q'))
    expect(event).toEqual({ type: 'cache', status: 'hit', ageSeconds: 0 })
    expect(fake.requests.length).toBe(2)
  })

  test('no-store searches again and stores nothing', async () => {
    const storage = createMemoryStorage()
    const { fake, executor, clock } = setUp({ storage })
    expect(await statusOf(executor, requestFor('q'), { cache: 'no-store' })).toBe('miss')
    expect(await statusOf(executor, requestFor('q'))).toBe('miss')
    clock.seconds += 10
    expect(await statusOf(executor, requestFor('q'), { cache: 'no-store' })).toBe('miss')
    const [event] = await eventsOf(executor, requestFor('q'))
    expect(event).toEqual({ type: 'cache', status: 'hit', ageSeconds: 10 })
    expect(fake.requests.length).toBe(3)
  })

  test('keeps a search without cache apart from a running equal search', async () => {
    const gate = Promise.withResolvers<void>()
    const { fake, executor } = setUp({}, answersAfter(gate.promise))
    const wishes: readonly SearchContext['cache'][] = ['default', 'no-cache', 'no-store', 'default']
    const readers = wishes.map((cache) => iterate(executor, requestFor('q'), { cache }))
    for (const reader of readers) {
      expect((await reader.next()).value).toHaveProperty('status', 'miss')
    }
    expect(fake.requests.length).toBe(3)
    gate.resolve()
    for (const reader of readers) expect((await Array.fromAsync(reader)).at(-1)).toEqual(done)
  })
})

describe('an inner executor with a cache of its own', () => {
  test('sets the age of its answer itself', async () => {
    const { executor, clock } = setUp({ ttlSeconds: 100, staleSeconds: 0 }, async function* (request) {
      yield { type: 'cache', status: 'hit', ageSeconds: 40 }
      yield* answers(request)
    })
    const events = await eventsOf(executor, requestFor('q'))
    expect(events.filter(({ type }) => type === 'cache')).toEqual([{ type: 'cache', status: 'hit', ageSeconds: 40 }])
    clock.seconds += 10
    expect((await eventsOf(executor, requestFor('q')))[0]).toEqual({ type: 'cache', status: 'hit', ageSeconds: 50 })
    clock.seconds += 50
    expect((await eventsOf(executor, requestFor('q')))[0]).toHaveProperty('ageSeconds', 40)
  })
})

test('an answer under other prompts of the operator is another answer; a list is the same', async () => {
  const storage = createMemoryStorage()
  const statusesUnder = async (prompts: CachedOptions['prompts']) => {
    const { executor } = setUp({ storage, prompts })
    const kinds = [requestFor('q', { want: 'answer' }), requestFor('q')]
    const statuses = []
    for (const request of kinds) statuses.push((await eventsOf(executor, request))[0])
    await executor.close()
    return statuses.map((event) => event?.type === 'cache' && event.status)
  }
  expect(await statusesUnder(undefined)).toEqual(['miss', 'miss'])
  expect(await statusesUnder({ standard: 'Be terse.' })).toEqual(['miss', 'hit'])
  expect(await statusesUnder({ standard: 'Be terse.' })).toEqual(['hit', 'hit'])
  expect(await statusesUnder({ deep: 'Be terse.' })).toEqual(['miss', 'hit'])
})

describe('one search for equal requests', () => {
  test('gives a late reader the events so far and then the live ones', async () => {
    const gate = Promise.withResolvers<void>()
    const { fake, executor } = setUp({}, answersAfter(gate.promise))
    const early = iterate(executor, requestFor('q'))
    expect((await early.next()).value).toHaveProperty('status', 'miss')
    expect((await early.next()).value).toHaveProperty('type', 'search-start')
    const late = iterate(executor, requestFor('q'))
    expect((await late.next()).value).toHaveProperty('status', 'miss')
    expect((await late.next()).value).toHaveProperty('type', 'search-start')
    gate.resolve()
    const rest: SearchEvent['type'][] = ['search-results', 'done']
    expect((await Array.fromAsync(late)).map(({ type }) => type)).toEqual(rest)
    expect((await Array.fromAsync(early)).map(({ type }) => type)).toEqual(rest)
    expect(fake.requests.length).toBe(1)
  })

  test("counts a late reader's wait for it as time in the backend, and not what the reader does", async () => {
    const gate = Promise.withResolvers<void>()
    const { executor } = setUp({}, answersAfter(gate.promise))
    let running = 0
    const begin = () => {
      running++
      return () => running--
    }
    const trace = { begin, uncached() {}, asked() {}, replaced() {}, modelCalled() {}, defaultModel() {}, note() {} }
    const early = iterate(executor, requestFor('q'))
    await early.next()
    const late = iterate(executor, requestFor('q'), { trace })
    const seen = [await late.next(), await late.next()].map(() => running)
    const third = late.next()
    seen.push(running)
    gate.resolve()
    await third
    expect([...seen, running]).toEqual([0, 0, 1, 0])
    await Promise.all([Array.fromAsync(late), Array.fromAsync(early)])
  })

  test('does not wait for a reader that does not read', async () => {
    const { executor } = setUp()
    const slow = iterate(executor, requestFor('q'))
    await slow.next()
    expect((await eventsOf(executor, requestFor('q'))).at(-1)).toEqual(done)
    expect((await Array.fromAsync(slow)).at(-1)).toEqual(done)
  })

  test('lets a reader leave at once without harm to the others', async () => {
    const gate = Promise.withResolvers<void>()
    const { fake, executor } = setUp({}, answersAfter(gate.promise))
    const leaving = new AbortController()
    const first = iterate(executor, requestFor('q'), { signal: leaving.signal })
    const [second, third] = [iterate(executor, requestFor('q')), iterate(executor, requestFor('q'))]
    for (const reader of [first, second, third]) await reader.next()
    leaving.abort()
    expect((await failureOf(Array.fromAsync(first))).code).toBe('cancelled')
    await third.return(undefined)
    expect(fake.running).toBe(1)
    gate.resolve()
    expect((await Array.fromAsync(second)).at(-1)).toEqual(done)
    expect(fake.requests.length).toBe(1)
  })

  test('is stopped by the last reader that leaves, who waits for that', async () => {
    const { fake, executor } = setUp({}, hangs)
    const leaving = [new AbortController(), new AbortController()] as const
    const first = iterate(executor, requestFor('q'), { signal: leaving[0].signal })
    const second = iterate(executor, requestFor('q'), { signal: leaving[1].signal })
    for (const reader of [first, second]) await reader.next()
    leaving[1].abort()
    expect((await failureOf(Array.fromAsync(second))).code).toBe('cancelled')
    expect(fake.running).toBe(1)
    leaving[0].abort()
    expect((await failureOf(Array.fromAsync(first))).code).toBe('cancelled')
    expect(fake.running).toBe(0)
  })

  test('is stopped by an abort even while its reader does not read', async () => {
    const stopped = Promise.withResolvers<void>()
    const { executor } = setUp({}, async function* (request, signal) {
      yield* hangs(request, signal)
      stopped.resolve()
    })
    const leaving = new AbortController()
    const reader = iterate(executor, requestFor('q'), { signal: leaving.signal })
    await reader.next()
    leaving.abort()
    await stopped.promise
    expect((await failureOf(Array.fromAsync(reader))).code).toBe('cancelled')
  })

  test('is not joined by a caller who comes after it was aborted', async () => {
    const { fake, executor } = setUp({}, (request, signal) =>
      fake.requests.length === 1 ? hangs(request, signal) : answers(request),
    )
    const leaving = new AbortController()
    const given = failureOf(eventsOf(executor, requestFor('q'), { signal: leaving.signal }))
    await fake.begun()
    leaving.abort()
    expect((await eventsOf(executor, requestFor('q'))).at(-1)).toEqual(done)
    expect((await given).code).toBe('cancelled')
    expect(fake.requests.length).toBe(2)
  })

  test('gives all readers the same error when it fails', async () => {
    const gate = Promise.withResolvers<void>()
    const { fake, executor } = setUp({}, async function* (request) {
      yield { type: 'search-start', id: 'one', query: request.query }
      await gate.promise
      throw new SearchError('rate-limited', 'Come back later.', { retryAfterSeconds: 7 })
    })
    const readers = [1, 2, 3].map(() => iterate(executor, requestFor('q')))
    for (const reader of readers) await reader.next()
    gate.resolve()
    const [first, ...others] = await Promise.all(readers.map((reader) => failureOf(Array.fromAsync(reader))))
    expect(first).toMatchObject({ code: 'rate-limited', retryAfterSeconds: 7 })
    expect(others.map((other) => other === first)).toEqual([true, true])
    expect(fake.requests.length).toBe(1)
  })

  test('sends nothing before the inner executor has sent something', async () => {
    const { executor } = setUp({}, async function* () {
      yield* []
      throw new Error('broken')
    })
    const events: SearchEvent[] = []
    const reading = (async () => {
      for await (const event of executor.search(requestFor('q'), { signal: live })) events.push(event)
    })()
    expect((await failureOf(reading)).code).toBe('failed')
    expect(events).toEqual([])
  })
})

describe('old answers', () => {
  const failingLater = (code: SearchErrorCode, options: Partial<CachedOptions> = {}) => {
    const up = setUp({ ttlSeconds: 60, oldSeconds: 3600, ...options }, (request, signal) =>
      up.fake.requests.length === 1 ? answers(request) : fails(code)(request, signal),
    )
    return up
  }
  const callersOwn: readonly SearchErrorCode[] = ['invalid-request', 'unauthorized']
  const others = ['signed-out', 'rate-limited', 'busy', 'unavailable', 'ungrounded', 'timeout', 'failed'] as const

  test.each(others)('replace a search that fails with %s and are marked as old', async (code) => {
    const { fake, executor, clock } = failingLater(code)
    const first = await eventsOf(executor, requestFor('q'))
    clock.seconds += 3600
    const second = await eventsOf(executor, requestFor('q'))
    expect(fake.requests.length).toBe(2)
    expect(second[0]).toEqual({ type: 'cache', status: 'stale', ageSeconds: 3600, reason: code })
    expect(second.slice(1)).toEqual(first.slice(1))
  })

  test.each(callersOwn)('do not replace a search that fails with %s', async (code) => {
    const { executor, clock } = failingLater(code)
    await eventsOf(executor, requestFor('q'))
    clock.seconds += 100
    expect((await failureOf(eventsOf(executor, requestFor('q')))).code).toBe(code)
  })

  test('are not used after their time', async () => {
    const { executor, clock } = failingLater('unavailable')
    await eventsOf(executor, requestFor('q'))
    clock.seconds += 60 + 3600
    expect((await failureOf(eventsOf(executor, requestFor('q')))).code).toBe('unavailable')
  })

  test('are not used when a new search works, or when the caller wants a new answer only', async () => {
    const { fake, executor, clock } = setUp({ ttlSeconds: 60, oldSeconds: 3600 })
    await eventsOf(executor, requestFor('q'))
    clock.seconds += 100
    expect(await statusOf(executor, requestFor('q'))).toBe('miss')
    expect(fake.requests.length).toBe(2)
    for (const cache of ['no-cache', 'no-store'] as const) {
      const failing = failingLater('unavailable')
      await eventsOf(failing.executor, requestFor('q'))
      failing.clock.seconds += 100
      expect((await failureOf(eventsOf(failing.executor, requestFor('q'), { cache }))).code).toBe('unavailable')
    }
  })

  test('serve all callers who waited for the search that failed', async () => {
    const gate = Promise.withResolvers<void>()
    const { fake, executor, clock } = setUp({ ttlSeconds: 60, oldSeconds: 3600 }, async function* (request, signal) {
      if (fake.requests.length === 1) return yield* answers(request)
      await gate.promise
      yield* fails('timeout')(request, signal)
    })
    await eventsOf(executor, requestFor('q'))
    clock.seconds += 100
    const waiting = [statusOf(executor, requestFor('q')), statusOf(executor, requestFor('q'))]
    await fake.begun(2)
    gate.resolve()
    expect(await Promise.all(waiting)).toEqual(['stale', 'stale'])
    expect(fake.requests.length).toBe(2)
  })

  test('are not used after rows of the failed search have been sent', async () => {
    const { fake, executor, clock } = setUp({ ttlSeconds: 60, oldSeconds: 3600 }, async function* (request) {
      for await (const event of answers(request)) {
        if (event.type === 'done' && fake.requests.length > 1) throw new SearchError('failed', 'It broke.')
        yield event
      }
    })
    await eventsOf(executor, requestFor('q'))
    clock.seconds += 100
    expect((await failureOf(eventsOf(executor, requestFor('q')))).code).toBe('failed')
  })

  test('do not delay a caller who leaves', async () => {
    const { fake, executor, clock } = setUp({ ttlSeconds: 60, oldSeconds: 3600 }, (request, signal) =>
      fake.requests.length === 1 ? answers(request) : hangs(request, signal),
    )
    await eventsOf(executor, requestFor('q'))
    clock.seconds += 100
    const leaving = new AbortController()
    const failure = failureOf(eventsOf(executor, requestFor('q'), { signal: leaving.signal }))
    await fake.begun(2)
    leaving.abort()
    expect((await failure).code).toBe('cancelled')
  })

  test('stay in the store for their whole time, unless they found nothing', async () => {
    const storage = createMemoryStorage()
    const ttls: unknown[] = []
    const set: StorageInterface['set'] = (key, value, options) => {
      ttls.push(options?.ttl)
      return storage.set(key, value, options)
    }
    const { executor } = setUp({ ttlSeconds: 600, oldSeconds: 3600, storage: { ...storage, set } }, (request) =>
      request.query === 'nothing' ? each([done]) : answers(request),
    )
    await eventsOf(executor, requestFor('something'))
    // It is stored behind the answer.
    await eventually(() => ttls.length === 1)
    await eventsOf(executor, requestFor('nothing'))
    await executor.close()
    expect(ttls).toEqual([4200, 60])
  })
})

describe('stale answers', () => {
  test('are served for a sixth of the time of fresh ones, unless another time is set', async () => {
    const { executor, clock } = setUp({ ttlSeconds: 60 })
    await eventsOf(executor, requestFor('q'))
    clock.seconds += 70
    expect(await statusOf(executor, requestFor('q'))).toBe('miss')
  })

  test('are renewed in the name of the caller who found them stale', async () => {
    const { callers, executor, clock } = naming()
    await eventsOf(executor, requestFor('q'), { caller: 'phone' })
    clock.seconds += 65
    await eventsOf(executor, requestFor('q'), { caller: 'desk' })
    await executor.close()
    expect(callers).toEqual(['phone', 'desk'])
  })

  test('are served while one new search runs in the background', async () => {
    const gate = Promise.withResolvers<void>()
    const { fake, executor, clock } = setUp({ ttlSeconds: 60 }, (request, signal) =>
      fake.requests.length === 1 ? answers(request) : answersAfter(gate.promise)(request, signal),
    )
    await eventsOf(executor, requestFor('q'))
    clock.seconds += 69
    for (let times = 0; times < 2; times++) {
      const [event] = await eventsOf(executor, requestFor('q'))
      expect(event).toEqual({ type: 'cache', status: 'stale', ageSeconds: 69 })
    }
    await fake.begun(2)
    gate.resolve()
    await settled(fake)
    expect((await eventsOf(executor, requestFor('q')))[0]).toEqual({ type: 'cache', status: 'hit', ageSeconds: 0 })
    expect(fake.requests.length).toBe(2)
    expect((await executor.health()).cache).toMatchObject({ hits: 1, stale: 2, misses: 1 })
  })

  test('stay until their time is over when the new search fails', async () => {
    const { fake, executor, clock } = setUp({ ttlSeconds: 60, staleSeconds: 30 }, (request, signal) =>
      fake.requests.length === 1 ? answers(request) : fails('unavailable')(request, signal),
    )
    await eventsOf(executor, requestFor('q'))
    clock.seconds += 80
    expect(await statusOf(executor, requestFor('q'))).toBe('stale')
    await fake.begun(2)
    await settled(fake)
    expect(await statusOf(executor, requestFor('q'))).toBe('stale')
    clock.seconds += 10
    expect((await failureOf(eventsOf(executor, requestFor('q')))).code).toBe('unavailable')
  })

  test('are renewed even when the caller that started the new search leaves', async () => {
    const gate = Promise.withResolvers<void>()
    const { fake, executor, clock } = setUp({ ttlSeconds: 60 }, (request, signal) =>
      fake.requests.length === 1 ? answers(request) : answersAfter(gate.promise)(request, signal),
    )
    await eventsOf(executor, requestFor('q'))
    clock.seconds += 65
    const leaving = new AbortController()
    await eventsOf(executor, requestFor('q'), { signal: leaving.signal })
    leaving.abort()
    await fake.begun(2)
    gate.resolve()
    await settled(fake)
    expect(await statusOf(executor, requestFor('q'))).toBe('hit')
  })

  test('are not renewed after close()', async () => {
    const { fake, executor, clock } = setUp({ ttlSeconds: 60 }, (request, signal) =>
      fake.requests.length === 1 ? answers(request) : hangs(request, signal),
    )
    await eventsOf(executor, requestFor('q'))
    clock.seconds += 65
    await eventsOf(executor, requestFor('q'))
    await fake.begun(2)
    await executor.close()
    expect(fake.running).toBe(0)
  })
})

describe('a store in trouble', () => {
  const broken = (): Promise<never> => Promise.reject(new Error('The disk is gone.'))
  const never = (): Promise<never> => new Promise(() => {})

  test('that fails costs no caller an answer, and health reports it', async () => {
    const { fake, executor } = setUp({ storage: { get: broken, set: broken } })
    expect((await eventsOf(executor, requestFor('q'))).at(-1)).toEqual(done)
    expect(await statusOf(executor, requestFor('q'))).toBe('hit')
    expect(fake.requests.length).toBe(1)
    expect((await executor.health()).cache?.problem).toContain('The disk is gone.')
  })

  test('that throws synchronously costs no caller an answer', async () => {
    const throws = (): never => {
      throw new Error('The disk is gone.')
    }
    const { executor } = setUp({ storage: { get: throws, set: throws } })
    expect((await eventsOf(executor, requestFor('q'))).at(-1)).toEqual(done)
  })

  test('that hangs is not waited for', async () => {
    using _ = quickTimers()
    const { executor } = setUp({ storage: { get: never, set: never } })
    expect((await eventsOf(executor, requestFor('q'))).at(-1)).toEqual(done)
    expect((await executor.health()).cache?.problem).toContain('read')
    await executor.close()
    expect((await executor.health()).cache?.problem).toContain('write')
  })

  test('that hangs delays a search by a quarter of a second at most', async () => {
    using _ = quickTimers()
    const asked = spyOn(AbortSignal, 'timeout')
    try {
      const { executor } = setUp({ storage: { get: never, set: never } })
      await eventsOf(executor, requestFor('q'))
      expect(asked.mock.calls[0]).toEqual([250])
    } finally {
      asked.mockRestore()
    }
  })

  test('that hangs does not delay a caller who leaves', async () => {
    const asked = Promise.withResolvers<void>()
    const get = (): Promise<never> => {
      asked.resolve()
      return never()
    }
    const { fake, executor } = setUp({ storage: { get, set: never } })
    const leaving = new AbortController()
    const failure = failureOf(eventsOf(executor, requestFor('q'), { signal: leaving.signal }))
    await asked.promise
    leaving.abort()
    expect((await failure).code).toBe('cancelled')
    expect(fake.requests).toEqual([])
  })

  test('that recovers is no longer reported as a problem', async () => {
    const storage = createMemoryStorage()
    const state = { isBroken: true }
    const { executor } = setUp({
      storage: {
        get: (key) => (state.isBroken ? broken() : storage.get(key)),
        set: (key, value, options) => (state.isBroken ? broken() : storage.set(key, value, options)),
      },
    })
    await eventsOf(executor, requestFor('q'))
    state.isBroken = false
    await eventsOf(executor, requestFor('r'))
    await executor.close() // waits for the writes
    expect((await executor.health()).cache?.problem).toBeUndefined()
  })

  const answer = { text: '', searches: [], citations: [], toolCalls: [], reason: 'stop', usage: {}, model: 'm' }
  const usage = { searches: 1, inputTokens: 1, outputTokens: 1 }
  const garbage: Readonly<Record<string, unknown>> = {
    'a number': 123,
    'torn text': '{"value":{"te',
    'a list': [],
    'an empty object': {},
    'an entry without an answer': { value: null, mtime: 1_000_000_000 },
    'an answer without its usage': { value: answer, mtime: 1_000_000_000 },
    'an answer without its time': { value: { ...answer, usage }, mtime: 'now' },
    'an error': new Error('ENOTDIR'),
  }
  for (const [name, value] of Object.entries(garbage)) {
    test(`that returns ${name} is a miss`, async () => {
      // What a store returns has the type that the caller names; it is not checked.
      const get = (): never => value as never
      const { executor } = setUp({ storage: { get, set: () => {} } })
      expect(await statusOf(executor, requestFor('q'))).toBe('miss')
      expect(await statusOf(executor, requestFor('q'))).toBe('hit')
    })
  }

  test('that holds an address which is not of the web is a miss', async () => {
    const storage = createMemoryStorage()
    const first = setUp({ storage: { get: () => null, set: (key, value) => storage.set(key, tampered(value)) } })
    await eventsOf(first.executor, requestFor('q'))
    expect(await statusOf(setUp({ storage }).executor, requestFor('q'))).toBe('miss')
  })
})

test('the cache keeps no reference to a search that has ended', async () => {
  const events: WeakRef<SearchEvent>[] = []
  const { executor } = setUp({}, async function* (request) {
    for await (const event of answers(request)) {
      if (event.type === 'search-start') events.push(new WeakRef(event))
      yield event
    }
  })
  for (let count = 0; count < 100; count++) await eventsOf(executor, requestFor(`q${count}`))
  edenGC() // of what is new; a whole one takes seconds
  // The collector may take a value on the stack for a reference, so a few may still be there.
  expect(events.filter((event) => event.deref()).length).toBeLessThan(50)
})

test('a cached search runs in the name of its caller', async () => {
  const { callers, executor } = naming()
  for (const cache of ['default', 'no-cache', 'no-store'] as const) {
    await eventsOf(executor, requestFor('q'), { caller: 'phone', cache })
  }
  expect(callers).toEqual(['phone', 'phone', 'phone'])
})

test('close() waits until the last answer is written', async () => {
  const written: string[] = []
  const set = async (key: string): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 2))
    written.push(key)
  }
  const { executor } = setUp({ storage: { get: () => null, set } })
  await eventsOf(executor, requestFor('q'))
  await executor.close()
  expect(written).toEqual([expect.stringMatching(/^v1:[0-9a-f]{64}$/)])
})

const live = new AbortController().signal

interface SetUp {
  readonly fake: FakeExecutor
  readonly executor: Executor
  readonly clock: { seconds: number }
}

function setUp(options: Partial<CachedOptions> = {}, script: Script = answers): SetUp {
  const clock = { seconds: 1_000_000 }
  const fake = fakeExecutor(script)
  const executor = cached({ ttlSeconds: 300, now: () => clock.seconds * 1000, ...options })(fake)
  return { fake, executor, clock }
}

/** A cache that notes in whose name the inner executor is asked. */
function naming() {
  const clock = { seconds: 1_000_000 }
  const callers: (string | undefined)[] = []
  const fake = fakeExecutor()
  const inner: Executor = {
    ...fake,
    search(request, context) {
      callers.push(context.caller)
      return fake.search(request, context)
    },
  }
  return { callers, clock, executor: cached({ ttlSeconds: 60, now: () => clock.seconds * 1000 })(inner) }
}

function iterate(
  executor: Executor,
  request: SearchRequest,
  context: Partial<SearchContext> = {},
): AsyncGenerator<SearchEvent, void, undefined> {
  return (async function* () {
    yield* executor.search(request, { signal: live, ...context })
  })()
}

function eventsOf(
  executor: Executor,
  request: SearchRequest,
  context: Partial<SearchContext> = {},
): Promise<SearchEvent[]> {
  return Array.fromAsync(iterate(executor, request, context))
}

async function statusOf(
  executor: Executor,
  request: SearchRequest,
  context: Partial<SearchContext> = {},
): Promise<string | undefined> {
  const [event] = await eventsOf(executor, request, context)
  return event?.type === 'cache' ? event.status : undefined
}

/** Resolves when the work behind the scenes has ended. */
async function settled(fake: FakeExecutor): Promise<void> {
  while (fake.running > 0) await new Promise((resolve) => setImmediate(resolve))
  await new Promise((resolve) => setImmediate(resolve))
}

async function* endingWith(request: SearchRequest, end: SearchEvent): AsyncGenerator<SearchEvent> {
  for await (const event of answers(request)) yield event.type === 'done' ? end : event
}

async function* each(events: Iterable<SearchEvent>): AsyncGenerator<SearchEvent> {
  yield* events
}

function tampered(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll('https://', 'javascript://'))
}

test('a closed cache serves nothing, and one whose caller has left reads nothing', async () => {
  let reads = 0
  const storage = { ...createMemoryStorage(), get: () => void reads++ } as unknown as StorageInterface
  const { executor } = setUp({ storage })
  const gone = collect(executor.search(requestFor('q'), { signal: AbortSignal.abort() }))
  expect((await failureOf(gone)).code).toBe('cancelled')
  await Bun.sleep(5) // A store is asked once the key is hashed.
  expect(reads).toBe(0)
  await executor.close()
  expect((await failureOf(eventsOf(executor, requestFor('q')))).message).toBe('csp is shutting down.')
})

test('an old answer does not stand in for a search that ends with csp', async () => {
  const clock = { ms: 1_000_000 }
  const closing = Promise.withResolvers<void>()
  const fake = fakeExecutor(async function* (request) {
    if (fake.calls.length === 1) return yield* answers(request)
    await closing.promise
    throw new SearchError('unavailable', 'It is closed.')
  })
  const inner: Executor = { ...fake, close: async () => closing.resolve() }
  const executor = cached({ ttlSeconds: 60, oldSeconds: 600, now: () => clock.ms })(inner)
  await eventsOf(executor, requestFor('q'))
  clock.ms += 100_000
  const failing = failureOf(eventsOf(executor, requestFor('q')))
  await fake.begun(2)
  await executor.close()
  expect((await failing).message).toBe('It is closed.')
})

test('the log hears why no kept answer served', async () => {
  const { executor } = setUp()
  const reasons: string[] = []
  const trace = { uncached: (reason: string) => reasons.push(reason), begin: () => () => {} } as never
  for (const cache of [undefined, 'no-store', 'no-cache', undefined] as const)
    await collect(executor.search(requestFor('q'), { signal: new AbortController().signal, trace, cache }))
  expect(reasons).toEqual(['none is kept', 'asked with no-store', 'asked with no-cache'])
})

test('the health is that of the backend, with the counts of the cache; closing waits for the backend', async () => {
  let isClosed = false
  const inner: Executor = {
    ...fakeExecutor(),
    async close() {
      await Bun.sleep(0)
      isClosed = true
    },
  }
  const executor = cached({ ttlSeconds: 60 })(inner)
  expect(await executor.health()).toEqual({
    ready: true,
    backends: [{ name: 'fake', ready: true }],
    cache: { hits: 0, stale: 0, misses: 0, problem: undefined },
  })
  await executor.close()
  expect(isClosed).toBe(true)
})
