import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createAnthropic } from '@ai-sdk/anthropic'
import Anthropic from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import { createGateway } from '@csp/gateway/gateway'
import { ChatAnthropic } from '@langchain/anthropic'
import { type AIMessageChunk, HumanMessage } from '@langchain/core/messages'
import { tool as langChainTool } from '@langchain/core/tools'
import { generateText, isStepCount, jsonSchema, streamText, tool } from 'ai'
import { z } from 'zod'
import {
  type Seen,
  type ShapedServer,
  serveShape,
  shapes,
  type Turn,
} from '../../../../packages/gateway/test/support/any-shape.ts'
import { createApp } from '../../../../src/app.ts'
import { fakeExecutor } from '../../../support/fake-executor.ts'
import { fakePageReader } from '../../../support/fake-page-reader.ts'

// The clients that speak the Messages API, unmodified, on a model of another provider: in each shape.

const page = 'https://a.example/seals'

/** Calls the tool that was given on a fresh turn, and says what it brought. */
function play({ said, result, tools }: Seen): Turn {
  if (result !== undefined) return { thought: 'I know now.', text: `It says: ${result.slice(0, 300)} [1].` }
  const call = (name: string, input: object) => [{ id: `call_${said.length}`, name, json: JSON.stringify(input) }]
  if (tools.includes('weather'))
    return { thought: 'I look.', text: 'Let me see.', calls: call('weather', { city: 'Ulm' }) }
  if (tools.includes('web_search')) return { calls: call('web_search', { query: 'seals' }) }
  if (tools.includes('web_fetch')) return { calls: call('web_fetch', { url: page }) }
  return { text: 'Hello from afar.' }
}

describe.each(shapes)('On a model in the shape %s', (shape) => {
  let server: ShapedServer
  let csp: { readonly url: string; readonly stop: () => Promise<void> }
  beforeAll(() => {
    server = serveShape(shape, play)
    const executor = fakeExecutor(async function* ({ query }) {
      const row = { title: 'Seals', url: page, snippet: 'Seals bark.', source: 'fake' }
      yield { type: 'search-start', id: 's', query }
      yield { type: 'search-results', id: 's', results: [row] }
      yield { type: 'done', reason: 'stop', model: 'm', usage: { searches: 1, inputTokens: 0, outputTokens: 0 } }
    })
    const upstream = { name: shape, isAnthropic: false, patterns: [['*sonnet*', 'their-model']] as const }
    const gateway = createGateway({ upstreams: [{ ...server.upstream, ...upstream }] })
    const pages = fakePageReader({ [page]: { content: 'All about seals.', title: 'Seals' } })
    const app = createApp({ executor, gateway, pages, version: '0' })
    const listening = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => app.fetch(request) })
    csp = { url: `http://127.0.0.1:${listening.port}`, stop: () => listening.stop(true) }
  })
  afterAll(() => Promise.all([csp?.stop(), server?.stop()]))

  const model = 'claude-sonnet-5'
  const anthropic = () => new Anthropic({ apiKey: 'local', baseURL: csp.url, maxRetries: 0 })
  const ask = (content: string) => ({ model, max_tokens: 2000, messages: [{ role: 'user' as const, content }] })

  describe('@anthropic-ai/sdk', () => {
    test('gets an answer, whole and streamed, and the model behind the name was asked', async () => {
      const whole = await anthropic().messages.create(ask('hello'))
      const streamed = await anthropic().messages.stream(ask('hello')).finalMessage()
      for (const message of [whole, streamed]) {
        expect(message).toMatchObject({ model, stop_reason: 'end_turn' })
        expect(message.content.at(-1)).toMatchObject({ type: 'text', text: 'Hello from afar.' })
        expect(message.usage).toMatchObject({ input_tokens: 12, cache_read_input_tokens: 8, output_tokens: 5 })
      }
      expect(server.models().slice(-2)).toEqual(['their-model', 'their-model'])
    })

    test.each([true, false])('toolRunner runs a tool and gives the answer back, streamed: %p', async (stream) => {
      const weather = betaTool({
        name: 'weather',
        description: 'The weather.',
        inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        run: ({ city }) => `Sun in ${city}`,
      })
      const thinking = { type: 'enabled' as const, budget_tokens: 1024 }
      const runner = anthropic().beta.messages.toolRunner({ ...ask('weather?'), thinking, tools: [weather], stream })
      const { content } = await runner.runUntilDone()
      expect(content).toMatchObject([
        { type: 'thinking', thinking: 'I know now.' },
        { type: 'text', text: 'It says: Sun in Ulm [1].' },
      ])
    })

    test.each([
      ['web_search', { type: 'web_search_20250305', name: 'web_search' }, 'Seals bark.'],
      ['web_fetch', { type: 'web_fetch_20250910', name: 'web_fetch' }, 'All about seals.'],
    ] as const)('has %s, which the model does not have itself', async (name, serverTool, expected) => {
      const request = { ...ask(`Read ${page}`), tools: [serverTool] }
      const whole = await anthropic().beta.messages.create(request)
      const streamed = await anthropic().beta.messages.stream(request).finalMessage()
      for (const { content } of [whole, streamed]) {
        const types = content.map(({ type }) => type).filter((type) => type !== 'thinking')
        expect(types.slice(0, 3)).toEqual(['server_tool_use', `${name}_tool_result`, 'text'])
        const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('')
        expect(text).toContain(expected)
      }
    })

    test('counts tokens, and says where that is an estimate', async () => {
      const { data, response } = await anthropic()
        .messages.countTokens({ model, messages: ask('hello').messages })
        .withResponse()
      expect(data.input_tokens).toBeGreaterThan(0)
      const isEstimated = response.headers.get('x-csp-estimated') !== null
      expect(isEstimated).toBe(shape !== 'responses')
    })
  })

  describe('@ai-sdk/anthropic', () => {
    const provider = () => createAnthropic({ apiKey: 'local', baseURL: `${csp.url}/v1` })(model)
    const weather = tool({
      inputSchema: jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } } }),
      execute: ({ city }) => `Sun in ${city}`,
    })

    test('gets an answer, whole and streamed', async () => {
      const { text, usage } = await generateText({ model: provider(), prompt: 'hello' })
      expect(text).toBe('Hello from afar.')
      expect(usage).toMatchObject({ inputTokens: 20, outputTokens: 5 })
      expect(await streamText({ model: provider(), prompt: 'hello' }).text).toBe('Hello from afar.')
    })

    test('runs a tool of its own, whole and streamed', async () => {
      const options = { model: provider(), prompt: 'weather?', tools: { weather }, stopWhen: isStepCount(2) }
      expect((await generateText(options)).text).toBe('It says: Sun in Ulm [1].')
      expect(await streamText(options).text).toBe('It says: Sun in Ulm [1].')
    })
  })

  describe('@langchain/anthropic', () => {
    const chat = () => new ChatAnthropic({ model, apiKey: 'local', anthropicApiUrl: csp.url, maxRetries: 0 })
    const weather = langChainTool(({ city }) => `Sun in ${city}`, {
      name: 'weather',
      description: 'The weather.',
      schema: z.object({ city: z.string() }),
    })

    test('gets an answer, whole and streamed', async () => {
      const { text, usage_metadata } = await chat().invoke('hello')
      expect(text).toBe('Hello from afar.')
      expect(usage_metadata).toMatchObject({ input_tokens: 20, output_tokens: 5 })
      expect((await joined(await chat().stream('hello'))).text).toBe('Hello from afar.')
    })

    test.each(['whole', 'streamed'])('runs a tool of its own: %s', async (how) => {
      const bound = chat().bindTools([weather])
      const question = new HumanMessage('weather?')
      const asking = how === 'whole' ? await bound.invoke([question]) : await joined(await bound.stream([question]))
      const [call] = asking.tool_calls ?? []
      if (!call) throw new Error('No call.')
      expect([call.name, call.args]).toEqual(['weather', { city: 'Ulm' }])
      const { text } = await bound.invoke([question, asking, await weather.invoke(call)])
      expect(text).toBe('It says: Sun in Ulm [1].')
    })
  })
})

/** A stream's chunks as one, put together as LangChain does it. */
async function joined(chunks: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk> {
  let whole: AIMessageChunk | undefined
  for await (const chunk of chunks) whole = whole?.concat(chunk) ?? chunk
  if (!whole) throw new Error('No chunks.')
  return whole
}
