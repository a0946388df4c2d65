import { describe, expect, test } from 'bun:test'
import { createAnthropic } from '@ai-sdk/anthropic'
import Anthropic from '@anthropic-ai/sdk'
import { generateText, isStepCount, jsonSchema, streamText, tool } from 'ai'
import { startCsp } from '../../support/csp-process.ts'
import { expectTrueSources } from '../../support/true-sources.ts'
import { csp, standIn } from './csp.ts'

// Anthropic's clients, unmodified, against csp as `npm start` runs it.

const search: Anthropic.WebSearchTool20250305 = { type: 'web_search_20250305', name: 'web_search', max_uses: 3 }

function ask(content: string, model = 'claude-opus-5'): Anthropic.MessageCreateParamsNonStreaming {
  return { model, max_tokens: 1024, messages: [{ role: 'user', content }] }
}

/** Expects a search, what it found, and text that cites some of it without markers. Gives the excerpts cited. */
function expectSearched({ content, stop_reason, usage }: Anthropic.Message): readonly string[] {
  const [use, found, ...texts] = content
  if (use?.type !== 'server_tool_use' || found?.type !== 'web_search_tool_result') throw new Error('No search.')
  if (!Array.isArray(found.content)) throw new Error('No rows.')
  expect(found.tool_use_id).toBe(use.id)
  const urls = found.content.map(({ url }) => url)
  expectTrueSources(urls)
  const citations = texts.flatMap((block) => (block.type === 'text' ? (block.citations ?? []) : []))
  expect(citations.length).toBeGreaterThan(0)
  for (const citation of citations) {
    if (citation.type !== 'web_search_result_location') throw new Error('Another citation.')
    expect(urls).toContain(citation.url)
    const row = found.content.find(({ url }) => url === citation.url)
    expect(citation.encrypted_index).toBe(row?.encrypted_content ?? 'no row')
  }
  const text = texts.map(textOf).join('')
  expect(text).toContain('Sandbox answer')
  expect(text).not.toMatch(/\[\d+\]/)
  expect(stop_reason).toBe('end_turn')
  expect(usage.server_tool_use?.web_search_requests).toBeGreaterThan(0)
  return citations.map(({ cited_text }) => cited_text)
}

function textOf(block: Anthropic.ContentBlock): string {
  return block.type === 'text' ? block.text : ''
}

describe('@anthropic-ai/sdk', () => {
  const client = () => new Anthropic({ apiKey: 'local', baseURL: csp.url })

  test('gets an answer that rests on a search', async () => {
    const message = await client().messages.create({ ...ask('Why do bees hum?'), tools: [search] })
    for (const excerpt of expectSearched(message)) expect(excerpt).toMatch(/\w{3}/)
  })

  test('gets a streamed answer, and the same again from the cache', async () => {
    const stream = () =>
      client()
        .messages.stream({ ...ask('Where do bees sleep?'), tools: [search] })
        .finalMessage()
    const first = await stream()
    expectSearched(first)
    const { calls } = standIn.sandbox.stats()
    const again = await stream()
    expect(standIn.sandbox.stats().calls).toBe(calls)
    expect(again.content.map(textOf)).toEqual(first.content.map(textOf))
  })

  test('gets a deep answer from the agent loop', async () => {
    const params = { ...ask('How do bees find home?', 'sonar-reasoning-pro'), tools: [search] }
    expectSearched(await client().messages.stream(params).finalMessage())
  })

  test('sends the reply back in a follow-up, and the agent knows what was found', async () => {
    const first = await client().messages.create({ ...ask('What do bees eat?'), tools: [search] })
    const found = first.content.find((block) => block.type === 'web_search_tool_result')
    const [row] = found && Array.isArray(found.content) ? found.content : []
    expectSearched(
      await client().messages.create({
        ...ask(''),
        tools: [search],
        messages: [
          { role: 'user', content: 'What do bees eat?' },
          // A reply has what a request takes; the SDK types the two apart.
          { role: 'assistant', content: first.content as Anthropic.ContentBlockParam[] },
          { role: 'user', content: 'And wasps?' },
        ],
      }),
    )
    const answered = standIn.sandbox.requests().findLast(({ kind }) => kind === 'answer')
    expect(JSON.stringify(answered?.body)).toContain(row?.url ?? 'no row')
  })

  test('has its allowed domains applied to the search', async () => {
    const tool = { ...search, allowed_domains: ['garden.example'] }
    await client()
      .messages.create({ ...ask('Which bees live alone?'), tools: [tool] })
      .catch(() => {})
    expect(JSON.stringify(standIn.sandbox.requests().map(({ body }) => body.tools))).toContain('garden.example')
  })

  test('makes no search for plain inference', async () => {
    const before = standIn.sandbox.stats().callsByKind.search
    const message = await client().messages.create(ask('Say hello.'))
    expect(message.content.map(({ type }) => type)).toEqual(['text'])
    expect(message.usage.input_tokens).toBeGreaterThan(0)
    expect(standIn.sandbox.stats().callsByKind.search).toBe(before)
  })

  describe('with tools of the caller', () => {
    const schema: Anthropic.Tool.InputSchema = {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
    }
    const weather: Anthropic.Tool = { name: 'weather', description: 'How the weather is.', input_schema: schema }
    const question = { ...ask('How is the weather in Ulm?'), tools: [weather] }

    test.each(['whole', 'streamed'])('gets a call and sends its result, %s', async (how) => {
      standIn.sandbox.configure({ scenario: 'use-tool' })
      const send = (params: Anthropic.MessageCreateParamsNonStreaming) =>
        how === 'whole' ? client().messages.create(params) : client().messages.stream(params).finalMessage()
      const first = await send(question)
      expect(first.stop_reason).toBe('tool_use')
      const use = first.content.find((block) => block.type === 'tool_use')
      expect(use).toMatchObject({ name: 'weather', input: { city: expect.any(String) } })
      const second = await send({
        ...question,
        messages: [
          ...question.messages,
          { role: 'assistant', content: first.content as Anthropic.ContentBlockParam[] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: use?.id ?? '', content: `Sun, ${how}` }] },
        ],
      })
      expect(second.stop_reason).toBe('end_turn')
      expect(second.content.map(textOf).join('')).toContain(`Sun, ${how}`)
    })

    test('gets two calls at once as two blocks, and one where it allows only one', async () => {
      standIn.sandbox.configure({ scenario: 'use-two-tools' })
      const tools = (disable_parallel_tool_use: boolean) =>
        client()
          .messages.stream({ ...question, tool_choice: { type: 'any', disable_parallel_tool_use } })
          .finalMessage()
      const uses = ({ content }: Anthropic.Message) => content.filter(({ type }) => type === 'tool_use').length
      expect(uses(await tools(false))).toBe(2)
      expect(uses(await tools(true))).toBe(1)
    })

    test('gets a call beside the web search', async () => {
      standIn.sandbox.configure({ scenario: 'use-tool' })
      const message = await client().messages.create({ ...question, tools: [search, weather] })
      expect(message.stop_reason).toBe('tool_use')
      const types = message.content.map(({ type }) => type)
      expect(types.slice(0, 2)).toEqual(['server_tool_use', 'web_search_tool_result'])
      expect(types.at(-1)).toBe('tool_use')
    })
  })

  test('has its schema and its stop sequence kept', async () => {
    const schema = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] }
    const structured = await client().messages.create({
      ...ask('Why do bees sting?'),
      output_config: { format: { type: 'json_schema', schema } },
    })
    expect(JSON.parse(structured.content.map(textOf).join(''))).toEqual({ answer: expect.any(String) })
    const stopped = await client().messages.create({ ...ask('Say more.'), stop_sequences: ['answer'] })
    expect(stopped.content.map(textOf)).toEqual(['Sandbox '])
  })

  test('counts tokens and throws the errors of its API', async () => {
    const { model, messages } = ask('x'.repeat(35))
    expect(await client().messages.countTokens({ model, messages })).toEqual({ input_tokens: 10 })
    expect(
      await client()
        .messages.create({ ...ask('bees'), max_tokens: -1 })
        .catch((error) => error),
    ).toBeInstanceOf(Anthropic.BadRequestError)
  })
})

describe('@ai-sdk/anthropic', () => {
  const provider = () => createAnthropic({ apiKey: 'local', baseURL: `${csp.url}/v1` })
  const options = (prompt: string) => ({
    model: provider()('claude-opus-5'),
    prompt,
    tools: { web_search: provider().tools.webSearch_20250305({ maxUses: 3 }) },
  })

  test('gets a whole answer with its sources', async () => {
    const { text, sources } = await generateText(options('Do bees dance?'))
    expect(text).toContain('Sandbox answer')
    expectTrueSources(sources.map((source) => (source.sourceType === 'url' ? source.url : '')))
  })

  test('gets the call and the result of a server tool in a stream', async () => {
    standIn.sandbox.configure({ scenario: 'use-tool' })
    const inputSchema = jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } } })
    const weather = tool({ inputSchema, execute: () => 'Sun, and no clouds' })
    const result = streamText({ ...options('Weather?'), tools: { weather }, stopWhen: isStepCount(2) })
    expect(await result.text).toContain('Sun, and no clouds')
  })

  test('gets a streamed answer', async () => {
    const result = streamText(options('Do bees see red?'))
    expect(await result.text).toContain('Sandbox answer')
    const sources = await result.sources
    expectTrueSources(sources.map((source) => (source.sourceType === 'url' ? source.url : '')))
  })
})

test('a CLI whose base URL leads back to csp is refused, and no request loops', async () => {
  const before = standIn.sandbox.stats().calls
  const looped = await startCsp({ standInUrl: csp.url, flags: ['--rate', '0'] })
  try {
    const client = new Anthropic({ apiKey: 'local', baseURL: looped.url, maxRetries: 0 })
    // Each engine of the CLI in turn: the search server, then a worker.
    for (const tools of [[search], []]) {
      const failure = await client.messages.create({ ...ask('Why do bees hum?'), tools }).catch((error) => error)
      expect(failure).toBeInstanceOf(Anthropic.APIError)
      expect(failure.message).toContain('ANTHROPIC_BASE_URL')
    }
    expect(standIn.sandbox.stats().calls).toBe(before)
  } finally {
    await looped.stop()
  }
})
