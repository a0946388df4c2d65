import { describe, expect, test } from 'bun:test'
import { deferred } from '@csp/lib/deferred'
import { PageError } from '@csp/page-reader/page-error'
import type { PageContext, PageReader } from '@csp/page-reader/page-reader'
import { eventually } from '@csp/testing/eventually'
import { fakePageReader } from '../../support/fake-page-reader.ts'
import { testApp } from '../test-app.ts'

const url = 'https://bees.example/?secret=yes'
const body = { urls: url }

describe('a request for pages', () => {
  test('gets the refusal of a server that reads none, with what to do', async () => {
    const { post, log } = testApp()
    const { status, body: reply } = await post('/v1/extract', body)
    expect(status).toBe(501)
    expect(reply.error).toMatchObject({ code: 'pages_off', hint: expect.stringContaining('--pages on') })
    expect(reply.error.message).toContain('reads no pages')
    expect(log).toMatchObject([{ status: 501, code: 'pages-off' }])
  })

  test('is logged with the number of its pages, and never with an address or its query', async () => {
    const notes: unknown[] = []
    const pages = fakePageReader({ [url]: 'Bees.' })
    const { post, log } = testApp(undefined, { pages, note: (note) => notes.push(note) })
    await post('/v1/extract', { urls: [url, 'https://gone.example/?secret=no'] })
    expect(log).toMatchObject([{ status: 200, path: '/v1/extract', dialect: 'native', pages: 1, unread: 1 }])
    expect(JSON.stringify(log)).not.toMatch(/secret|example/)
    expect(notes).toMatchObject([{ message: 'A page could not be read', causes: [expect.stringContaining('404')] }])
  })

  test('needs a key where one is asked for, and reads for its holder', async () => {
    const contexts: PageContext[] = []
    const pages = watched(contexts)
    const { post } = testApp(undefined, { pages, keys: ['secret'] })
    expect((await post('/v1/extract', body)).status).toBe(401)
    expect(contexts).toEqual([])
    expect((await post('/v1/extract', body, { authorization: 'Bearer secret' })).status).toBe(200)
    expect(contexts).toMatchObject([{ caller: 'key-1', cache: 'default' }])
  })

  test.each([
    ['no-cache', 'no-cache'],
    ['no-store', 'no-store'],
  ] as const)('with Cache-Control: %s fetches its pages again', async (value, cache) => {
    const contexts: PageContext[] = []
    await testApp(undefined, { pages: watched(contexts) }).post('/v1/extract', body, { 'cache-control': value })
    expect(contexts).toMatchObject([{ cache }])
  })

  test.each([
    ['de, en;q=0.5', 'de, en;q=0.5'],
    ['*', undefined],
  ])('prefers the languages of its caller: %s', async (sent, language) => {
    const pages = fakePageReader({ [url]: 'Bees.' })
    await testApp(undefined, { pages }).post('/tavily/extract', body, { 'accept-language': sent })
    expect(pages.requests[0]?.language).toBe(language)
  })

  test('names the fields that nothing reads', async () => {
    const pages = fakePageReader({ [url]: 'Bees.' })
    const { headers } = await testApp(undefined, { pages }).post('/v1/extract', {
      ...body,
      query: 'bees',
      color: 'red',
    })
    expect(headers.get('x-csp-ignored')).toBe('color')
  })

  test('asks for all pages at the same time', async () => {
    const all = deferred<void>()
    let open = 0
    const inner = fakePageReader({ 'https://a.example/': 'a', 'https://b.example/': 'b' })
    const pages: PageReader = {
      async read(request, context) {
        if (++open === 2) all.resolve()
        await all.promise
        return inner.read(request, context)
      },
      async close() {},
    }
    const urls = ['https://a.example/', 'https://b.example/']
    const { body: reply } = await testApp(undefined, { pages }).post('/v1/extract', { urls })
    expect(reply.results.map(({ content }: { content: string }) => content)).toEqual(['a', 'b'])
  })

  test('stops its reading when its caller goes away', async () => {
    const contexts: PageContext[] = []
    const pages: PageReader = {
      read: (_, context) => {
        contexts.push(context)
        return new Promise((_, reject) => {
          context.signal.addEventListener('abort', () => reject(new PageError('cancelled', 'The caller went away.')))
        })
      },
      async close() {},
    }
    const { request, log } = testApp(undefined, { pages })
    const leave = new AbortController()
    const reply = request('/v1/extract', { method: 'POST', body: JSON.stringify(body), signal: leave.signal })
    await eventually(() => contexts.length === 1)
    leave.abort()
    expect((await reply).status).toBe(499)
    expect(log).toMatchObject([{ status: 499, code: 'cancelled' }])
  })

  test('survives a reader that breaks its contract: that page has failed', async () => {
    const pages: PageReader = {
      read: async () => {
        throw new TypeError('secret')
      },
      async close() {},
    }
    const { body: reply } = await testApp(undefined, { pages }).post('/v1/extract', body)
    expect(reply.failed).toEqual([{ url, code: 'failed', message: 'The page reader broke.' }])
  })
})

function watched(contexts: PageContext[]): PageReader {
  const inner = fakePageReader({ [url]: 'Bees.' })
  return {
    read: (request, context) => {
      contexts.push(context)
      return inner.read(request, context)
    },
    close: inner.close,
  }
}
