import { describe, expect, test } from 'bun:test'
import { found } from '../../../support/scripted-executor.ts'
import { testApp } from '../../test-app.ts'

describe("Jina's search", () => {
  test('has the vendor’s shape, by POST and by GET', async () => {
    const { post, get, executor } = testApp()
    const { body } = await post('/jina/', { q: 'bees', count: 2 })
    expect(body).toMatchObject({ code: 200, status: 20_000 })
    expect(body.data).toHaveLength(2)
    expect(body.data[0]).toEqual({
      title: 'Page 1',
      url: 'https://site1.example/docs/page',
      description: 'Excerpt 1',
      content: 'Excerpt 1',
      date: '2026-05-01',
    })
    expect((await get('/jina/?q=bees&gl=de&num=1')).body.data).toHaveLength(1)
    expect(executor.requests).toMatchObject([
      { query: 'bees', limit: 2 },
      { limit: 1, filters: { country: 'DE' } },
    ])
  })

  test.each([
    ['/jina/bees', 'bees'],
    ['/jina/what%20is%20new%20in%20Bun%3F', 'what is new in Bun?'],
    ['/v1/jina/B%C3%A4ren/im%20Wald', 'Bären/im Wald'],
    ['/jina//c%2B%2B?num=2', 'c++'],
    ['/jina/100%25+sure', '100%+sure'],
  ])('takes the query in the path, as LangChain sends it: %s', async (path, query) => {
    const { get, executor, log } = testApp()
    const { status, body } = await get(path, { accept: 'application/json', authorization: 'Bearer x' })
    expect([status, body.code]).toEqual([200, 200])
    expect(executor.requests).toMatchObject([{ query }])
    expect(JSON.stringify(log)).not.toContain(path)
  })

  test('takes no address of the reader for a query', async () => {
    const { get, executor } = testApp()
    expect((await get('/jina/r/https://bees.example/')).status).toBe(404)
    expect(executor.requests).toEqual([])
  })

  test('answers a request as Open WebUI sends it, with the bare key', async () => {
    const { post, executor } = testApp(found(9), { keys: ['jina_secret'] })
    const headers = { accept: 'application/json', authorization: 'jina_secret', 'x-retain-images': 'none' }
    const { status, body } = await post('/jina', { q: 'bees', count: 3 }, headers)
    expect([status, executor.calls[0]?.context.caller]).toEqual([200, 'key-1'])
    expect(body.data.map(({ url, content }: { url: string; content: string }) => [url, content])).toEqual([
      ['https://site1.example/docs/page', 'Excerpt 1'],
      ['https://site2.example/docs/page', 'Excerpt 2'],
      ['https://site3.example/docs/page', ''],
    ])
    for (const authorization of ['wrong', 'Bearer', 'Basic jina_secret']) {
      expect((await post('/jina', { q: 'bees' }, { authorization })).status).toBe(401)
    }
  })

  test('counts pages, and searches one site where X-Site names it', async () => {
    const { post, executor } = testApp()
    await post('/jina', { q: 'bees', num: 4, page: 3 }, { 'x-site': 'https://a.example' })
    expect(executor.requests[0]).toMatchObject({ limit: 4, offset: 8, filters: { includeDomains: ['a.example'] } })
    const { status, body } = await post('/jina', { q: 'bees' }, { 'x-site': 'no site' })
    expect([status, body.message]).toEqual([400, expect.stringContaining('x-site: ')])
  })
})
