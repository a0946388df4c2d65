import { afterAll, describe, expect, test } from 'bun:test'
import { eventually } from '@csp/testing/eventually'
import type { Job, Jobs } from '../../../src/domain/job.ts'
import { testJobs } from '../../support/job-database.ts'
import { testApp, usual } from '../test-app.ts'

/** The job of one owner, as a store finds it. */
function jobsOf(owner: string): Jobs {
  const request = { want: 'answer', query: 'W'.repeat(301), history: [], effort: 'deep', filters: {} } as const
  const id = 'a'.repeat(32)
  const job: Job = { id, owner, vendor: 'openai', input: { secret: 1 }, request, status: 'running', createdAt: 0 }
  const none = async () => {
    throw new Error('Only the list is asked for.')
  }
  return {
    ...{ create: none, get: none, state: none, events: none, changed: none, cancel: none, remove: none, counts: none },
    wait: () => () => {},
    list: async (query) => (query.owner === owner && query.limit === 20 ? [job] : []),
  }
}

test('GET /v1/jobs lists the jobs of its caller alone, without what was sent', async () => {
  const { get } = testApp(undefined, { keys: ['one', 'two'], jobs: jobsOf('key-1') })
  const entry = {
    ...{
      id: 'a'.repeat(32),
      vendor: 'openai',
      kind: 'deep',
      status: 'running',
      question: 'W'.repeat(300),
      ended_at: null,
      error: null,
    },
    created_at: '1970-01-01T00:00:00.000Z',
  }
  expect((await get('/v1/jobs', { 'x-api-key': 'one' })).body).toEqual({ object: 'list', data: [entry] })
  expect((await get('/jobs', { 'x-api-key': 'two' })).body).toEqual({ object: 'list', data: [] })
  expect((await get('/v1/jobs')).status).toBe(401)
})

test('GET /v1/jobs is empty where this server has no jobs', async () => {
  expect((await testApp().get('/v1/jobs')).body).toEqual({ object: 'list', data: [] })
})

describe('GET /v1/jobs/{id}', () => {
  const jobs = testJobs(usual())
  afterAll(() => jobs.close())
  const { get, request } = testApp(undefined, { keys: ['one', 'two'], jobs })
  const one = { 'x-api-key': 'one' }
  const create = async () => {
    const request = { want: 'answer', query: 'why?', history: [], effort: 'deep', filters: {} } as const
    const { id } = await jobs.create({ owner: 'key-1', vendor: 'tavily', request, input: { secret: 1 } })
    await eventually(async () => (await jobs.state(id))?.status === 'completed')
    return id
  }

  test('has the answer of a job with its sources, whichever vendor’s route created it', async () => {
    const { status, body } = await get(`/v1/jobs/${await create()}`, one)
    expect(status).toBe(200)
    expect(body).toMatchObject({ object: 'job', vendor: 'tavily', kind: 'deep', status: 'completed', question: 'why?' })
    expect(body.answer).toContain('[2]')
    expect(body.sources.map(({ number, url }: Record<string, unknown>) => [number, url])[1]).toEqual([
      2,
      'https://site2.example/docs/page',
    ])
    expect(JSON.stringify(body)).not.toContain('secret')
  })

  test('has nothing for another key, nor for what is no id', async () => {
    const id = await create()
    for (const [path, key] of [
      [id, 'two'],
      ['f'.repeat(32), 'one'],
      ['no-id', 'one'],
    ] as const) {
      expect((await get(`/v1/jobs/${path}`, { 'x-api-key': key })).status).toBe(404)
    }
    expect((await request(`/v1/jobs/${id}`, { method: 'DELETE', headers: { 'x-api-key': 'two' } })).status).toBe(404)
    expect((await get(`/v1/jobs/${id}`, one)).status).toBe(200)
  })

  test('is nothing once its caller has deleted it', async () => {
    const id = await create()
    expect((await request(`/v1/jobs/${id}`, { method: 'DELETE', headers: one })).status).toBe(200)
    expect((await get(`/v1/jobs/${id}`, one)).status).toBe(404)
    expect((await testApp().get(`/v1/jobs/${id}`)).status).toBe(404)
  })
})
