import { describe, expect, test } from 'bun:test'
import { type AIMessageChunk, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { ChatGoogleGenerativeAI } from '@langchain/google-genai'
import { ChatOpenAI } from '@langchain/openai'
import { z } from 'zod'
import { expectTrueSources } from '../../support/true-sources.ts'
import { csp, standIn } from './csp.ts'

// LangChain's chats of OpenAI and Google, unmodified, against csp as `npm start` runs it.

function chat(model: string, more: object = {}): ChatOpenAI {
  return new ChatOpenAI({ model, apiKey: 'local', configuration: { baseURL: `${csp.url}/v1` }, maxRetries: 0, ...more })
}

/** A stream's chunks as one, put together as LangChain does it. */
async function joined(chunks: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk> {
  let whole: AIMessageChunk | undefined
  for await (const chunk of chunks) whole = whole?.concat(chunk) ?? chunk
  if (!whole) throw new Error('No chunks.')
  return whole
}

const weather = tool(({ place }) => `It is 23 degrees in ${place}.`, {
  name: 'get_weather',
  description: 'The weather of a place.',
  schema: z.object({ place: z.string() }),
})

describe('@langchain/openai', () => {
  test('invoke gets a whole answer', async () => {
    const { text, usage_metadata } = await chat('sonnet').invoke('Why do bees hum?')
    expect(text).toContain('Sandbox answer')
    expect(usage_metadata).toMatchObject({ total_tokens: expect.any(Number) })
  })

  test('stream gets an answer in pieces', async () => {
    const { text, usage_metadata } = await joined(await chat('sonar-pro').stream('Where do bees sleep?'))
    expect(text).toContain('Sandbox answer')
    expect(usage_metadata).toMatchObject({ total_tokens: expect.any(Number) })
  })

  test.each(['invoke', 'stream'])('bindTools gets a tool call with %s', async (way) => {
    standIn.sandbox.configure({ scenario: 'use-tool' })
    const model = chat('sonnet').bindTools([weather])
    const question = new HumanMessage('How warm is it in Bern?')
    const asking = way === 'invoke' ? await model.invoke([question]) : await joined(await model.stream([question]))
    const [call] = asking.tool_calls ?? []
    if (!call) throw new Error('No call.')
    expect([call.name, call.args]).toEqual(['get_weather', { place: expect.any(String) }])
    const result = await weather.invoke(call)
    expect(result).toBeInstanceOf(ToolMessage)
    const { text } = await model.invoke([question, asking, result])
    expect(text).toContain('Sandbox answer')
    expect(JSON.stringify(standIn.sandbox.requests().at(-1)?.body)).toContain('It is 23 degrees')
  })

  test.each(['jsonSchema', 'functionCalling'] as const)('withStructuredOutput gets an object by %s', async (method) => {
    standIn.sandbox.configure({ scenario: method === 'functionCalling' ? 'use-tool' : 'ok' })
    const fact = z.object({ claim: z.string(), certain: z.boolean() })
    const reply = await chat('sonnet').withStructuredOutput(fact, { method }).invoke('A fact about bees.')
    expect(reply).toEqual({ claim: expect.any(String), certain: expect.any(Boolean) })
  })

  test('gets an answer with web search from the Responses API', async () => {
    const model = chat('sonnet', { useResponsesApi: true }).bindTools([{ type: 'web_search' }])
    const reply = await model.invoke('Why do bees dance?')
    expect(reply.text).toContain('Sandbox answer')
    expect((await joined(await model.stream('Why do wasps dance?'))).text).toContain('Sandbox answer')
  })
})

describe('@langchain/google-genai', () => {
  const chat = () =>
    new ChatGoogleGenerativeAI({ model: 'gemini-flash-latest', apiKey: 'local', baseUrl: csp.url, maxRetries: 0 })

  test('gets an answer by Google Search, whole and in pieces, with its sources', async () => {
    const model = chat().bindTools([{ googleSearch: {} }])
    const whole = await model.invoke('Why do bees buzz?')
    const pieces = await joined(await model.stream('Who hears bees buzz?'))
    for (const reply of [whole, pieces]) {
      expect(reply.text).toContain('Sandbox answer')
      const found = [...JSON.stringify(reply).matchAll(/"uri":"([^"]+)"/g)].map(([, url = '']) => url)
      expectTrueSources(found)
    }
  })

  test('gets a tool call, and the answer from what the tool gave', async () => {
    standIn.sandbox.configure({ scenario: 'use-tool' })
    const model = chat().bindTools([weather])
    const question = new HumanMessage('How warm is it in Bern?')
    const asking = await model.invoke([question])
    const [call] = asking.tool_calls ?? []
    if (!call) throw new Error('No call.')
    expect([call.name, call.args]).toEqual(['get_weather', { place: expect.any(String) }])
    const { text } = await model.invoke([question, asking, await weather.invoke(call)])
    expect(text).toContain('Sandbox answer')
    expect(JSON.stringify(standIn.sandbox.requests().at(-1)?.body)).toContain('It is 23 degrees')
  })
})
