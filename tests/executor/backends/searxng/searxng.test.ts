import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { collect, sourcesOf } from '../../../../src/domain/answer.ts'
import type { SearchRequest } from '../../../../src/domain/search.ts'
import { composed } from '../../../../src/executor/answer/composed.ts'
import { searxng } from '../../../../src/executor/backends/searxng/searxng.ts'
import { executorContract } from '../../../contract/executor.ts'
import { failureOf } from '../../../support/failure-of.ts'
import { requestFor } from '../../../support/fake-executor.ts'
import { describeNeeding } from '../../../support/needs.ts'
import { type RunningSearx, searxProgram, startSearx } from '../../../support/searx.ts'
import { apiFixture, type Handler, serveApi } from '../http/api-server.ts'
import recorded from './searx-reply.json' with { type: 'json' }

const now = () => new Date('2026-05-20T12:00:00Z')
const open = (url: string) => searxng({ url, version: '1.2.3', requestsPerSecond: 0, now })

executorContract('searxng()', {
  failure: 'unavailable',
  factory: (behaviour) =>
    apiFixture(
      behaviour,
      {
        succeed: (request) => listOf([`https://example.com/${new URL(request.url).searchParams.get('q')}`]),
        fail: () => new Response('down', { status: 502 }),
      },
      (url) => composed(open(url)),
    ),
})

describe('a request to SearXNG', () => {
  const cases: readonly (readonly [string, Partial<SearchRequest>, Record<string, string>])[] = [
    ['the query alone', {}, {}],
    ['an hour, as a day', { filters: { freshness: 'hour' } }, { time_range: 'day' }],
    ['a month', { filters: { freshness: 'month' } }, { time_range: 'month' }],
    ['a date, as the range that holds it', { filters: { publishedAfter: '2026-05-10' } }, { time_range: 'month' }],
    ['a date long ago, as no range', { filters: { publishedAfter: '2020-05-10' } }, {}],
    ['a language', { filters: { language: 'de' } }, { language: 'de' }],
    ['a language of a country', { filters: { language: 'de', country: 'AT' } }, { language: 'de-AT' }],
    ['a language with its region', { filters: { language: 'pt-br', country: 'AT' } }, { language: 'pt-BR' }],
    ['a script, which it does not know', { filters: { language: 'zh-hant' } }, { language: 'zh-TW' }],
    ['a country alone, which it cannot be told', { filters: { country: 'AT' } }, {}],
    ['a strict search', { filters: { safeSearch: 'strict' } }, { safesearch: '2' }],
    ['an open search', { filters: { safeSearch: 'off' } }, { safesearch: '0' }],
    ['papers', { filters: { category: 'academic' } }, { categories: 'science' }],
    ['people, which it does not tell apart', { filters: { category: 'people' } }, {}],
    ['one domain', { filters: { includeDomains: ['*.Example.org/x'] } }, { q: 'seals site:example.org' }],
    [
      'two domains, and one not',
      { filters: { includeDomains: ['a.org', 'b.org'], excludeDomains: ['https://www.c.org'] } },
      { q: 'seals (site:a.org OR site:b.org) -site:c.org' },
    ],
    ['pages after those known', { exclude: urls(40), cursor: 40 }, { pageno: '2' }],
    ['the first page, however many other URLs are excluded', { exclude: urls(30) }, {}],
  ]

  test.each(cases)('has the right parameters for %s', async (_, rest, expected) => {
    await using server = serveApi(() => listOf(urls(50)))
    await search(server.url, rest)
    expect(Object.fromEntries(server.requests[0]?.url.searchParams ?? [])).toEqual({
      q: 'seals',
      format: 'json',
      ...expected,
    })
  })

  test.each([
    ['!!g seals', 'g seals'],
    ['seals :de !images <3', 'seals de images 3'],
    ['a :: b != c <b> :)', 'a :: b != c <b> :)'],
    ['!!', '!!'],
  ])('for "%s" has no command in its query: "%s"', async (query, asked) => {
    await using server = serveApi(() => listOf(urls(1)))
    await search(server.url, { query })
    expect(server.requests[0]?.url.searchParams.get('q')).toBe(asked)
  })

  test('goes below the path of the instance, under the name of csp', async () => {
    await using server = serveApi(() => listOf(urls(1)))
    await search(`${server.url}/sub/path/`)
    expect(server.requests[0]?.url.pathname).toBe('/sub/path/search')
    expect(server.requests[0]?.headers.get('user-agent')).toStartWith('claude-search-proxy/1.2.3 ')
  })
})

describe('the pages that SearXNG is asked for', () => {
  const tens: Handler = (request) => {
    const page = Number(new URL(request.url).searchParams.get('pageno') ?? 1)
    return listOf(page > 2 ? [] : urls(10, (page - 1) * 10))
  }

  test('follow one another until there are as many rows as wanted', async () => {
    await using server = serveApi(tens)
    expect(await search(server.url, { limit: 15 })).toHaveLength(15)
    expect(server.requests).toHaveLength(2)
  })

  test('end where the instance has no more, and are three at most', async () => {
    await using server = serveApi(tens)
    expect(await search(server.url, { limit: 100 })).toHaveLength(20)
    expect(server.requests).toHaveLength(3)
  })

  test('that fail after others lose no rows, while a failure of the first fails the search', async () => {
    await using server = serveApi((request) => (request.url.includes('pageno') ? text('', 429) : tens(request)))
    expect(await search(server.url, { limit: 15 })).toHaveLength(10)
    expect((await failureOf(search(server.url, { exclude: urls(40), cursor: 40 }))).code).toBe('rate-limited')
  })

  test('are skipped by an offset, and hold no row that is known', async () => {
    await using server = serveApi(tens)
    expect(await search(server.url, { limit: 3, offset: 9 })).toEqual(urls(3, 9))
    expect(await search(server.url, { exclude: urls(10), cursor: 10 })).toEqual(urls(10, 10))
  })
})

describe('a row of SearXNG', () => {
  test('is read from a recorded reply of the real program', async () => {
    await using server = serveApi(() => Response.json(recorded))
    const { searches } = await collect(open(server.url).search(requestFor('seals'), live()))
    expect(sourcesOf(searches)).toEqual([
      { title: 'Seals & more', url: 'https://site1.example/p', snippet: 'Some text', score: 1, source: 'searxng' },
      { title: 'site2.example', url: 'https://site2.example/p', score: 0.5, source: 'searxng' },
    ])
  })

  test.each([
    [3.75, 3.75],
    [undefined, undefined],
    ['3', undefined],
    [-1, undefined],
  ])('with the score %p has %p', async (score, expected) => {
    await using server = serveApi(() => Response.json({ results: [{ url: 'https://a.example', score }] }))
    const { searches } = await collect(open(server.url).search(requestFor('seals'), live()))
    expect(sourcesOf(searches).map((row) => row.score)).toEqual([expected])
  })

  test.each([
    ['2026-05-01T00:00:00', undefined, '2026-05-01'],
    ['2026-05-01T09:30:00+00:00', undefined, '2026-05-01'],
    ['1 hour(s), 5 minute(s) ago', '2026-05-20 10:55:00+0000', '2026-05-20'],
    ['May 1, 2026', undefined, '2026-05-01'],
    ['soon', undefined, undefined],
    [null, null, undefined],
  ])('with the date fields %p and %p has the right date', async (publishedDate, pubdate, expected) => {
    await using server = serveApi(() =>
      Response.json({ results: [{ url: 'https://a.example', publishedDate, pubdate }] }),
    )
    const { searches } = await collect(open(server.url).search(requestFor('seals'), live()))
    expect(sourcesOf(searches)[0]?.publishedAt).toBe(expected)
  })

  test('of another domain, too old or without a web address is left out', async () => {
    const rows = [
      { url: 'https://a.org/1', publishedDate: '2026-05-19' },
      { url: 'https://a.org/2', publishedDate: '2026-04-01' },
      { url: 'https://b.org/3' },
      { url: 'javascript:alert(1)' },
      { answer: '42' },
      { url: 7 },
    ]
    await using server = serveApi(() => Response.json({ results: rows, unresponsive_engines: [['x', 'timeout']] }))
    const filters = { includeDomains: ['a.org'], freshness: 'week' } as const
    expect(await search(server.url, { filters })).toEqual(['https://a.org/1'])
  })
})

describe('a failure of SearXNG', () => {
  const cases: readonly (readonly [string, Response, string, RegExp])[] = [
    ['JSON is off', text('<!doctype html>', 403), 'unavailable', /search\.formats: \[html, json\]/],
    ['the limiter', text('Too Many Requests', 429, { 'retry-after': '7' }), 'rate-limited', /limiter/],
    ['a login', text('', 401), 'signed-out', /login/],
    ['a wrong address', text('Not found', 404), 'unavailable', /path/],
    ['a page for people', text('<!DOCTYPE html><p>Hi', 200), 'unavailable', /page for people/],
    ['half a reply', text('{"results": [', 200), 'unavailable', /no list of results/],
    ['a browser check', text('<html>', 403, { 'cf-mitigated': 'challenge' }), 'unavailable', /browser check/],
    ['a refused query', text('{"error": "Invalid value"}', 400), 'invalid-request', /Invalid value/],
    ['a broken server', text('oops', 500), 'unavailable', /500/],
    [
      'a redirect',
      text('', 302, { location: 'https://www.example.com/search?q=seals' }),
      'unavailable',
      /example\.com/,
    ],
    [
      'engines that were refused',
      Response.json({ results: [], unresponsive_engines: [['google', 'access denied'], ['qwant']] }),
      'unavailable',
      /google \(access denied\), qwant/,
    ],
  ]

  test.each(cases)('gets the right error code for %s', async (_, reply, code, words) => {
    await using server = serveApi(() => reply.clone())
    const executor = open(server.url)
    const failure = await failureOf(collect(executor.search(requestFor('seals'), live())))
    expect(failure.code as string).toBe(code)
    expect(failure.message).toMatch(words)
    const [backend] = (await executor.health()).backends
    expect(backend?.lastError?.message).toBe(code === 'invalid-request' ? undefined : failure.forOthers)
  })

  test('with a time to come back reports it, and the backend is not ready until then', async () => {
    await using server = serveApi(() => text('', 429, { 'retry-after': '7' }))
    const clock = { now: now() }
    const executor = searxng({ url: server.url, version: '1', now: () => clock.now })
    const failure = await failureOf(collect(executor.search(requestFor('seals'), live())))
    expect(failure.retryAfterSeconds).toBe(7)
    expect((await executor.health()).ready).toBe(false)
    clock.now = new Date(clock.now.getTime() + 7000)
    expect((await executor.health()).ready).toBe(true)
  })

  test('of a login is no longer reported once a search has worked', async () => {
    const replies = [text('', 401), listOf(urls(1))]
    await using server = serveApi(() => replies.shift() ?? text('', 500))
    const executor = open(server.url)
    await failureOf(collect(executor.search(requestFor('seals'), live())))
    expect(await executor.health()).toMatchObject({
      ready: false,
      backends: [{ problem: expect.stringMatching('login') }],
    })
    await collect(executor.search(requestFor('seals'), live()))
    expect(await executor.health()).toMatchObject({ ready: true, backends: [{ lastError: { code: 'signed-out' } }] })
  })

  test('does not include an empty reply of engines that answered', async () => {
    await using server = serveApi(() => listOf([]))
    expect(await search(server.url)).toEqual([])
  })
})

test('the SearXNG backend reports that it does not write', async () => {
  const answer = requestFor('seals', { want: 'answer' })
  expect(open('http://127.0.0.1:9').supports?.(answer)).toBe(false)
  expect((await failureOf(collect(open('http://127.0.0.1:9').search(answer, live())))).code).toBe('invalid-request')
})

describeNeeding('searx', Boolean(searxProgram))('the real searx', () => {
  let searx: RunningSearx
  beforeAll(async () => {
    searx = await startSearx((query, page) =>
      query.includes('nothing')
        ? []
        : Array.from({ length: 10 }, (_, index) => ({
            url: `https://site${page}.example/${index}`,
            title: `${query} &amp; ${index}`,
            content: `On <b>${query}</b>`,
          })),
    )
  })
  afterAll(() => searx?.[Symbol.asyncDispose]())

  test('returns rows, cleaned, page by page', async () => {
    const { searches } = await collect(open(searx.url).search(requestFor('seals', { limit: 12 }), live()))
    const rows = sourcesOf(searches)
    expect(rows).toHaveLength(12)
    expect(rows[0]).toMatchObject({ title: 'seals & 0', url: 'https://site1.example/0', snippet: 'On seals' })
    expect(rows[11]?.url).toBe('https://site2.example/1')
    expect(searx.asked.map(({ page }) => page)).toEqual([1, 2])
  })

  test('understands every parameter that csp sends', async () => {
    const filters = { language: 'zh-hans', safeSearch: 'strict', category: 'academic' } as const
    expect(await search(searx.url, { filters })).toHaveLength(10)
    const exclude = urls(60)
    expect((await search(searx.url, { exclude, cursor: 60 }))[0]).toBe('https://site3.example/0')
  })

  test('is not sent to another site by the words of a caller', async () => {
    expect(await search(searx.url, { query: '!!g otters' })).toHaveLength(10)
    expect(searx.asked.at(-1)?.query).toBe('g otters')
  })

  test('returns no rows where there are none', async () => {
    expect(await search(searx.url, { query: 'nothing' })).toEqual([])
  })
})

async function search(url: string, rest: Partial<SearchRequest> = {}): Promise<readonly string[]> {
  const { searches } = await collect(open(url).search(requestFor('seals', rest), live()))
  return searches.flatMap(({ results }) => results.map((row) => row.url))
}

function urls(count: number, from = 0): readonly string[] {
  return Array.from({ length: count }, (_, index) => `https://example.com/${from + index}`)
}

function listOf(found: readonly string[]): Response {
  return Response.json({ query: 'x', results: found.map((url) => ({ url, title: url, content: null })) })
}

function text(body: string, status: number, headers: Record<string, string> = {}): Response {
  return new Response(body, { status, headers })
}

function live() {
  return { signal: new AbortController().signal }
}
