import { describe, expect, test } from 'bun:test'
import { asks, testApp } from '../test-app.ts'

const question = { model: 'sonar', messages: [{ role: 'user', content: 'bees' }] }

describe('a base URL that ends in a slash', () => {
  test.each([
    ['//search?q=bees&format=json', undefined],
    ['/v1//chat/completions', question],
    ['//v1/chat/completions', question],
    ['/res/v1//web/search?q=bees', undefined],
    ['/tavily//search', { query: 'bees' }],
    ['/v1/messages/', { model: 'sonnet', max_tokens: 99, ...asks('bees') }],
    ['/exa///search/', { query: 'bees' }],
    ['/v1beta//models/gemini-2.5-flash:generateContent', { contents: [{ parts: [{ text: 'bees' }] }] }],
    ['/jina//bees', undefined],
  ])('serves %s', async (path, body) => {
    const { get, post, executor } = testApp()
    const { status } = body === undefined ? await get(path) : await post(path, body)
    expect(status).toBe(200)
    expect(executor.requests.map(({ query }) => query)).toEqual(['bees'])
  })

  test('is no way around the key', async () => {
    const { get } = testApp(undefined, { keys: ['secret-key'] })
    for (const path of ['//search?q=bees', '//v1/usage', '/v1//usage', '//metrics'])
      expect([path, (await get(path)).status]).toEqual([path, 401])
  })

  test('a path of a million slashes takes no time', async () => {
    const { get } = testApp()
    expect((await get(`/${'/'.repeat(1_000_000)}nowhere/`)).status).toBe(404)
  })
})

describe('a name that the query string repeats', () => {
  test.each([
    '/res/v1/web/search?q=bees&q=wasps',
    '/search?q=bees&q=wasps&format=json',
    '/v1/search?q=bees&q=wasps&count=3&count=5',
    '/serper/search?q=bees&q=wasps&q=ants',
    '/jina?q=bees&q=wasps',
    '/res/v1/web/search?q=bees&country=DE&country=US&freshness=pd&freshness=pw',
  ])('has its first value, where it has one: %s', async (path) => {
    const { get, executor } = testApp()
    expect((await get(path)).status).toBe(200)
    expect(executor.requests.map(({ query }) => query)).toEqual(['bees'])
  })

  test('in a form, too', async () => {
    const { request, executor } = testApp()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const { status } = await request('/search', { method: 'POST', headers, body: 'q=bees&q=wasps&format=json' })
    expect(status).toBe(200)
    expect(executor.requests.map(({ query }) => query)).toEqual(['bees'])
  })

  test('has all of them, where it is a list', async () => {
    const { get, executor } = testApp()
    await get('/v1/search?q=bees&include_domains=a.example&include_domains=b.example')
    expect(executor.requests[0]?.filters?.includeDomains).toEqual(['a.example', 'b.example'])
  })

  test('is refused where the first value is wrong, and in a body of JSON', async () => {
    const { get, post } = testApp()
    expect((await get('/res/v1/web/search?q=bees&count=x&count=3')).status).not.toBe(200)
    expect((await post('/serper/search', { q: ['bees', 'wasps'] })).status).toBe(400)
  })
})
