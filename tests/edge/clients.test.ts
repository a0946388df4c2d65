import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { GoogleGenAI } from '@google/genai'
import { BraveSearch } from 'brave-search'
import OpenAI from 'openai'
import { startSandbox } from '../../packages/sandbox/test/support/sandbox.ts'
import { expectTrueSources } from '../support/true-sources.ts'
import { type ConnectProcess, connectCsp } from './support/connect-process.ts'
import { clientKey, startEdge, withKey } from './support/edge.ts'

// Vendors' clients, unmodified, at the Worker in workerd; home is `csp connect` in a process of its own, with the real
// CLI on the sandbox.

const standIn = startSandbox()
const edge = await startEdge({
  variables: { CSP_BACKENDS: 'claude,messages', CSP_ANTHROPIC_API_KEY: 'sk-ant-of-nobody' },
  stands: { 'api.anthropic.com': standIn.url },
})
afterAll(async () => {
  await edge.stop()
  await standIn.stop()
})
beforeEach(() => standIn.sandbox.configure({ scenario: 'ok' }))

const openai = () => new OpenAI({ apiKey: clientKey, baseURL: `${edge.url}/v1`, maxRetries: 0 })
const question = (content: string, model = 'sonar-pro') => ({ model, messages: [{ role: 'user' as const, content }] })
// The base URL is a private property of the class, and the way its users redirect it.
const brave = (): BraveSearch => Object.assign(new BraveSearch(clientKey), { baseUrl: `${edge.url}/res/v1` })

describe('with a home', () => {
  let home: ConnectProcess | undefined
  beforeAll(async () => {
    home = await connectCsp(edge.url, standIn.url)
  })
  afterAll(() => home?.stop())

  test('brave-search gets its rows', async () => {
    const { web } = await brave().webSearch('bees at the edge', { count: 5 })
    expect(web?.results.length).toBe(5)
    expectTrueSources(web?.results.map(({ url }) => url) ?? [])
  })

  test('openai gets an answer with its sources', async () => {
    const { choices } = await openai().chat.completions.create(question('Why do bees hum?'))
    expect(choices[0]?.message.content).toContain('Sandbox answer')
    expectTrueSources((choices[0]?.message.annotations ?? []).map((note) => note.url_citation.url))
  })

  test('openai gets a stream, written at home', async () => {
    const stream = await openai().chat.completions.create({ ...question('Where do bees sleep?'), stream: true })
    let text = ''
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
    expect(text).toContain('Sandbox answer')
  })

  test('@google/genai gets a stream with its sources', async () => {
    const { models } = new GoogleGenAI({ apiKey: clientKey, httpOptions: { baseUrl: edge.url } })
    let text = ''
    let urls: readonly string[] = []
    for await (const chunk of await models.generateContentStream({
      model: 'gemini-flash-latest',
      contents: 'Who hears bees?',
      config: { tools: [{ googleSearch: {} }] },
    })) {
      text += chunk.text ?? ''
      urls = chunk.candidates?.[0]?.groundingMetadata?.groundingChunks?.flatMap(({ web }) => web?.uri ?? []) ?? urls
    }
    expect(text).toContain('Sandbox answer')
    expectTrueSources(urls)
  })

  test('Gemini’s list of JSON comes to a client with its key in the address', async () => {
    const address = `${edge.url}/v1beta/models/gemini-flash-latest:streamGenerateContent`
    const body = JSON.stringify({ contents: [{ parts: [{ text: 'Who hears bees?' }] }], tools: [{ googleSearch: {} }] })
    const wrong = await fetch(`${address}?key=wrong`, { method: 'POST', body })
    expect([wrong.status, await wrong.json()]).toMatchObject([401, { error: { status: 'UNAUTHENTICATED' } }])
    const right = await fetch(`${address}?key=${clientKey}`, { method: 'POST', body })
    const chunks: readonly unknown[] = Object(await right.json())
    expect(chunks.at(-1)).toMatchObject({ candidates: [{ finishReason: 'STOP' }] })
  })

  test('the headers of a plain request name the backend that answered, and the model that searched', async () => {
    const ask = () => fetch(`${edge.url}/v1/search?q=plain+bees`, { headers: withKey })
    const told = ({ headers }: Response) =>
      ['x-cache', 'x-csp-backend', 'x-csp-search-model'].map((name) => headers.get(name))
    const first = await ask()
    expect(told(first)).toEqual(['miss', 'claude', 'haiku'])
    const { calls } = standIn.sandbox.stats()
    const again = await ask()
    expect(told(again)).toEqual(['hit', 'claude', 'haiku'])
    expect(standIn.sandbox.stats().calls).toBe(calls)
    expect(Object(await again.json()).results).toEqual(Object(await first.json()).results)
  })

  test('a client that disconnects stops the model call at home', async () => {
    standIn.sandbox.configure({ scenario: 'hang' })
    const leaving = new AbortController()
    const reply = fetch(`${edge.url}/v1/search?q=a+search+without+end`, { headers: withKey, signal: leaving.signal })
    const gone = reply.catch(() => {})
    await standIn.sandbox.until(({ open }) => open > 0)
    leaving.abort()
    await gone
    await standIn.sandbox.until(({ open }) => open === 0)
  })
})

describe('when homes disconnect', () => {
  test('in the middle of a stream the client gets an error; the next search goes to the other home, then to the API', async () => {
    // The one that has been there longest is asked first.
    const first = await connectCsp(edge.url, standIn.url, 'first')
    await using second = await connectCsp(edge.url, standIn.url, 'second')
    standIn.sandbox.configure({ scenario: [{ kind: 'write', scenario: 'hang-midway' }] })
    const stream = await openai().chat.completions.create({ ...question('What ends too soon?'), stream: true })
    const failure = (async () => {
      let text = ''
      for await (const chunk of stream) {
        const { length } = text
        text += chunk.choices[0]?.delta.content ?? ''
        if (text && !length) void first.kill()
      }
      return text
    })()
    expect(await failure.catch((error) => error)).toBeInstanceOf(OpenAI.APIError)
    standIn.sandbox.configure({ scenario: 'ok' })

    const bySecond = await fetch(`${edge.url}/v1/search?q=the+other+home`, { headers: withKey })
    expect([bySecond.status, bySecond.headers.get('x-csp-backend')]).toEqual([200, 'claude'])
    await second.stop()
    const byApi = await fetch(`${edge.url}/v1/search?q=nobody+at+home`, { headers: withKey })
    expect([byApi.status, byApi.headers.get('x-csp-backend')]).toEqual([200, 'messages'])
    expectTrueSources(Object(await byApi.json()).results.map(({ url }: { url: string }) => url))
    const answer = await openai().chat.completions.create({ ...question('Who writes now?'), stream: true })
    let text = ''
    for await (const chunk of answer) text += chunk.choices[0]?.delta.content ?? ''
    expect(text).toContain('Sandbox answer')
  })
})
