import { describe, expect, test } from 'bun:test'
import { whenAborted } from '@csp/lib/abort'
import { PageError } from '@csp/page-reader/page-error'
import type { Exchange } from '../../../src/api/exchange/exchange.ts'
import { cacheWish } from '../../../src/api/serve/cache-wish.ts'
import { estimatePromptTokens, usageEstimator } from '../../../src/api/serve/estimate.ts'
import { withNamedPages } from '../../../src/api/serve/named-pages.ts'
import { pageCacheWish, pagesByUrl, readFoundPages, readPages } from '../../../src/api/serve/read-pages.ts'
import { searchAll } from '../../../src/api/serve/search-all.ts'
import { SearchError } from '../../../src/domain/error.ts'
import type { Answer, SearchEvent, SearchRequest } from '../../../src/domain/search.ts'
import type { Executor, SearchContext } from '../../../src/executor/executor.ts'
import { requestFor } from '../../support/fake-executor.ts'
import { fakePageReader } from '../../support/fake-page-reader.ts'
import { pages } from '../../support/scripted-executor.ts'

const asked = (query: string): SearchRequest => ({ query, want: 'results', effort: 'fast', history: [], filters: {} })
const live = new AbortController().signal
const context: SearchContext = { signal: live, cache: 'default' }

describe('several searches of one request', () => {
  const done = (more: object = {}): SearchEvent => ({
    ...{ type: 'done', reason: 'stop', model: 'm', usage: { searches: 1, inputTokens: 2, outputTokens: 3 }, ...more },
  })

  /** An executor with one script for each query. */
  function over(scripts: Readonly<Record<string, readonly SearchEvent[]>>): Pick<Executor, 'search'> {
    return {
      async *search({ query }) {
        yield* scripts[query] ?? []
      },
    } as Pick<Executor, 'search'>
  }
  const eventsOf = (scripts: Readonly<Record<string, readonly SearchEvent[]>>) =>
    Array.fromAsync(searchAll(over(scripts) as Executor, Object.keys(scripts).map(asked), context))
  const start = (model?: string): SearchEvent => ({
    type: 'search-start',
    id: 'x',
    query: 'y',
    ...(model && { model }),
  })
  const rows = (count: number): SearchEvent => ({ type: 'search-results', id: 'x', results: pages(count) })
  const cache = (status: 'hit' | 'stale' | 'miss', ageSeconds: number, reason?: 'rate-limited'): SearchEvent => ({
    ...{ type: 'cache', status, ageSeconds, ...(reason && { reason }) },
  })

  test('of which there is one are that search as it is', async () => {
    const events = [start(), rows(1), done()]
    expect(await eventsOf({ a: events })).toEqual(events)
  })

  test('of which there is none fail', async () => {
    const failure = await eventsOf({}).catch((error: unknown) => error)
    expect(failure).toEqual(new SearchError('failed', 'There was nothing to search for.'))
  })

  test('are merged in the order of the requests, with what they cost together', async () => {
    const backend = (name: string): SearchEvent => ({ type: 'backend', name })
    expect(
      await eventsOf({
        a: [backend('brave'), start('haiku'), rows(1), done()],
        b: [backend('exa'), start(), rows(2), done({ model: 'other', reason: 'length' })],
        c: [backend('brave'), start(), rows(0), done()],
      }),
    ).toEqual([
      { type: 'backend', name: 'brave, exa' },
      { type: 'search-start', id: 'query-1', query: 'a', model: 'haiku' },
      { type: 'search-results', id: 'query-1', results: pages(1) },
      { type: 'search-start', id: 'query-2', query: 'b' },
      { type: 'search-results', id: 'query-2', results: pages(2) },
      { type: 'search-start', id: 'query-3', query: 'c' },
      { type: 'search-results', id: 'query-3', results: [] },
      done({ usage: { searches: 3, inputTokens: 6, outputTokens: 9 } }),
    ])
  })

  test.each([
    [[cache('hit', 4), cache('hit', 9)], cache('hit', 9)],
    [[cache('hit', 4), cache('stale', 3, 'rate-limited')], cache('stale', 4, 'rate-limited')],
    [[cache('hit', 4), cache('miss', 0)], cache('miss', 0)],
    [[cache('hit', 4), undefined], undefined],
  ])('with the caches %j are as old as the oldest: %#', async ([a, b], expected) => {
    const scripts = { a: [...(a ? [a] : []), start(), done()], b: [...(b ? [b] : []), start(), done()] }
    const events = await eventsOf(scripts)
    const [first] = events
    expect(events.map(({ type }) => type)).not.toContain('backend')
    expect(first?.type === 'cache' ? first : undefined).toEqual(expected as never)
  })

  test('fail with the first failure, after the others have been stopped', async () => {
    const contexts: SearchContext[] = []
    let isStopped = false
    const executor = {
      async *search({ query }: SearchRequest, given: SearchContext): AsyncGenerator<SearchEvent> {
        contexts.push(given)
        if (query === 'bad') throw new SearchError('busy', 'No.')
        yield start()
        await whenAborted(given.signal)
        isStopped = true
        throw new SearchError('cancelled', 'It was stopped.')
      },
    } as unknown as Executor
    const all = Array.fromAsync(searchAll(executor, ['good', 'bad'].map(asked), context))
    expect(await all.catch((error: unknown) => error)).toMatchObject({ code: 'busy' })
    expect([isStopped, contexts.map(({ isWhole }) => isWhole)]).toEqual([true, [true, true]])
  })
})

test.each([
  [{}, undefined, 'default', 'default'],
  [{}, true, 'default', 'no-cache'],
  [{ 'cache-control': 'max-age=0, NO-Cache' }, undefined, 'no-cache', 'no-cache'],
  [{ pragma: 'No-Cache' }, undefined, 'no-cache', 'no-cache'],
  [{ pragma: 'other' }, false, 'default', 'default'],
  [{ 'cache-control': 'no-cache, no-store' }, true, 'no-store', 'no-store'],
] as const)('the headers %j with the wish %p in the body', (headers, isFresh, search, page) => {
  const sent = new Headers(headers)
  expect([cacheWish(sent), pageCacheWish(sent, isFresh)]).toEqual([search, page])
})

test('the tokens of a prompt are those of all that a model reads', () => {
  const seven = 'x'.repeat(7)
  expect(estimatePromptTokens(asked('x'.repeat(8)))).toBe(3)
  const toolCalls = [{ id: 'a', name: 'f', arguments: seven }]
  const request = requestFor(seven, {
    want: 'text',
    instructions: seven,
    history: [
      { role: 'user', text: seven },
      { role: 'assistant', text: seven, toolCalls },
    ],
    continuation: [{ role: 'assistant', text: 'xxxxx' }],
    schema: { a: 1 },
  })
  const read = `${seven.repeat(4)}${JSON.stringify(toolCalls)}xxxxx{"a":1}`
  expect(estimatePromptTokens(request)).toBe(Math.ceil(read.length / 3.5))
})

test('tokens that were not counted are estimated, and those that were stay', () => {
  const estimated = usageEstimator(9)
  const text: SearchEvent = { type: 'text-delta', text: 'four' }
  expect([estimated(text), estimated(text)]).toEqual([text, text])
  const end = (inputTokens: number, outputTokens: number): SearchEvent => ({
    ...{ type: 'done', reason: 'stop', model: 'm', usage: { searches: 1, inputTokens, outputTokens } },
  })
  expect([estimated(end(0, 0)), estimated(end(1, 2))]).toEqual([end(9, 3), end(1, 2)])
})

const [a, b, c] = ['https://a.example/', 'https://b.example/', 'https://c.example/'] as const

describe('pages', () => {
  test('that fail do so alone, and the others come by their addresses', async () => {
    const reader = fakePageReader({ [a]: 'Bees.', [b]: new PageError('busy', 'No.') })
    const outcomes = await readPages(reader, [{ url: a }, { url: b }, { url: c }], { signal: live, cache: 'default' })
    expect(outcomes.map(({ url, page, error }) => [url, page?.content, error?.code])).toEqual([
      [a, 'Bees.', undefined],
      [b, undefined, 'busy'],
      [c, undefined, 'not-found'],
    ])
    expect([...pagesByUrl(outcomes).keys()]).toEqual([a])
  })

  test('of a caller who has left are nothing to report', async () => {
    const reader = fakePageReader({ [a]: 'Bees.' })
    const reading = readPages(reader, [{ url: a }], { signal: AbortSignal.abort(), cache: 'default' })
    expect(await reading.catch((error: unknown) => error)).toMatchObject({ code: 'cancelled' })
    const odd = fakePageReader({ [a]: new PageError('cancelled', 'It stopped by itself.') })
    expect(await readPages(odd, [{ url: a }], { signal: live, cache: 'default' })).toMatchObject([
      { url: a, error: { code: 'cancelled' } },
    ])
  })

  test('that a search found are read up to a number, as they are wished for', async () => {
    const reader = fakePageReader({ [a]: 'A.', [b]: 'B.', [c]: 'C.' })
    const results = [a, b, c].map((url) => ({ title: '', url, snippet: '', source: 'x' }))
    const answer = { searches: [{ id: 's', query: 'x', results }] } as unknown as Answer
    const wish = { count: 2, format: 'text', maxCharacters: 9, mainContentOnly: true } as const
    const outcomes = await readFoundPages(reader, answer, wish, { signal: live, cache: 'default' })
    expect(outcomes.map(({ url, page }) => [url, page?.content])).toEqual([
      [a, 'A.'],
      [b, 'B.'],
    ])
    expect(reader.requests).toEqual(
      [a, b].map((url) => ({ url, format: 'text', maxCharacters: 9, mainContentOnly: true })),
    )
  })
})

describe('the pages that a request names', () => {
  const request = new Request('http://csp.example/')
  const exchange = { observePages: <Outcomes>(read: Outcomes) => read } as unknown as Exchange
  const named = (wish: object | undefined, reader?: ReturnType<typeof fakePageReader>) => {
    const namedPages = {
      wish: () => wish,
      add: (each: SearchRequest, outcomes: readonly object[]) => ({
        ...each,
        query: `${each.query} ${outcomes.length}`,
      }),
    }
    return withNamedPages([asked('x')], { namedPages } as never, {}, request, reader, exchange)
  }

  test('are read before its search, without those that it excludes', async () => {
    const reader = fakePageReader({ [a]: 'A.', [b]: 'B.' })
    const requests = [a, b, c, 'no address'].map((url) => ({ url }))
    const { requests: asking, outcomes } = await named({ requests, mayVisit: (url: URL) => url.href !== b }, reader)
    expect(asking).toMatchObject([{ query: 'x 4' }])
    expect(outcomes?.map(({ url, page, error }) => [url, page?.content ?? error?.code])).toEqual([
      [a, 'A.'],
      [b, 'not-allowed'],
      [c, 'not-found'],
      ['no address', 'not-found'],
    ])
    expect(reader.requests.map(({ url }) => url)).toEqual([a, c, 'no address'])
  })

  test('have failed where this server reads none, and change nothing where there are none', async () => {
    const { outcomes } = await named({ requests: [{ url: a }] })
    expect(outcomes).toMatchObject([{ url: a, error: { code: 'failed', message: 'This server reads no pages.' } }])
    expect(await named(undefined)).toEqual({ requests: [asked('x')] })
  })
})
