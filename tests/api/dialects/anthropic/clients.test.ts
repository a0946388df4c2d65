import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createAnthropic } from '@ai-sdk/anthropic'
import Anthropic from '@anthropic-ai/sdk'
import { generateText, isStepCount, jsonSchema, streamText, tool } from 'ai'
import { createApp } from '../../../../src/app.ts'
import { SearchError } from '../../../../src/domain/error.ts'
import type { SearchEvent } from '../../../../src/domain/search.ts'
import { answered, type ScriptedExecutor, scriptedExecutor, untilAborted } from '../../../support/scripted-executor.ts'

const called: readonly SearchEvent[] = [
  { type: 'text-delta', text: 'Let me look.' },
  { type: 'tool-call-start', id: 'toolu_1', name: 'weather' },
  { type: 'tool-call-delta', id: 'toolu_1', arguments: '{"city":' },
  { type: 'tool-call-delta', id: 'toolu_1', arguments: '"Ulm"}' },
  { type: 'done', reason: 'tool-calls', usage: { searches: 0, inputTokens: 9, outputTokens: 4 }, model: 'claude-x' },
]
const told: readonly SearchEvent[] = [
  { type: 'text-delta', text: 'It is ' },
  { type: 'text-delta', text: 'sunny.' },
  { type: 'done', reason: 'stop', usage: { searches: 0, inputTokens: 9, outputTokens: 4 }, model: 'claude-x' },
]

/** What is asked decides what happens, so that one server serves every test. */
const executor: ScriptedExecutor = scriptedExecutor(({ query, want, tools, continuation }) => {
  if (query.includes('signed out')) return [new SearchError('signed-out', 'Sign in first.')]
  if (query.includes('overloaded')) return [new SearchError('unavailable', 'Too much.')]
  if (query.includes('break off')) return [...answered.slice(0, 3), new SearchError('unavailable', 'It broke.')]
  if (query.includes('hang')) return [...answered.slice(0, 3), untilAborted]
  if (tools && !continuation) return called
  return want === 'answer' ? answered : told
})

let server: ReturnType<typeof Bun.serve>
let origin: string

beforeAll(() => {
  const app = createApp({ executor, version: '1', keys: ['local'] })
  server = Bun.serve({ hostname: '127.0.0.1', port: 0, development: false, fetch: app.fetch })
  origin = `http://127.0.0.1:${server.port}`
})

afterAll(() => server.stop(true))

const model = 'claude-opus-5'
const page = 'https://site2.example/docs/page'

describe('the client @anthropic-ai/sdk', () => {
  const client = (apiKey = 'local', maxRetries = 2) =>
    new Anthropic({ apiKey, authToken: null, baseURL: origin, maxRetries })
  const ask = (content: string) => ({ model, max_tokens: 1024, messages: [{ role: 'user' as const, content }] })
  const search: Anthropic.WebSearchTool20250305 = { type: 'web_search_20250305', name: 'web_search', max_uses: 2 }
  const weather: Anthropic.Tool = { name: 'weather', input_schema: { type: 'object', properties: {} } }

  test('lets its tool runner send the whole conversation after its thread was refused, and get its answer', async () => {
    const ran: string[] = []
    const runner = client().beta.messages.toolRunner({
      ...ask('How is the weather?'),
      tools: [
        {
          type: 'custom',
          name: 'weather',
          input_schema: { type: 'object', properties: {} },
          parse: (input: unknown) => input,
          run: (input: unknown) => {
            ran.push(JSON.stringify(input))
            return 'Sunny.'
          },
        },
      ],
    })
    const { content } = await runner
    expect(content).toMatchObject([{ type: 'text', text: 'It is sunny.' }])
    expect(ran).toEqual(['{"city":"Ulm"}'])
    expect(executor.requests.at(-1)).toMatchObject({
      query: 'How is the weather?',
      continuation: [{ role: 'assistant' }, { role: 'tool', text: 'Sunny.', callId: 'toolu_1' }],
    })
  })

  test('has a thread refused before the conversation is lost', async () => {
    const before = executor.calls.length
    const thread = client().beta.messages.thread({ model, max_tokens: 1024 })
    const failure = await thread.send({ role: 'user', content: 'I am Ada.' }).catch((error) => error)
    expect(failure).toBeInstanceOf(Anthropic.ThreadUnsupportedRequestError)
    expect(executor.calls).toHaveLength(before)
  })

  test('keeps the conversation of a thread that need not use the server, by sending all of it', async () => {
    const unsupportedRequestBehavior = 'continue_unthreaded'
    const params = { model, max_tokens: 1024, system: 'Be brief.', unsupportedRequestBehavior } as const
    const thread = client().beta.messages.thread(params)
    const text = async (question: string) => {
      const { content } = await thread.send({ role: 'user', content: question })
      return content.map((block) => (block.type === 'text' ? block.text : '')).join('')
    }
    expect(await text('I am Ada.')).toBe('It is sunny.')
    expect(await text('Who am I?')).toBe('It is sunny.')
    expect(executor.requests.at(-1)).toMatchObject({
      query: 'Who am I?',
      history: [
        { role: 'user', text: 'I am Ada.' },
        { role: 'assistant', text: 'It is sunny.' },
      ],
      instructions: 'Be brief.',
    })
  })

  function expectSearched({ content, stop_reason, usage }: Anthropic.Message): void {
    expect(content.map(({ type }) => type)).toEqual(['server_tool_use', 'web_search_tool_result', 'text', 'text'])
    const [use, found, said, rest] = content
    if (use?.type !== 'server_tool_use' || found?.type !== 'web_search_tool_result') throw new Error('No search.')
    expect(use.input).toEqual({ query: 'what was asked' })
    expect(found.tool_use_id).toBe(use.id)
    expect(found.content).toHaveLength(3)
    if (said?.type !== 'text' || rest?.type !== 'text') throw new Error('No text.')
    expect([said.text, rest.text]).toEqual(['It is 🙂 so', '.'])
    expect(said.citations).toMatchObject([{ type: 'web_search_result_location', url: page, cited_text: 'Excerpt 2' }])
    expect(stop_reason).toBe('end_turn')
    expect(usage).toMatchObject({ input_tokens: 100, output_tokens: 20, server_tool_use: { web_search_requests: 1 } })
  }

  test('gets an answer that rests on a search', async () => {
    const message = await client().messages.create({ ...ask('Why do bees hum?'), tools: [search] })
    expectSearched(message)
    expect(message._request_id).toBeString()
  })

  test('gets the same answer as a stream, put together by its own helper', async () => {
    const stream = client().messages.stream({ ...ask('Why do bees hum?'), tools: [search] })
    const texts: string[] = []
    const cited: string[] = []
    stream.on('text', (text) => texts.push(text))
    stream.on('citation', (citation) => cited.push(citation.type))
    expectSearched(await stream.finalMessage())
    expect(texts).toEqual(['It is 🙂 so', '.'])
    expect(cited).toEqual(['web_search_result_location'])
  })

  test('can send a reply back as part of the conversation', async () => {
    const first = await client().messages.create({ ...ask('Why do bees hum?'), tools: [search] })
    const messages: Anthropic.MessageParam[] = [
      { role: 'user', content: 'Why do bees hum?' },
      { role: 'assistant', content: first.content as Anthropic.ContentBlockParam[] },
      { role: 'user', content: 'And wasps?' },
    ]
    await client().messages.create({ model, max_tokens: 10, messages, tools: [search] })
    const { query, history } = executor.calls.at(-1)?.request ?? {}
    expect(query).toBe('And wasps?')
    expect(history?.[1]?.text).toContain(`- Page 2 ${page}`)
    expect(history?.[1]?.text).toContain('It is 🙂 so.')
  })

  test('gets a tool call and an answer to its result', async () => {
    const question = ask('How is the weather?')
    const first = await client().messages.create({ ...question, tools: [weather] })
    expect(first.stop_reason).toBe('tool_use')
    const use = first.content.find((block) => block.type === 'tool_use')
    expect(use).toMatchObject({ id: 'toolu_1', name: 'weather', input: { city: 'Ulm' } })
    const second = await client().messages.create({
      ...question,
      tools: [weather],
      messages: [
        ...question.messages,
        { role: 'assistant', content: first.content as Anthropic.ContentBlockParam[] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: use?.id ?? '', content: 'Sun' }] },
      ],
    })
    expect(second.content).toEqual([{ type: 'text', text: 'It is sunny.' }] as Anthropic.ContentBlock[])
    expect(executor.calls.at(-1)?.request.continuation?.at(-1)).toEqual({
      role: 'tool',
      callId: 'toolu_1',
      text: 'Sun',
    })
  })

  test('gets a streamed tool call', async () => {
    const stream = client().messages.stream({ ...ask('How is the weather?'), tools: [weather] })
    const pieces: string[] = []
    stream.on('inputJson', (piece) => pieces.push(piece))
    const { content } = await stream.finalMessage()
    expect(pieces).toEqual(['{"city":', '"Ulm"}'])
    expect(content[1]).toMatchObject({ type: 'tool_use', name: 'weather', input: { city: 'Ulm' } })
  })

  test('counts tokens, also with its beta method', async () => {
    const { messages } = ask('x'.repeat(35))
    expect(await client().messages.countTokens({ model, messages })).toEqual({ input_tokens: 10 })
    expect(await client().beta.messages.countTokens({ model, messages })).toMatchObject({ input_tokens: 10 })
  })

  test('lists models and retrieves one', async () => {
    const { data } = await client().models.list()
    expect(data.map(({ id }) => id)).toContain('sonnet')
    expect((await client().models.retrieve(model)).id).toBe(model)
  })

  test('throws errors with their class, type and request id', async () => {
    const failure = (content: string, more: object = {}, key?: string) =>
      client(key, 0)
        .messages.create({ ...ask(content), ...more })
        .catch((error: unknown) => error)
    expect(await failure('bees', { model: 'gemini-embedding-001' })).toBeInstanceOf(Anthropic.NotFoundError)
    expect(await failure('bees', {}, 'wrong')).toBeInstanceOf(Anthropic.AuthenticationError)
    expect(await failure('overloaded')).toBeInstanceOf(Anthropic.InternalServerError)
    expect(await failure('overloaded')).toMatchObject({ status: 529, type: 'overloaded_error' })
    const refused = await failure('bees', { max_tokens: 0 })
    expect(refused).toBeInstanceOf(Anthropic.BadRequestError)
    expect(refused).toMatchObject({ type: 'invalid_request_error', requestID: expect.any(String) })
    expect(String(refused)).toContain('max_tokens: ')
  })

  test('sends a request once when a retry cannot help', async () => {
    const before = executor.calls.length
    await client()
      .messages.create(ask('signed out'))
      .catch(() => {})
    expect(executor.calls.length - before).toBe(1)
  })

  test('throws a failure in the middle of a stream', async () => {
    const failing = client()
      .messages.stream({ ...ask('break off'), tools: [search] })
      .finalMessage()
    expect(await failing.catch((error) => error)).toMatchObject({ type: 'overloaded_error' })
  })

  test('ends the search when it leaves a stream', async () => {
    const stream = await client().messages.create({ ...ask('hang'), tools: [search], stream: true })
    const { signal } = executor.calls.at(-1)?.context ?? {}
    if (!signal) throw new Error('The search never began.')
    const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    for await (const _ of stream) break
    await aborted
    expect(signal.aborted).toBe(true)
  })
})

describe('the client @ai-sdk/anthropic', () => {
  const provider = () => createAnthropic({ apiKey: 'local', baseURL: `${origin}/v1` })
  const tools = () => ({ web_search: provider().tools.webSearch_20250305({ maxUses: 2, allowedDomains: ['a.com'] }) })
  const weather = tool({
    inputSchema: jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } } }),
    execute: ({ city }) => `Sun in ${city}`,
  })

  test('gets an answer with its sources', async () => {
    const result = await generateText({ model: provider()(model), prompt: 'Why do bees hum?', tools: tools() })
    expect(result.text).toBe('It is 🙂 so.')
    expect(result.sources).toContainEqual(expect.objectContaining({ sourceType: 'url', url: page, title: 'Page 2' }))
    expect(result.toolCalls).toMatchObject([{ toolName: 'web_search', input: { query: 'what was asked' } }])
    expect(result.toolResults[0]?.output).toHaveLength(3)
    expect(result.finishReason).toBe('stop')
    expect(executor.calls.at(-1)?.request.filters.includeDomains).toEqual(['a.com'])
  })

  test.each(['webSearch_20260209', 'webSearch_20260318'] as const)(
    'gets an answer with the tool %s',
    async (version) => {
      const newer = { web_search: provider().tools[version]({}) }
      const { text } = await generateText({ model: provider()(model), prompt: 'Why do bees hum?', tools: newer })
      expect(text).toBe('It is 🙂 so.')
    },
  )

  test('gets a stream with its sources', async () => {
    const result = streamText({ model: provider()(model), prompt: 'Why do bees hum?', tools: tools() })
    let text = ''
    for await (const piece of result.textStream) text += piece
    expect(text).toBe('It is 🙂 so.')
    expect((await result.sources).map((source) => (source.sourceType === 'url' ? source.url : ''))).toContain(page)
    expect(await result.usage).toMatchObject({ inputTokens: 100, outputTokens: 20 })
  })

  test.each(['whole', 'streamed'])('runs a tool of its own and gets a %s answer', async (how) => {
    const options = {
      model: provider()(model),
      prompt: 'How is the weather?',
      tools: { weather },
      stopWhen: isStepCount(2),
    }
    const text = how === 'whole' ? (await generateText(options)).text : await streamText(options).text
    expect(text).toBe('It is sunny.')
    expect(executor.calls.at(-1)?.request.continuation?.at(-1)?.text).toBe('Sun in Ulm')
  })

  test('can send the results of an earlier search back', async () => {
    const first = await generateText({ model: provider()(model), prompt: 'Why do bees hum?', tools: tools() })
    const messages = [
      { role: 'user' as const, content: 'Why do bees hum?' },
      ...first.response.messages,
      { role: 'user' as const, content: 'And wasps?' },
    ]
    const { text } = await generateText({ model: provider()(model), messages, tools: tools() })
    expect(text).toBe('It is 🙂 so.')
    expect(executor.calls.at(-1)?.request.history.map(({ role }) => role)).toEqual(['user', 'assistant'])
  })

  test('throws errors with status and message', async () => {
    const failing = generateText({ model: provider()('gemini-embedding-001'), prompt: 'bees', maxRetries: 0 })
    expect(await failing.catch((error) => error)).toMatchObject({
      statusCode: 404,
      message: expect.stringContaining("The model 'gemini-embedding-001' does not exist."),
    })
  })
})
