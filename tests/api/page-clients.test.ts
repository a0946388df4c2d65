import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { PageError } from '@csp/page-reader/page-error'
import { tavily } from '@tavily/core'
import { Exa, ExaError } from 'exa-js'
import { Firecrawl, SdkError } from 'firecrawl'
import { createApp } from '../../src/app.ts'
import { fakePageReader } from '../support/fake-page-reader.ts'
import { found, scriptedExecutor } from '../support/scripted-executor.ts'

// Vendors' own clients read pages through csp.

const first = 'https://site1.example/docs/page'
const pages = fakePageReader({
  [first]: { content: '# Bees\n\nThey dance.', title: 'Bees', publishedAt: '2026-10-07', language: 'en' },
  'https://walled.example/': new PageError('blocked-by-status', 'The site answered 403.', { status: 403 }),
})

let server: ReturnType<typeof Bun.serve>
let origin: string

beforeAll(() => {
  const app = createApp({ executor: scriptedExecutor(() => found(2)), version: '1', keys: ['local'], pages })
  server = Bun.serve({ hostname: '127.0.0.1', port: 0, development: false, fetch: app.fetch })
  origin = `http://127.0.0.1:${server.port}`
})

afterAll(() => server.stop(true))

describe('the client @tavily/core', () => {
  const client = (apiKey = 'local') => tavily({ apiKey, apiBaseURL: `${origin}/tavily` })

  test('gets pages with extract()', async () => {
    const reply = await client().extract([first, 'https://walled.example/'], { format: 'markdown', timeout: 20 })
    expect(reply.results).toEqual([{ url: first, title: 'Bees', rawContent: '# Bees\n\nThey dance.', images: [] }])
    expect(reply.failedResults).toEqual([{ url: 'https://walled.example/', error: 'The site answered 403.' }])
    expect(reply).toMatchObject({ responseTime: expect.any(Number), requestId: expect.any(String) })
  })

  test('gets the text of found pages with search()', async () => {
    const { results } = await client().search('bees', { includeRawContent: 'markdown' })
    expect(results.map(({ rawContent }) => rawContent ?? 'none')).toEqual(['# Bees\n\nThey dance.', 'none'])
  })

  test('throws errors with their message', async () => {
    const messageOf = (work: Promise<unknown>) => work.then(String, (error: Error) => error.message)
    expect(await messageOf(client('wrong').extract([first]))).toBe('The key is wrong.')
    expect(await messageOf(client().extract(Array(21).fill(first)))).toStartWith('urls: ')
  })
})

describe('the client exa-js', () => {
  const client = (key = 'local') => new Exa(key, `${origin}/exa`)

  test('gets pages with getContents()', async () => {
    const reply = await client().getContents([first, 'https://walled.example/'], { text: { maxCharacters: 6 } })
    expect(reply.results).toMatchObject([{ id: first, title: 'Bees', text: '# Bees' }])
    expect(reply.statuses?.map(({ status }) => status)).toEqual(['success', 'error'])
  })

  test('gets the text of found pages with search(), as it does by default', async () => {
    const { results } = await client().search('bees')
    expect(results.map(({ text }) => text)).toEqual(['# Bees\n\nThey dance.', 'Excerpt 2'])
  })

  test('throws its own error', async () => {
    const error: unknown = await client('wrong')
      .getContents(first)
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ExaError)
    expect(error).toMatchObject({ statusCode: 401 })
  })
})

describe('the client firecrawl', () => {
  const client = (apiKey = 'local') => new Firecrawl({ apiKey, apiUrl: `${origin}/firecrawl`, maxRetries: 1 })

  test('gets a page with scrape()', async () => {
    const page = await client().scrape(first, { formats: ['markdown', { type: 'links' }], timeout: 20_000 })
    expect(page).toMatchObject({
      markdown: '# Bees\n\nThey dance.',
      links: [],
      metadata: { title: 'Bees', sourceURL: first },
    })
  })

  test('gets a page with scrapeUrl() of version 1', async () => {
    const page = await client().v1.scrapeUrl(first, { formats: ['markdown'] })
    expect(page).toMatchObject({ success: true, markdown: '# Bees\n\nThey dance.', metadata: { statusCode: 200 } })
  })

  test('gets the text of found pages with search()', async () => {
    const { web } = await client().search('bees', { scrapeOptions: { formats: ['markdown'] } })
    expect(web).toMatchObject([{ markdown: '# Bees\n\nThey dance.' }, { title: 'Page 2' }])
  })

  test('throws its own error', async () => {
    const errorOf = (work: Promise<unknown>) => work.then(String, (error: unknown) => error)
    const refused = await errorOf(client().scrape('https://walled.example/'))
    expect(refused).toBeInstanceOf(SdkError)
    expect(refused).toMatchObject({ status: 422, message: 'The site answered 403.', code: 'BLOCKED_BY_STATUS' })
    expect(await errorOf(client('wrong').scrape(first))).toMatchObject({ status: 401 })
  })
})
