import { describe, expect, test } from 'bun:test'
import { found } from '../../../support/scripted-executor.ts'
import { testApp } from '../../test-app.ts'

const path = '/v1/web-search'

describe("Bocha's web search", () => {
  test.each([path, '/bocha/v1/web-search'])('has the shape of Bing’s within its own at %s', async (at) => {
    const { post, log } = testApp(found(1))
    const { status, body } = await post(at, { query: 'bees' })
    expect([status, body]).toEqual([
      200,
      {
        code: 200,
        log_id: 'id-1',
        msg: null,
        data: {
          _type: 'SearchResponse',
          queryContext: { originalQuery: 'bees' },
          webPages: {
            totalEstimatedMatches: 1,
            value: [
              {
                id: '#WebPages.0',
                name: 'Page 1',
                url: 'https://site1.example/docs/page',
                displayUrl: 'https://site1.example/docs/page',
                snippet: 'Excerpt 1',
                datePublished: '2026-05-01T00:00:00',
              },
            ],
          },
          images: { value: [] },
          videos: null,
        },
      },
    ])
    expect(log).toMatchObject([{ dialect: 'bocha', status: 200 }])
  })

  test('answers a request as Cherry Studio sends it, whose blocked sites are patterns', async () => {
    const { post, executor } = testApp(found(9), { keys: ['secret'] })
    const exclude = '*://*.ads.example/*,b.example'
    const sent = { query: 'bees', count: 3, exclude, freshness: 'oneDay', summary: true }
    const { body } = await post(path, sent, { authorization: 'Bearer secret' })
    expect(body.code).toBe(200)
    expect(body.data.webPages.value.map(({ summary }: { summary: string }) => summary)).toEqual([
      'Excerpt 1',
      'Excerpt 2',
      '',
    ])
    expect(executor.requests).toMatchObject([
      { query: 'bees', limit: 3, filters: { freshness: 'day', excludeDomains: ['ads.example', 'b.example'] } },
    ])
    const plain = { query: 'bees', count: 5, exclude: '', freshness: 'noLimit', summary: true }
    expect((await post(path, plain, { authorization: 'Bearer secret' })).status).toBe(200)
    expect(executor.requests[1]?.filters).toEqual({})
  })

  test('answers a request as Open WebUI sends it', async () => {
    const sent = { query: 'bees', summary: true, freshness: 'noLimit', count: 2 }
    const { body } = await testApp(found(9)).post(`${path}?utm_source=ollama`, sent)
    const rows: readonly { url: string; name: string; summary: string }[] = body.data.webPages.value
    expect(rows.map(({ url, name, summary }) => [url, name, summary])).toEqual([
      ['https://site1.example/docs/page', 'Page 1', 'Excerpt 1'],
      ['https://site2.example/docs/page', 'Page 2', 'Excerpt 2'],
    ])
  })

  test.each([
    [{ freshness: 'oneMonth' }, { freshness: 'month' }],
    [{ freshness: '2026-04-06' }, { publishedAfter: '2026-04-06', publishedBefore: '2026-04-06' }],
    [{ freshness: '2026-01-01..2026-04-06' }, { publishedAfter: '2026-01-01', publishedBefore: '2026-04-06' }],
    [{ include: 'a.example|b.example' }, { includeDomains: ['a.example', 'b.example'] }],
    [{ include: 'a.example, b.example', exclude: null }, { includeDomains: ['a.example', 'b.example'] }],
  ])('%j narrows the search to %j', async (fields, filters) => {
    const { post, executor } = testApp()
    expect((await post(path, { query: 'bees', ...fields })).status).toBe(200)
    expect(JSON.parse(JSON.stringify(executor.requests[0]?.filters))).toEqual(filters)
  })

  test('counts pages, and has an empty list where nothing was found', async () => {
    const { post, executor } = testApp(found(0))
    const { body } = await post(path, { query: 'bees', count: 4, page: 3 })
    expect(executor.requests[0]).toMatchObject({ limit: 4, offset: 8 })
    expect(body.data.webPages).toEqual({ totalEstimatedMatches: 0, value: [] })
  })

  test.each([
    [{}, 'query'],
    [{ query: 'bees', count: 51 }, 'count'],
    [{ query: 'bees', freshness: 'yesterday' }, 'freshness'],
    [{ query: 'bees', freshness: '2026-02-30' }, 'freshness'],
    [{ query: 'bees', include: 'not a domain' }, 'include[0]'],
  ])('refuses %j with an error that names %s, and makes no search', async (sent, field) => {
    const { post, executor } = testApp()
    const { status, body } = await post(path, sent)
    expect(status).toBe(400)
    expect(body).toEqual({ code: '400', message: expect.stringContaining(`${field}: `), log_id: 'id-1' })
    expect(executor.calls).toHaveLength(0)
  })

  test('refuses a wrong key in its own shape', async () => {
    const { post } = testApp(undefined, { keys: ['secret'] })
    const { status, body } = await post(path, { query: 'bees' }, { authorization: 'Bearer wrong' })
    expect([status, body]).toEqual([401, { code: '401', message: 'The key is wrong.', log_id: 'id-1' }])
  })
})
