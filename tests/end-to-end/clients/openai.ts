import { describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod'
import { z } from 'zod'
import { expectTrueSources } from '../../support/true-sources.ts'
import { csp, standIn } from './csp.ts'

// OpenAI's client, unmodified, against csp as `npm start` runs it. Plain chats are in clients.test.ts.

const client = () => new OpenAI({ apiKey: 'local', baseURL: `${csp.url}/v1` })

const parameters = {
  type: 'object',
  properties: { place: { type: 'string' } },
  required: ['place'],
  additionalProperties: false,
}
const weather = { name: 'get_weather', description: 'The weather of a place.', parameters, strict: true }
const clock = { name: 'get_time', parameters }
const chatTool = (tool: OpenAI.FunctionDefinition) => ({ type: 'function', function: tool }) as const
const responseTool = { type: 'function', ...weather } as const

const Fact = z.object({ claim: z.string(), certain: z.boolean() })

/** Everything that the model was told in the last call of a kind. */
function lastPrompt(): string {
  return JSON.stringify(standIn.sandbox.requests().at(-1)?.body)
}

describe('the openai client, with chat completions,', () => {
  test('gets a function call, sends its result and gets an answer from it', async () => {
    const { search } = standIn.sandbox.stats().callsByKind
    standIn.sandbox.configure({ scenario: 'use-tool' })
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'How warm is it in Bern?' }]
    const ask = { model: 'sonnet', tools: [chatTool(weather)], messages }
    const [asked] = (await client().chat.completions.create(ask)).choices
    expect(asked?.finish_reason).toBe('tool_calls')
    const [call] = asked?.message.tool_calls ?? []
    if (!asked || call?.type !== 'function') throw new Error('No call.')
    expect(call.function.name).toBe('get_weather')
    expect(JSON.parse(call.function.arguments)).toEqual({ place: expect.any(String) })

    messages.push(asked.message, { role: 'tool', tool_call_id: call.id, content: 'It is 23 degrees.' })
    const [answer] = (await client().chat.completions.create(ask)).choices
    expect(answer?.finish_reason).toBe('stop')
    expect(answer?.message.content).toContain('Sandbox answer')
    expect(lastPrompt()).toContain('It is 23 degrees.')
    expect(standIn.sandbox.stats().callsByKind.search).toBe(search)
  })

  test('joins two calls of a stream with its own helper', async () => {
    standIn.sandbox.configure({ scenario: 'use-two-tools' })
    const stream = client().chat.completions.stream({
      model: 'sonnet',
      tools: [chatTool(weather), chatTool(clock)],
      messages: [{ role: 'user', content: 'How warm and how late is it in Bern?' }],
      stream_options: { include_usage: true },
    })
    const { choices, usage } = await stream.finalChatCompletion()
    const calls = choices[0]?.message.tool_calls ?? []
    const functions = calls.map((call) => (call.type === 'function' ? call.function : undefined))
    expect(functions.map((called) => called?.name).sort()).toEqual(['get_time', 'get_weather'])
    for (const called of functions) expect(JSON.parse(called?.arguments ?? '')).toEqual({ place: expect.any(String) })
    expect(usage?.total_tokens).toBeGreaterThan(0)
  })

  test('parses an object with its own helper, from a search and without one', async () => {
    for (const more of [{ model: 'sonar-pro' }, { model: 'sonnet', tools: [chatTool(weather)] }]) {
      const { choices } = await client().chat.completions.parse({
        ...more,
        messages: [{ role: 'user', content: 'A fact about bees, please.' }],
        response_format: zodResponseFormat(Fact, 'fact'),
      })
      expect(choices[0]?.message.parsed).toEqual({ claim: expect.any(String), certain: expect.any(Boolean) })
    }
  })

  test('sends a long document in one message', async () => {
    const { choices } = await client().chat.completions.create({
      model: 'sonnet',
      tools: [chatTool(weather)],
      messages: [{ role: 'user', content: `${'Bees hum. '.repeat(15_000)} What hums?` }],
    })
    expect(choices[0]?.message.content).toContain('Sandbox answer')
    expect(lastPrompt().length).toBeGreaterThan(150_000)
  })
})

describe('the openai client, with responses,', () => {
  const ask = {
    model: 'sonnet',
    input: 'Why do bees hum?',
    tools: [{ type: 'web_search' as const }],
    include: ['web_search_call.action.sources' as const],
  }

  function expectSearched({ output, output_text }: OpenAI.Responses.Response): void {
    const [search, message] = output
    if (search?.type !== 'web_search_call' || message?.type !== 'message') throw new Error('Other items.')
    if (search.action.type !== 'search') throw new Error('Another action.')
    expectTrueSources(search.action.sources?.map(({ url }) => url) ?? [])
    const [part] = message.content
    if (part?.type !== 'output_text') throw new Error('No text.')
    expect(output_text).toBe(part.text)
    expect(output_text).toContain('Sandbox answer')
    expect(part.annotations.length).toBeGreaterThan(0)
    for (const annotation of part.annotations) {
      if (annotation.type !== 'url_citation') throw new Error('Another annotation.')
      expectTrueSources([annotation.url])
      expect(part.text.slice(annotation.start_index, annotation.end_index)).toMatch(/^\[\d+\]$/)
    }
  }

  test('gets a whole answer', async () => {
    const reply = await client().responses.create(ask)
    expectSearched(reply)
    expect(reply.status).toBe('completed')
  })

  test('joins a streamed answer with its own helper', async () => {
    const types = new Set<string>()
    const stream = client().responses.stream({ ...ask, input: 'Where do bees sleep?' })
    for await (const { type } of stream) types.add(type)
    expectSearched(await stream.finalResponse())
    for (const type of ['response.created', 'response.web_search_call.searching', 'response.output_text.delta']) {
      expect([...types]).toContain(type)
    }
  })

  test('gets a function call in a stream, sends its result and gets an answer from it', async () => {
    standIn.sandbox.configure({ scenario: 'use-tool' })
    const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'How warm is it in Bern?' }]
    const stream = client().responses.stream({ model: 'sonnet', input, tools: [responseTool] })
    const { output } = await stream.finalResponse()
    const call = output.find(({ type }) => type === 'function_call')
    if (call?.type !== 'function_call') throw new Error('No call.')
    expect(JSON.parse(call.arguments)).toEqual({ place: expect.any(String) })

    input.push(call, { type: 'function_call_output', call_id: call.call_id, output: 'It is 23 degrees.' })
    const { output_text } = await client().responses.create({ model: 'sonnet', input, tools: [responseTool] })
    expect(output_text).toContain('Sandbox answer')
    expect(lastPrompt()).toContain('It is 23 degrees.')
  })

  test('parses an object with its own helper', async () => {
    const { output_parsed } = await client().responses.parse({
      ...ask,
      input: 'A fact about bees, please.',
      text: { format: zodTextFormat(Fact, 'fact') },
    })
    expect(output_parsed).toEqual({ claim: expect.any(String), certain: expect.any(Boolean) })
  })

  test('throws the right class of error for what csp does not store', async () => {
    const failing = client().responses.create({ ...ask, previous_response_id: 'resp_1' })
    expect(await failing.catch((error) => error)).toBeInstanceOf(OpenAI.BadRequestError)
    expect(await failing.catch((error) => error)).toMatchObject({ param: 'previous_response_id' })
  })
})
