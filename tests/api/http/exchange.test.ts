import { describe, expect, test } from 'bun:test'
import { found } from '../../support/scripted-executor.ts'
import { fixedNow, testApp } from '../test-app.ts'

test('every reply has its id, and is kept by nobody', async () => {
  const { get } = testApp()
  for (const [index, path] of ['/health', '/v1/search?q=bees', '/v1/search', '/nope'].entries()) {
    const { headers } = await get(path)
    expect(headers.get('x-request-id')).toBe(`id-${index + 1}`)
    expect(headers.get('cache-control')).toBe('no-store')
  }
})

test('a cached answer says so', async () => {
  const { headers } = await testApp([{ type: 'cache', status: 'stale', ageSeconds: 42 }, ...found(1)]).get(
    '/v1/search?q=bees',
  )
  expect(headers.get('x-cache')).toBe('stale')
  expect(headers.get('age')).toBe('42')
  expect(headers.get('server-timing')).toBe('cache;desc=stale, search;dur=0, total;dur=0')
})

test('an old answer that stands in for a search that failed says why', async () => {
  const cache = { type: 'cache', status: 'stale', ageSeconds: 42, reason: 'rate-limited' } as const
  const { headers } = await testApp([cache, ...found(1)]).get('/v1/search?q=bees')
  expect(headers.get('x-csp-stale-reason')).toBe('rate-limited')
})

test('without a cache nothing is said of one', async () => {
  const { headers } = await testApp().get('/v1/search?q=bees')
  expect(headers.get('x-cache')).toBeNull()
  expect(headers.get('age')).toBeNull()
})

test('times are taken from the clock', async () => {
  let milliseconds = 0
  const now = () => {
    milliseconds += 10
    return new Date(fixedNow.getTime() + milliseconds)
  }
  const { body, headers } = await testApp(undefined, { now }).get('/v1/search?q=bees')
  expect(body.elapsed_ms).toBeGreaterThan(0)
  expect(headers.get('server-timing')).toMatch(/^search;dur=[1-9]\d*, total;dur=[1-9]\d*$/)
})

describe('what the caller wishes of the cache', () => {
  test.each([
    [{}, 'default'],
    [{ 'cache-control': 'no-cache' }, 'no-cache'],
    [{ pragma: 'no-cache' }, 'no-cache'],
    [{ 'cache-control': 'max-age=0, No-Store' }, 'no-store'],
    [{ 'cache-control': 'max-age=0' }, 'default'],
  ] as const)('%p: %s', async (headers, cache) => {
    const { get, executor } = testApp()
    await get('/v1/search?q=bees', headers)
    expect(executor.calls[0]?.context.cache).toBe(cache)
  })
})

test('the log has one entry a request, with neither queries nor keys', async () => {
  const { get, post, log } = testApp([{ type: 'cache', status: 'hit', ageSeconds: 1 }, ...found(2)], {
    keys: ['key-1'],
  })
  const headers = { authorization: 'Bearer key-1' }
  await get('/v1/search?q=bees', headers)
  await get('/res/v1/web/search?q=bees&count=0', headers)
  await post('/search', { query: 'bees' }, { authorization: 'Bearer bees' })
  expect(log).toEqual([
    {
      id: 'id-1',
      method: 'GET',
      path: '/v1/search',
      dialect: 'native',
      status: 200,
      cache: 'hit',
      ms: 0,
      results: 2,
    },
    {
      id: 'id-2',
      method: 'GET',
      path: '/res/v1/web/search',
      dialect: 'brave',
      status: 422,
      code: 'invalid-request',
      ms: 0,
    },
    { id: 'id-3', method: 'POST', path: '/search', dialect: 'perplexity', status: 401, code: 'unauthorized', ms: 0 },
  ])
  expect(JSON.stringify(log)).not.toMatch(/bees|key-1/)
})
