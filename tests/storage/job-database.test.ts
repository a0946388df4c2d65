import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { resultsRequest } from '../../src/domain/search.ts'
import { jobsPath, testStore } from '../support/job-database.ts'

const limits = { all: 9, each: 9 }
const day = 86_400_000
const draft = (id: string, owner = 'alice', createdAt = 0) => ({
  ...{ id, owner, vendor: 'openai' as const, createdAt, input: {} },
  request: resultsRequest({ query: 'why?' }),
})

/** A store with these jobs, and a way to give a job that runs to another process. */
function storeWith(...ids: readonly string[]) {
  const path = jobsPath()
  const store = testStore(path)
  for (const [at, id] of ids.entries()) store.add(draft(id, 'alice', at))
  const hand = (runner: string): void => {
    const database = new Database(path)
    database.query('UPDATE jobs SET runner = ?').run(runner)
    database.close()
  }
  return { store, hand }
}

test('a job that waits may run at its time, or where no job can wait for so long', () => {
  const { store } = storeWith('a')
  const claimedAt = (now: number) => {
    const claimed = store.claim(limits, now)
    if (claimed) store.end('a', claimed.run, now, { status: 'queued', notBefore: 10 * day }, [])
    return claimed !== undefined
  }
  expect(claimedAt(0)).toBe(true)
  expect([10 * day - 1, 10 * day].map(claimedAt)).toEqual([false, true])
  // The clock was set back.
  expect([9 * day, 9 * day - 1].map(claimedAt)).toEqual([false, true])
})

test('so many jobs run at once, of one owner and of all', () => {
  const { store } = storeWith('a', 'b', 'c')
  store.add(draft('d', 'bob'))
  const claim = (all: number, each: number) => store.claim({ all, each }, 0)?.job.id
  expect(claim(0, 9)).toBeUndefined()
  expect(claim(9, 0)).toBeUndefined()
  expect(claim(9, 1)).toBe('a')
  expect(claim(1, 9)).toBeUndefined()
  expect(claim(9, 1)).toBe('d')
  expect([claim(9, 1), claim(2, 9), claim(3, 2), claim(3, 9)]).toEqual([undefined, undefined, 'b', undefined])
  expect(store.counts()).toEqual({ queued: 1, running: 3 })
  expect([store.unfinished(), store.unfinished('bob'), store.unfinished('eve')]).toEqual([4, 1, 0])
})

test('a claim of another process holds for half a minute after it was made or renewed, while the process runs', () => {
  const { store, hand } = storeWith('a')
  store.claim(limits, 1000)
  hand(`${process.ppid}:life`)
  const stateAt = (now: number) => {
    expect(store.renew(now).size).toBe(0)
    return store.get('a')?.status
  }
  expect([stateAt(30_999), stateAt(31_000)]).toEqual(['running', 'queued'])
  store.claim(limits, 40_000)
  expect(store.renew(50_000)).toEqual(new Set(['a']))
  hand(`${process.ppid}:life`)
  expect([stateAt(79_999), stateAt(80_000)]).toEqual(['running', 'queued'])
  // An earlier process that had the id of this one has ended.
  store.claim(limits, 90_000)
  hand(`${process.pid}:another`)
  expect(stateAt(90_001)).toBe('queued')
})

test('events are kept of a job that runs in this process, and of no other', () => {
  const { store, hand } = storeWith('a')
  const append = () => store.append('a', 1, 5, [{ type: 'text-delta', text: 'Bees.' }])
  const kept = () => store.events('a', 0).length
  append()
  expect(kept()).toBe(0)
  store.claim(limits, 0)
  append()
  store.append('a', 1, 6, [])
  expect(kept()).toBe(1)
  hand(`${process.ppid}:life`)
  append()
  expect(kept()).toBe(1)
})

test('a job says when it first began, and in which state it is', () => {
  const { store } = storeWith('a')
  expect(store.get('a')?.startedAt).toBeUndefined()
  expect(store.claim(limits, 1000)?.job).toMatchObject({ status: 'running', startedAt: 1000 })
  store.end('a', 1, 1500, { status: 'queued', notBefore: 0 }, [])
  expect(store.claim(limits, 2000)).toMatchObject({ run: 2, job: { startedAt: 1000 } })
  store.end('a', 2, 3000, { status: 'failed', failure: { code: 'failed', message: 'No.' } }, [])
  expect(store.get('a')).toMatchObject({ status: 'failed', startedAt: 1000, endedAt: 3000 })
  expect(store.state('a')).toEqual({ status: 'failed', endedAt: 3000, failure: { code: 'failed', message: 'No.' } })
  expect(store.state('b')).toBeUndefined()
})

test('what ended too long ago is forgotten, and the oldest beyond so many of an owner and of all', () => {
  const path = jobsPath()
  const store = testStore(path, { maxDays: 1, maxEach: 2, maxAll: 3 })
  const end = (id: string, owner: string, at: number) => {
    store.add(draft(id, owner))
    store.claim(limits, at)
    store.end(id, 1, at, { status: 'completed' }, [])
  }
  const left = () =>
    store.ids({ owner: undefined, vendor: undefined, limit: 99 } as Parameters<typeof store.ids>[0]).join('')
  end('a', 'alice', 0)
  store.sweep(day)
  expect(left()).toBe('a')
  store.sweep(day + 1)
  expect(left()).toBe('')
  for (const id of 'bcd') end(id, 'alice', day)
  store.sweep(day)
  expect(left()).toBe('dc')
  for (const id of 'ef') end(id, 'bob', day)
  store.sweep(day)
  expect(left()).toBe('fed')
})
