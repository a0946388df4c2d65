import { describe, expect, test } from 'bun:test'
import { collect, sourcesOf } from '../../../../src/domain/answer.ts'
import type { SearchRequest } from '../../../../src/domain/search.ts'
import { composed } from '../../../../src/executor/answer/composed.ts'
import { exa } from '../../../../src/executor/backends/exa/exa.ts'
import { serper } from '../../../../src/executor/backends/serper/serper.ts'
import { tavily } from '../../../../src/executor/backends/tavily/tavily.ts'
import { executorContract } from '../../../contract/executor.ts'
import { failureOf } from '../../../support/failure-of.ts'
import { requestFor } from '../../../support/fake-executor.ts'
import { apiFixture, serveApi } from './api-server.ts'

const key = 'key-very-secret'
const now = () => new Date('2026-05-20T12:00:00Z')

/** Replies in the shapes of the vendors' references, with fields that csp does not read. */
const vendors = {
  exa: {
    make: exa,
    rows: { list: 'results', score: 0.4 },
    header: ['x-api-key', key],
    variable: 'EXA_API_KEY',
    reply: (urls: readonly string[]) => ({
      requestId: 'r1',
      resolvedSearchType: 'neural',
      results: urls.map((url, index) => ({
        ...{
          id: url,
          url,
          title: 'Seals &amp; more',
          publishedDate: '2026-05-01T08:00:00.000Z',
          author: null,
          score: 0.4,
        },
        highlights: index === 0 ? ['They <b>sleep</b>.', 'They swim.'] : undefined,
      })),
      costDollars: { total: 0.005 },
    }),
    snippet: 'They sleep . … They swim.',
    fault: (error: string) => ({ requestId: 'r1', error, tag: 'INVALID' }),
  },
  tavily: {
    make: tavily,
    rows: { list: 'results', score: 0.9 },
    header: ['authorization', `Bearer ${key}`],
    variable: 'TAVILY_API_KEY',
    reply: (urls: readonly string[]) => ({
      ...{ query: 'seals', answer: null, images: [], response_time: 1.1, request_id: 'r1' },
      results: urls.map((url) => ({
        ...{ url, title: 'Seals &amp; more', content: 'They sleep.', score: 0.9, raw_content: null },
        published_date: 'Fri, 01 May 2026 08:00:00 GMT',
      })),
    }),
    snippet: 'They sleep.',
    fault: (error: string) => ({ detail: { error } }),
  },
  serper: {
    make: serper,
    rows: { list: 'organic', score: undefined },
    header: ['x-api-key', key],
    variable: 'SERPER_API_KEY',
    reply: (urls: readonly string[]) => ({
      searchParameters: { q: 'seals', type: 'search', engine: 'google' },
      organic: urls.map((link, index) => ({
        ...{ title: 'Seals &amp; more', link, snippet: 'They sleep.', date: 'May 1, 2026', position: index + 1 },
      })),
      relatedSearches: [{ query: 'grey seals' }],
      credits: 1,
    }),
    snippet: 'They sleep.',
    fault: (message: string) => ({ message, statusCode: 400 }),
  },
} as const

type Name = keyof typeof vendors
const names = Object.keys(vendors) as readonly Name[]

const open = (name: Name, url: string) => vendors[name].make({ key, url, version: '1.2.3', requestsPerSecond: 0, now })

const urls = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `https://example.com/${from + index}`)

const live = () => ({ signal: new AbortController().signal })

/** The bodies that a search sends, and the addresses that it finds. */
async function search(name: Name, rest: Partial<SearchRequest> = {}, found: readonly string[] = urls(10)) {
  await using server = serveApi(() => Response.json(vendors[name].reply(found)))
  const { searches, usage } = await collect(open(name, server.url).search(requestFor('seals', rest), live()))
  return {
    bodies: server.requests.map(({ body }) => JSON.parse(body)),
    paths: server.requests.map(({ url }) => url.pathname),
    rows: sourcesOf(searches),
    searches: usage.searches,
  }
}

for (const name of names) {
  executorContract(`${name}()`, {
    failure: 'unavailable',
    factory: (behaviour) =>
      apiFixture(
        behaviour,
        {
          async succeed(request) {
            const { query, q } = await request.json()
            return Response.json(vendors[name].reply([`https://example.com/${query ?? q}`]))
          },
          fail: () => new Response('', { status: 500 }),
        },
        (url) => composed(open(name, url)),
      ),
  })
}

describe.each(names)('the backend %s', (name) => {
  test('sends the key in its header alone, by POST, with the name of csp', async () => {
    await using server = serveApi(() => Response.json(vendors[name].reply(urls(1))))
    await collect(open(name, server.url).search(requestFor('seals'), live()))
    const [{ url, headers, body } = { url: new URL('x:'), headers: new Headers(), body: '' }] = server.requests
    const [header, value] = vendors[name].header
    expect(headers.get(header)).toBe(value)
    expect(headers.get('user-agent')).toStartWith('claude-search-proxy/1.2.3 ')
    expect(`${url.href} ${body}`).not.toContain(key)
    expect(url.pathname).toBe('/search')
  })

  test('reads rows as plain text, with their dates, and skips what is none', async () => {
    await using server = serveApi(() => {
      const reply: Record<string, unknown> = vendors[name].reply(['https://a.org/seals'])
      const { list } = vendors[name].rows
      return Response.json({ ...reply, [list]: [...(reply[list] as unknown[]), { odd: 1 }, null] })
    })
    const { score } = vendors[name].rows
    const { searches, model } = await collect(open(name, server.url).search(requestFor('seals'), live()))
    expect(sourcesOf(searches)).toEqual([
      {
        ...{ title: 'Seals & more', url: 'https://a.org/seals', snippet: vendors[name].snippet },
        ...{ publishedAt: '2026-05-01', source: name },
        ...(score !== undefined && { score }),
      },
    ])
    expect(model).toBe(name)
  })

  test.each([null, 'high', -1, 1e308])('keeps a row whose score is %p, and drops the score', async (score) => {
    await using server = serveApi(() => {
      const reply: Record<string, unknown> = vendors[name].reply(urls(1))
      const { list } = vendors[name].rows
      return Response.json({ ...reply, [list]: (reply[list] as object[]).map((row) => ({ ...row, score })) })
    })
    const { searches } = await collect(open(name, server.url).search(requestFor('seals'), live()))
    expect(sourcesOf(searches).map((row) => row.score)).toEqual([undefined])
  })

  const cases = [
    [401, 'Unauthorized', 'signed-out', /refuses the key/],
    [403, 'Unauthorized.', 'signed-out', /refuses the key/],
    [402, 'no more', 'rate-limited', /credit/],
    [432, 'plan limit', 'rate-limited', /credit/],
    [400, 'Not enough credits', 'rate-limited', /credit/],
    [400, 'Query is too long', 'invalid-request', /refused the request/],
    [404, 'nothing here', 'unavailable', /address/],
    [503, 'down', 'unavailable', /503/],
  ] as const

  test.each(cases)('explains %p, %p', async (status, said, code, words) => {
    await using server = serveApi(() => Response.json(vendors[name].fault(said), { status }))
    const failure = await failureOf(collect(open(name, server.url).search(requestFor('seals'), live())))
    expect(failure.code as string).toBe(code)
    expect(failure.message).toMatch(words)
    expect(String(failure.cause)).toBe(`${status} ${said}`)
    if (code === 'signed-out') expect(failure.message).toContain(vendors[name].variable)
    expect(`${failure.message} ${failure.cause}`).not.toContain(key)
  })

  test('says when to come back after too many requests', async () => {
    const headers = { 'retry-after': '9' }
    await using server = serveApi(() => Response.json(vendors[name].fault('slow down'), { status: 429, headers }))
    const failure = await failureOf(collect(open(name, server.url).search(requestFor('seals'), live())))
    expect(failure).toMatchObject({ code: 'rate-limited', retryAfterSeconds: 9 })
  })

  test('fails where a page for people comes instead of results', async () => {
    await using server = serveApi(() => new Response('<html>'))
    const failure = await failureOf(collect(open(name, server.url).search(requestFor('seals'), live())))
    expect(failure).toMatchObject({ code: 'failed', message: expect.stringContaining('other than results') })
  })

  test('writes nothing by itself', () => {
    expect(open(name, 'http://127.0.0.1:9').supports?.(requestFor('seals', { want: 'answer' }))).toBe(false)
  })
})

describe('a request to Exa', () => {
  const plain = { query: 'seals', type: 'auto', numResults: 25, contents: { highlights: true } }
  const cases: readonly (readonly [string, Partial<SearchRequest>, Record<string, unknown>])[] = [
    ['the query alone', {}, {}],
    ['a week', { filters: { freshness: 'week' } }, { startPublishedDate: '2026-05-13T00:00:00.000Z' }],
    [
      'two days',
      { filters: { publishedAfter: '2026-01-02', publishedBefore: '2026-02-03' } },
      { startPublishedDate: '2026-01-02T00:00:00.000Z', endPublishedDate: '2026-02-03T23:59:59.999Z' },
    ],
    ['domains', { filters: { includeDomains: ['a.org'], excludeDomains: ['b.org'] } }, { includeDomains: ['a.org'] }],
    ['domains to leave out', { filters: { excludeDomains: ['b.org'] } }, { excludeDomains: ['b.org'] }],
    ['the end of many domains', { filters: { includeDomains: ['de', 'a.org'], excludeDomains: ['co.uk'] } }, {}],
    ['a country', { filters: { country: 'AT' } }, { userLocation: 'AT' }],
    ['any country', { filters: { country: 'ALL' } }, {}],
    ['a category', { filters: { category: 'academic' } }, { category: 'research paper' }],
    ['a category that it does not have', { filters: { category: 'videos' } }, {}],
    ['safe search', { filters: { safeSearch: 'strict' } }, { moderation: true }],
    ['no safe search', { filters: { safeSearch: 'off' } }, {}],
  ]
  test.each(cases)('has the right fields for %s', async (_, rest, expected) => {
    expect((await search('exa', rest)).bodies).toEqual([{ ...plain, ...expected }])
  })
})

describe('a request to Tavily', () => {
  const plain = { query: 'seals', topic: 'general', search_depth: 'basic', max_results: 20 }
  const cases: readonly (readonly [string, Partial<SearchRequest>, Record<string, unknown>])[] = [
    ['the query alone', {}, {}],
    ['an hour, as a day', { filters: { freshness: 'hour' } }, { time_range: 'day' }],
    ['a month', { filters: { freshness: 'month' } }, { time_range: 'month' }],
    [
      'two days',
      { filters: { publishedAfter: '2026-01-02', publishedBefore: '2026-02-03' } },
      { start_date: '2026-01-02', end_date: '2026-02-03' },
    ],
    [
      'domains',
      { filters: { includeDomains: ['a.org'], excludeDomains: ['b.org'] } },
      { include_domains: ['a.org'], exclude_domains: ['b.org'] },
    ],
    ['the end of many domains', { filters: { includeDomains: ['de'] } }, { include_domains: ['*.de'] }],
    ['a country, by its name', { filters: { country: 'AT' } }, { country: 'austria' }],
    ['a country that is none', { filters: { country: 'QX' } }, {}],
    ['news, without a country', { filters: { category: 'news', country: 'AT' } }, { topic: 'news' }],
    ['a long question', { query: 'why '.repeat(200) }, { query: 'why '.repeat(100).trim() }],
  ]
  test.each(cases)('has the right fields for %s', async (_, rest, expected) => {
    expect((await search('tavily', rest)).bodies).toEqual([{ ...plain, ...expected }])
  })
})

describe('a request to Serper', () => {
  const cases: readonly (readonly [string, Partial<SearchRequest>, Record<string, unknown>])[] = [
    ['the query alone', {}, {}],
    ['a day', { filters: { freshness: 'day' } }, { tbs: 'qdr:d' }],
    [
      'two days',
      { filters: { publishedAfter: '2026-01-02', publishedBefore: '2026-12-31' } },
      { tbs: 'cdr:1,cd_min:1/2/2026,cd_max:12/31/2026' },
    ],
    ['up to a day', { filters: { publishedBefore: '2026-02-03' } }, { tbs: 'cdr:1,cd_min:,cd_max:2/3/2026' }],
    ['domains', { filters: { includeDomains: ['example.com'] } }, { q: 'seals site:example.com' }],
    ['country and language', { filters: { country: 'AT', language: 'de' } }, { gl: 'at', hl: 'de' }],
    ['safe search', { filters: { safeSearch: 'moderate' } }, { safe: 'active' }],
  ]
  test.each(cases)('has the right fields for %s', async (_, rest, expected) => {
    // Rows outside the dates are filtered out, so that a second page may follow.
    expect((await search('serper', rest)).bodies[0]).toEqual({ q: 'seals', num: 10, ...expected })
  })

  test.each([
    ['news', 'news', '/news'],
    ['videos', 'videos', '/videos'],
    ['academic', 'organic', '/scholar'],
  ] as const)('for %s goes to an address of its own', async (category, list, path) => {
    await using server = serveApi(() => Response.json({ [list]: [{ link: 'https://a.org/', title: 'A' }] }))
    const { searches } = await collect(
      open('serper', server.url).search(requestFor('seals', { filters: { category } }), live()),
    )
    expect(sourcesOf(searches).map(({ url }) => url)).toEqual(['https://a.org/'])
    expect(server.requests.map(({ url }) => url.pathname)).toEqual([path])
  })
})

describe('pages of a list', () => {
  test('are one request at Exa and Tavily, whose price is the same, and nothing comes behind it', async () => {
    for (const name of ['exa', 'tavily'] as const) {
      const first = await search(name, { limit: 20 }, urls(25))
      expect({ rows: first.rows.length, searches: first.searches }).toEqual({ rows: 20, searches: 1 })
      const next = await search(name, { limit: 10, cursor: 25, exclude: urls(25) }, urls(25))
      expect({ rows: next.rows, asked: next.bodies }).toEqual({ rows: [], asked: [] })
    }
  })

  test('are ten rows each at Serper, and two at most', async () => {
    await using server = serveApi(async (request) => {
      const { page = 1 } = await request.json()
      return Response.json(vendors.serper.reply(urls(10, page * 10)))
    })
    const list = async (rest: Partial<SearchRequest>) => {
      const { searches, usage } = await collect(open('serper', server.url).search(requestFor('seals', rest), live()))
      return [sourcesOf(searches).length, usage.searches]
    }
    expect(await list({ limit: 10 })).toEqual([10, 1])
    expect(await list({ limit: 50 })).toEqual([20, 2])
    expect(await list({ limit: 10, cursor: 20 })).toEqual([10, 1])
    expect(server.requests.map(({ body }) => JSON.parse(body).page)).toEqual([undefined, undefined, 2, 3])
  })
})

test('a batch without rows is the last one', async () => {
  expect(await search('serper', { limit: 30 }, [])).toMatchObject({ rows: [], searches: 1 })
  expect(await search('serper', { limit: 30 }, urls(10))).toMatchObject({ searches: 2 })
})
