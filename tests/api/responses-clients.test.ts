import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { createOpenAI } from '@ai-sdk/openai'
import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from '@openai/agents'
import { generateText, type ModelMessage, streamText } from 'ai'
import OpenAI from 'openai'
import { zodTextFormat } from 'openai/helpers/zod'
import { z } from 'zod'
import { createApp } from '../../src/app.ts'
import type { SearchEvent } from '../../src/domain/search.ts'
import { answered, pages, type ScriptedExecutor, scriptedExecutor } from '../support/scripted-executor.ts'

// OpenAI's clients at `/v1/responses` with the first model of `/v1/models`, which is one of Perplexity's.

const usage = { searches: 1, inputTokens: 100, outputTokens: 20 }
const searched: readonly SearchEvent[] = [
  { type: 'search-start', id: 's1', query: 'what was asked' },
  { type: 'search-results', id: 's1', results: pages(3) },
]
const done: SearchEvent = { type: 'done', reason: 'stop', usage, model: 'claude-x' }
const factText: SearchEvent = { type: 'text-delta', text: '{"legs":6}' }
const call: readonly SearchEvent[] = [
  { type: 'tool-call-start', id: 'toolu_1', name: 'weather' },
  { type: 'tool-call-delta', id: 'toolu_1', arguments: '{"city":"Ulm"}' },
  { type: 'done', reason: 'tool-calls', usage, model: 'claude-x' },
]

/** What is asked decides what happens, so that one server serves every test. */
const executor: ScriptedExecutor = scriptedExecutor(({ schema, tools, continuation }) => {
  if (schema) return [...searched, factText, done]
  if (tools && !continuation) return [...searched, ...call]
  return answered
})

let server: ReturnType<typeof Bun.serve>
let baseURL: string

beforeAll(() => {
  setTracingDisabled(true)
  const app = createApp({ executor, version: '1', keys: ['local'] })
  server = Bun.serve({ hostname: '127.0.0.1', port: 0, development: false, fetch: app.fetch })
  baseURL = `http://127.0.0.1:${server.port}/v1`
})

afterAll(() => server.stop(true))

const model = 'sonar'
const page = 'https://site2.example/docs/page'
const text = 'It is 🙂 so [2].'
const Fact = z.object({ legs: z.number() })
let before = 0

beforeEach(() => {
  before = executor.calls.length
})

/** Each test ends with this: a Sonar model searches without being given the tool. */
function expectSearches(count: number): void {
  expect(executor.requests.slice(before).map(({ want }) => want)).toEqual(Array(count).fill('answer'))
}

describe('the openai client with the model sonar', () => {
  const client = () => new OpenAI({ apiKey: 'local', baseURL })

  test('reads a whole response with its citations', async () => {
    const response = await client().responses.create({ model, input: 'Why do bees hum?' })
    expect(response.output_text).toBe(text)
    expect(response.output.map(({ type }) => type)).toEqual(['web_search_call', 'message'])
    expectSearches(1)
  })

  test('builds the response of a stream with its own helper', async () => {
    const response = await client().responses.stream({ model, input: 'Why do bees hum?' }).finalResponse()
    expect(response.output_text).toBe(text)
    expectSearches(1)
  })

  test('parses an object, whole and streamed', async () => {
    const ask = { model, input: 'How many legs has a bee?', text: { format: zodTextFormat(Fact, 'fact') } }
    expect((await client().responses.parse(ask)).output_parsed).toEqual({ legs: 6 })
    expect((await client().responses.stream(ask).finalResponse()).output_parsed).toEqual({ legs: 6 })
    expectSearches(2)
  })
})

describe('the AI SDK’s OpenAI provider with the model sonar', () => {
  const provider = () => createOpenAI({ apiKey: 'local', baseURL })(model)

  test('reads text and sources, whole and streamed', async () => {
    const whole = await generateText({ model: provider(), prompt: 'Why do bees hum?' })
    expect(whole.text).toBe(text)
    expect(whole.sources).toMatchObject([{ sourceType: 'url', url: page }])
    const stream = streamText({ model: provider(), prompt: 'Why do bees hum?' })
    expect(await stream.text).toBe(text)
    expect(await stream.sources).toMatchObject([{ sourceType: 'url', url: page }])
    expectSearches(2)
  })
})

describe('the AI SDK’s OpenAI provider over several turns, with its default options', () => {
  test('keeps the conversation, though it sends references to what was said', async () => {
    const openai = createOpenAI({ apiKey: 'local', baseURL })(model)
    const messages: ModelMessage[] = [{ role: 'user', content: 'Why do bees hum?' }]
    for (const isStreamed of [false, true]) {
      const first = isStreamed
        ? streamText({ model: openai, messages })
        : await generateText({ model: openai, messages })
      const said = (await first.response).messages
      const history = [...messages, ...said, { role: 'user', content: 'And wasps?' } as const]
      expect((await generateText({ model: openai, messages: history })).text).toBe(text)
      expect(executor.requests.at(-1)).toMatchObject({
        query: 'And wasps?',
        history: [
          { role: 'user', text: 'Why do bees hum?' },
          { role: 'assistant', text },
        ],
      })
    }
  })
})

describe('@openai/agents with the model sonar', () => {
  const runner = () => new Runner({ modelProvider: new OpenAIProvider({ apiKey: 'local', baseURL }) })

  test('runs an agent, whole and streamed', async () => {
    const agent = new Agent({ name: 'Keeper', instructions: 'Know bees.', model })
    expect((await runner().run(agent, 'Why do bees hum?')).finalOutput).toBe(text)
    const stream = await runner().run(agent, 'Why do bees hum?', { stream: true })
    await stream.completed
    expect(stream.finalOutput).toBe(text)
    expectSearches(2)
    expect(executor.requests.at(-1)?.instructions).toBe('Know bees.')
  })

  test('runs a tool of the agent and sends its result', async () => {
    const weather = tool({
      name: 'weather',
      description: 'The weather of a city.',
      parameters: z.object({ city: z.string() }),
      execute: async ({ city }) => `Sunny in ${city}.`,
    })
    const agent = new Agent({ name: 'Keeper', model, tools: [weather] })
    expect((await runner().run(agent, 'How is the weather in Ulm?')).finalOutput).toBe(text)
    expect(executor.requests.at(-1)?.continuation?.at(-1)).toMatchObject({ role: 'tool', text: 'Sunny in Ulm.' })
    expectSearches(2)
  })
})
