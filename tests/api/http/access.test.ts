import { describe, expect, test } from 'bun:test'
import { asks, testApp } from '../test-app.ts'

const keys = ['first-key', 'second-key']

describe('access by key', () => {
  test.each([
    ['no key', {}],
    ['any bearer', { authorization: 'Bearer whatever' }],
    ['any token', { 'x-subscription-token': 'local' }],
  ])('is open to %s when no keys are set', async (_name, headers) => {
    expect((await testApp().get('/v1/search?q=bees', headers)).status).toBe(200)
  })

  test.each([
    ['a bearer', { authorization: 'Bearer first-key' }],
    ['the second key', { authorization: 'bearer second-key' }],
    ['x-api-key', { 'x-api-key': 'first-key' }],
    ['a subscription token', { 'x-subscription-token': 'second-key' }],
    ['one right of two', { authorization: 'Bearer wrong', 'x-api-key': 'first-key' }],
  ])('is given to %s', async (_name, headers) => {
    const { get, post } = testApp(undefined, { keys })
    expect((await get('/v1/search?q=bees', headers)).status).toBe(200)
    expect((await get('/res/v1/web/search?q=bees', headers)).status).toBe(200)
    expect((await post('/search', { query: 'bees' }, headers)).status).toBe(200)
    expect((await post('/v1/chat/completions', asks('bees'), headers)).status).toBe(200)
    expect((await get('/v1/models', headers)).status).toBe(200)
  })

  test.each([
    ['missing', {}],
    ['empty', { authorization: 'Bearer ' }],
    ['of another scheme', { authorization: 'Basic first-key' }],
    ['wrong', { authorization: 'Bearer third-key' }],
    ['the beginning of one', { 'x-api-key': 'first' }],
    ['one and more', { 'x-api-key': 'first-key2' }],
  ])('is refused to a key that is %s', async (_name, headers) => {
    const { get, post, executor } = testApp(undefined, { keys })
    expect((await get('/v1/search?q=bees', headers)).status).toBe(401)
    expect((await get('/v1/models', headers)).status).toBe(401)
    expect((await get('/nope', headers)).status).toBe(401)
    expect((await post('/search', { query: 'bees' }, headers)).status).toBe(401)
    expect((await get('/res/v1/web/search?q=bees', headers)).status).toBe(422)
    expect(executor.calls).toHaveLength(0)
  })

  test("is refused in each vendor's shape, before anything else is checked", async () => {
    const { get, post } = testApp(undefined, { keys })
    const wrong = { authorization: 'Bearer nope' }
    expect((await post('/v1/chat/completions', 'nonsense')).body.error).toEqual({
      message: 'A key is required.',
      type: 'invalid_request_error',
      param: null,
      code: null,
    })
    expect((await post('/v1/chat/completions', 'nonsense', wrong)).body.error.code).toBe('invalid_api_key')
    expect((await post('/search', {}, wrong)).body.error).toMatchObject({ type: 'invalid_api_key', code: 401 })
    expect((await get('/v1/search', wrong)).body.error).toMatchObject({ code: 'unauthorized', field: null })
    const missing = (await get('/res/v1/web/search?count=999')).body.error
    expect(missing).toMatchObject({ code: 'VALIDATION', status: 422 })
    expect(missing.meta.errors).toMatchObject([{ type: 'missing', loc: ['header', 'x-subscription-token'] }])
    const invalid = (await get('/res/v1/web/search?count=999', { 'x-subscription-token': 'nope' })).body.error
    expect(invalid).toMatchObject({ code: 'SUBSCRIPTION_TOKEN_INVALID', meta: { component: 'authentication' } })
  })
})

describe('the Host check', () => {
  test.each([
    'localhost',
    'localhost:52480',
    'LOCALHOST:1',
    '127.0.0.1:52480',
    '127.8.9.1',
    '[::1]',
    '[::1]:52480',
    'search.example',
    'search.example:8443',
    'other.example:1234',
  ])('accepts %s', async (host) => {
    const { get } = testApp(undefined, { allowedHosts: ['Search.example', 'other.example:1234'] })
    expect((await get('/v1/search?q=bees', { host })).status).toBe(200)
  })

  test.each([
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '192.168.1.5:52480',
    '0.0.0.0:52480',
    'other.example:99',
    'evil.example@localhost',
    '[::2]',
    '',
  ])('refuses %p', async (host) => {
    const { get, executor } = testApp(undefined, { allowedHosts: ['search.example', 'other.example:1234'] })
    expect((await get('/v1/search?q=bees', { host })).status).toBe(403)
    expect((await get('/health', { host })).status).toBe(403)
    expect(executor.calls).toHaveLength(0)
  })

  test('accepts any host with a star', async () => {
    const { get } = testApp(undefined, { allowedHosts: ['*'] })
    expect((await get('/v1/search?q=bees', { host: 'evil.example' })).status).toBe(200)
  })

  test("refuses in each vendor's shape", async () => {
    const { get, post } = testApp()
    const headers = { host: 'evil.example' }
    expect((await get('/res/v1/web/search?q=bees', headers)).body.error).toMatchObject({
      status: 403,
      code: 'FORBIDDEN',
    })
    expect((await post('/search', { query: 'bees' }, headers)).body.error).toMatchObject({ code: 403 })
    expect((await get('/v1/models', headers)).body.error).toMatchObject({ type: 'permission_error' })
    expect((await get('/v1/search?q=bees', headers)).body.error).toMatchObject({ code: 'forbidden' })
  })
})

describe('the check of web pages', () => {
  const allowedOrigins = ['https://app.example']
  const host = '127.0.0.1:52480'

  test.each([
    ['its own', { origin: 'http://127.0.0.1:52480' }],
    ['its own, by GET', { 'sec-fetch-site': 'same-origin' }],
    ['the address bar', { 'sec-fetch-site': 'none' }],
    ['one that is allowed', { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' }],
  ])('lets %s search', async (_name, headers) => {
    const { get } = testApp(undefined, { allowedOrigins })
    expect((await get('/v1/search?q=bees', { host, ...headers })).status).toBe(200)
  })

  test.each([
    ['another site', { origin: 'https://evil.example' }],
    ['a program on another port', { origin: 'http://127.0.0.1:8000' }],
    ['another name of this machine', { origin: 'http://localhost:52480' }],
    ['a page without origin', { origin: 'null' }],
    ['an image on another site', { 'sec-fetch-site': 'cross-site' }],
    ['an image on another port', { 'sec-fetch-site': 'same-site' }],
    ['an origin that begins like an allowed one', { origin: 'https://app.example.evil.example' }],
  ])('refuses %s', async (_name, headers) => {
    const { get, executor } = testApp(undefined, { allowedOrigins })
    const reply = await get('/v1/search?q=bees', { host, ...headers })
    expect(reply.status).toBe(403)
    expect(reply.headers.get('access-control-allow-origin')).toBeNull()
    expect(executor.calls).toHaveLength(0)
  })

  test('lets a page that is allowed read replies, errors included', async () => {
    const { get } = testApp(undefined, { allowedOrigins })
    for (const path of ['/v1/search?q=bees', '/v1/search', '/v1/nope']) {
      const { headers } = await get(path, { host, origin: 'https://app.example' })
      expect(headers.get('access-control-allow-origin')).toBe('https://app.example')
      expect(headers.get('vary')).toContain('Origin')
    }
  })

  test('answers the preflight of an allowed page without a key, and of no other page', async () => {
    const { request } = testApp(undefined, { allowedOrigins, keys })
    const preflight = (origin: string) =>
      request('/v1/chat/completions', {
        method: 'OPTIONS',
        headers: {
          host,
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,content-type',
        },
      })
    const allowed = await preflight('https://app.example')
    expect(allowed.status).toBe(204)
    expect(allowed.headers.get('access-control-allow-methods')).toContain('POST')
    expect(allowed.headers.get('access-control-allow-headers')).toContain('authorization')
    expect((await preflight('https://evil.example')).status).toBe(403)
  })
})

test('a search for a page of another site is refused, unless it has a key that only a program can send', async () => {
  const { get, executor } = testApp()
  const of = async (headers: Record<string, string>) =>
    (await get('/v1/search?q=bees', { referer: 'https://evil.example/', ...headers })).status
  expect([await of({}), await of({ authorization: `Basic ${btoa('csp:key')}` })]).toEqual([403, 403])
  expect(executor.requests).toEqual([])
  expect([await of({ 'x-api-key': 'key' }), await of({ authorization: 'Bearer key' })]).toEqual([200, 200])
})
