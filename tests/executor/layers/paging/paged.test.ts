import { describe, expect, test } from 'bun:test'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import { collect } from '../../../../src/domain/answer.ts'
import { SearchError } from '../../../../src/domain/error.ts'
import type { Answer, SearchEvent, SearchRequest, SearchResult } from '../../../../src/domain/search.ts'
import type { Executor, SearchContext } from '../../../../src/executor/executor.ts'
import { type PagedOptions, paged } from '../../../../src/executor/layers/paging/paged.ts'
import { executorContract } from '../../../contract/executor.ts'
import { failureOf } from '../../../support/failure-of.ts'
import {
  answers,
  done,
  type FakeExecutor,
  fails,
  fakeExecutor,
  hangs,
  requestFor,
  type Script,
} from '../../../support/fake-executor.ts'

/** Brings the next pages of an endless list, so many a search, but for those that it is told to leave out. */
function webOf(
  perSearch: number,
  total = Number.POSITIVE_INFINITY,
  urlOf = (page: number) => `https://a.example/${page}`,
): Script {
  return async function* ({ query, exclude = [] }) {
    const results: SearchResult[] = []
    for (let page = 1; results.length < perSearch && page <= total; page++) {
      if (!exclude.includes(urlOf(page))) results.push({ title: `Page ${page}`, url: urlOf(page), source: 'fake' })
    }
    yield* told(query, results)
  }
}

function* told(query: string, results: readonly SearchResult[]): Generator<SearchEvent> {
  yield { type: 'search-start', id: 'one', query }
  yield { type: 'search-results', id: 'one', results }
  yield done
}

interface Fixture {
  readonly fake: FakeExecutor
  readonly executor: Executor
  ask(rest: Partial<SearchRequest>, context?: Partial<SearchContext>): Promise<Answer>
  /** The numbers of the pages that come. */
  pages(rest: Partial<SearchRequest>, context?: Partial<SearchContext>): Promise<readonly number[]>
}

function fixture(script: Script, options: Partial<PagedOptions> = {}): Fixture {
  const fake = fakeExecutor(script)
  const executor = paged({ ttlSeconds: 3600, ...options })(fake)
  const { signal } = new AbortController()
  const ask: Fixture['ask'] = (rest, context) =>
    collect(executor.search(requestFor('seals', rest), { signal, ...context }))
  return { fake, executor, ask, pages: async (rest, context) => (await ask(rest, context)).searches.flatMap(numbers) }
}

const numbers = ({ results }: { readonly results: readonly SearchResult[] }) =>
  results.map(({ title }) => Number(title.slice(5)))
const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

test.each([{ want: 'answer', limit: 3 }, { want: 'text' }] as const)(
  'a request for %o has no pages and passes through',
  async (rest) => {
    const { fake, executor } = fixture(answers)
    const request = requestFor('seals', rest)
    await collect(executor.search(request, { signal: new AbortController().signal }))
    expect(fake.requests[0]).toBe(request)
  },
)

executorContract('paged,', {
  failure: 'rate-limited',
  factory: (behaviour) => {
    const fake = fakeExecutor({ succeed: answers, hang: hangs, fail: fails('rate-limited') }[behaviour])
    return {
      executor: paged({ ttlSeconds: 0 })(fake),
      running: () => fake.running,
      begun: () => fake.begun(),
      started: () => fake.requests.length,
    }
  },
})

describe('a first page', () => {
  test('that one search fills costs one search and has no more rows than requested', async () => {
    const { fake, ask, pages } = fixture(webOf(8))
    expect(await pages({ limit: 5 })).toEqual(upTo(5))
    expect(fake.requests).toEqual([requestFor('seals')])
    const { usage, model } = await ask({ limit: 8 })
    expect({ searches: usage.searches, model }).toEqual({ searches: 0, model: 'fake-1' })
    expect(fake.requests).toHaveLength(1)
  })

  test('without a count has the rows of one search, also when more are known', async () => {
    const { fake, pages } = fixture(webOf(8))
    expect(await pages({})).toEqual(upTo(8))
    expect(fake.requests).toHaveLength(1)
    expect(await pages({ offset: 20 })).toEqual(upTo(16, 9))
    expect(await pages({})).toEqual(upTo(8))
    expect(await pages({ offset: 20 })).toEqual(upTo(16, 9))
    expect(fake.requests).toHaveLength(2)
  })

  test('of which one search finds half costs no second, and is the same when the next one is known', async () => {
    for (const [limit, searches] of [
      [10, 1],
      [16, 1],
      [17, 2],
    ] as const) {
      const { fake, pages } = fixture(webOf(8))
      expect(await pages({ limit })).toEqual(upTo(searches === 1 ? 8 : 16))
      expect(fake.requests).toHaveLength(searches)
    }
    const { fake, pages } = fixture(webOf(8))
    for (let times = 0; times < 2; times++) {
      expect(await pages({ limit: 10 })).toEqual(upTo(8))
      expect(await pages({ limit: 10, offset: 10 })).toEqual(upTo(16, 9))
    }
    expect(fake.requests).toHaveLength(2)
  })

  test('that one search does not fill by half costs a second, which excludes the known rows, and no third', async () => {
    const { fake, ask } = fixture(webOf(8))
    const answer = await ask({ limit: 20 })
    expect(answer.searches.flatMap(numbers)).toEqual(upTo(16))
    expect(answer.usage).toEqual({ searches: 2, inputTokens: 20, outputTokens: 40 })
    expect(fake.requests.map(({ exclude = [] }) => exclude.length)).toEqual([0, 8])
  })

  test('is not searched for again when nothing new is found', async () => {
    const { fake, pages } = fixture(webOf(8, 5))
    expect(await pages({ limit: 20 })).toEqual(upTo(5))
    expect(await pages({ limit: 20 })).toEqual(upTo(5))
    expect(await pages({ limit: 20, offset: 20 })).toEqual([])
    expect(fake.requests).toHaveLength(2)
  })

  test('without any row costs one search', async () => {
    const { fake, pages } = fixture(webOf(8, 0))
    expect(await pages({ limit: 20 })).toEqual([])
    expect(fake.requests).toHaveLength(1)
  })

  test('has the rows of the first search when the second fails', async () => {
    const good = webOf(8)
    const { pages } = fixture((request, signal) => (request.exclude ? fails('rate-limited') : good)(request, signal))
    expect(await pages({ limit: 20 })).toEqual(upTo(8))
  })
})

describe('a later page', () => {
  test.each([
    ['that the first search holds', { limit: 4, offset: 4 }, upTo(8, 5), 1],
    ['of which it holds half', { limit: 5, offset: 5 }, upTo(8, 6), 1],
    ['that goes beyond it', { limit: 7, offset: 5 }, upTo(12, 6), 2],
    ['without a count', { offset: 8 }, upTo(16, 9), 2],
    ['whose offset counts rows that the first page did not have', { limit: 5, offset: 20 }, upTo(13, 9), 2],
  ] as const)('costs as few searches as possible: a page %s', async (_, rest, expected, searches) => {
    const { fake, pages } = fixture(webOf(8))
    await pages({})
    expect(await pages(rest)).toEqual([...expected])
    expect(await pages(rest)).toEqual([...expected])
    expect(fake.requests).toHaveLength(searches)
  })

  test('without a count ends where it ended before, also when more rows are known', async () => {
    const { pages } = fixture(webOf(8))
    await pages({})
    expect(await pages({ offset: 8 })).toEqual(upTo(16, 9))
    expect(await pages({ offset: 16, limit: 8 })).toEqual(upTo(24, 17))
    expect(await pages({ offset: 8 })).toEqual(upTo(16, 9))
  })

  test('that is requested first begins after the rows of one search', async () => {
    const { fake, pages } = fixture(webOf(8))
    expect(await pages({ limit: 5, offset: 20 })).toEqual(upTo(13, 9))
    expect(fake.requests).toHaveLength(2)
  })

  test('fails when its search does', async () => {
    const { ask } = fixture(fails('rate-limited'))
    expect(await failureOf(ask({ limit: 5, offset: 5 }))).toMatchObject({ code: 'rate-limited' })
  })
})

test('a page with another spelling of its URL is the same', async () => {
  const spelled = webOf(1, 1, () => 'https://www.a.example/1/?utm_source=x#top')
  const plain = webOf(1, 1)
  const { pages } = fixture((request, signal) => (request.exclude ? plain : spelled)(request, signal))
  expect(await pages({ limit: 2 })).toEqual([1])
})

test('the rows that the caller and the layer know are excluded from every search', async () => {
  const { fake, pages } = fixture(webOf(2))
  const exclude = ['https://a.example/1']
  expect(await pages({ limit: 5, exclude })).toEqual([2, 3, 4, 5])
  expect(fake.requests.map((request) => request.exclude?.length)).toEqual([1, 3])
  // The cursor counts rows of this list, not what else the caller excludes.
  expect(fake.requests.map(({ cursor }) => cursor)).toEqual([undefined, 2])
})

describe('the memory of the pages', () => {
  test('expires, sooner for a first page than for a later one', async () => {
    let now = 0
    const { fake, pages } = fixture(webOf(8), { ttlSeconds: 60, now: () => now })
    await pages({ limit: 5 })
    now = 59_999
    await pages({ limit: 6 })
    expect(fake.requests).toHaveLength(1)
    now = 60_000
    await pages({ limit: 2, offset: 5 })
    expect(fake.requests).toHaveLength(1)
    await pages({ limit: 5 })
    expect(fake.requests).toHaveLength(2)
    now += 3_600_000
    await pages({ limit: 2, offset: 5 })
    expect(fake.requests).toHaveLength(3)
  })

  test('of a search that found nothing expires after a minute, as in the cache', async () => {
    let now = 0
    const { fake, pages } = fixture(webOf(8, 0), { now: () => now })
    await pages({})
    now = 59_999
    await pages({})
    expect(fake.requests).toHaveLength(1)
    now = 60_000
    await pages({})
    expect(fake.requests).toHaveLength(2)
  })

  test('of 0 seconds serves no first page', async () => {
    const { fake, pages } = fixture(webOf(8), { ttlSeconds: 0 })
    await pages({ limit: 5 })
    await pages({ limit: 5 })
    expect(fake.requests).toHaveLength(2)
  })

  test('that cost no search says so, and how old its rows are', async () => {
    let now = 100_000
    const executor = paged({ ttlSeconds: 60, now: () => now })(fakeExecutor(webOf(8)))
    const ask = async (limit: number) => {
      const events = executor.search(requestFor('q', { want: 'results', limit }), {
        signal: new AbortController().signal,
      })
      return (await Array.fromAsync(events)).find(({ type }) => type === 'cache')
    }
    expect(await ask(5)).toBeUndefined()
    now = 107_900
    expect(await ask(3)).toEqual({ type: 'cache', status: 'hit', ageSeconds: 7 })
    expect(await ask(20)).toBeUndefined()
  })

  test('keeps the most recent queries', async () => {
    const { fake, pages } = fixture(webOf(8), { capacity: 2 })
    for (const query of ['a', 'b', 'a', 'c', 'a', 'b']) await pages({ query, limit: 5 })
    expect(fake.requests.map(({ query }) => query)).toEqual(['a', 'b', 'c', 'b'])
  })

  test('is started again with no-cache', async () => {
    const { fake, pages } = fixture(webOf(8))
    for (const cache of ['default', 'no-cache', 'default'] as const) await pages({ limit: 5 }, { cache })
    expect(fake.requests).toHaveLength(2)
  })

  test('is neither read nor written with no-store', async () => {
    const { fake, pages } = fixture(webOf(8))
    for (const cache of ['no-store', 'default', 'no-store', 'default'] as const) await pages({ limit: 5 }, { cache })
    expect(fake.requests).toHaveLength(3)
  })
})

test('two pages requested at the same time cost no search twice and share no row', async () => {
  const { fake, pages } = fixture(webOf(8))
  const [first, second] = await Promise.all([pages({ limit: 8 }), pages({ limit: 8, offset: 8 })])
  expect([first, second]).toEqual([upTo(8), upTo(16, 9)])
  expect(fake.requests).toHaveLength(2)
})

test('a caller who waits for another’s search may leave, and the next one in the queue goes on', async () => {
  const gate = Promise.withResolvers<void>()
  const { executor, fake, pages } = fixture(async function* (request, signal) {
    await gate.promise
    yield* webOf(8)(request, signal)
  })
  const first = pages({ limit: 5 })
  await fake.begun()
  const controller = new AbortController()
  const left = failureOf(collect(executor.search(requestFor('seals', { limit: 5 }), { signal: controller.signal })))
  const third = pages({ limit: 5 })
  controller.abort()
  expect(await left).toMatchObject({ code: 'cancelled' })
  gate.resolve()
  expect(await Promise.all([first, third])).toEqual([upTo(5), upTo(5)])
})

test('rows that are known name the model that searched for them', async () => {
  const script: Script = async function* ({ query }) {
    for (const event of told(query, [{ title: 'A page', url: 'https://a.example/1', source: 'fake' }]))
      yield event.type === 'search-start' ? { ...event, model: 'haiku' } : event
  }
  const { fake, ask } = fixture(script)
  await ask({ limit: 1 })
  expect((await ask({})).searches).toMatchObject([{ id: 'known', model: 'haiku' }])
  expect(fake.requests).toHaveLength(1)
})

test('an abort in the second search is reported as one, whatever the first has found', async () => {
  const controller = new AbortController()
  const { ask } = fixture(async function* (request, signal) {
    if (!request.exclude) return yield* webOf(8)(request, signal)
    controller.abort()
    throw new SearchError('failed', 'The search broke as it was stopped.')
  })
  expect(await failureOf(ask({ limit: 20 }, { signal: controller.signal }))).toMatchObject({ code: 'cancelled' })
})

test('pages in order never share a row, never have more than requested, and cost two searches at most', async () => {
  const property = fc.asyncProperty(
    fc.integer({ min: 0, max: 12 }),
    fc.integer({ min: 0, max: 60 }),
    fc.integer({ min: 1, max: 20 }),
    async (perSearch, total, limit) => {
      const { fake, pages } = fixture(webOf(perSearch, total))
      const seen: number[] = []
      for (let page = 0; page < 5; page++) {
        const before = fake.requests.length
        const rows = await pages({ limit, offset: page * limit })
        expect(rows.length).toBeLessThanOrEqual(limit)
        expect(fake.requests.length - before).toBeLessThanOrEqual(2)
        seen.push(...rows)
      }
      expect(seen).toEqual(upTo(seen.length))
    },
  )
  await fc.assert(property, { numRuns: runs(60) })
})

test('of many searches that bring little each, two are made for a page', async () => {
  const { fake, pages } = fixture(webOf(2))
  expect(await pages({ limit: 20 })).toEqual(upTo(4))
  expect(fake.requests).toHaveLength(2)
})

test('a page that was short because a search failed is whole when that works', async () => {
  let fail = true
  const { pages } = fixture((request, signal) =>
    request.exclude && fail ? fails('failed')(request, signal) : webOf(4)(request, signal),
  )
  expect(await pages({ limit: 10 })).toEqual(upTo(4))
  fail = false
  expect(await pages({ limit: 10 })).toEqual(upTo(8))
})

test('a page that is followed by another has as many rows as are asked for, if that are more than before', async () => {
  const { pages } = fixture(webOf(8))
  expect(await pages({ limit: 3 })).toEqual(upTo(3))
  expect(await pages({ limit: 3, offset: 3 })).toEqual(upTo(6, 4))
  expect(await pages({ limit: 5 })).toEqual(upTo(5))
})

test('a further search of merged lists hears how many rows each backend has brought', async () => {
  const script: Script = async function* ({ query, exclude = [] }) {
    const row = (page: number, source: string) => ({ title: 'A page', url: `https://a.example/${page}`, source })
    const from = exclude.length
    yield* told(query, [row(from, 'brave, exa'), row(from + 1, 'brave')])
  }
  for (const merge of [true, undefined]) {
    const { fake, ask } = fixture(script)
    await ask({ limit: 20, ...(merge && { merge: 'auto' as never }) })
    expect(fake.requests[0]).not.toHaveProperty('listedBy')
    if (merge) expect(fake.requests[1]?.listedBy).toEqual({ brave: 2, exa: 1 })
    else expect(fake.requests[1]).not.toHaveProperty('listedBy')
  }
})

test('two hundred queries are known, where nothing else is said', async () => {
  const { fake, pages } = fixture(webOf(1))
  for (let query = 0; query <= 200; query++) await pages({ query: `q${query}`, limit: 1 })
  await pages({ query: 'q1', limit: 1 })
  expect(fake.requests).toHaveLength(201)
  await pages({ query: 'q0', limit: 1 })
  expect(fake.requests).toHaveLength(202)
})

test('a list is not begun for a caller that has left', async () => {
  let asked = 0
  const inner: Executor = { ...fakeExecutor(), search: (request) => [asked++, answers(request)][1] as never }
  const search = paged({ ttlSeconds: 60 })(inner).search(requestFor('seals'), { signal: AbortSignal.abort() })
  expect((await failureOf(collect(search))).code).toBe('cancelled')
  expect(asked).toBe(0)
})
