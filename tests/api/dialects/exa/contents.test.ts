import { describe, expect, test } from 'bun:test'
import { PageError } from '@csp/page-reader/page-error'
import { fakePageReader } from '../../../support/fake-page-reader.ts'
import { found } from '../../../support/scripted-executor.ts'
import { testApp } from '../../test-app.ts'

const page = (number: number) => `https://site${number}.example/docs/page`
const reader = () =>
  fakePageReader({
    [page(1)]: {
      content: '🐝🐝🐝 dance',
      title: 'Bees',
      author: 'Ann Apiarist',
      publishedAt: '2026-10-07',
      image: 'https://site1.example/bee.png',
      links: ['https://a.example/', 'https://b.example/'],
    },
    [page(2)]: new PageError('timeout', 'The page took too long.'),
  })

describe("Exa's contents", () => {
  test('have the vendor’s shape, with a status for each page', async () => {
    const { post } = testApp(undefined, { pages: reader() })
    const { status, body } = await post('/exa/contents', { urls: [page(1), page(2), 'javascript:alert(1)'] })
    expect(status).toBe(200)
    expect(body).toEqual({
      requestId: 'id-1',
      results: [
        {
          id: page(1),
          url: page(1),
          title: 'Bees',
          publishedDate: '2026-10-07T00:00:00.000Z',
          author: 'Ann Apiarist',
          image: 'https://site1.example/bee.png',
          text: '🐝🐝🐝 dance',
        },
      ],
      statuses: [
        { id: page(1), status: 'success', source: 'crawled' },
        {
          id: page(2),
          status: 'error',
          source: 'crawled',
          error: { tag: 'CRAWL_TIMEOUT', httpStatusCode: 408, message: 'The page took too long.' },
        },
        { id: 'javascript:alert(1)', status: 'error', source: 'crawled', error: expect.any(Object) },
      ],
      costDollars: { total: 0 },
    })
  })

  test('are cut between characters, and are HTML where tags are wanted', async () => {
    const pages = reader()
    const text = { maxCharacters: 2, includeHtmlTags: true, verbosity: 'full' }
    const { body, headers } = await testApp(undefined, { pages }).post('/exa/contents', {
      ids: [page(1)],
      text,
      extras: { links: 1 },
      summary: true,
    })
    expect(body.results).toMatchObject([{ text: '🐝🐝', extras: { links: ['https://a.example/'] } }])
    expect(body.results[0]).not.toHaveProperty('summary')
    expect(pages.requests).toEqual([{ url: page(1), format: 'html' }])
    expect(headers.get('x-csp-ignored')).toBe('summary, text.verbosity')
  })

  test.each([
    [{}, 'urls: '],
    [{ urls: [] }, 'urls: '],
    [{ urls: Array(100).fill(page(1)) }, 'urls: '],
    [{ urls: page(1), livecrawl: 'sometimes' }, 'livecrawl: '],
  ])('refuse %j in the vendor’s envelope, and read nothing', async (body, start) => {
    const pages = reader()
    const { status, body: reply } = await testApp(undefined, { pages }).post('/exa/contents', body)
    expect(status).toBe(400)
    expect(reply).toEqual({ requestId: 'id-1', error: expect.any(String), tag: 'INVALID_REQUEST_BODY' })
    expect(reply.error).toStartWith(start)
    expect(pages.requests).toEqual([])
  })
})

describe('the contents of an Exa search', () => {
  const search = (contents: object, pages = reader()) =>
    testApp(found(3), { pages }).post('/exa/search', { query: 'bees', contents })

  test('are the text of the pages, and the excerpt where a page cannot be read', async () => {
    const { body } = await search({ text: true })
    expect(body.results.map(({ text }: { text: string }) => text)).toEqual(['🐝🐝🐝 dance', 'Excerpt 2', ''])
    expect(body.results[0].author).toBe('Ann Apiarist')
  })

  test.each([
    [{ text: true, livecrawl: 'never', subpages: 2 }, 'contents.livecrawl, contents.subpages'],
    [{ text: true, livecrawl: 'always', maxAgeHours: 0 }, null],
  ])('%j have x-csp-ignored set to %p', async (contents, ignored) => {
    const { headers } = await search(contents)
    expect(headers.get('x-csp-ignored')).toBe(ignored)
  })

  test('have the passages of a page that bear on the query as highlights', async () => {
    const content = 'Wasps build nests of paper.\n\nBees dance to show the way.'
    const { body } = await search({ highlights: { numSentences: 2 } }, fakePageReader({ [page(1)]: content }))
    expect(body.results[0]).toMatchObject({ highlights: ['Bees dance to show the way.'], highlightScores: [1] })
    expect(body.results[1].highlights).toEqual(['Excerpt 2'])
    const paper = { highlights: { query: 'paper', maxCharacters: 30 } }
    const { body: other } = await search(paper, fakePageReader({ [page(1)]: content }))
    expect(other.results[0].highlights).toEqual(['Wasps build nests of paper.'])
  })

  test('without text are read from no page', async () => {
    const pages = reader()
    await search({ summary: true }, pages)
    expect(pages.requests).toEqual([])
  })
})
