import { describe, expect, test } from 'bun:test'
import { digestOf } from '../../../src/api/http/auth.ts'
import { fakeExecutor } from '../../support/fake-executor.ts'
import { fakePageReader } from '../../support/fake-page-reader.ts'
import { answered, found } from '../../support/scripted-executor.ts'
import { asks, fixedNow, testApp } from '../test-app.ts'

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
    const unknown = {
      key: null,
      client: null,
      kind: null,
      code: null,
      cache: null,
      backend: null,
      model: null,
      effort: null,
      results: null,
    }
    const at = { at: '2026-11-20T10:00:00.000Z', ms: 0 }
    const times = { pages: null, queued_ms: null, upstream_ms: null, pages_ms: null, own_ms: null }
    const answer = { method: 'POST', path: '/v1/chat/completions', dialect: 'openai', status: 200 }
    const none = { method: 'GET', path: '/v1/nothing', dialect: 'openai', status: 404, code: 'not-found' }
    const searched = {
      cache: 'miss',
      backend: 'brave',
      model: 'claude-x',
      effort: 'standard',
      kind: 'standard',
      results: 3,
    }
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
    for (const path of ['/health', '/v1/health/ready', '/v1/usage', '/requests', '/v1/jobs']) await get(path)
    for (const path of ['/', '/page/main.js', '/favicon.ico', '/docs', '/openapi.json', '/robots.txt'])
      await request(path)
    expect((await get('/v1/requests')).body.requests).toEqual([])
  })

  test('names the program that asked by its headers, and what kind of answer it asked for', async () => {
    const { get, post } = testApp()
    const from = (agent: string) => ({ 'user-agent': agent })
    await get('/v1/search?q=bees', from('Mozilla/5.0 Chrome/132.0 Cursor/2.1.0 Electron/34.0 Safari/537.36'))
    await post('/v1/chat/completions', asks('Why?', { model: 'sonar' }), {
      ...{ 'x-requested-with': 'csp', 'user-agent': 'Mozilla/5.0' },
    })
    await post('/v1/chat/completions', asks('Why?', { model: 'sonar-reasoning' }), from('AsyncOpenAI/Python 2.8.1'))
    await get('/v1/models', from(`secret ${'x'.repeat(1000)}`))
    const { requests } = (await get('/v1/requests')).body
    expect(requests.map(({ client, kind }: Record<string, unknown>) => [client, kind])).toEqual([
      [null, null],
      ['OpenAI’s Python library', 'deep'],
      ['the page', 'fast'],
      ['Cursor', 'list'],
    ])
  })

  test('says how long each kind of search usually takes, whatever failed or was not searched left out', async () => {
    let now = fixedNow.getTime()
    const times = [900, 100, 2000]
    const executor = fakeExecutor(async function* () {
      now += times.shift() ?? 0
      yield* found(3)
    })
    const { get } = testApp(executor, { now: () => new Date(now) })
    for (let count = 0; count < 3; count++) await get('/v1/search?q=bees')
    await get('/v1/search?q=bees&count=x')
    await get('/v1/nothing')
    await get('/v1/models')
    expect((await get('/v1/requests')).body.usual).toEqual([
      { kind: 'list', count: 3, ms: 900, queued_ms: 0, upstream_ms: 0, pages_ms: 0, own_ms: 900 },
    ])
    now += 86_400_001
    expect((await get('/v1/requests')).body.usual).toEqual([])
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
