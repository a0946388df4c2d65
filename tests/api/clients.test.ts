import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import Perplexity from '@perplexity-ai/perplexity_ai'
import { BraveSearch, BraveSearchError } from 'brave-search'
import OpenAI from 'openai'
import { createApp } from '../../src/app.ts'
import { SearchError } from '../../src/domain/error.ts'
import { answered, found, type ScriptedExecutor, scriptedExecutor, untilAborted } from '../support/scripted-executor.ts'

/** What is asked decides what happens, so that one server serves every test. */
const executor: ScriptedExecutor = scriptedExecutor(({ query, want }) => {
  if (query.includes('signed out')) return [new SearchError('signed-out', 'Sign in first.')]
  if (query.includes('break off')) return [...answered.slice(0, 3), new SearchError('unavailable', 'It broke.')]
  if (query.includes('hang')) return [...answered.slice(0, 3), untilAborted]
  return want === 'results' ? found(12) : answered
})

let server: ReturnType<typeof Bun.serve>
let origin: string

beforeAll(() => {
  const app = createApp({ executor, version: '1', keys: ['local'] })
  server = Bun.serve({ hostname: '127.0.0.1', port: 0, development: false, fetch: app.fetch })
  origin = `http://127.0.0.1:${server.port}`
})

afterAll(() => server.stop(true))

const question = [{ role: 'user' as const, content: 'Why do bees hum?' }]
const ask = (content: string) => [{ role: 'user' as const, content }]

describe('the openai client', () => {
  const client = (apiKey = 'local') => new OpenAI({ apiKey, baseURL: `${origin}/v1` })

  test('gets a whole answer with citations', async () => {
    const reply = await client().chat.completions.create({ model: 'gpt-4o-search-preview', messages: question })
    expect(reply.choices[0]?.message.content).toBe('It is 🙂 so [2].')
    const citation = reply.choices[0]?.message.annotations?.[0]?.url_citation
    expect(citation).toMatchObject({ url: 'https://site2.example/docs/page', start_index: 12, end_index: 15 })
    expect(reply.usage?.total_tokens).toBe(120)
  })

  test('puts a stream together with its own helper', async () => {
    const stream = client().chat.completions.stream({
      model: 'sonnet',
      messages: question,
      stream_options: { include_usage: true },
    })
    const reply = await stream.finalChatCompletion()
    expect(reply.choices[0]?.message.content).toBe('It is 🙂 so [2].')
    expect(reply.choices[0]?.message.annotations).toHaveLength(1)
    expect(reply.choices[0]?.finish_reason).toBe('stop')
    expect(reply.usage?.total_tokens).toBe(120)
  })

  test('lists models and retrieves one', async () => {
    const models = await client().models.list()
    expect(models.data.map(({ id }) => id)).toContain('sonar')
    expect((await client().models.retrieve('perplexity/sonar')).id).toBe('perplexity/sonar')
  })

  test('throws the right class for each error', async () => {
    const create = (model: string, key?: string) => client(key).chat.completions.create({ model, messages: question })
    expect(await create('gemini-embedding-001').catch((error) => error)).toBeInstanceOf(OpenAI.NotFoundError)
    expect(await create('gemini-embedding-001').catch((error) => error)).toMatchObject({
      code: 'model_not_found',
      param: 'model',
    })
    expect(await create('sonar', 'wrong').catch((error) => error)).toBeInstanceOf(OpenAI.AuthenticationError)
  })

  test('sends a request once when a retry cannot help', async () => {
    const before = executor.calls.length
    const failing = client().chat.completions.create({ model: 'sonar', messages: ask('signed out') })
    expect(await failing.catch((error) => error)).toMatchObject({ status: 503, code: 'signed_out' })
    expect(executor.calls.length - before).toBe(1)
  })

  test('throws a failure in the middle of a stream', async () => {
    const stream = await client().chat.completions.create({ model: 'sonar', messages: ask('break off'), stream: true })
    const read = async () => {
      for await (const _ of stream);
    }
    expect(await read().catch((error) => error)).toMatchObject({ code: 'unavailable' })
  })

  test('ends the search when it leaves a stream', async () => {
    const stream = await client().chat.completions.create({ model: 'sonar', messages: ask('hang'), stream: true })
    const { signal } = executor.calls.at(-1)?.context ?? {}
    if (!signal) throw new Error('The search never began.')
    const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    for await (const _ of stream) break
    await aborted
    expect(signal.aborted).toBe(true)
  })
})

describe('the client @perplexity-ai/perplexity_ai', () => {
  const client = (base = origin) => new Perplexity({ apiKey: 'local', baseURL: base })

  test('gets the results of a search', async () => {
    const { id, results } = await client().search.create({
      query: 'bees',
      max_results: 5,
      search_recency_filter: 'week',
    })
    expect(id).toBeString()
    expect(results).toHaveLength(5)
    expect(results[0]).toEqual({
      title: 'Page 1',
      url: 'https://site1.example/docs/page',
      snippet: 'Excerpt 1',
      date: '2026-05-01',
    })
    expect(executor.calls.at(-1)?.request.filters.freshness).toBe('week')
  })

  test('gets the results of a search when its base URL ends with /v1', async () => {
    const { id, results } = await client(`${origin}/v1`).search.create({
      query: 'bees',
      search_domain_filter: ['-a.com'],
    })
    expect(id).toBeString()
    expect(results).toHaveLength(10)
    expect(results.every(({ snippet }) => typeof snippet === 'string')).toBe(true)
    expect(executor.calls.at(-1)?.request.filters.excludeDomains).toEqual(['a.com'])
  })

  test('gets a whole answer with citations', async () => {
    const reply = await client().chat.completions.create({ model: 'sonar-pro', messages: question })
    expect(reply.choices[0]?.message.content).toBe('It is 🙂 so [2].')
    expect(reply.citations?.[1]).toBe('https://site2.example/docs/page')
    expect(reply.search_results?.[1]?.url).toBe('https://site2.example/docs/page')
    expect(reply.usage?.cost.total_cost).toBe(0)
  })

  test('gets a stream whose every chunk has the citations', async () => {
    let text = ''
    const stream = await client().chat.completions.create({ model: 'sonar', messages: question, stream: true })
    for await (const chunk of stream) {
      expect(chunk.citations).toHaveLength(3)
      text += chunk.choices[0]?.delta.content ?? ''
    }
    expect(text).toBe('It is 🙂 so [2].')
  })

  test('throws errors with status and type', async () => {
    const unknown = client().chat.completions.create({ model: 'gemini-embedding-001', messages: question })
    expect(await unknown.catch((error) => error)).toMatchObject({
      status: 400,
      error: { error: { type: 'invalid_model', code: 400 } },
    })
  })
})

describe('the client brave-search', () => {
  function client(token = 'local'): BraveSearch {
    // The base URL is a private property of the class, and the way its users redirect it.
    return Object.assign(new BraveSearch(token), { baseUrl: `${origin}/res/v1` })
  }

  test('gets the results of a search', async () => {
    const { type, web } = await client().webSearch('bees', { count: 3, extra_snippets: true })
    expect(type).toBe('search')
    expect(web?.results.map(({ title }) => title)).toEqual(['Page 1', 'Page 2', 'Page 3'])
    expect(web?.results[2]?.description).toBe('')
  })

  test('throws errors that name the wrong parameter', async () => {
    const refused = await client()
      .webSearch('bees', { count: 999 })
      .catch((error) => error)
    expect(refused).toBeInstanceOf(BraveSearchError)
    expect(refused.responseData.error.meta.errors[0].loc).toEqual(['query', 'count'])
    const wrong = await client('wrong')
      .webSearch('bees')
      .catch((error) => error)
    expect(wrong.responseData.error.code).toBe('SUBSCRIPTION_TOKEN_INVALID')
  })
})

describe('the client @brave/brave-search-mcp-server', () => {
  let home: string
  const client = new Client({ name: 'test', version: '1' })

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'csp-brave-mcp-'))
    const serverPath = fileURLToPath(import.meta.resolve('@brave/brave-search-mcp-server'))
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: ['--preload', join(import.meta.dir, '../support/redirect-brave.ts'), join(serverPath, '../index.js')],
        env: { HOME: home, BRAVE_API_KEY: 'local', TEST_BRAVE_URL: origin },
        cwd: home,
      }),
    )
  })

  afterAll(async () => {
    await client.close()
    await rm(home, { recursive: true, force: true })
  })

  test('finds pages', async () => {
    const { content, isError } = await client.callTool({
      name: 'brave_web_search',
      arguments: { query: 'bees', count: 4 },
    })
    expect(isError).toBeFalsy()
    // The SDK types a tool's content as unknown; the tool's source says that it is one text block a row.
    const rows = (content as { text: string }[]).map(({ text }) => JSON.parse(text))
    expect(rows).toHaveLength(4)
    expect(rows[0]).toEqual({
      url: 'https://site1.example/docs/page',
      title: 'Page 1',
      description: 'Excerpt 1',
    })
  })

  test('reports the error of a failed search', async () => {
    const { content, isError } = await client.callTool({ name: 'brave_web_search', arguments: { query: 'signed out' } })
    expect(isError).toBe(true)
    expect(JSON.stringify(content)).toContain('Sign in first.')
  })
})
