import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '@csp/testing/eventually'
import { GoogleGenAI } from '@google/genai'
import Perplexity from '@perplexity-ai/perplexity_ai'
import { tavily } from '@tavily/core'
import Exa from 'exa-js'
import { LinkupClient } from 'linkup-sdk'
import OpenAI from 'openai'
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod'
import Parallel from 'parallel-web'
import { z } from 'zod'
import { createApp } from '../../src/app.ts'
import type { SearchEvent } from '../../src/domain/search.ts'
import type { BackgroundJobs } from '../../src/jobs/background-jobs.ts'
import { testJobs } from '../support/job-database.ts'
import { pages, scriptedExecutor } from '../support/scripted-executor.ts'
import { testApp } from './test-app.ts'

// The model refuses to write what has to fit a schema, and vendors' own clients hear why.

const words = 'I cannot help with that.'
const usage = { searches: 1, inputTokens: 100, outputTokens: 20 }
const searched: readonly SearchEvent[] = [
  { type: 'search-start', id: 's1', query: 'what was asked' },
  { type: 'search-results', id: 's1', results: pages(3) },
]
const refused: SearchEvent = { type: 'done', reason: 'refusal', usage, model: 'claude-x' }
const executor = scriptedExecutor(({ query }) => [
  ...searched,
  ...(query.includes('silently') ? [] : [{ type: 'text-delta', text: words } as const]),
  refused,
])

const Fact = z.object({ legs: z.number() })
const schema = { type: 'object', properties: { legs: { type: 'integer' } }, required: ['legs'] }
const question = 'How many legs?'
const messages = [{ role: 'user' as const, content: question }]
const tools = [{ type: 'web_search' as const }]

let server: ReturnType<typeof Bun.serve>
let jobs: BackgroundJobs
let origin: string

beforeAll(() => {
  jobs = testJobs(executor)
  const app = createApp({ executor, version: '1', keys: ['local'], jobs })
  server = Bun.serve({ hostname: '127.0.0.1', port: 0, development: false, fetch: app.fetch })
  origin = `http://127.0.0.1:${server.port}`
})

afterAll(async () => {
  server.stop(true)
  await jobs.close()
})

describe("OpenAI's client reads the refusal", () => {
  const client = () => new OpenAI({ apiKey: 'local', baseURL: `${origin}/v1`, maxRetries: 0 })
  const chat = { model: 'sonar', messages, response_format: zodResponseFormat(Fact, 'fact') }
  const response = { model: 'sonar', input: question, tools, text: { format: zodTextFormat(Fact, 'fact') } }

  test('in a chat', async () => {
    const { choices } = await client().chat.completions.parse(chat)
    expect(choices[0]?.message).toMatchObject({ refusal: words, content: null, parsed: null })
  })

  test('in a streamed chat', async () => {
    const stream = client().chat.completions.stream(chat)
    const heard: string[] = []
    stream.on('refusal.delta', ({ delta }) => heard.push(delta))
    const [choice] = (await stream.finalChatCompletion()).choices
    expect([heard, choice?.message.refusal, choice?.message.content || null]).toEqual([[words], words, null])
  })

  test('in a response', async () => {
    const { output, status, output_text } = await client().responses.parse(response)
    expect(output.at(-1)).toMatchObject({ content: [{ type: 'refusal', refusal: words }] })
    expect([status, output_text]).toEqual(['completed', ''])
  })

  test('in a streamed response', async () => {
    const heard: unknown[] = []
    const stream = client().responses.stream(response)
    for await (const event of stream) if (event.type.includes('refusal')) heard.push(event)
    expect(heard).toMatchObject([
      { type: 'response.refusal.delta', delta: words },
      { type: 'response.refusal.done', refusal: words },
    ])
    const { output } = await stream.finalResponse()
    expect(output.at(-1)).toMatchObject({ status: 'completed', content: [{ type: 'refusal', refusal: words }] })
  })

  test('in a response of the background', async () => {
    const { id } = await client().responses.create({ ...response, background: true })
    await eventually(async () => (await client().responses.retrieve(id)).status === 'completed')
    const { output } = await client().responses.retrieve(id)
    expect(output.at(-1)).toMatchObject({ content: [{ type: 'refusal', refusal: words }] })
  })

  test('also where the model said nothing', async () => {
    const asked = [{ role: 'user' as const, content: 'Refuse silently.' }]
    const { choices } = await client().chat.completions.parse({ ...chat, messages: asked })
    expect(choices[0]?.message.refusal).toContain('refused')
  })

  test('as text where it asked for text', async () => {
    const { choices } = await client().chat.completions.create({ model: 'sonar', messages })
    expect(choices[0]?.message).toMatchObject({ refusal: null, content: words })
  })
})

test.each([false, true])("Gemini's client reads the refusal, streamed: %p", async (isStreamed) => {
  const client = new GoogleGenAI({ apiKey: 'local', httpOptions: { baseUrl: origin } })
  const config = { responseMimeType: 'application/json', responseJsonSchema: schema }
  const request = { model: 'gemini-flash-latest', contents: question, config }
  const replies = isStreamed
    ? await Array.fromAsync(await client.models.generateContentStream(request))
    : [await client.models.generateContent(request)]
  expect(replies.at(-1)?.candidates?.[0]).toMatchObject({ finishReason: 'SAFETY' })
  expect(replies.map(({ text }) => text ?? '').join('')).toBe('')
  // The client leaves out the field with the words.
  const path = `${origin}/v1beta/models/gemini-flash-latest:${isStreamed ? 'streamGenerateContent' : 'generateContent'}`
  const body = JSON.stringify({ contents: [{ parts: [{ text: question }] }], generationConfig: config })
  const headers = { 'x-goog-api-key': 'local' }
  const sent = [await (await fetch(path, { method: 'POST', body, headers })).json()].flat()
  expect(sent.at(-1).candidates[0].finishMessage).toBe(words)
})

describe('an error says that the model refused, to the client of', () => {
  const perplexity = () => new Perplexity({ apiKey: 'local', baseURL: origin, maxRetries: 0 })
  const format = { type: 'json_schema', json_schema: { schema } } as const

  test.each<readonly [string, () => Promise<unknown>]>([
    ['Exa', () => new Exa('local', `${origin}/exa`).answer(question, { outputSchema: schema })],
    [
      'Linkup',
      () =>
        new LinkupClient({ apiKey: 'local', baseUrl: `${origin}/linkup/v1` }).search({
          ...{ query: question, depth: 'standard', outputType: 'structured', structuredOutputSchema: schema },
        }),
    ],
    ['Perplexity', () => perplexity().chat.completions.create({ model: 'sonar', messages, response_format: format })],
    [
      "Perplexity's agent",
      () =>
        perplexity().responses.create({
          preset: 'low',
          input: question,
          response_format: { ...format, json_schema: { name: 'fact', schema } },
        }),
    ],
  ])('%s', async (_, ask) => {
    expect(await ask().then(() => 'no error', String)).toContain(words)
  })

  test('Tavily, as the failure of the job', async () => {
    const client = tavily({ apiKey: 'local', apiBaseURL: `${origin}/tavily` })
    const { requestId } = (await client.research(question, { outputSchema: { properties: schema.properties } })) as {
      requestId: string
    }
    await eventually(async () => (await client.getResearch(requestId)).status === 'failed')
  })

  test('Parallel, as the failure of the job', async () => {
    const client = new Parallel({ apiKey: 'local', baseURL: `${origin}/parallel`, maxRetries: 0 })
    const task_spec = { output_schema: { type: 'json' as const, json_schema: schema } }
    const { run_id } = await client.taskRun.create({ input: question, processor: 'core', task_spec })
    await eventually(async () => (await client.taskRun.retrieve(run_id)).status === 'failed')
    expect((await client.taskRun.retrieve(run_id)).error?.message).toContain(words)
  })
})

test.each([
  ['/exa/answer', { query: question, outputSchema: schema, stream: true }],
  ['/exa/answer', { query: question, outputSchema: schema }],
  ['/linkup/v1/search', { q: question, outputType: 'structured', structuredOutputSchema: JSON.stringify(schema) }],
  [
    '/chat/completions',
    { model: 'sonar', messages, stream: true, response_format: { type: 'json_schema', json_schema: { schema } } },
  ],
])('a refusal is no fault of the server, and is not tried again: %s %j', async (path, body) => {
  const { status, headers } = await testApp(executor).request(path, { method: 'POST', body: JSON.stringify(body) })
  expect([status, headers.get('x-should-retry')]).toEqual([400, 'false'])
})
