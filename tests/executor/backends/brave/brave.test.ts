import { describe, expect, test } from 'bun:test'
import { collect, sourcesOf } from '../../../../src/domain/answer.ts'
import type { SearchRequest } from '../../../../src/domain/search.ts'
import { composed } from '../../../../src/executor/answer/composed.ts'
import { brave } from '../../../../src/executor/backends/brave/brave.ts'
import { executorContract } from '../../../contract/executor.ts'
import { failureOf } from '../../../support/failure-of.ts'
import { requestFor } from '../../../support/fake-executor.ts'
import { apiFixture, type Handler, serveApi } from '../http/api-server.ts'

const key = 'BSA-very-secret'
const now = () => new Date('2026-05-20T12:00:00Z')
const open = (url: string) => brave({ key, url, version: '1.2.3', requestsPerSecond: 0, now })

executorContract('brave()', {
  failure: 'unavailable',
  factory: (behaviour) =>
    apiFixture(
      behaviour,
      {
        succeed: (request) => pageOf([`https://example.com/${new URL(request.url).searchParams.get('q')}`]),
        fail: () => Response.json({ type: 'ErrorResponse' }, { status: 500 }),
      },
      (url) => composed(open(url)),
    ),
})

describe('a request to Brave', () => {
  const cases: readonly (readonly [string, Partial<SearchRequest>, Record<string, string>])[] = [
    ['the query alone', {}, {}],
    ['an hour, as a day', { filters: { freshness: 'hour' } }, { freshness: 'pd' }],
    ['a year', { filters: { freshness: 'year' } }, { freshness: 'py' }],
    ['since a date', { filters: { publishedAfter: '2026-01-02' } }, { freshness: '2026-01-02to2026-05-20' }],
    ['up to a date', { filters: { publishedBefore: '2026-01-02' } }, { freshness: '1990-01-01to2026-01-02' }],
    [
      'a range and a freshness: the later beginning',
      { filters: { publishedAfter: '2026-01-02', publishedBefore: '2026-05-19', freshness: 'week' } },
      { freshness: '2026-05-13to2026-05-19' },
    ],
    ['a country', { filters: { country: 'AT' } }, { country: 'AT' }],
    ['a country that it does not know', { filters: { country: 'IE' } }, {}],
    ['a language', { filters: { language: 'de' } }, { search_lang: 'de' }],
    ['a language whose region it does not know', { filters: { language: 'de-ch' } }, { search_lang: 'de' }],
    ['a language that it calls otherwise', { filters: { language: 'ja' } }, { search_lang: 'jp' }],
    ['a language that it knows with a region alone', { filters: { language: 'pt' } }, { search_lang: 'pt-pt' }],
    ['a language that it does not know', { filters: { language: 'eo' } }, {}],
    ['safe search', { filters: { safeSearch: 'off' } }, { safesearch: 'off' }],
    ['domains', { filters: { includeDomains: ['a.org'] } }, { q: 'seals site:a.org' }],
    ['pages after those known', { exclude: urls(19), cursor: 19 }, { offset: '1' }],
    ['the first page, however many other URLs are excluded', { exclude: urls(30) }, {}],
    ['fifty words of a long question', { query: 'why '.repeat(99) }, { q: 'why '.repeat(50).trim() }],
    ['no spaces around it', { query: ' seals  ' }, {}],
    ['no endless word', { query: 'x'.repeat(900) }, { q: 'x'.repeat(400) }],
    [
      'no operators that it has no room for',
      { query: 'why '.repeat(50).trim(), filters: { excludeDomains: ['a.org'] } },
      { q: 'why '.repeat(50).trim() },
    ],
  ]

  test.each(cases)('has the right parameters for %s', async (_, rest, expected) => {
    await using server = serveApi(() => pageOf(urls(40)))
    await search(server.url, rest)
    expect(Object.fromEntries(server.requests[0]?.url.searchParams ?? [])).toEqual({
      ...{ q: 'seals', count: '20', extra_snippets: 'true', text_decorations: 'false', result_filter: 'web' },
      ...expected,
    })
  })

  test('has the key in its header alone, and the name of csp', async () => {
    await using server = serveApi(() => pageOf(urls(1)))
    await search(server.url)
    const [{ url, headers } = { url: new URL('x:'), headers: new Headers() }] = server.requests
    expect(headers.get('x-subscription-token')).toBe(key)
    expect(headers.get('user-agent')).toStartWith('claude-search-proxy/1.2.3 ')
    expect(url.href).not.toContain(key)
    expect(url.pathname).toBe('/v1/web/search')
  })

  test.each(['news', 'videos'] as const)('for %s goes to an address of its own', async (category) => {
    await using server = serveApi(() => Response.json({ type: category, results: [{ url: 'https://a.org/' }] }))
    expect(await search(server.url, { filters: { category } })).toEqual(['https://a.org/'])
    expect(server.requests[0]?.url.pathname).toBe(`/v1/${category}/search`)
    expect(server.requests[0]?.url.searchParams.has('result_filter')).toBe(false)
  })
})

describe('the pages that Brave is asked for', () => {
  const twenties: Handler = (request) => {
    const page = Number(new URL(request.url).searchParams.get('offset') ?? 0)
    return pageOf(urls(20, page * 20), page < 9)
  }

  test('are two at most, and one where that is enough', async () => {
    await using server = serveApi(twenties)
    expect(await search(server.url, { limit: 20 })).toHaveLength(20)
    expect(server.requests).toHaveLength(1)
    expect(await search(server.url, { limit: 90 })).toHaveLength(40)
    expect(server.requests).toHaveLength(3)
  })

  test('end where Brave has no more', async () => {
    await using server = serveApi(() => pageOf(urls(5), false))
    expect(await search(server.url, { limit: 20 })).toHaveLength(5)
    expect(server.requests).toHaveLength(1)
  })

  test('do not go beyond the tenth', async () => {
    await using server = serveApi(twenties)
    expect(await search(server.url, { exclude: urls(200), cursor: 200 })).toEqual([])
    expect(server.requests).toHaveLength(0)
    expect(await search(server.url, { limit: 40, exclude: urls(180), cursor: 180 })).toEqual(urls(20, 180))
    expect(server.requests.map(({ url }) => url.searchParams.get('offset'))).toEqual(['9'])
  })
})

test('a row of Brave has text without markup, its excerpts and its date', async () => {
  const row = {
    title: 'Seals &amp; <more>',
    url: 'https://a.org/seals',
    description: 'On <strong>seals</strong> &quot;here&quot;',
    extra_snippets: ['They sleep.', 'They swim.'],
    page_age: '2026-05-01T00:00:00',
    type: 'search_result',
  }
  await using server = serveApi(() =>
    Response.json({ type: 'search', web: { type: 'search', results: [row, { a: 1 }] } }),
  )
  const { searches, model } = await collect(open(server.url).search(requestFor('seals'), live()))
  expect(sourcesOf(searches)).toEqual([
    {
      title: 'Seals & <more>',
      url: 'https://a.org/seals',
      snippet: 'On seals "here" … They sleep. … They swim.',
      publishedAt: '2026-05-01',
      source: 'brave',
    },
  ])
  expect(model).toBe('brave')
})

describe('a failure of Brave', () => {
  const cases: readonly (readonly [string, Response, string, RegExp, number | undefined])[] = [
    ['a wrong key', fault(422, 'SUBSCRIPTION_TOKEN_INVALID'), 'signed-out', /BRAVE_API_KEY/, undefined],
    ['a missing key', fault(422, 'VALIDATION', ['header', 'x-subscription-token']), 'signed-out', /key/, undefined],
    ['no subscription', fault(404, 'SUBSCRIPTION_NOT_FOUND'), 'signed-out', /key/, undefined],
    ['a bare 401', new Response('', { status: 401 }), 'signed-out', /key/, undefined],
    ['a field', fault(422, 'VALIDATION', ['query', 'q']), 'invalid-request', /\(q\)/, undefined],
    ['no credit', fault(402, 'CREDIT_EXHAUSTED'), 'rate-limited', /credit/, undefined],
    [
      'a rate',
      fault(429, 'RATE_LIMITED', undefined, windows('1, 15000', '0, 1000', '1, 1419704')),
      'rate-limited',
      /too many/,
      1,
    ],
    [
      'a quota',
      fault(429, 'QUOTA_LIMITED', undefined, windows('1, 2000', '0, 0', '1, 1419704')),
      'rate-limited',
      /quota/,
      1_419_704,
    ],
    [
      'a time to come back',
      fault(429, 'RATE_LIMITED', undefined, { 'retry-after': '9' }),
      'rate-limited',
      /too many/,
      9,
    ],
    ['a broken server', fault(503, ''), 'unavailable', /503/, undefined],
    ['something else', new Response('<html>'), 'failed', /other than results/, undefined],
  ]

  test.each(cases)('gets the right error code for %s', async (_, reply, code, words, seconds) => {
    await using server = serveApi(() => reply.clone())
    const failure = await failureOf(collect(open(server.url).search(requestFor('seals'), live())))
    expect(failure.code as string).toBe(code)
    expect(failure.message).toMatch(words)
    expect(failure.retryAfterSeconds).toBe(seconds)
    expect(`${failure.message} ${failure.cause}`).not.toContain(key)
  })

  test('never sends the key to another host', async () => {
    await using other = serveApi(() => pageOf(urls(1)))
    await using server = serveApi(() => Response.redirect(`${other.url}/v1/web/search`, 302))
    expect((await failureOf(collect(open(server.url).search(requestFor('seals'), live())))).code).toBe('unavailable')
    expect(other.requests).toHaveLength(0)
  })
})

test('the health of the Brave backend shows the quota', async () => {
  await using server = serveApi(() => pageOf(urls(1), true, windows('1, 2000', '0, 500', '1, 1419704')))
  const executor = open(server.url)
  expect((await executor.health()).backends[0]?.rateLimit).toBeUndefined()
  await collect(executor.search(requestFor('seals'), live()))
  expect((await executor.health()).backends[0]?.rateLimit).toEqual({
    ...{ status: 'allowed', window: 'month', utilization: 0.75, resetsAt: '2026-06-05T22:21:44.000Z' },
  })
})

test('the health of the Brave backend ignores a quota without a limit', async () => {
  await using server = serveApi(() => pageOf(urls(1), true, windows('50, 0', '49, 0', '1, 0')))
  const executor = open(server.url)
  await collect(executor.search(requestFor('seals'), live()))
  expect((await executor.health()).backends[0]?.rateLimit).toMatchObject({ status: 'allowed', utilization: 0.02 })
})

async function search(url: string, rest: Partial<SearchRequest> = {}): Promise<readonly string[]> {
  const { searches } = await collect(open(url).search(requestFor('seals', rest), live()))
  return searches.flatMap(({ results }) => results.map((row) => row.url))
}

function urls(count: number, from = 0): readonly string[] {
  return Array.from({ length: count }, (_, index) => `https://example.com/${from + index}`)
}

function pageOf(
  found: readonly string[],
  more_results_available = true,
  headers: Record<string, string> = {},
): Response {
  const results = found.map((url) => ({ url, title: url, type: 'search_result' }))
  return Response.json(
    { type: 'search', query: { original: 'x', more_results_available }, web: { type: 'search', results } },
    { headers },
  )
}

function fault(status: number, code: string, loc?: readonly string[], headers: Record<string, string> = {}): Response {
  const meta = loc ? { errors: [{ type: 'x', loc, msg: 'x', input: 'x' }] } : { component: 'x' }
  return Response.json(
    { type: 'ErrorResponse', error: { id: '1', status, code, detail: 'x', meta } },
    { status, headers },
  )
}

function windows(limit: string, remaining: string, reset: string): Record<string, string> {
  return { 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': remaining, 'x-ratelimit-reset': reset }
}

function live() {
  return { signal: new AbortController().signal }
}
