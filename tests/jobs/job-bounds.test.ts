import { expect, test } from 'bun:test'
import { eventually } from '@csp/testing/eventually'
import { SearchError } from '../../src/domain/error.ts'
import type { JobDraft } from '../../src/domain/job.ts'
import type { SearchEvent } from '../../src/domain/search.ts'
import { hasEnded } from '../../src/jobs/background-jobs.ts'
import { requestFor } from '../support/fake-executor.ts'
import { jobsPath, testJobs, testStore } from '../support/job-database.ts'
import { answered, scriptedExecutor } from '../support/scripted-executor.ts'

const draft = (owner: string): JobDraft => ({
  owner,
  vendor: 'openai',
  request: requestFor('why?', { want: 'answer' }),
  input: { input: 'why?' },
})

test('twenty requests wait for one job, and the next is refused until one of them leaves', async () => {
  const jobs = testJobs(scriptedExecutor(answered))
  const leaves = Array.from({ length: 20 }, () => jobs.wait('a'))
  expect(() => jobs.wait('a')).toThrow(SearchError)
  jobs.wait('b')()
  leaves[0]?.()
  leaves[1]?.()
  const again = [jobs.wait('a'), jobs.wait('a')]
  expect(() => jobs.wait('a')).toThrow(SearchError)
  for (const leave of [...leaves.slice(2), ...again]) leave()
  for (let count = 0; count < 20; count++) jobs.wait('a')
  await jobs.close()
})

test('two hundred jobs may wait in all, whoever has them', async () => {
  const path = jobsPath()
  const store = testStore(path)
  for (let at = 0; at < 199; at++)
    store.add({ ...draft(`caller-${at}`), id: String(at).padStart(32, '0'), createdAt: 1 })
  store.close()
  const jobs = testJobs(scriptedExecutor(answered), { path, limits: { all: 0, each: 0 } })
  expect(await jobs.create(draft('alice'))).toMatchObject({ owner: 'alice' })
  expect(await jobs.create(draft('bob')).catch((error: unknown) => error)).toMatchObject({
    code: 'busy',
    retryAfterSeconds: 60,
    message: expect.stringContaining('200'),
  })
  await jobs.close()
})

test('what only a reader of the first reply needs is not kept', async () => {
  const steps: SearchEvent[] = [
    { type: 'cache', status: 'miss', ageSeconds: 0 } as SearchEvent,
    { type: 'reading', pages: 1 } as unknown as SearchEvent,
    ...answered,
  ]
  const jobs = testJobs(scriptedExecutor(steps))
  const { id } = await jobs.create(draft('alice'))
  await eventually(async () => hasEnded((await jobs.get(id)) ?? { status: 'queued' }))
  const kept = (await jobs.events(id)).map(({ event }) => event.type)
  expect(kept).toEqual(['search-start', 'search-results', 'text-delta', 'citation', 'done'])
  await jobs.close()
})

test('a limit whose end is not known is waited for, ten minutes each time', async () => {
  let now = 1_000_000
  const log: string[] = []
  const executor = scriptedExecutor([new SearchError('rate-limited', 'The limit is reached.')])
  const jobs = testJobs(executor, { log, now: () => now })
  const { id } = await jobs.create(draft('alice'))
  await eventually(() => log.length === 1)
  now += 599_000
  jobs.resume()
  expect(executor.calls).toHaveLength(1)
  now += 1001
  jobs.resume()
  await eventually(() => log.length === 2)
  expect(await jobs.get(id)).toMatchObject({ status: 'queued' })
  // A day later it is given up.
  now += 24 * 3_600_000
  jobs.resume()
  await eventually(async () => (await jobs.get(id))?.status === 'failed')
  await jobs.close()
})
