import { afterAll, describe, expect, test } from 'bun:test'
import { eventually } from '@csp/testing/eventually'
import { testJobs } from '../support/job-database.ts'
import { jobRoutes } from '../support/routes.ts'
import { answered, scriptedExecutor, untilAborted } from '../support/scripted-executor.ts'
import { chunksOf, testApp } from './test-app.ts'

// What can be sent to the routes of jobs, beside what vendors' clients send.

const messages = [{ role: 'user', content: 'bees' }]
const executor = scriptedExecutor(answered)
const jobs = testJobs(executor)
const app = testApp(executor, { jobs })
afterAll(() => jobs.close())

const question = { input: 'bees', instructions: 'bees', processor: 'core', request: { model: 'sonar', messages } }
const creators = jobRoutes.flatMap(({ path, methods }) => (methods.POST && !path.includes(':id') ? [path] : []))
const readers = jobRoutes.flatMap(({ path, methods }) =>
  path.includes(':id') ? Object.keys(methods).map((method) => [method, path] as const) : [],
)

describe.each(creators)('POST %s', (path) => {
  test.each([
    ['no JSON', '{"input": ['],
    ['a list', '[]'],
    ['nothing in it', '{}'],
    ['text in place of everything', '{"request": "x", "input": 7, "instructions": {}, "processor": []}'],
    ['an empty question', '{"request": {"messages": []}, "input": " ", "instructions": "", "processor": "core"}'],
    [
      'too long a question',
      JSON.stringify({ input: 'x'.repeat(20_000), instructions: 'x'.repeat(20_000), processor: 'core' }),
    ],
    ['more than may be kept', JSON.stringify({ ...question, more: 'x'.repeat(300 * 1024) })],
    ['more than may be sent', `{"input": "${'x'.repeat(1024 * 1024)}"}`],
  ])('refuses a body with %s, and keeps nothing', async (_, body) => {
    const response = await app.request(path, { method: 'POST', body })
    expect(response.status).toBeOneOf([400, 413, 422])
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await jobs.list({ limit: 1 })).toEqual([])
    expect(executor.calls).toHaveLength(0)
  })

  test('makes no job for a page of another site', async () => {
    const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    const body = JSON.stringify(question)
    expect((await app.request(path, { method: 'POST', body, headers })).status).toBe(403)
    expect(await jobs.list({ limit: 1 })).toEqual([])
  })
})

test.each(readers)('%s %s knows no other form of an id', async (method, path) => {
  for (const id of [
    'x',
    '..%2f..%2fkeys',
    `%27 OR 1=1`,
    'resp_',
    'f'.repeat(32),
    `resp_${'f'.repeat(32)}`,
    'F'.repeat(4000),
  ]) {
    const response = await app.request(path.replace(':id', id), { method })
    expect([id, response.status]).toEqual([id, 404])
  }
})

describe('a response in the background', () => {
  const own = testJobs(executor)
  const { post, request, get } = testApp(executor, { jobs: own })
  afterAll(() => own.close())
  const create = async () => (await post('/v1/responses', { model: 'sonar', input: 'bees', background: true })).body.id

  test.each([
    ['3', 4],
    ['', 0],
    ['1000000000', 'nothing'],
  ])('streams behind the event %p from %p on', async (after, first) => {
    const id = await create()
    const response = await request(`/v1/responses/${id}?stream=true&starting_after=${after}`)
    const events = chunksOf((await response.text()).replaceAll(/^event: .*\n/gm, ''))
    expect(events[0]?.sequence_number ?? 'nothing').toBe(first)
  })

  test.each(['-1', 'abc', '1e9'])('has no event %p, and says so', async (after) => {
    const { status, body } = await get(`/v1/responses/${await create()}?stream=true&starting_after=${after}`)
    expect([status, body.error.param]).toEqual([400, 'starting_after'])
  })

  test('is not found at the routes of another vendor', async () => {
    const id = (await create()).slice('resp_'.length)
    for (const path of ['/tavily/research', '/parallel/v1/tasks/runs', '/async/chat/completions']) {
      expect((await get(`${path}/${id}`)).status).toBe(404)
    }
  })

  test('says whether it is one', async () => {
    const asked = (background?: boolean) => post('/v1/responses', { model: 'sonar', input: 'bees', background })
    expect([(await asked()).body.background, (await asked(true)).body.background]).toEqual([false, true])
  })

  test.each([
    ['/v1/responses', { model: 'sonar', input: 'bees', background: true }, 200],
    ['/tavily/research', { input: 'bees' }, 201],
    ['/parallel/v1/tasks/runs', { input: 'bees', processor: 'core' }, 202],
    ['/async/chat/completions', { request: { model: 'sonar', messages } }, 200],
  ])('at %s has its status when it is asked for', async (path, body, status) => {
    expect((await post(path, body)).status).toBe(status)
  })

  test('names what has no effect', async () => {
    const { headers } = await post('/v1/responses', { model: 'sonar', input: 'bees', background: true, top_p: 1 })
    expect(headers.get('x-csp-ignored')).toBe('top_p')
  })
})

test('a caller with as many as may wait is told when to come again', async () => {
  const hanging = { ...executor, search: (_: unknown, { signal }: { signal: AbortSignal }) => waits(signal) }
  const full = testJobs(hanging)
  const { post } = testApp(executor, { jobs: full })
  const create = () => post('/v1/responses', { model: 'sonar', input: 'bees', background: true })
  for (let at = 0; at < 20; at++) expect((await create()).status).toBe(200)
  const { status, headers, body } = await create()
  expect([status, headers.get('retry-after')]).toEqual([429, '60'])
  expect(body.error.message).toContain('20 jobs have not ended yet.')
  await full.close()
})

test('twenty requests may wait for a job, and those that leave make room', async () => {
  const hanging = { ...executor, search: (_: unknown, { signal }: { signal: AbortSignal }) => waits(signal) }
  const read = testJobs(hanging)
  const { request, post, get } = testApp(executor, { jobs: read })
  const { id } = (await post('/v1/responses', { model: 'sonar', input: 'bees', background: true })).body
  const path = `/v1/responses/${id}?stream=true`
  const streams = await Promise.all(Array.from({ length: 20 }, () => request(path)))
  expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]))
  expect(await get(path)).toMatchObject({
    status: 429,
    body: { error: { message: expect.stringContaining('20 requests wait') } },
  })
  expect((await get(`/v1/responses/${id}`)).status).toBe(200)
  await streams[0]?.body?.cancel()
  const next = await request(path)
  expect(next.status).toBe(200)
  for (const { body } of [...streams.slice(1), next]) await body?.cancel()
  await read.close()
})

test('the stream of a job that is cancelled ends, and says so', async () => {
  const hanging = { ...executor, search: (_: unknown, { signal }: { signal: AbortSignal }) => waits(signal) }
  const own = testJobs(hanging)
  const { request, post } = testApp(executor, { jobs: own })
  const { id } = (await post('/v1/responses', { model: 'sonar', input: 'bees', background: true })).body
  const stream = await request(`/v1/responses/${id}?stream=true`)
  await post(`/v1/responses/${id}/cancel`, {})
  expect(await stream.text()).toContain('cancelled')
  await own.close()
})

test('a reader that leaves a stream leaves the job alone', async () => {
  let hasLeft = false
  const slow = {
    ...executor,
    async *search(_: unknown, { signal }: { signal: AbortSignal }) {
      yield* answered.slice(0, 2)
      await eventually(() => hasLeft || signal.aborted)
      yield* answered.slice(2)
    },
  }
  const left = testJobs(slow)
  const { request } = testApp(executor, { jobs: left })
  const body = JSON.stringify({ model: 'sonar', input: 'bees', background: true, stream: true })
  const response = await request('/v1/responses', { method: 'POST', body })
  await response.body?.cancel()
  hasLeft = true
  await eventually(async () => (await left.list({ limit: 1 }))[0]?.status === 'completed')
  await left.close()
})

async function* waits(signal: AbortSignal) {
  yield* []
  await untilAborted(signal)
}
