import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import Perplexity from '@perplexity-ai/perplexity_ai'
import { expectTrueSources } from '../../support/true-sources.ts'
import { csp, standIn } from './csp.ts'

// Perplexity's clients, unmodified, against csp as `npm start` runs it. Plain calls are in
// clients.test.ts.

describe('@perplexity-ai/perplexity_ai', () => {
  const client = () => new Perplexity({ apiKey: 'local', baseURL: csp.url })

  test('gets the results of several queries in one search', async () => {
    const before = searches()
    const { results } = await client().search.create({
      query: ['bees that hum', 'wasps that sting'],
      max_results: 3,
      search_mode: 'academic',
      display_server_time: true,
    })
    expect(results.length).toBeGreaterThan(3)
    expect(results.length).toBeLessThanOrEqual(6)
    expectTrueSources(results.map(({ url }) => url))
    expect(new Set(results.map(({ url }) => url)).size).toBe(results.length)
    expect(searches() - before).toBe(2)
  })

  test('gets a concise stream', async () => {
    const stream = await client().chat.completions.create({
      model: 'sonar-pro',
      messages: [{ role: 'user', content: 'Who eats bees?' }],
      stream: true,
      stream_mode: 'concise',
    })
    let text = ''
    const kinds: (string | undefined)[] = []
    for await (const chunk of stream) {
      if (chunk.object !== kinds.at(-1)) kinds.push(chunk.object)
      if (chunk.object === 'chat.completion.chunk') text += chunk.choices[0]?.delta.content ?? ''
      if (chunk.object === 'chat.completion.done') {
        expect(chunk.choices[0]?.message.content).toBe(text)
        expectTrueSources(chunk.search_results?.map(({ url }) => url) ?? [])
      }
    }
    expect(kinds).toEqual(['chat.reasoning', 'chat.reasoning.done', 'chat.completion.chunk', 'chat.completion.done'])
    expect(text).toContain('Sandbox answer')
  })

  test('gets an object by a schema that has no name', async () => {
    const schema = { type: 'object', properties: { claim: { type: 'string' } }, required: ['claim'] }
    const reply = await client().chat.completions.create({
      model: 'sonar',
      messages: [{ role: 'user', content: 'A fact about bees.' }],
      response_format: { type: 'json_schema', json_schema: { schema } },
    })
    expect(JSON.parse(String(reply.choices[0]?.message.content))).toEqual({ claim: expect.any(String) })
    expectTrueSources(reply.citations ?? [])
  })

  test('gets an agent’s answer, whose markers name the numbers of its results', async () => {
    const { output, output_text, status } = await client().responses.create({
      preset: 'low',
      input: 'Why do bees hum?',
    })
    expect(status).toBe('completed')
    const rows = output.flatMap((item) => (item.type === 'search_results' ? item.results : []))
    expectTrueSources(rows.map(({ url }) => url))
    expect(output_text).toContain('Sandbox answer')
    const numbers = [...output_text.matchAll(/\[(\d+)\]/g)].map(([, number]) => Number(number))
    expect(numbers.length).toBeGreaterThan(0)
    for (const number of numbers) expect(rows.map(({ id }) => id)).toContain(number)
  })

  test('gets an agent’s answer as a stream', async () => {
    const stream = await client().responses.create({ preset: 'medium', input: 'How do bees find home?', stream: true })
    let text = ''
    let last: string | undefined
    for await (const event of stream) {
      last = event.type
      if (event.type === 'response.output_text.delta') text += event.delta
    }
    expect(text).toContain('Sandbox answer')
    expect(last).toBe('response.completed')
  })

  test('gets a call of the caller’s function, and an answer from its result', async () => {
    standIn.sandbox.configure({ scenario: 'use-tool' })
    const tools = [{ type: 'function' as const, name: 'count_hives', parameters: { type: 'object', properties: {} } }]
    const { output } = await client().responses.create({ model: 'anthropic/sonnet', input: 'How many hives?', tools })
    const call = output.find(({ type }) => type === 'function_call')
    if (call?.type !== 'function_call') throw new Error('No call.')
    expect(call.name).toBe('count_hives')
    const { output_text } = await client().responses.create({
      model: 'anthropic/sonnet',
      tools,
      input: [
        { type: 'message', role: 'user', content: 'How many hives?' },
        { type: 'function_call', call_id: call.call_id, name: call.name, arguments: call.arguments },
        { type: 'function_call_output', call_id: call.call_id, output: 'Twelve hives.' },
      ],
    })
    expect(output_text).toContain('Sandbox answer')
    expect(JSON.stringify(standIn.sandbox.requests().at(-1)?.body)).toContain('Twelve hives.')
  })

  test('throws the caller’s error for an unknown preset', async () => {
    const failing = client().responses.create({ preset: 'slow', input: 'Why do bees hum?' })
    expect(await failing.catch((error) => error)).toMatchObject({ status: 400, error: { error: { code: 400 } } })
  })
})

describe('@perplexity-ai/mcp-server', () => {
  let client: Client

  beforeAll(async () => {
    // The package exports nothing but its metadata.
    const server = join(import.meta.dir, '../../../node_modules/@perplexity-ai/mcp-server/dist/index.js')
    client = new Client({ name: 'test', version: '1' })
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [server],
        env: { HOME: csp.home, PERPLEXITY_API_KEY: 'local', PERPLEXITY_BASE_URL: csp.url },
        cwd: csp.home,
      }),
    )
  })

  afterAll(() => client.close())

  const filters = { search_recency_filter: 'year', search_domain_filter: ['-nowhere.example'] }

  test('has the four tools that are tested here', async () => {
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name).sort()).toEqual(['perplexity_search', ...Object.keys(asking)].sort())
  })

  test('gets results from perplexity_search', async () => {
    const call = { name: 'perplexity_search', arguments: { query: 'bees in winter', max_results: 4, ...filters } }
    const text = textOf(await client.callTool(call))
    const urls = [...text.matchAll(/URL: (\S+)/g)].map(([, url = '']) => url)
    expect(text).toStartWith(`Found ${urls.length} search results`)
    expectTrueSources(urls)
  })

  /** What each of the others may be told besides the messages. */
  const asking: Readonly<Record<string, object>> = {
    perplexity_ask: { ...filters, search_context_size: 'low' },
    perplexity_reason: {},
    perplexity_research: {},
  }

  test.each(Object.keys(asking))('gets an answer from %s', async (name) => {
    const messages = [
      { role: 'system', content: 'Answer in one sentence.' },
      { role: 'user', content: `What does ${name} know of bees?` },
    ]
    const result = await client.callTool({ name, arguments: { messages, ...asking[name] } })
    const [answer = '', citations = ''] = textOf(result).split('\n\nCitations:\n')
    expect(answer).toContain('Sandbox answer')
    expectTrueSources([...citations.matchAll(/^\[\d+\] (\S+)$/gm)].map(([, url = '']) => url))
  })

  test('receives progress while a search runs', async () => {
    // The SDK's client drops what reaches it together with the result, so there is a pause before the text.
    standIn.sandbox.configure({ thinkMs: { write: 200 } })
    const progress: (string | undefined)[] = []
    const messages = [{ role: 'user', content: 'How do bees tell the way?' }]
    const call = { name: 'perplexity_research', arguments: { messages } }
    await client.callTool(call, { onprogress: ({ message }) => progress.push(message) })
    standIn.sandbox.configure({ thinkMs: 0 })
    expect(progress.some((message) => message?.startsWith('Searching: '))).toBe(true)
  })

  test('receives an error as an error', async () => {
    // Not a usage limit, which csp remembers.
    standIn.sandbox.configure({ scenario: 'error-400' })
    const messages = [{ role: 'user', content: 'What is a drone?' }]
    const result = await client.callTool({ name: 'perplexity_ask', arguments: { messages } })
    expect(result.isError).toBe(true)
    expect(JSON.stringify(result.content)).toContain('400')
  })
})

/** How many searches the stand-in has made. */
function searches(): number {
  return standIn.sandbox.requests().filter(({ kind }) => kind === 'search').length
}

function textOf({ content, isError }: Awaited<ReturnType<Client['callTool']>>): string {
  expect(isError).toBeFalsy()
  // The SDK types a tool's content as unknown; the tool's source says that it is one text block.
  return (content as { text: string }[])[0]?.text ?? ''
}
