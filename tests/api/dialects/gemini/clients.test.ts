import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createGoogle } from '@ai-sdk/google'
import { ApiError, FunctionCallingConfigMode, GoogleGenAI, Type } from '@google/genai'
import { type AIMessageChunk, HumanMessage } from '@langchain/core/messages'
import { ChatGoogleGenerativeAI } from '@langchain/google-genai'
import { streamText } from 'ai'
import { createApp } from '../../../../src/app.ts'
import { SearchError } from '../../../../src/domain/error.ts'
import type { SearchEvent } from '../../../../src/domain/search.ts'
import {
  answered,
  type ScriptedExecutor,
  type Step,
  scriptedExecutor,
  untilAborted,
} from '../../../support/scripted-executor.ts'

// Google's own library, the AI SDK and LangChain, unmodified. Every reply is slow enough for heartbeats.

const calls: readonly SearchEvent[] = [
  { type: 'tool-call-start', id: 'c1', name: 'look' },
  { type: 'tool-call-delta', id: 'c1', arguments: '{"place":"Bern"}' },
  { type: 'done', reason: 'tool-calls', usage: { searches: 0, inputTokens: 1, outputTokens: 1 }, model: 'x' },
]

const pause = () => Bun.sleep(20)
const executor: ScriptedExecutor = scriptedExecutor(({ query, tools }): readonly Step[] => {
  if (query.includes('signed out')) return [new SearchError('signed-out', 'Sign in first.')]
  if (query.includes('break off')) return [...answered.slice(0, 4), pause, new SearchError('unavailable', 'It broke.')]
  if (query.includes('hang')) return [...answered.slice(0, 4), untilAborted]
  if (tools) return [pause, ...calls]
  return [pause, ...answered.slice(0, 4), pause, ...answered.slice(4)]
})

let server: ReturnType<typeof Bun.serve>
let origin: string

beforeAll(() => {
  const app = createApp({ executor, version: '1', keys: ['local'], commitAfterMs: 1, heartbeatMs: 1 })
  server = Bun.serve({ hostname: '127.0.0.1', port: 0, development: false, fetch: app.fetch })
  origin = `http://127.0.0.1:${server.port}`
})

afterAll(() => server.stop(true))

const whole = 'It is 🙂 so.'
const url = 'https://site2.example/docs/page'

describe('@google/genai', () => {
  const models = (apiKey = 'local') => new GoogleGenAI({ apiKey, httpOptions: { baseUrl: origin } }).models
  const ask = (contents: string) => ({
    model: 'gemini-2.5-flash',
    contents,
    config: { tools: [{ googleSearch: {} }] },
  })

  test('gets an answer with its sources, and the places that they support', async () => {
    const reply = await models().generateContent(ask('Why do bees hum?'))
    expect(reply.text).toBe(whole)
    const { groundingChunks = [], groundingSupports = [] } = reply.candidates?.[0]?.groundingMetadata ?? {}
    expect(groundingChunks.map(({ web }) => web?.uri)).toEqual([url])
    const end = groundingSupports[0]?.segment?.endIndex ?? 0
    expect(new TextDecoder().decode(new TextEncoder().encode(reply.text).slice(0, end))).toBe('It is 🙂 so')
    expect(reply.usageMetadata?.totalTokenCount).toBe(120)
  })

  test('gets a stream, through heartbeats', async () => {
    let text = ''
    let urls: unknown
    for await (const chunk of await models().generateContentStream(ask('Why do bees hum?'))) {
      text += chunk.text ?? ''
      urls = chunk.candidates?.[0]?.groundingMetadata?.groundingChunks?.map(({ web }) => web?.uri)
    }
    expect([text, urls]).toEqual([whole, [url]])
  })

  test('keeps a chat that was streamed, and sends it whole', async () => {
    const chat = new GoogleGenAI({ apiKey: 'local', httpOptions: { baseUrl: origin } }).chats.create({
      model: 'gemini-2.5-flash',
      config: { systemInstruction: 'Be brief.' },
    })
    for await (const _ of await chat.sendMessageStream({ message: 'Do bees sleep?' }));
    await chat.sendMessage({ message: 'And wasps?' })
    expect(executor.requests.at(-1)).toMatchObject({
      instructions: 'Be brief.',
      query: 'And wasps?',
      history: [
        { role: 'user', text: 'Do bees sleep?' },
        { role: 'assistant', text: whole },
      ],
    })
  })

  test('gets the call of a function, and sends what it gave', async () => {
    const parameters = { type: Type.OBJECT, properties: { place: { type: Type.STRING } }, required: ['place'] }
    const tools = [{ functionDeclarations: [{ name: 'look', parameters }] }]
    const toolConfig = { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY } }
    const question = { role: 'user', parts: [{ text: 'How is it?' }] }
    const { functionCalls, candidates } = await models().generateContent({
      model: 'gemini-2.5-flash',
      contents: [question],
      config: { tools, toolConfig },
    })
    expect(functionCalls).toEqual([{ id: 'c1', name: 'look', args: { place: 'Bern' } }])
    const said = candidates?.[0]?.content
    if (!said) throw new Error('Nothing was said.')
    const given = { role: 'user', parts: [{ functionResponse: { name: 'look', response: { output: 'Fine.' } } }] }
    await models().generateContent({ model: 'gemini-2.5-flash', contents: [question, said, given], config: { tools } })
    expect(executor.requests.at(-1)?.continuation?.at(-1)).toEqual({
      role: 'tool',
      text: 'Fine.',
      callId: 'c1',
    })
  })

  test('lists the models, gets one, and counts tokens', async () => {
    const names: unknown[] = []
    for await (const { name } of await models().list()) names.push(name)
    expect(names).toContain('models/gemini-flash-latest')
    expect(await models().get({ model: 'gemini-2.5-pro' })).toMatchObject({ name: 'models/gemini-2.5-pro' })
    const { totalTokens } = await models().countTokens({ model: 'gemini-2.5-flash', contents: 'Why do bees hum?' })
    expect(totalTokens).toBe(5)
  })

  test('throws the status and our words, before a stream and in it', async () => {
    const failing = async (contents: string, key?: string) => {
      for await (const _ of await models(key).generateContentStream(ask(contents)));
    }
    expect(
      await models('wrong')
        .generateContent(ask('bees'))
        .catch((error) => error),
    ).toMatchObject({ status: 401 })
    const broken = await failing('break off').catch((error) => error)
    expect(broken).toBeInstanceOf(ApiError)
    expect(broken).toMatchObject({ status: 503, message: expect.stringContaining('It broke.') })
    const signedOut = await models()
      .generateContent(ask('signed out'))
      .catch((error) => error)
    expect(signedOut.message).toContain('Sign in first.')
  })

  test('ends the search when it leaves a stream', async () => {
    const leave = new AbortController()
    const asked = ask('hang')
    const stream = await models().generateContentStream({
      ...asked,
      config: { ...asked.config, abortSignal: leave.signal },
    })
    await stream.next()
    const { signal } = executor.calls.at(-1)?.context ?? {}
    if (!signal) throw new Error('The search never began.')
    const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    leave.abort()
    await aborted
    expect(signal.aborted).toBe(true)
  })
})

describe('@ai-sdk/google', () => {
  const google = () => createGoogle({ apiKey: 'local', baseURL: `${origin}/v1beta` })
  const stream = (prompt: string) =>
    streamText({
      model: google()('gemini-2.5-flash'),
      prompt,
      tools: { google_search: google().tools.googleSearch({}) },
      maxRetries: 0,
      onError: () => {},
    })

  test('gets a stream with its sources, through heartbeats', async () => {
    const result = stream('Why do bees hum?')
    expect(await result.text).toBe(whole)
    expect(await result.sources).toMatchObject([{ sourceType: 'url', url, title: 'Page 2' }])
    expect(await result.finishReason).toBe('stop')
  })

  test('reports a failure in the middle of a stream', async () => {
    const kinds: string[] = []
    for await (const { type } of stream('break off').fullStream) kinds.push(type)
    expect(kinds).toContain('error')
  })
})

describe('@langchain/google-genai', () => {
  const chat = () =>
    new ChatGoogleGenerativeAI({
      model: 'gemini-2.5-flash',
      apiKey: 'local',
      baseUrl: origin,
      maxRetries: 0,
    }).bindTools([{ googleSearch: {} }])

  async function joined(question: string): Promise<AIMessageChunk | undefined> {
    let message: AIMessageChunk | undefined
    for await (const chunk of await chat().stream([new HumanMessage(question)]))
      message = message?.concat(chunk) ?? chunk
    return message
  }

  test('gets a stream with its sources, through heartbeats', async () => {
    const message = await joined('Why do bees hum?')
    expect(message?.text).toBe(whole)
    expect(JSON.stringify(message)).toContain(url)
  })
})
