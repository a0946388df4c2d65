import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { tavily } from '@tavily/core'
import { Exa, ExaError } from 'exa-js'
import { LinkupAuthenticationError, LinkupClient, LinkupInvalidRequestError } from 'linkup-sdk'
import Parallel from 'parallel-web'
import { createApp } from '../../src/app.ts'
import { SearchError } from '../../src/domain/error.ts'
import { answered, found, type ScriptedExecutor, scriptedExecutor, untilAborted } from '../support/scripted-executor.ts'

/** What is asked decides what happens, so that one server serves every test. */
const executor: ScriptedExecutor = scriptedExecutor(({ query, want, schema }) => {
  if (query.includes('signed out')) return [new SearchError('signed-out', 'Sign in first.')]
  if (query.includes('hang')) return [hang]
  if (schema) return [{ type: 'text-delta', text: '{"legs": 6}' }, ...found(2)]
  return want === 'results' ? found(12) : answered
})

const hanging = Promise.withResolvers<AbortSignal>()

function hang(signal: AbortSignal): Promise<never> {
  hanging.resolve(signal)
  return untilAborted(signal)
}

let server: ReturnType<typeof Bun.serve>
let origin: string

beforeAll(() => {
  const app = createApp({ executor, version: '1', keys: ['local'] })
  server = Bun.serve({ hostname: '127.0.0.1', port: 0, development: false, fetch: app.fetch })
  origin = `http://127.0.0.1:${server.port}`
})

afterAll(() => server.stop(true))

const lastRequest = () => executor.calls.at(-1)?.request

describe('the client @tavily/core', () => {
  const client = (apiKey = 'local') => tavily({ apiKey, apiBaseURL: `${origin}/tavily` })

  test('gets results with search()', async () => {
    const reply = await client().search('bees', {
      maxResults: 3,
      topic: 'news',
      timeRange: 'week',
      includeDomains: ['example.com'],
      country: 'germany',
    })
    expect(reply).toMatchObject({ query: 'bees', images: [], answer: null, responseTime: expect.any(Number) })
    expect(reply.results.map(({ title }) => title)).toEqual(['Page 1', 'Page 2', 'Page 3'])
    expect(reply.results[0]).toMatchObject({ content: 'Excerpt 1', score: 1, images: [] })
    expect(Date.parse(reply.results[0]?.publishedDate ?? '')).toBe(Date.parse('2026-05-01'))
    expect(reply.requestId).toBeString()
    expect(lastRequest()?.filters).toEqual({
      includeDomains: ['example.com'],
      freshness: 'week',
      country: 'DE',
      category: 'news',
    })
  })

  test('gets an answer with search()', async () => {
    const { answer, results } = await client().search('bees', { includeAnswer: 'advanced', includeFavicon: true })
    expect(answer).toBe('It is 🙂 so.')
    expect(results).toHaveLength(3)
    expect(results[0]?.favicon).toBe('https://site1.example/favicon.ico')
  })

  test('gets an answer with searchQNA()', async () => {
    expect(await client().searchQNA('bees', {})).toBe('It is 🙂 so.')
  })

  test('gets context with searchContext()', async () => {
    const context = JSON.parse(JSON.parse(await client().searchContext('bees', { maxResults: 2 })))
    expect(context).toEqual([
      { url: 'https://site1.example/docs/page', content: 'Excerpt 1' },
      { url: 'https://site2.example/docs/page', content: 'Excerpt 2' },
    ])
  })

  test('throws errors with their message', async () => {
    const messageOf = (work: Promise<unknown>) => work.then(String, (error: Error) => error.message)
    expect(await messageOf(client().search('signed out'))).toBe('Sign in first.')
    expect(await messageOf(client('wrong').search('bees'))).toBe('The key is wrong.')
    expect(await messageOf(client().search('bees', { maxResults: 99 }))).toStartWith('max_results: ')
    const unread = 'This server reads no pages. Start csp with `--pages on`, and ask it at home: the edge reads none.'
    expect(await messageOf(client().extract(['https://example.com']))).toBe(unread)
  })
})

describe('the client exa-js', () => {
  const client = (key = 'local') => new Exa(key, `${origin}/exa`)

  test('gets results with search()', async () => {
    const reply = await client().search('bees', {
      numResults: 3,
      category: 'news',
      includeDomains: ['example.com'],
      startPublishedDate: '2026-03-01T00:00:00.000Z',
    })
    expect(reply.requestId).toBeString()
    expect(reply.results).toHaveLength(3)
    expect(reply.results[0]).toMatchObject({ id: 'https://site1.example/docs/page', text: 'Excerpt 1' })
    expect(lastRequest()).toMatchObject({
      limit: 3,
      filters: { includeDomains: ['example.com'], publishedAfter: '2026-03-01', category: 'news' },
    })
  })

  test('gets results without text when it wants no contents', async () => {
    const { results } = await client().search('bees', { contents: false })
    expect(results).toHaveLength(10)
    expect(results[0]).not.toHaveProperty('text')
  })

  test('gets text and highlights with searchAndContents()', async () => {
    const { results } = await client().searchAndContents('bees', { highlights: true, text: { maxCharacters: 4 } })
    expect(results[0]).toMatchObject({ text: 'Exce', highlights: ['Excerpt 1'], highlightScores: [1] })
  })

  test('gets an answer with answer()', async () => {
    const { answer, citations, costDollars } = await client().answer('Why do bees hum?', { text: true })
    expect(answer).toBe('It is 🙂 so [2].')
    expect(citations[1]).toMatchObject({ url: 'https://site2.example/docs/page', title: 'Page 2', text: 'Excerpt 2' })
    expect(costDollars?.total).toBe(0)
  })

  test('gets an answer in the shape of its schema', async () => {
    const outputSchema = { type: 'object', properties: { legs: { type: 'integer' } } }
    const { answer } = await client().answer('How many legs has a bee?', { outputSchema })
    expect(answer).toEqual({ legs: 6 })
  })

  test('gets a streamed answer with streamAnswer()', async () => {
    let text = ''
    let urls: readonly string[] = []
    for await (const { content, citations } of client().streamAnswer('Why do bees hum?')) {
      text += content ?? ''
      urls = citations?.map(({ url }) => url) ?? urls
    }
    expect(text).toBe('It is 🙂 so [2].')
    expect(urls).toHaveLength(3)
  })

  test('throws errors with their message', async () => {
    const errorOf = (work: Promise<unknown>) => work.catch((error) => error)
    const refused = await errorOf(client().search('bees', { numResults: 999 }))
    expect(refused).toBeInstanceOf(ExaError)
    expect(refused).toMatchObject({ statusCode: 400, message: expect.stringMatching(/^numResults: /) })
    expect(await errorOf(client('wrong').answer('bees'))).toMatchObject({ statusCode: 401 })
    expect(await errorOf(client().answer('signed out'))).toMatchObject({ statusCode: 503, message: 'Sign in first.' })
    expect(await errorOf(client().getContents('https://example.com'))).toMatchObject({ statusCode: 501 })
  })
})

test('a client that leaves a search sent as a form ends it', async () => {
  const leave = new AbortController()
  const body = new URLSearchParams({ q: 'hang', format: 'json' })
  const headers = { 'x-api-key': 'local' }
  const reply = fetch(`${origin}/search`, { method: 'POST', body, headers, signal: leave.signal }).catch(() => 'left')
  const signal = await hanging.promise
  const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  leave.abort()
  await aborted
  expect(await reply).toBe('left')
  expect(signal.aborted).toBe(true)
})

describe('the client linkup-sdk', () => {
  const client = (apiKey = 'local') => new LinkupClient({ apiKey, baseUrl: `${origin}/linkup/v1` })

  test('gets results, an answer and structured output', async () => {
    const common = { query: 'bees', depth: 'standard' as const, includeDomains: ['example.com'] }
    const range = { fromDate: new Date('2026-03-01'), toDate: new Date('2026-03-31') }
    const { results } = await client().search({ ...common, ...range, outputType: 'searchResults', maxResults: 3 })
    expect(results.map(({ name }) => name)).toEqual(['Page 1', 'Page 2', 'Page 3'])
    expect(lastRequest()?.filters).toEqual({
      includeDomains: ['example.com'],
      publishedAfter: '2026-03-01',
      publishedBefore: '2026-03-31',
    })
    const { answer, sources } = await client().search({ ...common, outputType: 'sourcedAnswer' })
    expect([answer, sources.length]).toEqual(['It is 🙂 so.', 3])
    const structuredOutputSchema = { type: 'object', properties: { legs: { type: 'integer' } } }
    const structured = { ...common, outputType: 'structured', structuredOutputSchema } as const
    expect(await client().search(structured)).toEqual({ legs: 6 })
    expect(await client().search({ ...structured, includeSources: true })).toMatchObject({ data: { legs: 6 } })
  })

  test('throws its own errors', async () => {
    const list = { depth: 'standard', outputType: 'searchResults' } as const
    const errorOf = (work: Promise<unknown>) => work.catch((error: unknown) => error)
    const wrongField = await errorOf(client().search({ ...list, query: 'bees', maxResults: 999 }))
    expect(wrongField).toBeInstanceOf(LinkupInvalidRequestError)
    expect(String(wrongField)).toContain('maxResults')
    expect(await errorOf(client('wrong').search({ ...list, query: 'bees' }))).toBeInstanceOf(LinkupAuthenticationError)
    expect(String(await errorOf(client().search({ ...list, query: 'signed out' })))).toContain('Sign in first.')
  })
})

describe('the client parallel-web', () => {
  const client = (apiKey = 'local') => new Parallel({ apiKey, baseURL: `${origin}/parallel`, maxRetries: 0 })

  test('gets results with search()', async () => {
    const { results, search_id } = await client().search({
      search_queries: ['bees'],
      objective: 'bees',
      advanced_settings: { max_results: 2, source_policy: { exclude_domains: ['b.example'] } },
    })
    expect(search_id).toStartWith('search_')
    expect(results.map(({ title, excerpts }) => [title, excerpts])).toEqual([
      ['Page 1', ['Excerpt 1']],
      ['Page 2', ['Excerpt 2']],
    ])
    expect(lastRequest()).toMatchObject({ limit: 2, filters: { excludeDomains: ['b.example'] } })
  })

  test('throws its own errors', async () => {
    const errorOf = (work: Promise<unknown>) => work.catch((error: unknown) => error)
    const wrongField = await errorOf(client().search({ search_queries: [] }))
    expect(wrongField).toBeInstanceOf(Parallel.UnprocessableEntityError)
    expect(String(wrongField)).toContain('search_queries: Field required.')
    const wrongKey = client('wrong').search({ search_queries: ['bees'] })
    expect(await errorOf(wrongKey)).toBeInstanceOf(Parallel.AuthenticationError)
  })
})
