import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { BraveSearch, BraveSearchError } from 'brave-search'
import OpenAI from 'openai'
import { createApp } from '../../../../src/app.ts'
import { answered, found, scriptedExecutor } from '../../../support/scripted-executor.ts'

// Every method and every tool of Brave's own clients; the web search has its tests in clients.test.ts.

const executor = scriptedExecutor(({ want }) => (want === 'results' ? found(12) : answered))

let server: ReturnType<typeof Bun.serve>
let origin: string

beforeAll(() => {
  const app = createApp({ executor, version: '1', keys: ['local'] })
  server = Bun.serve({ hostname: '127.0.0.1', port: 0, development: false, fetch: app.fetch })
  origin = `http://127.0.0.1:${server.port}`
})

afterAll(() => server.stop(true))

describe('the client brave-search', () => {
  // The base URL is a private property of the class, and the way its users redirect it.
  const client = (): BraveSearch => Object.assign(new BraveSearch('local'), { baseUrl: `${origin}/res/v1` })

  test('gets news', async () => {
    const { type, results } = await client().newsSearch('bees', { count: 3, freshness: 'pw', extra_snippets: true })
    expect(type).toBe('news')
    expect(results.map(({ title }) => title)).toEqual(['Page 1', 'Page 2', 'Page 3'])
    expect(executor.calls.at(-1)?.request).toMatchObject({ limit: 3, filters: { category: 'news', freshness: 'week' } })
  })

  test('gets an empty list of images without a search', async () => {
    const before = executor.calls.length
    const { type, results } = await client().imageSearch('bees', { count: 150, spellcheck: false })
    expect([type, results]).toEqual(['images', []])
    expect(executor.calls).toHaveLength(before)
  })

  test('gets empty lists of places without a search', async () => {
    const pois = await client().localPoiSearch(['a', 'b'])
    const descriptions = await client().localDescriptionsSearch(['a', 'b'])
    expect(pois).toEqual({ type: 'local_pois', results: [] })
    expect(descriptions).toEqual({ type: 'local_descriptions', results: [] })
  })

  test('gets a summary of a web search', async () => {
    // The class's own type leaves it out, though the summary rests on it.
    const options = { count: 12, summary: true }
    const { webSearch, summary } = client().getSummarizedAnswer('bees', options)
    expect((await webSearch).web?.results).toHaveLength(12)
    expect((await summary)?.summary).toEqual([{ type: 'token', data: 'It is 🙂 so.' }])
    expect((await summary)?.enrichments?.context[0]?.url).toBe('https://site1.example/docs/page')
  })

  test('throws errors that name the wrong parameter', async () => {
    const refused = await client()
      .newsSearch('bees', { count: 51 })
      .catch((error) => error)
    expect(refused).toBeInstanceOf(BraveSearchError)
    expect(refused.message).toContain('422')
    expect(refused.responseData.error.meta.errors[0].loc).toEqual(['query', 'count'])
  })
})

describe('the openai client, as Brave documents it for its answers,', () => {
  const client = (apiKey = 'local') => new OpenAI({ apiKey, baseURL: `${origin}/res/v1` })
  const messages = [{ role: 'user' as const, content: 'Why do bees hum?' }]

  test('gets a whole answer', async () => {
    const { choices, usage } = await client().chat.completions.create({ model: 'brave', messages, stream: false })
    expect(choices[0]?.message.content).toBe('It is 🙂 so.')
    expect(usage?.total_tokens).toBe(120)
  })

  test('gets a stream with citations', async () => {
    const tagged = { enable_citations: true }
    const stream = await client().chat.completions.create({ model: 'brave', messages, stream: true, ...tagged })
    const contents: string[] = []
    for await (const chunk of stream) contents.push(chunk.choices[0]?.delta.content ?? '')
    const citation = contents.find((content) => content.startsWith('<citation>')) ?? ''
    expect(JSON.parse(citation.replace(/<\/?citation>/g, '')).url).toBe('https://site2.example/docs/page')
  })

  test('throws an error for a wrong key', async () => {
    const wrong = client('wrong').chat.completions.create({ model: 'brave', messages })
    expect(await wrong.catch((error) => error)).toMatchObject({
      status: 422,
      error: { code: 'SUBSCRIPTION_TOKEN_INVALID' },
    })
  })
})

describe('the client @brave/brave-search-mcp-server', () => {
  let home: string
  const client = new Client({ name: 'test', version: '1' })

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'csp-brave-tools-'))
    const serverPath = fileURLToPath(import.meta.resolve('@brave/brave-search-mcp-server'))
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [
          '--preload',
          join(import.meta.dir, '../../../support/redirect-brave.ts'),
          join(serverPath, '../index.js'),
        ],
        env: { HOME: home, BRAVE_API_KEY: 'local', TEST_BRAVE_URL: origin },
        cwd: home,
      }),
    )
  })

  afterAll(async () => {
    await client.close()
    await rm(home, { recursive: true, force: true })
  })

  async function call(name: string, parameters: Record<string, unknown>) {
    const { content, isError, structuredContent } = await client.callTool({ name, arguments: parameters })
    // The SDK types a tool's content as unknown; the tools' sources say that it is blocks of text.
    const texts = (content as { text: string }[]).map(({ text }) => text)
    return { texts, isError: isError ?? false, structuredContent }
  }

  test('has exactly these eight tools', async () => {
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name).sort()).toEqual([
      'brave_image_search',
      'brave_llm_context',
      'brave_local_search',
      'brave_news_search',
      'brave_place_search',
      'brave_summarizer',
      'brave_video_search',
      'brave_web_search',
    ])
  })

  test('gets news', async () => {
    const { texts, isError } = await call('brave_news_search', { query: 'bees', count: 4, freshness: 'pd' })
    expect(isError).toBe(false)
    expect(texts).toHaveLength(4)
    expect(JSON.parse(texts[0] ?? '')).toMatchObject({
      url: 'https://site1.example/docs/page',
      title: 'Page 1',
      age: 'May 1, 2026',
      breaking: false,
      description: 'Excerpt 1',
    })
    expect(executor.calls.at(-1)?.request.filters).toMatchObject({ category: 'news', freshness: 'day' })
  })

  test('gets context that satisfies its own schema', async () => {
    const { isError, structuredContent } = await call('brave_llm_context', {
      query: 'bees',
      maximum_number_of_urls: 3,
      enable_source_metadata: true,
      'x-loc-country': 'DE',
    })
    expect(isError).toBe(false)
    expect(structuredContent).toMatchObject({
      grounding: { generic: [{ snippets: ['Excerpt 1'] }, { snippets: ['Excerpt 2'] }, { snippets: [] }], map: [] },
      sources: { 'https://site2.example/docs/page': { hostname: 'site2.example' } },
    })
    expect(executor.calls.at(-1)?.request.filters.country).toBe('DE')
  })

  test.each(['brave_video_search', 'brave_image_search', 'brave_place_search'])(
    'reports with %s that nothing was found',
    async (name) => {
      const before = executor.calls.length
      const { isError, texts } = await call(name, { query: 'bees' })
      expect(isError).toBe(false)
      expect(texts.join()).not.toContain('site1.example')
      expect(executor.calls).toHaveLength(before)
    },
  )

  test('gets a summary with the key of its web search', async () => {
    const { texts } = await call('brave_web_search', { query: 'bees', summary: true })
    const key = /^Summarizer key: (.*)$/.exec(texts[0] ?? '')?.[1]
    const plain = await call('brave_summarizer', { key })
    expect([plain.isError, plain.texts]).toEqual([false, ['It is 🙂 so.']])
    const referenced = await call('brave_summarizer', { key, inline_references: true })
    expect(referenced.texts).toEqual(['It is 🙂 so (https://site2.example/docs/page).'])
  })

  test('looks for places among the pages', async () => {
    const { texts, isError } = await call('brave_local_search', { query: 'bees in Vienna', count: 3 })
    expect(isError).toBe(false)
    expect(texts).toHaveLength(4)
    expect(texts[0]).toContain('Falling back to general web search')
    expect(texts[1]).toContain('https://site1.example/docs/page')
  })

  test('reports what is wrong with a request', async () => {
    const { texts, isError } = await call('brave_news_search', { query: ' ' })
    expect(isError).toBe(true)
    expect(texts.join()).toContain('at least 1 character')
  })
})
