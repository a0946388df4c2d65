import { expect, test } from 'bun:test'
import { PageError } from '@csp/page-reader/page-error'
import { Sent } from '../../../src/api/exchange/body.ts'
import { Exchange, type ExchangeOptions } from '../../../src/api/exchange/exchange.ts'
import { causeChain, reportFailure } from '../../../src/api/exchange/failure-report.ts'
import { RecentRequests } from '../../../src/api/exchange/recent-requests.ts'
import { Refusal } from '../../../src/api/exchange/refusal.ts'
import type { RequestLog } from '../../../src/api/exchange/request-log.ts'
import type { RequestNote } from '../../../src/api/exchange/trace.ts'
import { examplePage } from '../../../src/api/serve/example.ts'
import { SearchError } from '../../../src/domain/error.ts'
import type { SearchEvent, SearchRequest } from '../../../src/domain/search.ts'

/** An exchange with a clock that the test moves, and what it logs and notes. */
function exchangeOf(options: Partial<ExchangeOptions> = {}) {
  const [log, notes]: [RequestLog[], RequestNote[]] = [[], []]
  const clock = { ms: 1000 }
  const exchange = new Exchange({
    ...{ id: 'id-1', method: 'GET', path: '/v1/search', sent: new Sent(new Request('http://csp.example/')) },
    envelope: { name: 'native', formatError: () => ({ status: 500, body: {} }) },
    now: () => new Date(clock.ms),
    log: (entry) => log.push(entry),
    note: (note) => notes.push(note),
    ...options,
  })
  const see = async (...events: readonly SearchEvent[]) => {
    async function* all() {
      yield* events
    }
    for await (const _ of exchange.observe(all)) clock.ms += 5
  }
  return { exchange, log, notes, clock, see }
}

const query: SearchRequest = {
  query: 'where do seals sleep',
  want: 'results',
  effort: 'fast',
  history: [],
  filters: {},
}
const usage = { searches: 1, inputTokens: 2, outputTokens: 3 }
const done: SearchEvent = { type: 'done', reason: 'stop', usage, model: 'm' }
const rows = (count: number): SearchEvent => ({
  ...{ type: 'search-results', id: 's' },
  results: Array.from({ length: count }, () => ({ title: '', url: 'https://a.example/', snippet: '', source: 'x' })),
})

test('the log of a search has its rows, its backend, what it spent, and where its time went', async () => {
  const { exchange, log, clock, see } = exchangeOf()
  clock.ms += 2
  exchange.caller = 'phone'
  exchange.asked([query])
  await see(
    { type: 'backend', name: 'brave' },
    { type: 'search-start', id: 's', query: 'x', model: 'a' },
    rows(2),
    rows(1),
  )
  await see({ type: 'search-start', id: 't', query: 'x', model: 'b' }, done)
  const always = { 'x-request-id': 'id-1', 'cache-control': 'no-store' }
  const known = { ...always, 'x-csp-backend': 'brave', 'x-csp-search-model': 'a' }
  expect(exchange.headers(false)).toEqual({ ...known, 'server-timing': 'search;dur=7, total;dur=32' })
  expect(exchange.headers(true)).toEqual({ ...known, 'x-accel-buffering': 'no', 'server-timing': 'search;dur=7' })
  expect(exchangeOf().exchange.headers(true)).toEqual({ ...always, 'x-accel-buffering': 'no' })
  exchange.finish(200)
  expect(log).toEqual([
    {
      ...{ id: 'id-1', method: 'GET', path: '/v1/search', dialect: 'native', status: 200, ms: 32, results: 3 },
      ...{ caller: 'phone', backend: 'brave', want: 'results', effort: 'fast', model: 'm', ...usage },
      ...{ queuedMs: 0, upstreamMs: 0, ownMs: 32 },
    },
  ])
})

test.each([
  ['hit', { searches: 0, inputTokens: 0, outputTokens: 0 }],
  ['stale', { searches: 0, inputTokens: 0, outputTokens: 0 }],
  ['miss', usage],
] as const)('what an answer cost that is a cache %s', async (status, spent) => {
  const { exchange, log, see } = exchangeOf()
  exchange.asked([query])
  await see({ type: 'cache', status, ageSeconds: 4 }, done)
  expect(exchange.headers(false)).toMatchObject({ 'x-cache': status, age: '4' })
  expect(exchange.headers(false)).not.toHaveProperty('x-csp-search-model')
  exchange.finish(200)
  expect(log).toMatchObject([{ cache: status, ...spent }])
})

test.each([
  ['anonymous:0123ab', undefined],
  ['phone', 'phone'],
  [undefined, undefined],
])('of the caller %p the log names %p', (caller, logged) => {
  const { exchange, log } = exchangeOf()
  exchange.caller = caller
  exchange.finish(404)
  expect(log).toEqual([
    {
      id: 'id-1',
      method: 'GET',
      path: '/v1/search',
      dialect: 'native',
      status: 404,
      ms: 0,
      caller: logged,
    } as RequestLog,
  ])
})

test.each([
  ['/r/https://a.example/secret', '/r/…'],
  ['/r%2Fabc', '/r%2F…'],
  ['/https%3A//a.example/', '/…'],
  ['/v1/search', '/v1/search'],
  ['/r/', '/r/'],
])('of the path %s the log has %s', (path, logged) => {
  const { exchange, log } = exchangeOf({ path })
  exchange.finish(200)
  expect(log[0]?.path).toBe(logged)
})

test('a reply of the gateway is logged with its upstream, its model and its calls', () => {
  const { exchange, log } = exchangeOf()
  exchange.upstream('ollama', 'qwen')
  exchange.upstreamAnswered()
  exchange.upstreamAnswered()
  exchange.finish(200)
  expect(log).toMatchObject([{ backend: 'ollama', model: 'qwen', upstreamCalls: 2 }])
})

test('a note has the causes of its error, and none without one', () => {
  const { exchange, notes } = exchangeOf()
  exchange.note('One')
  exchange.note('Two', 'why')
  expect(notes).toEqual([
    { id: 'id-1', message: 'One', causes: undefined },
    { id: 'id-1', message: 'Two', causes: ['why'] },
  ])
})

test('a stream whose client left is cancelled, unless it had failed before', () => {
  for (const failure of [undefined, new SearchError('timeout', 'No.')]) {
    const { exchange, log } = exchangeOf()
    if (failure) exchange.failed(failure.code, failure)
    exchange.left()
    exchange.finish(200)
    expect(log[0]?.code).toBe(failure ? 'timeout' : 'cancelled')
  }
})

test('the connection is asked for room for the caller, is kept open for a search, and is let go of at the end', async () => {
  const said: string[] = []
  const connection = (hasRoom?: boolean) => ({
    ...(hasRoom !== undefined && { admit: (caller: string) => said.push(`admit ${caller}`) > 0 && hasRoom }),
    keepOpen: () => said.push('open'),
    release: () => said.push('release'),
  })
  const full = exchangeOf({ connection: connection(false) }).exchange
  expect(() => full.admitted(() => 1)).toThrow(expect.objectContaining({ code: 'unavailable', retryAfterSeconds: 1 }))
  full.caller = 'phone'
  expect(() => full.admitted(() => 1)).toThrow(SearchError)
  for (const hasRoom of [true, undefined])
    expect(exchangeOf({ connection: connection(hasRoom) }).exchange.admitted(() => 1)).toBe(1)
  expect(exchangeOf().exchange.admitted(() => 1)).toBe(1)
  expect(said.splice(0)).toEqual(['admit ', 'admit phone', 'admit '])
  const { exchange, see } = exchangeOf({ connection: connection(true), log: undefined })
  await see(done)
  await exchange.observePages(Promise.resolve([]))
  exchange.finish(200)
  expect(said).toEqual(['open', 'open', 'release'])
})

test('pages are counted with why some could not be read, each once', async () => {
  const { exchange, log, notes } = exchangeOf()
  const url = 'https://a.example/'
  const read = { url, page: examplePage(url) }
  const failed = (code: 'timeout' | 'busy') => ({ url, error: new PageError(code, 'No.') })
  await exchange.observePages(Promise.resolve([failed('timeout'), read, failed('busy'), failed('busy')]))
  await exchange.observePages(Promise.resolve(Array(100).fill(read)))
  exchange.finish(200)
  expect(log).toMatchObject([{ pages: 101, unread: 3, unreadCodes: ['timeout', 'busy'] }])
  expect(notes.map(({ message }) => message)).toEqual(Array(3).fill('A page could not be read'))
  const said = exchange.headers(false)['x-csp-pages']?.split(', ') ?? []
  expect([said.length, said.slice(0, 3)]).toEqual([100, ['timeout', 'read', 'busy']])
  const { exchange: other, log: more } = exchangeOf()
  await other.observePages(Promise.resolve([read]))
  other.finish(200)
  expect(more[0]).toMatchObject({ pages: 1 })
  expect(more[0]).not.toHaveProperty('unread')
})

test('a report of a failure has what csp did not expect, and of a message no words of the request', () => {
  const report = (error: unknown) => reportFailure(error, [query])
  const crash = expect.stringMatching(/^TypeError at /)
  expect(report(new Refusal('forbidden', 'No.'))).toBeUndefined()
  expect(report(new PageError('timeout', 'No.'))).toBeUndefined()
  expect(report(new PageError('failed', 'No.', { cause: new TypeError('x') }))).toEqual({ fault: crash })
  expect(report(new TypeError('x'))).toEqual({ fault: crash })
  expect(report(new SearchError('busy', 'No.', { cause: new TypeError('x') }))).toEqual({ message: 'No.' })
  expect(report(new SearchError('failed', 'No.', { cause: new TypeError('x') }))).toEqual({
    message: 'No.',
    fault: crash,
  })
  expect(report(new SearchError('failed', 'No.', { cause: new SearchError('busy', 'x') }))).toEqual({ message: 'No.' })
  const asked = {
    ...query,
    instructions: 'be brief',
    history: [{ role: 'user', text: 'about whales' }],
  } as SearchRequest
  const message = 'No rows for "do seals sleep", nor about Whales; nor BE brief'
  expect(reportFailure(new SearchError('failed', message), [asked])?.message).toBe(
    'No rows for "[…]", nor […]; nor […]',
  )
  const long = new SearchError('failed', 'x'.repeat(501))
  expect(reportFailure(long, [])?.message).toBe('x'.repeat(500))
})

test('the causes of an error are listed, ten at most, each with the place of what csp did not expect', () => {
  const inner = new SearchError('busy', 'Inner.', { cause: ['', null, 'a text', new TypeError('odd')] })
  expect(causeChain(new SearchError('failed', 'Outer.', { cause: inner }), [])).toEqual([
    ...['failed: Outer.', 'busy: Inner.', 'a text'],
    expect.stringMatching(/^TypeError: odd \(at .*:\d+:\d+\)+$/),
  ])
  let chain: unknown = 'last'
  for (let depth = 0; depth < 12; depth++) chain = new SearchError('busy', String(depth), { cause: chain })
  expect(causeChain(chain, [])).toHaveLength(10)
})

test('the last fifty requests are kept, the newest first, without what the page of csp asks for', () => {
  const recent = new RecentRequests()
  const entry = (path: string, caller?: string) => {
    const request: RequestLog = { id: path, method: 'GET', path, dialect: 'native', status: 200, ms: 0, caller }
    recent.add(request, new Date(0))
  }
  for (const path of ['/', '/v1/health/live', '/usage', '/page/main.js', '/receipts/abc', '/sign-in/code']) entry(path)
  expect(recent.list()).toEqual([])
  for (let count = 1; count <= 51; count++) entry(`/v1/search${count}`, count % 2 === 0 ? 'phone' : undefined)
  expect([recent.list().length, recent.list()[0]?.path, recent.list().at(-1)?.path]).toEqual([
    ...[50, '/v1/search51', '/v1/search2'],
  ])
  expect(
    recent
      .list('phone')
      .map(({ path }) => path)
      .slice(0, 2),
  ).toEqual(['/v1/search50', '/v1/search48'])
  expect(recent.list('phone')[0]?.at).toBe('1970-01-01T00:00:00.000Z')
})
