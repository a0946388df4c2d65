import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test'
import { getEventListeners } from 'node:events'
import { SearchError } from '../../src/domain/error.ts'
import type { JobDraft } from '../../src/domain/job.ts'
import { backgroundJobs } from '../../src/jobs/background-jobs.ts'
import { JobListeners } from '../../src/jobs/job-listeners.ts'
import { requestFor } from '../support/fake-executor.ts'
import { jobsPath, testStore } from '../support/job-database.ts'
import { answered, type Step, scriptedExecutor, untilAborted } from '../support/scripted-executor.ts'

// What happens by itself, and when: timers and the clock are the test's.

const clock = { now: 0 }
beforeEach(() => {
  clock.now = 1_000_000_000
  jest.useFakeTimers()
})
afterEach(() => void jest.useRealTimers())

/** Lets that much time pass, second by second, with all that follows from it. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left >= 0; left -= 1000) {
    const step = Math.min(left, 1000)
    clock.now += step
    jest.advanceTimersByTime(step)
    for (let turn = 0; turn < 100; turn++) await Promise.resolve()
  }
}

const draft = (owner = 'alice'): JobDraft => ({
  owner,
  vendor: 'openai',
  request: requestFor('why?', { want: 'answer', effort: 'standard' }),
  input: {},
})

/** Jobs whose first searches play these steps; the others answer. */
function jobsThat(...first: readonly (readonly Step[])[]) {
  let nth = 0
  const executor = scriptedExecutor(() => first[nth++] ?? answered)
  const path = jobsPath()
  const log: string[] = []
  const limits = { all: 3, each: 2 }
  const options = { openStore: () => testStore(path), executor, limits, now: () => clock.now }
  return {
    jobs: backgroundJobs({ ...options, log: (_, message) => log.push(message) }),
    ...{ executor, log, path },
  }
}

const limited = (retryAfterSeconds: number) => new SearchError('rate-limited', 'It is reached.', { retryAfterSeconds })

describe('a job', () => {
  test('that waits for a limit goes on by itself ten seconds later at most; with the last job the timers go', async () => {
    const { jobs, executor } = jobsThat([limited(30)])
    const { id } = await jobs.create(draft())
    await pass(0)
    expect([executor.calls.length, jest.getTimerCount()]).toEqual([1, 1])
    await pass(29_000)
    expect(executor.calls).toHaveLength(1)
    await pass(11_000)
    expect(executor.calls).toHaveLength(2)
    expect((await jobs.get(id))?.status).toBe('completed')
    expect(jest.getTimerCount()).toBe(0)
    await jobs.close()
  })

  test.each([
    [6 * 3600, 'queued'],
    [6 * 3600 + 1, 'failed'],
  ])('whose limit lasts %i seconds is %s', async (seconds, status) => {
    const { jobs } = jobsThat([limited(seconds)])
    const { id } = await jobs.create(draft())
    await pass(0)
    expect((await jobs.get(id))?.status).toBe(status as 'queued')
    await jobs.close()
  })

  test('that another process has cancelled stops two seconds later at most', async () => {
    const { jobs, executor, path, log } = jobsThat([untilAborted])
    const { id } = await jobs.create(draft())
    await pass(0)
    const other = testStore(path)
    other.cancel(id, clock.now)
    other.close()
    const [call] = executor.calls
    await pass(1000)
    expect(call?.context.signal.aborted).toBe(false)
    await pass(1000)
    expect(call?.context.signal.aborted).toBe(true)
    expect([jest.getTimerCount(), log]).toEqual([0, []])
    await jobs.close()
  })

  test('whose end cannot be kept begins again ten seconds later, and the problem is said once', async () => {
    const path = jobsPath()
    const executor = scriptedExecutor(answered)
    const log: string[] = []
    let failures = 3
    const openStore = () => {
      const store = testStore(path)
      return {
        ...store,
        end: (...parts: Parameters<typeof store.end>) => {
          if (failures-- > 0) throw new Error('disk is full')
          store.end(...parts)
        },
      }
    }
    const jobs = backgroundJobs({
      ...{ openStore, executor, limits: { all: 1, each: 1 }, now: () => clock.now },
      log: (level, message) => log.push(`${level} ${message}`),
    })
    const { id } = await jobs.create(draft())
    await pass(0)
    // Kept two looks later, each after two seconds, when the job has to wait.
    await pass(13_000)
    expect(executor.calls).toHaveLength(1)
    expect(log).toEqual(['warning The jobs cannot be kept: disk is full'])
    await pass(11_000)
    expect(executor.calls).toHaveLength(2)
    expect(await jobs.get(id)).toMatchObject({ status: 'completed' })
    expect(log.slice(1)).toEqual([`info job ${id} completed after 0 s`])
    expect(jest.getTimerCount()).toBe(0)
    await jobs.close()
  })

  test('is searched for whole, for its owner, and says how long it took', async () => {
    const { promise: found, resolve: find } = Promise.withResolvers<void>()
    const { jobs, executor, log } = jobsThat([() => found, ...answered])
    const { id } = await jobs.create(draft('bob'))
    await pass(0)
    await pass(3000)
    find()
    await pass(0)
    expect(log).toEqual([`job ${id} completed after 3 s`])
    expect(executor.calls[0]?.context).toMatchObject({ isWhole: true, caller: 'bob' })
    await jobs.close()
    const refused = await jobs.create(draft()).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'unavailable', message: 'csp is stopping.' })
  })

  test('that is removed stops at once, and the next one begins', async () => {
    const { jobs, executor } = jobsThat([untilAborted], [untilAborted], [untilAborted])
    const [first] = [await jobs.create(draft()), await jobs.create(draft()), await jobs.create(draft())]
    await pass(0)
    expect(executor.calls).toHaveLength(2)
    await jobs.remove(first.id)
    expect(executor.calls.map(({ context }) => context.signal.aborted)).toEqual([true, false, false])
    await jobs.close()
    expect(jest.getTimerCount()).toBe(0)
  })

  test('that csp interrupts once it has its pages is written over them when csp starts again', async () => {
    const searched = answered.slice(0, 2)
    const { jobs, path } = jobsThat([...searched, untilAborted])
    const { id } = await jobs.create(draft())
    await pass(0)
    await jobs.close()
    const executor = scriptedExecutor(answered)
    const openStore = () => testStore(path)
    const again = backgroundJobs({ openStore, executor, limits: { all: 1, each: 1 }, log() {}, now: () => clock.now })
    again.resume()
    await pass(0)
    expect((await again.get(id))?.status).toBe('completed')
    expect(executor.requests[0]?.sources?.map(({ url }) => url)).toEqual(
      [1, 2, 3].map((site) => `https://site${site}.example/docs/page`),
    )
    await again.close()
  })
})

test('who waits for a job is told of its start, each of its events and its end as they happen', async () => {
  const gates = answered.map(() => Promise.withResolvers<void>())
  const steps = answered.flatMap((event, at): Step[] => [() => gates[at]?.promise ?? Promise.resolve(), event])
  const { jobs } = jobsThat(steps)
  const { id } = await jobs.create(draft())
  const { signal } = new AbortController()
  const told: unknown[] = []
  const tell = async (): Promise<void> => {
    for (let left = 50; left > 0; left--) {
      await jobs.changed(id, signal)
      told.push([(await jobs.get(id))?.status, (await jobs.events(id)).length])
    }
  }
  void tell()
  await pass(0)
  expect(told).toEqual([['running', 0]])
  for (const { resolve } of gates) {
    resolve()
    for (let turn = 0; turn < 100; turn++) await Promise.resolve()
  }
  // Its text is kept when it is whole.
  const seen = new Set(told.map((each) => JSON.stringify(each)))
  expect([...seen]).toEqual(['["running",0]', '["running",1]', '["running",2]', '["completed",5]'])
  await jobs.close()
})

test('who waits for a change of a job is told at once, a second later without one, and leaves nothing behind', async () => {
  const listeners = new JobListeners()
  const { signal } = new AbortController()
  const told: string[] = []
  for (const id of ['a', 'a', 'b']) listeners.changed(id, signal).then(() => told.push(id))
  listeners.announce('a')
  await pass(0)
  expect(told).toEqual(['a', 'a'])
  await pass(900)
  expect(told).toEqual(['a', 'a'])
  await pass(100)
  expect(told).toEqual(['a', 'a', 'b'])
  expect([jest.getTimerCount(), getEventListeners(signal, 'abort').length]).toEqual([0, 0])
})

test('who stops waiting for a job leaves the others their place', async () => {
  const listeners = new JobListeners()
  const [stop, never] = [new AbortController(), new AbortController()]
  const gone = listeners.changed('a', stop.signal)
  let hasHeard = false
  const other = listeners.changed('a', never.signal).then(() => {
    hasHeard = true
  })
  stop.abort()
  await gone
  listeners.announce('a')
  // At once, and not after a second.
  await new Promise((resolve) => setImmediate(resolve))
  expect(hasHeard).toBe(true)
  await other
})
