import { describe, expect, test } from 'bun:test'
import { digestOf } from '../../../src/api/http/auth.ts'
import { fakePageReader } from '../../support/fake-page-reader.ts'
import { answered } from '../../support/scripted-executor.ts'
import { asks, testApp } from '../test-app.ts'

describe('GET /v1/requests', () => {
  test('lists the last requests, the newest first, and never what was asked', async () => {
    const { get, post } = testApp()
    await get('/v1/search?q=secret-words')
    await post('/search', { query: 'secret-words' })
    const { status, body } = await get('/v1/requests')
    expect(status).toBe(200)
    expect(body).toMatchObject({ object: 'requests', key: null })
    expect(body.requests).toMatchObject([
      { id: 'id-2', method: 'POST', path: '/search', dialect: 'perplexity', status: 200, code: null, results: 3 },
      { id: 'id-1', method: 'GET', path: '/v1/search', at: '2026-11-20T10:00:00.000Z', queued_ms: 0, own_ms: 0 },
    ])
    expect(JSON.stringify(body)).not.toContain('secret-words')
  })

  test('has what is known of a request, and null for the rest', async () => {
    const { get, post } = testApp([
      { type: 'cache', status: 'miss', ageSeconds: 0 },
      { type: 'backend', name: 'brave' },
      ...answered,
    ])
    await post('/v1/chat/completions', asks('Why?', { model: 'sonar-pro' }))
    await get('/v1/nothing')
    const unknown = { key: null, code: null, cache: null, backend: null, model: null, effort: null, results: null }
    const at = { at: '2026-11-20T10:00:00.000Z', ms: 0 }
    const times = { pages: null, queued_ms: null, upstream_ms: null, own_ms: null }
    const answer = { method: 'POST', path: '/v1/chat/completions', dialect: 'openai', status: 200 }
    const none = { method: 'GET', path: '/v1/nothing', dialect: 'openai', status: 404, code: 'not-found' }
    const searched = { cache: 'miss', backend: 'brave', model: 'claude-x', effort: 'standard', results: 3 }
    expect((await get('/v1/requests')).body.requests).toEqual([
      { id: 'id-2', ...at, ...unknown, ...times, ...none },
      { id: 'id-1', ...at, ...unknown, ...times, ...answer, ...searched, queued_ms: 0, upstream_ms: 0, own_ms: 0 },
    ])
  })

  test('says why a request failed', async () => {
    const { get } = testApp()
    await get('/v1/search?q=bees&count=x')
    expect((await get('/v1/requests')).body.requests).toMatchObject([{ status: 400, code: 'invalid-request' }])
  })

  test('has the effort of an answer and the pages that were read, and null where there was neither', async () => {
    const url = 'https://a.example/'
    const { get, post } = testApp(undefined, { pages: fakePageReader({ [url]: 'Bees.' }) })
    await get('/v1/search?q=bees')
    await post('/v1/chat/completions', asks('Why?', { model: 'sonar' }))
    await post('/v1/extract', { urls: [url] })
    await get(`/v1/${'x'.repeat(300)}`)
    const { requests } = (await get('/v1/requests')).body
    expect(requests.map(({ effort, pages, results }: Record<string, unknown>) => [effort, pages, results])).toEqual([
      [null, null, null],
      [null, 1, null],
      [expect.any(String), null, 3],
      [null, null, 3],
    ])
    expect(requests[0].path).toHaveLength(200)
  })

  test('leaves out what shows the state of csp', async () => {
    const { get, request } = testApp()
    for (const path of ['/health', '/v1/health/ready', '/v1/usage', '/requests']) await get(path)
    await request('/')
    await request('/page/main.js')
    expect((await get('/v1/requests')).body.requests).toEqual([])
  })

  test('keeps fifty', async () => {
    const { get } = testApp()
    for (let count = 0; count < 60; count++) await get('/v1/models')
    const { requests } = (await get('/v1/requests')).body
    expect([requests.length, requests[0].id, requests[49].id]).toEqual([50, 'id-60', 'id-11'])
  })

  test('shows a key its own requests, and the programs of this user all', async () => {
    const named = await Promise.all(['ann', 'ben'].map(async (name) => ({ name, digest: await digestOf(name) })))
    const { get } = testApp(undefined, { keyRing: { keys: async () => named }, localToken: 'token' })
    const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
    await get('/v1/search?q=bees', bearer('ann'))
    await get('/v1/search?q=wasps', bearer('ben'))
    expect((await get('/v1/requests', bearer('ann'))).body).toMatchObject({ key: 'ann', requests: [{ key: 'ann' }] })
    expect((await get('/v1/requests', bearer('token'))).body.requests).toHaveLength(2)
    expect((await get('/v1/requests')).status).toBe(401)
  })
})
