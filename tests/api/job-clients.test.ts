import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '@csp/testing/eventually'
import Perplexity from '@perplexity-ai/perplexity_ai'
import { tavily } from '@tavily/core'
import OpenAI from 'openai'
import Parallel from 'parallel-web'
import { createApp } from '../../src/app.ts'
import type { SearchRequest } from '../../src/domain/search.ts'
import type { BackgroundJobs } from '../../src/jobs/background-jobs.ts'
import { testJobs } from '../support/job-database.ts'
import { answered, scriptedExecutor, untilAborted } from '../support/scripted-executor.ts'
import { chunksOf, testApp } from './test-app.ts'

// Vendors' own clients ask for answers in the background.

const text = 'It is 🙂 so [2].'
const page = 'https://site2.example/docs/page'
/** Signals of the searches that wait. */
const waiting = new Set<AbortSignal>()
const scripted = scriptedExecutor(({ query, schema }: SearchRequest) => {
  if (schema) return [...answered.slice(0, 2), { type: 'text-delta', text: '{"legs":6}' }, ...answered.slice(-1)]
  if (query.includes('fail')) return [...answered.slice(0, 2), new Error('It broke.')]
  return answered
})
const executor: typeof scripted = {
  ...scripted,
  async *search(request, context) {
    if (request.query.includes('wait')) {
      waiting.add(context.signal)
      await untilAborted(context.signal)
    }
    yield* scripted.search(request, context)
  },
}

let server: ReturnType<typeof Bun.serve>
let origin: string
let jobs: BackgroundJobs

beforeAll(() => {
  jobs = testJobs(executor, { limits: { all: 10, each: 10 } })
  const app = createApp({ executor, version: '1', keys: ['local', 'other'], jobs })
  server = Bun.serve({ hostname: '127.0.0.1', port: 0, development: false, fetch: app.fetch })
  origin = `http://127.0.0.1:${server.port}`
})

afterAll(async () => {
  server.stop(true)
  await jobs.close()
})

async function until<Value>(read: () => Promise<Value>, isRight: (value: Value) => boolean): Promise<Value> {
  let last: Value | undefined
  await eventually(async () => {
    last = await read()
    return isRight(last)
  })
  return last ?? read()
}

describe('the client openai', () => {
  const client = (apiKey = 'local') => new OpenAI({ apiKey, baseURL: `${origin}/v1`, maxRetries: 0 })
  const create = (input: string) => client().responses.create({ model: 'sonar', input, background: true })
  const done = (id: string) =>
    until(
      () => client().responses.retrieve(id),
      ({ status }) => status !== 'queued' && status !== 'in_progress',
    )

  test('creates a response in the background and gets it', async () => {
    const created = await create('Why do bees hum?')
    expect(created).toMatchObject({ status: 'queued', background: true, store: true, output: [], output_text: '' })
    const response = await done(created.id)
    expect(response).toMatchObject({ id: created.id, status: 'completed', background: true, output_text: text })
    expect(response.created_at).toBe(created.created_at)
    expect(response.usage).toMatchObject({ input_tokens: 100, output_tokens: 20 })
    expect(JSON.stringify(response.output)).toContain(page)
  })

  test('streams one, and goes on behind an event', async () => {
    const stream = await client().responses.create({ model: 'sonar', input: 'bees', background: true, stream: true })
    const events: OpenAI.Responses.ResponseStreamEvent[] = []
    for await (const event of stream) events.push(event)
    expect(events.slice(0, 3).map(({ type }) => type)).toEqual([
      'response.created',
      'response.queued',
      'response.in_progress',
    ])
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at))
    const [first] = events
    const last = events.at(-1)
    if (first?.type !== 'response.created' || last?.type !== 'response.completed') throw new Error('not a whole stream')
    expect(last.response).toMatchObject({ id: first.response.id, status: 'completed' })
    const rest: OpenAI.Responses.ResponseStreamEvent[] = []
    const again = await client().responses.retrieve(first.response.id, { stream: true, starting_after: 4 })
    for await (const event of again) rest.push(event)
    const timeless = (list: typeof rest) =>
      JSON.parse(JSON.stringify(list).replaceAll(/"completed_at":\d+/g, '"completed_at":0'))
    expect(timeless(rest)).toEqual(timeless(events.slice(5)))
    const helper = client().responses.stream({ response_id: first.response.id })
    expect((await helper.finalResponse()).output_text).toBe(text)
  })

  test('cancels one, which stops the search', async () => {
    const { id } = await create('wait for me')
    await eventually(() => waiting.size === 1)
    const [signal] = waiting
    expect(await client().responses.cancel(id)).toMatchObject({ id, status: 'cancelled' })
    expect(signal?.aborted).toBe(true)
    expect(await client().responses.retrieve(id)).toMatchObject({ status: 'cancelled', error: null })
    const types: string[] = []
    for await (const { type } of await client().responses.retrieve(id, { stream: true })) types.push(type)
    expect(types.at(-1)).toBe('response.failed')
  })

  test('deletes one', async () => {
    const { id } = await create('bees')
    await client().responses.delete(id)
    const error = await client()
      .responses.retrieve(id)
      .catch((failure: unknown) => failure)
    expect(error).toBeInstanceOf(OpenAI.NotFoundError)
  })

  test('sees why one failed', async () => {
    const response = await done((await create('fail')).id)
    expect(response).toMatchObject({ status: 'failed', error: { code: 'server_error', message: 'The search failed.' } })
  })

  test('sees, cancels and deletes none of another key', async () => {
    const { id } = await create('bees')
    const other = client('other').responses
    for (const call of [() => other.retrieve(id), () => other.cancel(id), () => other.delete(id)]) {
      expect(await call().catch((failure: unknown) => failure)).toBeInstanceOf(OpenAI.NotFoundError)
    }
    expect(await done(id)).toMatchObject({ status: 'completed' })
  })
})

describe('the client @perplexity-ai/perplexity_ai', () => {
  const client = (apiKey = 'local', path = '') => new Perplexity({ apiKey, baseURL: `${origin}${path}`, maxRetries: 0 })
  const request = { model: 'sonar-deep-research', messages: [{ role: 'user' as const, content: 'Why do bees hum?' }] }

  test.each(['', '/v1'])('creates, gets and lists chat completions at its base URL with %p', async (path) => {
    const { completions } = client('local', path).async.chat
    const created = await completions.create({ request })
    expect(created).toMatchObject({ status: 'CREATED', model: 'sonar-deep-research', response: null })
    const done = await until(
      () => completions.get(created.id),
      ({ status }) => status === 'COMPLETED',
    )
    expect(done.response).toMatchObject({ id: created.id, choices: [{ message: { content: text } }] })
    expect(JSON.stringify(done.response)).toContain(page)
    expect(done.completed_at).toBeGreaterThanOrEqual(done.started_at ?? Number.NaN)
    const { requests, next_token } = await completions.list()
    expect([requests[0]?.id, next_token ?? null]).toEqual([created.id, null])
    expect((await client('other', path).async.chat.completions.list()).requests).toEqual([])
    expect(
      await client('other', path)
        .async.chat.completions.get(created.id)
        .catch(({ status }) => status),
    ).toBe(404)
  })

  test('sees why one failed', async () => {
    const { completions } = client().async.chat
    const { id } = await completions.create({ request: { ...request, messages: [{ role: 'user', content: 'fail' }] } })
    const done = await until(
      () => completions.get(id),
      ({ status }) => status === 'FAILED',
    )
    expect(done).toMatchObject({ error_message: 'The search failed.', response: null })
  })

  test('sees which field is wrong, and nothing is kept', async () => {
    const before = scripted.calls.length
    const error = await client()
      .async.chat.completions.create({ request: { ...request, messages: [] } })
      .catch(String)
    expect(error).toContain('request.messages')
    expect(scripted.calls).toHaveLength(before)
  })
})

describe('the client @tavily/core', () => {
  const client = (apiKey = 'local') => tavily({ apiKey, apiBaseURL: `${origin}/tavily` })

  test('asks for a report and gets it', async () => {
    const created = await client().research('Why do bees hum?', { model: 'mini' })
    if (!('requestId' in created)) throw new Error('a stream')
    expect(created).toMatchObject({ status: 'pending', input: 'Why do bees hum?', model: 'mini' })
    const done = await until(
      () => client().getResearch(created.requestId),
      ({ status }) => status === 'completed',
    )
    expect(done).toMatchObject({ request_id: created.requestId, content: text })
    expect(JSON.stringify(done)).toContain(page)
    expect(scripted.calls.at(-1)?.request).toMatchObject({ want: 'answer', research: 'low' })
  })

  test('asks for JSON', async () => {
    const outputSchema = { properties: { legs: { type: 'integer', description: 'of a bee' } }, required: ['legs'] }
    const created = await client().research('Why do bees hum?', { outputSchema })
    if (!('requestId' in created)) throw new Error('a stream')
    const done = await until(
      () => client().getResearch(created.requestId),
      ({ status }) => status === 'completed',
    )
    expect(done).toMatchObject({ content: { legs: 6 } })
  })

  test('streams one', async () => {
    const stream = await client().research('Why do bees hum?', { stream: true })
    if ('requestId' in stream) throw new Error('no stream')
    let sent = ''
    for await (const chunk of stream) sent += chunk.toString()
    const deltas = chunksOf(sent).map(({ choices }) => choices[0].delta)
    const kinds = deltas.map((delta) => delta.tool_calls?.type ?? Object.keys(delta)[1])
    expect(kinds).toEqual(['tool_call', 'tool_response', 'content', 'sources'])
    expect(deltas[2].content).toBe(text)
    expect(sent).toEndWith('event: done\ndata: \n\n')
  })
})

describe('the client parallel-web', () => {
  const client = (apiKey = 'local') => new Parallel({ apiKey, baseURL: `${origin}/parallel`, maxRetries: 0 })

  test('creates a run, waits for it and gets its input', async () => {
    const run = await client().taskRun.create({ input: 'Why do bees hum?', processor: 'pro', metadata: { team: 'a' } })
    expect(run).toMatchObject({ status: 'queued', is_active: true, processor: 'pro', metadata: { team: 'a' } })
    const { output, run: ended } = await client().taskRun.result(run.run_id, { timeout: 30 })
    expect(output).toMatchObject({
      type: 'text',
      content: text,
      basis: [{ citations: [{ url: page, title: 'Page 2' }] }],
    })
    expect(ended).toMatchObject({ run_id: run.run_id, status: 'completed', is_active: false })
    expect(await client().taskRun.retrieve(run.run_id)).toMatchObject({ status: 'completed' })
    expect(await client().taskRun.retrieveInput(run.run_id)).toMatchObject({ input: 'Why do bees hum?' })
    expect(
      await client('other')
        .taskRun.retrieve(run.run_id)
        .catch(({ status }) => status),
    ).toBe(404)
  })

  test('gets JSON by a schema', async () => {
    const json_schema = { type: 'object', properties: { legs: { type: 'integer' } }, required: ['legs'] }
    const task_spec = { output_schema: { type: 'json' as const, json_schema } }
    const run = await client().taskRun.create({ input: { animal: 'bee' }, processor: 'core', task_spec })
    expect((await client().taskRun.result(run.run_id)).output).toMatchObject({ type: 'json', content: { legs: 6 } })
  })

  test('sees the events of a run', async () => {
    const run = await client().taskRun.create({ input: 'Why do bees hum?', processor: 'base', enable_events: true })
    const types: unknown[] = []
    for await (const event of await client().taskRun.events(run.run_id)) types.push(event.type)
    expect(types).toEqual(['task_run.state', 'task_run.progress_msg.search', 'task_run.state'])
  })

  test('hears that a run is still active, or why it failed', async () => {
    const [waits, fails] = await Promise.all(
      ['wait', 'fail'].map((input) => client().taskRun.create({ input, processor: 'core' })),
    )
    const errorOf = (id = '') =>
      client()
        .taskRun.result(id, { timeout: 1 })
        .catch((error) => [error.status, error.message])
    expect(await errorOf(fails?.run_id)).toEqual([404, expect.stringContaining('The search failed.')])
    expect(await errorOf(waits?.run_id)).toEqual([408, expect.stringContaining('still active')])
  })
})

describe('without jobs', () => {
  test.each([
    ['POST', '/v1/responses', { input: 'bees', background: true }, 400],
    ['GET', '/v1/responses/resp_1', undefined, 501],
    ['POST', '/async/chat/completions', { request: {} }, 501],
    ['POST', '/tavily/research', { input: 'bees' }, 501],
    ['POST', '/parallel/v1/tasks/runs', { input: 'bees', processor: 'core' }, 501],
  ])('%s %s says so in its own envelope', async (method, path, body, status) => {
    const { request } = testApp()
    const response = await request(path, { method, ...(body && { body: JSON.stringify(body) }) })
    expect(response.status).toBe(status)
    expect(await response.text()).toMatch(/background/i)
  })
})
