import { describe, expect, test } from 'bun:test'
import { PageError } from '@csp/page-reader/page-error'
import { fakePageReader } from '../../../support/fake-page-reader.ts'
import { testApp } from '../../test-app.ts'

const pages = () =>
  fakePageReader({
    'https://bees.example/': {
      content: '# Bees\n\nThey dance.',
      finalUrl: 'https://bees.example/home',
      title: 'Bees',
      author: 'Ann Apiarist',
      publishedAt: '2026-10-07',
      publishedBy: 'meta',
      language: 'en',
      kind: 'article',
    },
    'https://walled.example/': new PageError('blocked-by-status', 'The site answered 403.', { status: 403 }),
  })

describe('POST /v1/extract', () => {
  test('gives the text of each page with its title, author, date and language', async () => {
    const { post } = testApp(undefined, { pages: pages() })
    const { status, body } = await post('/v1/extract', { urls: ['https://bees.example/'] })
    expect(status).toBe(200)
    expect(body).toEqual({
      results: [
        {
          url: 'https://bees.example/',
          final_url: 'https://bees.example/home',
          title: 'Bees',
          author: 'Ann Apiarist',
          published_date: '2026-10-07',
          published_by: 'meta',
          language: 'en',
          kind: 'article',
          paywalled: false,
          content: '# Bees\n\nThey dance.',
          total_characters: 19,
          remaining: 0,
        },
      ],
      failed: [],
    })
  })

  test('says which page keeps its rest for subscribers', async () => {
    const closed = fakePageReader({ 'https://news.example/': { content: 'The minister resigned.', isPaywalled: true } })
    const { body } = await testApp(undefined, { pages: closed }).post('/v1/extract', {
      urls: ['https://news.example/'],
    })
    expect(body.results).toMatchObject([{ paywalled: true, content: 'The minister resigned.' }])
  })

  test('reads one address as text, and what it cuts off it counts', async () => {
    const reader = pages()
    const { post } = testApp(undefined, { pages: reader })
    const body = { urls: 'https://bees.example/', format: 'Text', max_characters: '4', offset: 2 }
    const { body: reply } = await post('/extract', body, { 'accept-language': 'de' })
    expect(reply.results).toMatchObject([
      { content: 'Bees', total_characters: 19, remaining: 13, final_url: expect.any(String) },
    ])
    expect(reader.requests).toEqual([
      { url: 'https://bees.example/', format: 'text', maxCharacters: 4, offset: 2, language: 'de' },
    ])
  })

  test('names a page that fails with its code, and still gives the others', async () => {
    const { post } = testApp(undefined, { pages: pages() })
    const urls = ['https://walled.example/', 'https://bees.example/', 'https://nowhere.example/']
    const { status, body } = await post('/v1/extract', { urls })
    expect(status).toBe(200)
    expect(body.results.map(({ url }: { url: string }) => url)).toEqual(['https://bees.example/'])
    expect(body.failed).toEqual([
      { url: 'https://walled.example/', code: 'blocked_by_status', message: 'The site answered 403.' },
      { url: 'https://nowhere.example/', code: 'not_found', message: expect.any(String) },
    ])
  })

  test('gives the passages that bear on a query, within the length', async () => {
    const content = `${long('Wasps build nests of paper.')}\n\nBees dance to show the way to flowers.\n\n${long('Ants walk.')}`
    const reader = fakePageReader({ 'https://insects.example/': content })
    const { post } = testApp(undefined, { pages: reader })
    const ask = { urls: 'https://insects.example/', query: 'how do bees dance', max_characters: 60 }
    const { body } = await post('/v1/extract', ask)
    expect(body.results[0].content).toBe('Bees dance to show the way to flowers.')
    expect(body.results[0].remaining).toBe(body.results[0].total_characters - body.results[0].content.length)
    expect(reader.requests).toEqual([{ url: ask.urls }])
    expect((await post('/v1/extract', { ...ask, format: 'html' })).body.error).toMatchObject({ field: 'format' })
  })

  test.each([
    [{}, 'urls', 'urls: Field required.'],
    [{ urls: [] }, 'urls', 'urls: Input should have at least 1 item.'],
    [{ urls: Array(100).fill('https://a.example/') }, 'urls', 'urls: Input should have at most 20 items.'],
    [{ urls: [7] }, 'urls[0]', 'urls[0]: Input should be a valid string.'],
    [{ urls: 'https://a.example/', max_characters: 0 }, 'max_characters', expect.any(String)],
    [{ urls: 'https://a.example/', format: 'pdf' }, 'format', expect.any(String)],
  ])('refuses %j, names the field, and reads nothing', async (body, field, message) => {
    const reader = pages()
    const { status, body: reply } = await testApp(undefined, { pages: reader }).post('/v1/extract', body)
    expect(status).toBe(400)
    expect(reply.error).toMatchObject({ code: 'invalid_request', field, message })
    expect(reader.requests).toEqual([])
  })
})

function long(sentence: string): string {
  return Array(12).fill(sentence).join(' ')
}
