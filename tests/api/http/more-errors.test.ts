import { describe, expect, test } from 'bun:test'
import { SearchError } from '../../../src/domain/error.ts'
import { testApp } from '../test-app.ts'

const ask = { query: 'bees' }

/** One request in each shape that would be answered, and how the vendor would put an error of this message and code. */
const shapes = {
  searxng: ['GET', '/search?q=bees&format=json', undefined, (message: string) => ({ error: message })],
  tavily: ['POST', '/tavily/search', ask, (message: string) => ({ detail: { error: message } })],
  exa: [
    'POST',
    '/exa/search',
    ask,
    (message: string, code: string) => ({ requestId: 'id-1', error: message, tag: exaTags[code] ?? code }),
  ],
  'exa answer': [
    'POST',
    '/exa/answer',
    ask,
    (message: string, code: string) => ({ requestId: 'id-1', error: message, tag: exaTags[code] ?? code }),
  ],
  'exa stream': [
    'POST',
    '/exa/answer',
    { ...ask, stream: true },
    (message: string, code: string) => ({ requestId: 'id-1', error: message, tag: exaTags[code] ?? code }),
  ],
  ollama: ['POST', '/api/web_search', ask, (message: string) => ({ error: message })],
  'open webui': ['POST', '/open-webui/search', ask, (message: string) => ({ error: message })],
  firecrawl: ['POST', '/v2/search', ask, (message: string, code: string) => ({ success: false, code, error: message })],
  bing: ['GET', '/v7.0/search?q=bees', undefined, bingError],
  bocha: ['POST', '/v1/web-search', ask, bochaError],
  google: ['GET', '/customsearch/v1?q=bees', undefined, googleError],
  serper: ['POST', '/serper/search', { q: 'bees' }, serperError],
  serpapi: ['GET', '/search.json?q=bees', undefined, (message: string) => ({ error: message })],
  linkup: ['POST', '/linkup/v1/search', { q: 'bees', outputType: 'searchResults' }, linkupError],
  parallel: [
    'POST',
    '/parallel/v1/search',
    { search_queries: ['bees'] },
    (message: string) => ({ type: 'error', error: { ref_id: 'id-1', message } }),
  ],
  litellm: [
    'POST',
    '/v1/search/tool',
    ask,
    (message: string) => ({ error: expect.objectContaining({ message, param: null }) }),
  ],
} as const

const statuses: Readonly<Record<string, number>> = {
  ...{ UNAUTHORIZED: 401, SIGNED_OUT: 503, RATE_LIMITED: 429, BUSY: 429, UNAVAILABLE: 503 },
  ...{ TIMEOUT: 504, UNGROUNDED: 502, FAILED: 500 },
}

function bochaError(message: string, code: string) {
  return { code: String(statuses[code]), message, log_id: 'id-1' }
}

function serperError(message: string, code: string) {
  return { message, statusCode: code === 'UNAUTHORIZED' ? 403 : statuses[code] }
}

function linkupError(message: string, name: string) {
  const code = statuses[name] === 429 ? 'TOO_MANY_REQUESTS' : name
  return { statusCode: statuses[name], error: { code, message, details: [] } }
}

function googleError(message: string, name: string) {
  const code = name === 'UNAUTHORIZED' ? 403 : (statuses[name] ?? 405)
  const domain = code === 429 ? 'usageLimits' : 'global'
  return {
    error: { code, message, errors: [{ message, domain, reason: expect.any(String) }], status: expect.any(String) },
  }
}

function bingError(message: string, code: string) {
  if (code === '' || code === 'UNAUTHORIZED') return { error: { code: '401', message } }
  const isLimit = code === 'RATE_LIMITED' || code === 'BUSY'
  const kind = isLimit ? { code: 'RateLimitExceeded' } : { code: 'ServerError', subCode: 'UnexpectedError' }
  return { _type: 'ErrorResponse', errors: [{ ...kind, message }] }
}

const exaTags: Readonly<Record<string, string>> = {
  UNAUTHORIZED: 'INVALID_API_KEY',
  RATE_LIMITED: 'RATE_LIMIT_EXCEEDED',
  BUSY: 'RATE_LIMIT_EXCEEDED',
  FAILED: 'INTERNAL_ERROR',
}

describe.each(Object.entries(shapes))('a request in the shape "%s"', (_name, [method, path, body, envelope]) => {
  const init = { method, ...(body && { body: JSON.stringify(body) }) }

  test.each([
    ['signed-out', 503, 'SIGNED_OUT'],
    ['rate-limited', 429, 'RATE_LIMITED'],
    ['busy', 429, 'BUSY'],
    ['unavailable', 503, 'UNAVAILABLE'],
    ['timeout', 504, 'TIMEOUT'],
    ['ungrounded', 502, 'UNGROUNDED'],
    ['failed', 500, 'FAILED'],
  ] as const)("whose search is %s gets that vendor's status and error", async (code, status, name) => {
    const { request, log } = testApp([new SearchError(code, 'Nobody home.', { retryAfterSeconds: 9 })])
    const response = await request(path, init)
    expect(response.status).toBe(status)
    expect(response.headers.get('retry-after')).toBe('9')
    expect(await response.json()).toEqual(envelope('Nobody home. Try again in 9 s.', name))
    expect(log).toMatchObject([{ status, code }])
  })

  test('without the required key is refused', async () => {
    const { request, executor } = testApp(undefined, { keys: ['secret'] })
    const response = await request(path, init)
    // As the vendor answers.
    expect(response.status).toBe(/^\/(customsearch|serper)/.test(path) ? 403 : 401)
    expect(await response.json()).toEqual(envelope('A key is required.', 'UNAUTHORIZED'))
    expect(executor.calls).toHaveLength(0)
  })

  test.each([{ authorization: 'Bearer secret' }, { 'x-api-key': 'secret' }])(
    'is accepted with the key in %j',
    async (headers) => {
      const { request } = testApp(undefined, { keys: ['secret'] })
      expect((await request(path, { ...init, headers })).status).toBe(200)
    },
  )

  test('by another method is refused with 405', async () => {
    const response = await testApp().request(path, { ...init, method: 'PUT' })
    expect(response.status).toBe(405)
    expect(Object.keys((await response.json()) as object)).toEqual(Object.keys(envelope('', '')))
  })
})

describe('a path of a vendor without a route', () => {
  test.each([
    [
      '/tavily/crawl',
      { detail: { error: 'There is nothing at POST /tavily/crawl. GET /openapi.json lists the routes.' } },
    ],
    ['/tavily/map', { detail: { error: 'There is nothing at POST /tavily/map. GET /openapi.json lists the routes.' } }],
    [
      '/exa/research',
      {
        requestId: 'id-1',
        error: 'There is nothing at POST /exa/research. GET /openapi.json lists the routes.',
        tag: 'NOT_FOUND',
      },
    ],
    ['/v1/exa/websets', { requestId: 'id-1', error: expect.stringContaining('nothing'), tag: 'NOT_FOUND' }],
    [
      '/v2/map',
      {
        success: false,
        code: 'NOT_FOUND',
        error: 'There is nothing at POST /v2/map. GET /openapi.json lists the routes.',
      },
    ],
    ['/firecrawl/v2/crawl', { success: false, code: 'NOT_FOUND', error: expect.stringContaining('nothing') }],
    ['/api/web_fetch', { error: 'There is nothing at POST /api/web_fetch. GET /openapi.json lists the routes.' }],
    [
      '/v7.0/images/search',
      {
        error: {
          code: '404',
          message: 'There is nothing at POST /v7.0/images/search. GET /openapi.json lists the routes.',
        },
      },
    ],
    ['/customsearch/v2', { error: expect.objectContaining({ code: 404, status: 'NOT_FOUND' }) }],
    [
      '/serper/places',
      { message: 'There is nothing at POST /serper/places. GET /openapi.json lists the routes.', statusCode: 404 },
    ],
    ['/serpapi/account', { error: 'There is nothing at POST /serpapi/account. GET /openapi.json lists the routes.' }],
    ['/linkup/v1/research', { statusCode: 404, error: expect.objectContaining({ code: 'NOT_FOUND' }) }],
    [
      '/searxng/preferences',
      { error: 'There is nothing at POST /searxng/preferences. GET /openapi.json lists the routes.' },
    ],
  ])("gets a 404 in the vendor's shape: %s", async (path, expected) => {
    const { status, body } = await testApp().post(path, ask)
    expect(status).toBe(404)
    expect(body).toEqual(expected)
  })
})

test('a HEAD request makes no search in the other dialects', async () => {
  const { request, executor } = testApp()
  expect((await request('/search?q=bees&format=json', { method: 'HEAD' })).status).toBe(405)
  expect(executor.calls).toHaveLength(0)
})

test.each([
  '/tavily/search',
  '/exa/search',
  '/exa/answer',
  '/api/web_search',
  '/open-webui/search',
  '/v2/search',
  '/firecrawl/v1/search',
  '/search/tool',
  '/searxng/search',
  '/v1/web-search',
  '/serper/search',
  '/serper/news',
  '/linkup/v1/search',
  '/parallel/v1/search',
])('%s refuses a body that is missing, not JSON or not an object', async (path) => {
  const { request, executor } = testApp()
  for (const body of [undefined, '', '{"query": ', '[]', '"bees"', 'null']) {
    const response = await request(path, { method: 'POST', ...(body !== undefined && { body }) })
    expect([400, 422]).toContain(response.status)
    expect(response.headers.get('content-type')).toStartWith('application/json')
  }
  expect(executor.calls).toHaveLength(0)
})
