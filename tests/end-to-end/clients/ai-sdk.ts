import { describe, expect, test } from 'bun:test'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createPerplexity } from '@ai-sdk/perplexity'
import { generateText, isStepCount, jsonSchema, type LanguageModel, Output, streamText, tool } from 'ai'
import { z } from 'zod'
import { expectTrueSources } from '../../support/true-sources.ts'
import { csp, standIn } from './csp.ts'

// The AI SDK with its Perplexity, OpenAI and Google providers, unmodified, against csp as `npm start` runs it.

const perplexity = () => createPerplexity({ apiKey: 'local', baseURL: csp.url })
const google = () => createGoogle({ apiKey: 'local', baseURL: `${csp.url}/v1beta` })
const openai = () => createOpenAI({ apiKey: 'local', baseURL: `${csp.url}/v1` })

interface Sourced {
  readonly sourceType: string
  readonly url?: string | undefined
}

function urlsOf(sources: readonly Sourced[]): readonly string[] {
  return sources.flatMap(({ url }) => url ?? [])
}

/** A tool that runs here, and says what it was asked. */
function weather(asked: unknown[]) {
  return tool({
    description: 'The weather of a place.',
    inputSchema: jsonSchema<{ place: string }>({
      type: 'object',
      properties: { place: { type: 'string' } },
      required: ['place'],
    }),
    execute: (input) => {
      asked.push(input)
      return 'It is 23 degrees.'
    },
  })
}

/** Runs a tool in a loop: one step asks for it, the next answers from what it gave. */
async function expectToolLoop(model: LanguageModel): Promise<void> {
  const asked: unknown[] = []
  const { text, steps } = await generateText({
    model,
    tools: { get_weather: weather(asked) },
    stopWhen: isStepCount(3),
    prompt: 'What is the weather in Bern?',
  })
  expect(asked).toEqual([{ place: 'Bern' }])
  expect(steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop'])
  expect(text).toMatch(/the tool gave “It is 23 degrees\.”/i)
  expect(JSON.stringify(standIn.sandbox.requests().at(-1)?.body)).toContain('It is 23 degrees.')
}

const question = 'Why do bees hum?'
const fact = Output.object({ schema: z.object({ claim: z.string() }) })

describe('@ai-sdk/perplexity', () => {
  test('gets an answer and its sources', async () => {
    const { text, sources, usage } = await generateText({ model: perplexity()('sonar-pro'), prompt: question })
    expect(text).toContain('Sandbox answer')
    expectTrueSources(urlsOf(sources))
    expect(usage.totalTokens).toBeGreaterThan(0)
  })

  test('gets a stream and its sources', async () => {
    const result = streamText({ model: perplexity()('sonar'), prompt: 'What do bees eat?' })
    let text = ''
    for await (const piece of result.textStream) text += piece
    expect(text).toContain('Sandbox answer')
    expectTrueSources(urlsOf(await result.sources))
    expect(await result.finishReason).toBe('stop')
  })

  test('gets an object of the given schema', async () => {
    const { output } = await generateText({ model: perplexity()('sonar-pro'), prompt: question, output: fact })
    expect(output).toEqual({ claim: expect.any(String) })
  })

  test('throws an error with our message', async () => {
    const failing = generateText({ model: perplexity()('sonar'), prompt: '   ', maxRetries: 0 })
    const error = await failing.catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ statusCode: 400, isRetryable: false })
    expect(String(error)).toContain('messages')
  })
})

describe('@ai-sdk/openai, responses', () => {
  test('gets an answer by its web search, and its sources', async () => {
    const { text, sources } = await generateText({
      model: openai()('sonnet'),
      prompt: question,
      tools: { web_search: openai().tools.webSearch({ filters: { allowedDomains: [] } }) },
    })
    expect(text).toContain('Sandbox answer')
    expectTrueSources(urlsOf(sources))
  })

  test('gets a stream by its web search, and its sources', async () => {
    const result = streamText({
      model: openai()('sonnet'),
      prompt: 'Where do bees sleep?',
      tools: { web_search: openai().tools.webSearch() },
    })
    const kinds = new Set<string>()
    for await (const { type } of result.fullStream) kinds.add(type)
    expect([...kinds]).not.toContain('error')
    expect(await result.text).toContain('Sandbox answer')
    expectTrueSources(urlsOf(await result.sources))
  })

  test('runs a tool of the caller and gets the answer', () => expectToolLoop(openai()('sonnet')))

  test('gets an object of the given schema', async () => {
    const { output } = await generateText({ model: openai()('sonnet'), prompt: question, output: fact })
    expect(output).toEqual({ claim: expect.any(String) })
  })

  test('sends a second turn with the first', async () => {
    const model = openai()('sonnet')
    const first = await generateText({ model, prompt: 'Do bees sleep?', providerOptions: { openai: { store: false } } })
    const { text } = await generateText({
      model,
      providerOptions: { openai: { store: false } },
      messages: [
        { role: 'user', content: 'Do bees sleep?' },
        ...first.responseMessages,
        { role: 'user', content: 'And wasps?' },
      ],
    })
    expect(text).toContain('Sandbox answer')
  })
})

describe('@ai-sdk/openai, chat', () => {
  test('gets an answer and its sources', async () => {
    const { text, sources } = await generateText({ model: openai().chat('sonnet'), prompt: 'Why do bees dance?' })
    expect(text).toContain('Sandbox answer')
    expectTrueSources(urlsOf(sources))
  })

  test('gets a stream', async () => {
    const result = streamText({ model: openai().chat('sonnet'), prompt: 'Who taught bees to dance?' })
    expect(await result.text).toContain('Sandbox answer')
    expect((await result.usage).totalTokens).toBeGreaterThan(0)
  })

  test('runs a tool of the caller and gets the answer', () => expectToolLoop(openai().chat('sonnet')))
})

describe('@ai-sdk/google', () => {
  const model = () => google()('gemini-flash-latest')

  test('gets an answer by Google Search, and its sources', async () => {
    const { text, sources, usage } = await generateText({
      model: model(),
      prompt: 'Why do bees buzz?',
      tools: { google_search: google().tools.googleSearch({}) },
    })
    expect(text).toContain('Sandbox answer')
    expect(text).not.toMatch(/\[\d\]/)
    expectTrueSources(urlsOf(sources))
    expect(usage.totalTokens).toBeGreaterThan(0)
  })

  test('gets a stream by Google Search, and its sources', async () => {
    const result = streamText({
      model: model(),
      prompt: 'Who hears bees buzz?',
      tools: { google_search: google().tools.googleSearch({}) },
    })
    expect(await result.text).toContain('Sandbox answer')
    expectTrueSources(urlsOf(await result.sources))
  })

  test('runs a tool of the caller and gets the answer', () => expectToolLoop(model()))

  test('gets an object of the given schema', async () => {
    const { output } = await generateText({ model: model(), prompt: question, output: fact })
    expect(output).toEqual({ claim: expect.any(String) })
  })
})
