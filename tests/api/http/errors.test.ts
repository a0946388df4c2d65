import { describe, expect, test } from 'bun:test'
import { SearchError, type SearchErrorCode } from '../../../src/domain/error.ts'
import { asks, testApp } from '../test-app.ts'

/** One request in each dialect that would be answered, were the search to work. */
const requests = {
  brave: ['GET', '/res/v1/web/search?q=bees', undefined],
  perplexity: ['POST', '/search', { query: 'bees' }],
  'perplexity chat': ['POST', '/chat/completions', asks('bees')],
  'perplexity stream': ['POST', '/chat/completions', asks('bees', { stream: true })],
  openai: ['POST', '/v1/chat/completions', asks('bees')],
  'openai stream': ['POST', '/v1/chat/completions', asks('bees', { stream: true })],
  native: ['GET', '/v1/search?q=bees', undefined],
} as const

type Envelope = 'brave' | 'perplexity' | 'openai' | 'native'

const envelopes: Record<keyof typeof requests, Envelope> = {
  brave: 'brave',
  perplexity: 'perplexity',
  'perplexity chat': 'perplexity',
  'perplexity stream': 'perplexity',
  openai: 'openai',
  'openai stream': 'openai',
  native: 'native',
}

/** What each envelope calls each failure, in the field that clients switch on, and the status. */
const failures: Record<SearchErrorCode, readonly [number, Readonly<Record<Envelope, string>>]> = {
  'invalid-request': [
    400,
    { brave: 'VALIDATION', perplexity: 'invalid_request', openai: 'invalid_value', native: 'invalid_request' },
  ],
  unauthorized: [
    401,
    {
      brave: 'SUBSCRIPTION_TOKEN_INVALID',
      perplexity: 'invalid_api_key',
      openai: 'invalid_api_key',
      native: 'unauthorized',
    },
  ],
  'signed-out': [503, { brave: 'SIGNED_OUT', perplexity: 'signed_out', openai: 'signed_out', native: 'signed_out' }],
  'rate-limited': [
    429,
    {
      brave: 'QUOTA_LIMITED',
      perplexity: 'rate_limit_exceeded',
      openai: 'rate_limit_exceeded',
      native: 'rate_limited',
    },
  ],
  busy: [
    429,
    { brave: 'RATE_LIMITED', perplexity: 'rate_limit_exceeded', openai: 'rate_limit_exceeded', native: 'busy' },
  ],
  unavailable: [
    503,
    { brave: 'UNAVAILABLE', perplexity: 'service_unavailable', openai: 'unavailable', native: 'unavailable' },
  ],
  ungrounded: [502, { brave: 'UNGROUNDED', perplexity: 'ungrounded', openai: 'ungrounded', native: 'ungrounded' }],
  timeout: [504, { brave: 'TIMEOUT', perplexity: 'timeout', openai: 'timeout', native: 'timeout' }],
  cancelled: [499, { brave: 'CANCELLED', perplexity: 'cancelled', openai: 'cancelled', native: 'cancelled' }],
  failed: [500, { brave: 'FAILED', perplexity: 'internal_server_error', openai: 'failed', native: 'failed' }],
}

describe.each(Object.entries(requests))('a request in the shape "%s"', (name, [method, path, body]) => {
  const envelope = envelopes[name as keyof typeof requests]
  const init = { method, ...(body && { body: JSON.stringify(body) }) }

  test.each(Object.entries(failures))(
    "whose search fails with %s gets that vendor's status and error",
    async (code, [status, words]) => {
      const error = new SearchError(code as SearchErrorCode, 'Nobody home.', { cause: new Error('secret /etc/passwd') })
      const { request, log } = testApp([error])
      const response = await request(path, init)
      const text = await response.text()
      const isUnprocessable = envelope === 'brave' && (code === 'unauthorized' || code === 'invalid-request')
      const expected = isUnprocessable ? 422 : status
      expect(response.status).toBe(expected)
      expect(response.headers.get('content-type')).toStartWith('application/json')
      expect(response.headers.get('x-request-id')).toBe('id-1')
      expect(text).not.toContain('secret')
      const { error: told } = JSON.parse(text)
      const detail = envelope === 'brave' ? told.detail : told.message
      expect(detail).toContain('Nobody home.')
      if (envelope === 'perplexity') expect([told.type, told.code]).toEqual([words.perplexity, expected])
      else expect(told.code).toBe(words[envelope])
      expect(log).toMatchObject([{ status: expected, code }])
    },
  )

  test('reports any other exception as a failure without its message', async () => {
    const response = await testApp([new TypeError('secret')]).request(path, init)
    const text = await response.text()
    expect(response.status).toBe(500)
    expect(text).toContain('The search failed.')
    expect(text).not.toContain('secret')
  })

  test('reports a thrown value that is not an error as a failure', async () => {
    const response = await testApp([() => Promise.reject('secret')]).request(path, init)
    expect(response.status).toBe(500)
    expect(await response.text()).toContain('The search failed.')
  })

  test('reports a search without a final event as a failure', async () => {
    expect((await testApp([]).request(path, init)).status).toBe(500)
  })
})

describe('the headers about a retry', () => {
  test.each([
    ['busy', 7, '7', null],
    ['busy', undefined, null, null],
    ['unavailable', undefined, null, null],
    ['rate-limited', 30, '30', null],
    ['rate-limited', 3600, '3600', 'false'],
    ['rate-limited', undefined, null, 'false'],
    ['signed-out', undefined, null, 'false'],
    ['ungrounded', undefined, null, 'false'],
    ['timeout', undefined, null, 'false'],
    ['failed', undefined, null, 'false'],
  ] as const)(
    'say when and whether to try again after %s with %p seconds to wait',
    async (code, retryAfterSeconds, retryAfter, shouldRetry) => {
      const { headers } = await testApp([new SearchError(code, 'No.', { retryAfterSeconds })]).get('/v1/search?q=bees')
      expect(headers.get('retry-after')).toBe(retryAfter)
      expect(headers.get('x-should-retry')).toBe(shouldRetry)
    },
  )

  test('include Brave’s rate limit headers', async () => {
    const error = new SearchError('busy', 'No.', { retryAfterSeconds: 7 })
    const { headers } = await testApp([error]).get('/res/v1/web/search?q=bees')
    expect(headers.get('x-ratelimit-remaining')).toBe('0, 0')
    expect(headers.get('x-ratelimit-reset')).toBe('7, 0')
  })
})

/** The field by which each envelope can be distinguished from the others. */
function envelopeOf(body: { type?: string; error: Record<string, unknown> }): Envelope | undefined {
  if (body.type === 'ErrorResponse') return 'brave'
  if ('request_id' in body.error) return 'native'
  if ('param' in body.error) return 'openai'
  return typeof body.error['code'] === 'number' ? 'perplexity' : undefined
}

describe('the router', () => {
  test.each([
    ['GET', '/nope', 404, 'native'],
    ['GET', '/models/gemini-embedding-001', 404, 'native'],
    ['GET', '/v1', 404, 'openai'],
    ['POST', '/v1/embeddings', 404, 'openai'],
    ['GET', '/v1/models/gemini-embedding-001', 404, 'openai'],
    ['GET', '/res/v1/nope', 404, 'brave'],
    ['GET', '/v1/res/v1/nope', 404, 'brave'],
    ['GET', '/search/tool', 405, 'openai'],
    ['GET', '/v1/search/tool', 405, 'openai'],
    ['GET', '/chat/completions', 405, 'perplexity'],
    ['GET', '/v1/chat/completions', 405, 'openai'],
    ['DELETE', '/v1/models', 405, 'openai'],
    ['PUT', '/v1/search', 405, 'native'],
    ['OPTIONS', '/v1/search', 405, 'native'],
    ['DELETE', '/res/v1/web/search', 405, 'brave'],
    ['POST', '/health', 405, 'native'],
  ] as const)('answers %s %s with %i in the shape "%s"', async (method, path, status, envelope) => {
    const { request } = testApp()
    const response = await request(path, { method })
    expect(response.status).toBe(status)
    expect(envelopeOf((await response.json()) as Parameters<typeof envelopeOf>[0])).toBe(envelope)
  })

  test.each([
    ['/search', 'GET, POST'],
    ['/v1/search', 'GET, POST'],
    ['/res/v1/web/search', 'GET, POST'],
    ['/v1/chat/completions', 'POST'],
    ['/health', 'GET, HEAD'],
    ['/v1/models', 'GET, HEAD'],
    ['/models/sonar', 'GET, HEAD, POST'],
  ])('allows %s to be called with %s only', async (path, allowed) => {
    const response = await testApp().request(path, { method: 'PATCH' })
    expect(response.headers.get('allow')).toBe(allowed)
  })

  test('makes no search for a HEAD request', async () => {
    const { request, executor } = testApp()
    expect((await request('/v1/search?q=bees', { method: 'HEAD' })).status).toBe(405)
    expect((await request('/res/v1/web/search?q=bees', { method: 'HEAD' })).status).toBe(405)
    expect(executor.calls).toHaveLength(0)
    expect((await request('/health', { method: 'HEAD' })).status).toBe(200)
  })

  test.each([
    '/res/v1/web/search?q=bees',
    '/v1/res/v1/web/search?q=bees',
    '/v1/search/?q=bees',
    '/models',
    '/v1/models',
    '/health',
    '/v1/health',
  ])('serves %s', async (path) => {
    expect((await testApp().get(path)).status).toBe(200)
  })
})

describe('a request body', () => {
  const posts = Object.values(requests).filter(([method]) => method === 'POST')

  test.each(posts)('for %s %s is refused when it is missing, not JSON or not UTF-8', async (_method, path) => {
    for (const body of [undefined, '', '{"query": ', 'query=bees', new Uint8Array([0x22, 0xff, 0x22])]) {
      const response = await testApp().request(path, { method: 'POST', ...(body !== undefined && { body }) })
      expect(response.status).toBe(400)
      expect(await response.json()).toHaveProperty('error.message')
    }
  })

  test('is read as JSON whatever the content type says', async () => {
    const { post } = testApp()
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'nonsense']) {
      expect((await post('/search', { query: 'bees' }, { 'content-type': type })).status).toBe(200)
    }
  })

  test('with a declared length over the limit is refused unread', async () => {
    const { request } = testApp([], { maximumBodyBytes: 1000 })
    let pulled = 0
    const body = new ReadableStream({ pull: () => void pulled++ }, { highWaterMark: 0 })
    const response = await request('/search', { method: 'POST', body, headers: { 'content-length': '1001' } })
    expect(response.status).toBe(413)
    expect(await response.json()).toMatchObject({ error: { type: 'request_too_large', code: 413 } })
    expect(pulled).toBe(0)
  })

  test('that never ends is dropped soon after the limit', async () => {
    const { request } = testApp([], { maximumBodyBytes: 1000 })
    let sent = 0
    let cancelled = false
    const body = new ReadableStream({
      pull(controller) {
        sent += 100
        controller.enqueue(new Uint8Array(100).fill(0x20))
      },
      cancel() {
        cancelled = true
      },
    })
    const response = await request('/v1/chat/completions', { method: 'POST', body })
    expect(response.status).toBe(413)
    expect(await response.json()).toMatchObject({ error: { param: null, code: 'too_large' } })
    expect(cancelled).toBe(true)
    expect(sent).toBeLessThan(2000)
  })

  test('that is nested too deeply is refused or ignored', async () => {
    const depth = 200_000
    const body = `{"query":"bees","extra":${'['.repeat(depth)}${']'.repeat(depth)}}`
    expect((await testApp().request('/search', { method: 'POST', body })).status).toBeLessThan(500)
  })

  test('of exactly the maximum size is accepted', async () => {
    const body = JSON.stringify({ query: 'bees' })
    const { request } = testApp(undefined, { maximumBodyBytes: body.length })
    expect((await request('/search', { method: 'POST', body })).status).toBe(200)
    expect((await request('/search', { method: 'POST', body: `${body} ` })).status).toBe(413)
  })
})
