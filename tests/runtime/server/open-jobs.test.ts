import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@csp/testing/eventually'
import type { JobDraft } from '../../../src/domain/job.ts'
import { hasJobs, openJobStore, openJobs } from '../../../src/runtime/server/open-jobs.ts'
import { fakeExecutor, hangs, requestFor } from '../../support/fake-executor.ts'

let stateDir: string
const closers: (() => Promise<void>)[] = []
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'csp-open-jobs-'))
})
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
  rmSync(stateDir, { recursive: true })
})

const draft = (owner: string, query: string): JobDraft => ({
  owner,
  vendor: 'openai',
  request: requestFor(query, { want: 'answer' }),
  input: { input: query },
})

/** Jobs whose searches hang. */
function open(all: number) {
  const jobs = openJobs({ jobs: all }, stateDir, fakeExecutor(hangs), () => {})
  if (jobs) closers.push(jobs.close)
  return { jobs }
}

test('no job runs where none may, and the first one alone makes their file', async () => {
  expect(open(0).jobs).toBeUndefined()
  const { jobs } = open(3)
  expect(await jobs?.counts()).toEqual({ queued: 0, running: 0 })
  jobs?.resume()
  expect([hasJobs(stateDir), existsSync(join(stateDir, 'jobs'))]).toEqual([false, false])
  await jobs?.create(draft('alice', 'why?'))
  expect(hasJobs(stateDir)).toBe(true)
})

test.each([
  [3, 2, 3],
  [1, 1, 1],
])('of %d places one caller has %d at most, and all of them %d', async (all, ofOne, ofAll) => {
  const { jobs } = open(all)
  for (const query of ['a', 'b', 'c', 'd']) await jobs?.create(draft('alice', query))
  await eventually(async () => (await jobs?.counts())?.running === ofOne)
  expect(await jobs?.counts()).toEqual({ queued: 4 - ofOne, running: ofOne })
  await jobs?.create(draft('bob', 'e'))
  await eventually(async () => (await jobs?.counts())?.running === ofAll)
  expect(await jobs?.counts()).toEqual({ queued: 5 - ofAll, running: ofAll })
})

test('what an earlier csp has left goes on', async () => {
  const first = open(1)
  await first.jobs?.create(draft('alice', 'why?'))
  await eventually(async () => (await first.jobs?.counts())?.running === 1)
  await first.jobs?.close()
  const { jobs } = open(1)
  expect(await jobs?.counts()).toEqual({ queued: 1, running: 0 })
  jobs?.resume()
  await eventually(async () => (await jobs?.counts())?.running === 1)
})

test('jobs that have ended are kept for thirty days, the last two hundred of a caller', () => {
  const store = openJobStore(stateDir, () => {})
  const day = 86_400_000
  const end = (id: string, at: number) => {
    store.add({ ...draft('alice', id), id, createdAt: at })
    store.claim({ all: 1, each: 1 }, at)
    store.end(id, 1, at, { status: 'completed' }, [])
  }
  const left = () => store.ids({ owner: 'alice', vendor: undefined, limit: 999 } as never)
  end('first', 0)
  store.sweep(30 * day)
  expect(left()).toEqual(['first'])
  store.sweep(30 * day + 1)
  expect(left()).toEqual([])
  for (let number = 1; number <= 201; number++) end(`${number}`, 31 * day)
  store.sweep(31 * day)
  expect([left().length, left().at(-1)]).toEqual([200, '2'])
  store.close()
})
