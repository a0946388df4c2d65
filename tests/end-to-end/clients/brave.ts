import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { BraveSearch } from 'brave-search'
import OpenAI from 'openai'
import { expectTrueSources } from '../../support/true-sources.ts'
import { csp, standIn } from './csp.ts'

// Brave's own clients, unmodified, against csp as `npm start` runs it.

describe('brave-search', () => {
  // The base URL is a private property of the class, and the way its users redirect it.
  const client = (): BraveSearch => Object.assign(new BraveSearch('local'), { baseUrl: `${csp.url}/res/v1` })

  test('gets news', async () => {
    const { results } = await client().newsSearch('bees in the news', { count: 3 })
    expect(results).toHaveLength(3)
    expectTrueSources(results.map(({ url }) => url))
  })

  test('has its site operator passed to the search tool', async () => {
    const { web } = await client().webSearch('bees site:garden.example -site:shop.garden.example')
    const hosts = web?.results.map(({ url }) => new URL(url).hostname) ?? []
    expect([...new Set(hosts)]).toEqual(['garden.example'])
    const search = standIn.sandbox.requests().findLast(({ kind }) => kind === 'search')
    expect(JSON.stringify(search?.body)).toContain('"allowed_domains":["garden.example"]')
  })

  test('causes one search where it gives no count', async () => {
    const { calls } = standIn.sandbox.stats()
    const { web } = await client().webSearch('bees at one call')
    expectTrueSources(web?.results.map(({ url }) => url) ?? [])
    expect(standIn.sandbox.stats().calls - calls).toBe(1)
  })

  test('causes no search for an endpoint that finds nothing', async () => {
    const { calls } = standIn.sandbox.stats()
    expect((await client().imageSearch('bees on a picture')).results).toEqual([])
    expect(await client().webSearch('bees on film', { result_filter: 'videos' })).not.toHaveProperty('web')
    expect(standIn.sandbox.stats().calls).toBe(calls)
  })
})

describe('openai, as Brave documents it for its answers,', () => {
  test('gets a streamed answer, whose citations are true sources', async () => {
    const client = new OpenAI({ apiKey: 'local', baseURL: `${csp.url}/res/v1` })
    const tagged = { enable_citations: true }
    const stream = await client.chat.completions.create({
      model: 'brave',
      messages: [{ role: 'user', content: 'Why do bees hum?' }],
      stream: true,
      ...tagged,
    })
    let text = ''
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
    const citations = [...text.matchAll(/<citation>(.*?)<\/citation>/g)].map(([, json]) => JSON.parse(json ?? ''))
    expectTrueSources(citations.map(({ url }) => url))
    expect(text).toContain('Sandbox answer')
    expect(text).not.toMatch(/\[\d+\]/)
    expect(text).toContain('<usage>{"X-Request-Requests":1')
  })
})

describe('@brave/brave-search-mcp-server', () => {
  const client = new Client({ name: 'test', version: '1' })

  beforeAll(async () => {
    const serverPath = fileURLToPath(import.meta.resolve('@brave/brave-search-mcp-server'))
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: ['--preload', join(import.meta.dir, '../../support/redirect-brave.ts'), join(serverPath, '../index.js')],
        env: { HOME: csp.home, BRAVE_API_KEY: 'local', TEST_BRAVE_URL: csp.url },
        cwd: csp.home,
      }),
    )
  })

  afterAll(() => client.close())

  test('gets context for a model, with excerpts', async () => {
    const { isError, structuredContent } = await client.callTool({
      name: 'brave_llm_context',
      arguments: { query: 'what bees eat', maximum_number_of_urls: 4 },
    })
    expect(isError).toBeFalsy()
    // The SDK types it as an open record; the server has checked it against its own schema.
    const { grounding, sources } = structuredContent as {
      grounding: { generic: { url: string; snippets: string[] }[] }
      sources: object
    }
    expect(grounding.generic).toHaveLength(4)
    expectTrueSources(grounding.generic.map(({ url }) => url))
    expect(Object.keys(sources)).toEqual(grounding.generic.map(({ url }) => url))
    expect(grounding.generic[0]?.snippets[0]?.length).toBeGreaterThan(10)
  })

  test('gets a summary of a web search', async () => {
    const search = { name: 'brave_web_search', arguments: { query: 'how bees dance', summary: true } }
    // As below.
    const [first] = (await client.callTool(search)).content as { text: string }[]
    const key = first?.text.replace('Summarizer key: ', '')
    const summary = await client.callTool({ name: 'brave_summarizer', arguments: { key } })
    expect(summary.isError).toBeFalsy()
    expect(JSON.stringify(summary.content)).toContain('Sandbox answer')
  })

  test('gets news', async () => {
    const call = { name: 'brave_news_search', arguments: { query: 'bees today', count: 3 } }
    const { content, isError } = await client.callTool(call)
    expect(isError).toBeFalsy()
    // The SDK types a tool's content as unknown; the tool's source says that it is one text block a row.
    expectTrueSources((content as { text: string }[]).map(({ text }) => JSON.parse(text).url))
  })
})
