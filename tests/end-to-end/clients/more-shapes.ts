import { describe, expect, test } from 'bun:test'
import { tavily } from '@tavily/core'
import { Exa } from 'exa-js'
import { LinkupClient } from 'linkup-sdk'
import Parallel from 'parallel-web'
import { expectTrueSources } from '../../support/true-sources.ts'
import { csp, standIn } from './csp.ts'

// The vendors' own clients, and the requests of clients that are no package.

interface Row {
  readonly title: string
  readonly url: string
  readonly link: string
  readonly content: string
  readonly snippet: string
  readonly description: string
}

/** What a client without a package reads. Throws for a reply that is an error. */
async function ask<Reply>(path: string, init?: RequestInit): Promise<Reply> {
  const response = await fetch(`${csp.url}${path}`, init)
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status} ${text}`)
  // What the reply holds is for the test to find out.
  return JSON.parse(text) as Reply
}

const post = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json', authorization: 'Bearer local', ...headers },
})

function expectRows(rows: readonly Row[], count: number, field: 'content' | 'snippet' | 'description'): void {
  expect(rows).toHaveLength(count)
  for (const row of rows) {
    expect(row.title).not.toBe('')
    expect(row[field]).toBeString()
  }
  expect(rows[0]?.[field].length).toBeGreaterThan(10)
}

describe('@tavily/core', () => {
  const client = () => tavily({ apiKey: 'local', apiBaseURL: `${csp.url}/tavily` })

  test('gets results', async () => {
    const { results, images } = await client().search('bees in the city', { maxResults: 4, topic: 'news' })
    expect(results).toHaveLength(4)
    expect(images).toEqual([])
    expectTrueSources(results.map(({ url }) => url))
    expect(results[0]?.content.length).toBeGreaterThan(10)
  })

  test.each(['basic', 'advanced'] as const)('gets results with a %s answer', async (includeAnswer) => {
    const { answer, results } = await client().search(`bees on the ${includeAnswer} meadow`, { includeAnswer })
    expect(answer).toContain('Sandbox answer')
    expect(answer).not.toMatch(/\[\d+\]/)
    expectTrueSources(results.map(({ url }) => url))
  })

  test('gets an answer from searchQNA', async () => {
    expect(await client().searchQNA('What do bees drink?', {})).toContain('Sandbox answer')
  })

  test('gets results from searchContext', async () => {
    const context = JSON.parse(JSON.parse(await client().searchContext('bees that drink', { maxResults: 3 })))
    expectTrueSources(context.map(({ url }: Row) => url))
  })
})

describe('exa-js', () => {
  const client = () => new Exa('local', `${csp.url}/exa`)

  test('gets results', async () => {
    const { results } = await client().search('bees on the balcony', { numResults: 4 })
    expect(results).toHaveLength(4)
    expectTrueSources(results.map(({ url }) => url))
    expect(results[0]?.text.length).toBeGreaterThan(10)
  })

  test('gets excerpts from searchAndContents', async () => {
    const { results } = await client().searchAndContents('bees in the attic', { highlights: true, numResults: 2 })
    expectTrueSources(results.map(({ url }) => url))
    expect(results[0]?.highlights[0]?.length).toBeGreaterThan(10)
  })

  test('gets an answer, whose markers point into its citations', async () => {
    const { answer, citations } = await client().answer('Why do bees swarm?', { text: true })
    expect(answer).toContain('Sandbox answer')
    expectTrueSources(citations.map(({ url }) => url))
    const numbers = [...String(answer).matchAll(/\[(\d+)\]/g)].map(([, number]) => Number(number))
    expect(numbers.length).toBeGreaterThan(0)
    for (const number of numbers) expect(citations[number - 1]?.url).toBeString()
  })

  test('gets an answer of a given schema', async () => {
    const outputSchema = { type: 'object', properties: { legs: { type: 'integer' } }, required: ['legs'] }
    const { answer, citations } = await client().answer('How many legs has a bee?', { outputSchema })
    expect(answer).toEqual({ legs: expect.any(Number) })
    expectTrueSources(citations.map(({ url }) => url))
  })

  test('gets a streamed answer', async () => {
    let text = ''
    let urls: readonly string[] = []
    for await (const { content, citations } of client().streamAnswer('Why do bees sting?')) {
      text += content ?? ''
      urls = citations?.map(({ url }) => url) ?? urls
    }
    expect(text).toContain('Sandbox answer')
    expectTrueSources(urls)
  })
})

describe('linkup-sdk', () => {
  const client = () => new LinkupClient({ apiKey: 'local', baseUrl: `${csp.url}/linkup/v1` })
  const common = { depth: 'standard' } as const

  test('gets results', async () => {
    const sent = { ...common, query: 'bees in the park', outputType: 'searchResults', maxResults: 3 } as const
    const { results } = await client().search(sent)
    expect(results).toHaveLength(3)
    expectTrueSources(results.map(({ url }) => url))
  })

  test('gets an answer with sources', async () => {
    const { answer, sources } = await client().search({
      ...common,
      query: 'Why do bees fly?',
      outputType: 'sourcedAnswer',
    })
    expect(answer).toContain('Sandbox answer')
    expect(answer).not.toMatch(/\[\d+\]/)
    expectTrueSources(sources.map(({ url }) => url))
  })

  test('gets structured output', async () => {
    const structuredOutputSchema = { type: 'object', properties: { eyes: { type: 'integer' } }, required: ['eyes'] }
    const sent = { ...common, query: 'How many eyes has a bee?', outputType: 'structured' } as const
    expect(await client().search({ ...sent, structuredOutputSchema })).toEqual({ eyes: expect.any(Number) })
  })
})

test('parallel-web gets results of several queries', async () => {
  const client = new Parallel({ apiKey: 'local', baseURL: `${csp.url}/parallel` })
  const settings = { max_results: 5 }
  const { results } = await client.search({
    search_queries: ['bees in clover', 'bees in heather'],
    advanced_settings: settings,
  })
  expect(results).toHaveLength(5)
  expectTrueSources(results.map(({ url }) => url))
})

describe('SearXNG', () => {
  interface Reply {
    readonly answers: readonly unknown[]
    readonly infoboxes: readonly unknown[]
    readonly suggestions: readonly unknown[]
    readonly results: readonly (Row & { readonly score: number; readonly engines: readonly string[] })[]
  }

  test('answers a request as LangChain sends it', async () => {
    const query = new URLSearchParams({ q: 'bees in the forest', format: 'json', pageno: '1', categories: 'general' })
    const { answers, infoboxes, suggestions, results } = await ask<Reply>(`/search?${query}`)
    expect([answers, infoboxes, suggestions]).toEqual([[], [], []])
    expectTrueSources(results.map(({ url }) => url))
    expectRows(results, results.length, 'content')
    expect(results[0]?.engines).toEqual(['claude'])
  })

  test('answers a request as Open WebUI sends it', async () => {
    const fields = { pageno: '1', safesearch: '1', language: 'all', time_range: '', categories: '', theme: 'simple' }
    const query = new URLSearchParams({ q: 'bees in the garden', format: 'json', image_proxy: '0', ...fields })
    const { results } = await ask<Reply>(`/search?${query}`, { headers: { accept: 'text/html' } })
    expectTrueSources(results.map(({ url }) => url))
    expect(results.toSorted((a, b) => b.score - a.score)).toEqual([...results])
  })

  test('answers a request as OpenClaw sends it', async () => {
    const query = new URLSearchParams({ q: 'bees by the lake', format: 'json', results_per_page: '3', language: 'en' })
    const { results } = await ask<Reply>(`/searxng/search?${query}`)
    expectRows(results, 3, 'content')
  })

  test('answers a request with a form as its body', async () => {
    const form = new URLSearchParams({ q: 'bees by the river', format: 'json' })
    const { results } = await ask<Reply>('/search', { method: 'POST', body: form })
    expectTrueSources(results.map(({ url }) => url))
  })

  test('answers a POST that has only a query string', async () => {
    const { results } = await ask<Reply>('/search?q=bees+by+the+sea&format=json', { method: 'POST' })
    expectTrueSources(results.map(({ url }) => url))
  })
})

describe('csp answers a request of', () => {
  test('OpenClaw to Ollama', async () => {
    const sent = post({ query: 'bees at dawn', max_results: 5 })
    const { results } = await ask<{ results: readonly Row[] }>('/api/experimental/web_search', sent)
    expectRows(results, 5, 'content')
    expectTrueSources(results.map(({ url }) => url))
  })

  test('OpenClaw to Firecrawl', async () => {
    const reply = await ask<{ success: boolean; data: { web: readonly Row[] } }>(
      '/v2/search',
      post({ query: 'bees at noon', limit: 4 }),
    )
    expect(reply.success).toBe(true)
    expectRows(reply.data.web, 4, 'description')
    expectTrueSources(reply.data.web.map(({ url }) => url))
  })

  test('the first version of Firecrawl’s API', async () => {
    const { data } = await ask<{ data: readonly Row[] }>(
      '/firecrawl/v1/search',
      post({ query: 'bees at dusk', limit: 3 }),
    )
    expectRows(data, 3, 'description')
  })

  test('Open WebUI to an external engine', async () => {
    const rows = await ask<readonly Row[]>('/open-webui/search', post({ query: 'bees at night', count: 3 }))
    expectRows(rows, 3, 'snippet')
    expectTrueSources(rows.map(({ link }) => link))
  })

  test('LangChain to Bing', async () => {
    const query = 'q=bees+in+spring&count=4&textDecorations=True&textFormat=HTML'
    const headers = { 'ocp-apim-subscription-key': 'local' }
    const { webPages } = await ask<{ webPages: { value: readonly Row[] } }>(`/v7.0/search?${query}`, { headers })
    expect(webPages.value).toHaveLength(4)
    expect(webPages.value[0]?.snippet.length).toBeGreaterThan(10)
    expectTrueSources(webPages.value.map(({ url }) => url))
  })

  test('Cherry Studio to Bocha', async () => {
    const sent = { query: 'bees in summer', count: 3, exclude: '', freshness: 'noLimit', summary: true }
    const { code, data } = await ask<{
      code: number
      data: { webPages: { value: readonly (Row & { summary: string })[] } }
    }>('/v1/web-search', post(sent))
    expect(code).toBe(200)
    expect(data.webPages.value).toHaveLength(3)
    expect(data.webPages.value[0]?.summary.length).toBeGreaterThan(10)
  })

  test('Google’s own clients to Custom Search', async () => {
    const { items } = await ask<{ items: readonly Row[] }>('/customsearch/v1?q=bees+in+autumn&cx=any&num=3&key=local')
    expectRows(items, 3, 'snippet')
    expectTrueSources(items.map(({ link }) => link))
  })

  test('crewAI to Serper', async () => {
    const sent = post({ q: 'bees in winter', num: 3 }, { 'x-api-key': 'local' })
    const { organic } = await ask<{ organic: readonly Row[] }>('/serper/search', sent)
    expectRows(organic, 3, 'snippet')
    expectTrueSources(organic.map(({ link }) => link))
  })

  test('LangChain to SerpApi', async () => {
    const query = 'q=bees+in+the+news&engine=google&hl=en&gl=us&output=json&api_key=local&num=3'
    const reply = await ask<{ organic_results: readonly Row[] }>(`/serpapi/search?${query}`)
    expectRows(reply.organic_results, 3, 'snippet')
  })

  test('a search tool of LiteLLM', async () => {
    const { object, results } = await ask<{ object: string; results: readonly Row[] }>(
      '/v1/search/my-tool',
      post({ query: 'bees at work', max_results: 3 }),
    )
    expect(object).toBe('search')
    expectRows(results, 3, 'snippet')
  })
})

test.each([
  ['/search?q=bees+in+one+hive&format=json', {}],
  ['/tavily/search', post({ query: 'bees in two hives', include_answer: true })],
  ['/exa/search', post({ query: 'bees in three hives', contents: { text: true } })],
  ['/v2/search', post({ query: 'bees in four hives' })],
  ['/api/web_search', post({ query: 'bees in five hives' })],
])('%s makes one search', async (path, init) => {
  const searches = () => standIn.sandbox.requests().filter(({ kind }) => kind === 'search' || kind === 'answer').length
  const before = searches()
  await ask(path, init)
  expect(searches() - before).toBe(1)
})
