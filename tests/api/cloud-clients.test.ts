import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createGateway } from '@csp/gateway/gateway'
import { GoogleGenAI } from '@google/genai'
import OpenAI, { AzureOpenAI } from 'openai'
import { serveShape } from '../../packages/gateway/test/support/any-shape.ts'
import { createApp } from '../../src/app.ts'
import { answered, type ScriptedExecutor, scriptedExecutor } from '../support/scripted-executor.ts'
import { testApp } from './test-app.ts'

// The libraries made for Azure and Vertex AI, unmodified, and the requests of @anthropic-ai/vertex-sdk 1.1.3 as it sends
// them.

const executor: ScriptedExecutor = scriptedExecutor(answered)
const messages = [{ role: 'user' as const, content: 'Why do bees hum?' }]
let server: ReturnType<typeof Bun.serve>
let origin: string

beforeAll(() => {
  const app = createApp({ executor, version: '1', keys: ['local'] })
  server = Bun.serve({ hostname: '127.0.0.1', port: 0, development: false, fetch: app.fetch })
  origin = `http://127.0.0.1:${server.port}`
})
afterAll(() => server.stop(true))

describe('AzureOpenAI', () => {
  const client = (options: { apiKey?: string; deployment?: string } = {}) =>
    new AzureOpenAI({ endpoint: origin, apiKey: 'local', apiVersion: '2025-04-01-preview', maxRetries: 0, ...options })

  test('gets an answer by its deployment, whole and streamed', async () => {
    const reply = await client().chat.completions.create({ model: 'sonar-pro', messages })
    expect(reply).toMatchObject({ model: 'sonar-pro', choices: [{ message: { content: 'It is 🙂 so [2].' } }] })
    expect(executor.requests.at(-1)?.effort).toBe('standard')
    const stream = client({ deployment: 'sonar' }).chat.completions.stream({ model: 'any', messages })
    expect((await stream.finalChatCompletion()).choices[0]?.message.content).toBe('It is 🙂 so [2].')
    expect(executor.requests.at(-1)?.effort).toBe('fast')
  })

  test('gets Responses and models', async () => {
    const reply = await client().responses.create({ model: 'sonar', input: 'Why do bees hum?' })
    expect(reply.output_text).toContain('It is 🙂 so')
    const { data } = await client().models.list()
    expect(data.map(({ id }) => id)).toContain('sonar')
  })

  test('throws the right class for each error', async () => {
    const failing = (model: string, apiKey?: string) =>
      client({ ...(apiKey && { apiKey }) })
        .chat.completions.create({ model, messages })
        .catch((error) => error)
    expect(await failing('gemini-embedding-001')).toMatchObject({
      status: 404,
      code: 'model_not_found',
      param: 'model',
    })
    expect(await failing('sonar', 'wrong')).toBeInstanceOf(OpenAI.AuthenticationError)
    const before = executor.calls.length
    const other = await client()
      .embeddings.create({ model: 'sonar', input: 'bees' })
      .catch((error) => error)
    expect(other).toBeInstanceOf(OpenAI.NotFoundError)
    expect(executor.calls.length).toBe(before)
  })

  test('is openai itself at the newer API of Azure', async () => {
    const plain = new OpenAI({ apiKey: 'local', baseURL: `${origin}/openai/v1` })
    const reply = await plain.chat.completions.create({ model: 'sonar', messages })
    expect(reply.choices[0]?.message.content).toBe('It is 🙂 so [2].')
    expect((await plain.responses.create({ model: 'sonar', input: 'bees' })).output_text).toContain('It is 🙂 so')
  })
})

describe('@google/genai on Vertex AI', () => {
  const ask = { model: 'gemini-flash-latest', contents: 'Why do bees hum?', config: { tools: [{ googleSearch: {} }] } }
  const headers = { authorization: 'Bearer local' }
  const authClient = { getRequestHeaders: async () => new Headers(headers) }
  const clients: readonly (readonly [string, () => GoogleGenAI])[] = [
    ['an API key', () => new GoogleGenAI({ vertexai: true, apiKey: 'local', httpOptions: { baseUrl: origin } })],
    [
      'a project and version 1',
      () => {
        const httpOptions = { baseUrl: origin, apiVersion: 'v1' }
        // biome-ignore lint/suspicious/noExplicitAny: a client that fetches tokens, without Google's server for them
        const googleAuthOptions = { authClient: authClient as any }
        return new GoogleGenAI({ vertexai: true, project: 'p', location: 'global', httpOptions, googleAuthOptions })
      },
    ],
  ]

  test.each(clients)('gets answers with their sources, whole and streamed, with %s', async (_, client) => {
    const { models } = client()
    const reply = await models.generateContent(ask)
    expect(reply.text).toBe('It is 🙂 so.')
    expect(reply.candidates?.[0]?.groundingMetadata?.groundingChunks).toHaveLength(1)
    let text = ''
    for await (const chunk of await models.generateContentStream(ask)) text += chunk.text ?? ''
    expect(text).toBe('It is 🙂 so.')
    expect((await models.countTokens(ask)).totalTokens).toBeGreaterThan(0)
    expect(
      await models.generateContent({ ...ask, model: 'gemini-embedding-001' }).catch((error) => error),
    ).toMatchObject({
      status: 404,
    })
  })
})

describe('a client of Anthropic’s on Vertex AI', () => {
  const place = '/v1/projects/p/locations/us-east5/publishers/anthropic/models'
  const tools = [{ type: 'web_search_20250305', name: 'web_search' }]
  const body = { anthropic_version: 'vertex-2023-10-16', max_tokens: 100, messages, tools }

  test('gets a message with its sources, whole and streamed, with a date in the name of the model', async () => {
    const { post, request, executor: own } = testApp(scriptedExecutor(answered))
    const { status, body: reply, headers } = await post(`${place}/claude-sonnet-4-5@20250929:rawPredict`, body)
    expect([status, reply.type, reply.model]).toEqual([200, 'message', 'claude-sonnet-4-5-20250929'])
    expect([headers.get('request-id'), headers.get('x-csp-ignored')]).toEqual(['id-1', 'max_tokens'])
    expect(own.requests).toMatchObject([{ want: 'answer', model: 'claude-sonnet-4-5-20250929' }])
    const sent = { method: 'POST', body: JSON.stringify({ ...body, stream: true }) }
    const stream = await request(`${place}/claude-opus-4-6@default:streamRawPredict`, sent)
    const text = await stream.text()
    expect(stream.headers.get('content-type')).toContain('text/event-stream')
    expect(text).toContain('"model":"claude-opus-4-6"')
    expect(text).toContain('event: message_stop')
  })

  test('counts tokens', async () => {
    const counted = await testApp().post(`${place}/count-tokens:rawPredict`, {
      model: 'claude-sonnet-4-5@20250929',
      messages,
    })
    expect(counted.body.input_tokens).toBeGreaterThan(0)
  })

  test.each([
    ['sonnet:predict', body, 404, 'not_found_error', /rawPredict and streamRawPredict are supported/],
    ['sonnet', body, 404, 'not_found_error', /rawPredict and streamRawPredict are supported/],
    ['gemini-embedding-001:rawPredict', body, 404, 'not_found_error', /embedding/],
    ['sonnet:rawPredict', '[', 400, 'invalid_request_error', /not valid JSON/],
    ['sonnet:rawPredict', { ...body, messages: [] }, 400, 'invalid_request_error', /messages/],
    ['count-tokens:rawPredict', { messages }, 400, 'invalid_request_error', /model/],
  ])('gets an error in its own shape for %s with %j', async (call, sent, status, type, message) => {
    const { request, executor: own } = testApp()
    const text = typeof sent === 'string' ? sent : JSON.stringify(sent)
    const reply = await request(`${place}/${call}`, { method: 'POST', body: text })
    const { error } = await reply.json()
    expect([reply.status, error.type, error.message]).toEqual([status, type, expect.stringMatching(message)])
    expect(own.calls).toHaveLength(0)
  })

  test.each(['native', 'compatible'] as const)('reaches the gateway’s upstream in the shape %s', async (shape) => {
    await using upstream = disposable(serveShape(shape, ({ said }) => ({ text: `Hello to ${said.length}.` })))
    const isAnthropic = shape === 'native'
    const patterns = [['*sonnet-4-5-20250929', 'their-model']] as const
    const gateway = createGateway({ upstreams: [{ ...upstream.upstream, name: shape, isAnthropic, patterns }] })
    const { post, request } = testApp(undefined, { gateway })
    const path = `${place}/claude-sonnet-4-5@20250929`
    const sent = { anthropic_version: 'vertex-2023-10-16', max_tokens: 100, messages }
    expect((await post(`${path}:rawPredict`, sent)).body).toMatchObject({ type: 'message', role: 'assistant' })
    const stream = await request(`${path}:streamRawPredict`, { method: 'POST', body: JSON.stringify(sent) })
    expect(await stream.text()).toContain('event: message_stop')
    expect(upstream.models()).toEqual(['their-model', 'their-model'])
  })
})

function disposable<Server extends { readonly stop: () => Promise<void> | void }>(one: Server) {
  return Object.assign(one, { [Symbol.asyncDispose]: async () => one.stop() })
}
