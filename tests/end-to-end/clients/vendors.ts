import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import Perplexity from '@perplexity-ai/perplexity_ai'
import { BraveSearch } from 'brave-search'
import OpenAI from 'openai'
import { expectTrueSources } from '../../support/true-sources.ts'
import { csp, standIn } from './csp.ts'

// The vendors' own clients, unmodified, against csp as `npm start` runs it.

describe('openai', () => {
  const client = () => new OpenAI({ apiKey: 'local', baseURL: `${csp.url}/v1` })

  test('gets a whole answer with citations', async () => {
    const { choices } = await client().chat.completions.create({
      model: 'sonnet',
      messages: [
        { role: 'system', content: 'Answer in one sentence.' },
        { role: 'user', content: 'Why do bees hum?' },
      ],
    })
    const { content, annotations = [] } = choices[0]?.message ?? {}
    expect(content).toContain('Sandbox answer')
    expectTrueSources(annotations.map(({ url_citation }) => url_citation.url))
    for (const { url_citation: at } of annotations) {
      expect(content?.slice(at.start_index, at.end_index)).toMatch(/^\[\d+\]$/)
    }
  })

  test('gets a streamed answer from the agent loop', async () => {
    const stream = client().chat.completions.stream({
      model: 'sonar-reasoning-pro',
      messages: [{ role: 'user', content: 'How do bees find home?' }],
    })
    const { choices } = await stream.finalChatCompletion()
    expect(choices[0]?.message.content).toContain('Sandbox answer')
    expectTrueSources(choices[0]?.message.annotations?.map(({ url_citation }) => url_citation.url) ?? [])
  })

  test('gets an answer to a follow-up that only the conversation makes clear', async () => {
    const { choices } = await client().chat.completions.create({
      model: 'sonar',
      messages: [
        { role: 'user', content: 'Why do bees hum?' },
        { role: 'assistant', content: 'Their wings beat 230 times a second.' },
        { role: 'user', content: 'And wasps?' },
      ],
    })
    expect(choices[0]?.message.content).toContain('Sandbox answer')
    const answered = standIn.sandbox.requests().findLast(({ kind }) => kind === 'answer')
    expect(JSON.stringify(answered?.body)).toContain('230 times a second')
  })
})

describe('@perplexity-ai/perplexity_ai', () => {
  const client = () => new Perplexity({ apiKey: 'local', baseURL: csp.url })

  test('gets results with excerpts and dates', async () => {
    const { results } = await client().search.create({ query: 'bees that hum', max_results: 5 })
    expect(results).toHaveLength(5)
    expectTrueSources(results.map(({ url }) => url))
    expect(results[0]?.snippet.length).toBeGreaterThan(10)
    expect(results.some(({ date }) => /^\d{4}-\d{2}-\d{2}$/.test(date ?? ''))).toBe(true)
  })

  test('gets a fast answer', async () => {
    const reply = await client().chat.completions.create({
      model: 'sonar',
      messages: [{ role: 'user', content: 'What do bees eat?' }],
    })
    expect(reply.choices[0]?.message.content).toContain('Sandbox answer')
    expectTrueSources(reply.citations ?? [])
    expect(reply.search_results?.map(({ url }) => url)).toEqual(reply.citations ?? [])
  })

  test('gets a streamed answer, whose markers point into the citations of the first chunk', async () => {
    const stream = await client().chat.completions.create({
      model: 'sonar-pro',
      messages: [{ role: 'user', content: 'Where do bees sleep?' }],
      stream: true,
    })
    let text = ''
    let citations: readonly string[] | undefined
    for await (const chunk of stream) {
      citations ??= chunk.citations ?? []
      text += chunk.choices[0]?.delta.content ?? ''
    }
    expectTrueSources(citations ?? [])
    const numbers = [...text.matchAll(/\[(\d+)\]/g)].map(([, number]) => Number(number))
    expect(numbers.length).toBeGreaterThan(0)
    for (const number of numbers) expect(citations?.[number - 1]).toBeString()
  })
})

describe('Brave', () => {
  // The base URL is a private property of the class, and the way its users redirect it.
  const client = (): BraveSearch => Object.assign(new BraveSearch('local'), { baseUrl: `${csp.url}/res/v1` })

  test('results reach the client brave-search', async () => {
    const { web } = await client().webSearch('bees in winter', { count: 4 })
    expect(web?.results).toHaveLength(4)
    expectTrueSources(web?.results.map(({ url }) => url) ?? [])
  })

  test('results reach @brave/brave-search-mcp-server', async () => {
    const serverPath = fileURLToPath(import.meta.resolve('@brave/brave-search-mcp-server'))
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: ['--preload', join(import.meta.dir, '../../support/redirect-brave.ts'), join(serverPath, '../index.js')],
        env: { HOME: csp.home, BRAVE_API_KEY: 'local', TEST_BRAVE_URL: csp.url },
        cwd: csp.home,
      }),
    )
    const call = { name: 'brave_web_search', arguments: { query: 'bees in spring', count: 3 } }
    const { content, isError } = await client.callTool(call)
    await client.close()
    expect(isError).toBeFalsy()
    // The SDK types a tool's content as unknown; the tool's source says that it is one text block a row.
    expectTrueSources((content as { text: string }[]).map(({ text }) => JSON.parse(text).url))
  })
})
