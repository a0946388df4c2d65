import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { createApp } from '../../src/app.ts'
import type { SearchRequest } from '../../src/domain/search.ts'
import type { BackgroundJobs } from '../../src/jobs/background-jobs.ts'
import { testJobs } from '../support/job-database.ts'
import { eventually } from '../support/processes.ts'
import { answered, scriptedExecutor, untilAborted } from '../support/scripted-executor.ts'

// Vendors' own clients ask for answers in the background.

const text = 'It is 🙂 so [2].'
const page = 'https://site2.example/docs/page'
/** Signals of the searches that wait. */
const waiting = new Set<AbortSignal>()
const scripted = scriptedExecutor(({ query }: SearchRequest) => {
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
