import { expect, test } from 'bun:test'
import type { Job, Jobs } from '../../../src/domain/job.ts'
import { testApp } from '../test-app.ts'

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
