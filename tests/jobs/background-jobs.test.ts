import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { eventually } from '@csp/testing/eventually'
import { collect } from '../../src/domain/answer.ts'
import { SearchError } from '../../src/domain/error.ts'
import type { Job, JobDraft } from '../../src/domain/job.ts'
import type { ResearchProgress } from '../../src/domain/research.ts'
import type { SearchEvent } from '../../src/domain/search.ts'
import type { Executor, SearchContext } from '../../src/executor/executor.ts'
import { type BackgroundJobs, backgroundJobs, hasEnded } from '../../src/jobs/background-jobs.ts'
import { withStoreFailures } from '../../src/storage/store-failure.ts'
import { requestFor } from '../support/fake-executor.ts'
import { jobsPath, testJobs, testStore } from '../support/job-database.ts'
import { answered, scriptedExecutor, untilAborted } from '../support/scripted-executor.ts'

const draft = (owner = 'alice', query = 'why?'): JobDraft => ({
  owner,
  vendor: 'openai',
  request: requestFor(query, { want: 'answer' }),
  input: { input: query },
})
const progress: ResearchProgress = {
  ...{ version: 1, searches: [], rounds: 1, isEnough: false, elapsedMs: 5 },
  usage: { searches: 0, inputTokens: 0, outputTokens: 0 },
}

async function ended(jobs: BackgroundJobs, id: string): Promise<Job | undefined> {
  await eventually(async () => hasEnded((await jobs.get(id)) ?? { status: 'queued' }))
  return jobs.get(id)
}

const hasBegun = (jobs: BackgroundJobs, id: string) => async () => (await jobs.events(id)).length === 1

/** An executor that plays what a function does at each search, and counts. */
function playing(
  play: (context: SearchContext, nth: number) => AsyncIterable<SearchEvent>,
): Executor & { calls: SearchContext[] } {
  const calls: SearchContext[] = []
  return {
    name: 'playing',
    calls,
    search(_, context) {
      calls.push(context)
      return play(context, calls.length)
    },
    health: async () => ({ ready: true, backends: [] }),
    close: async () => {},
  }
}

async function* hanging({ signal }: SearchContext): AsyncGenerator<SearchEvent> {
  yield { type: 'search-start', id: 's1', query: 'q' }
  await untilAborted(signal)
}

async function* whole(): AsyncGenerator<SearchEvent> {
  yield* answered
}

/** As a process leaves its jobs that was killed. */
function killedRunner(path: string): void {
  const database = new Database(path)
  database.run("UPDATE jobs SET runner = '999999999:gone'")
  database.close()
}

describe('a job', () => {
  test('that is cancelled has ended its work when the call has ended', async () => {
    let isWorking = false
    const jobs = testJobs(
      playing(async function* (context) {
        isWorking = true
        try {
          yield* hanging(context)
        } finally {
          await Bun.sleep(20)
          isWorking = false
        }
      }),
    )
    const { id } = await jobs.create(draft())
    await eventually(hasBegun(jobs, id))
    await jobs.cancel(id)
    expect(isWorking).toBe(false)
  })

  test('is answered, and its events fold into the answer', async () => {
    const executor = scriptedExecutor(answered)
    const jobs = testJobs(executor)
    const created = await jobs.create(draft())
    expect(created).toMatchObject({ status: 'queued', owner: 'alice', input: { input: 'why?' } })
    expect(created.id).toMatch(/^[0-9a-f]{32}$/)
    expect(await ended(jobs, created.id)).toMatchObject({ status: 'completed' })
    const events = await jobs.events(created.id)
    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5])
    async function* replayed() {
      for (const { event } of events) yield event
    }
    expect((await collect(replayed())).text).toBe('It is 🙂 so [2].')
    expect((await jobs.events(created.id, 3)).map(({ sequence }) => sequence)).toEqual([4, 5])
    expect(executor.calls[0]?.context.caller).toBe('alice')
    await jobs.close()
  })

  test('keeps its text until it is whole', async () => {
    let hasWritten = false
    const executor = playing(async function* ({ signal }) {
      yield { type: 'search-start', id: 's1', query: 'q' }
      yield { type: 'text-delta', text: 'half of ' }
      hasWritten = true
      await untilAborted(signal)
    })
    const jobs = testJobs(executor)
    const { id } = await jobs.create(draft())
    await eventually(() => hasWritten)
    expect((await jobs.events(id)).map(({ event }) => event.type)).toEqual(['search-start'])
    await jobs.close()
  })

  test('that fails says why, and a limit is waited for', async () => {
    let time = 1_000_000
    // biome-ignore lint/correctness/useYield: it fails first
    const executor = playing(async function* (_, nth) {
      if (nth === 1) throw new SearchError('rate-limited', 'The limit is reached.', { retryAfterSeconds: 30 })
      throw new SearchError('failed', 'It broke.')
    })
    const log: string[] = []
    const path = jobsPath()
    const jobs = testJobs(executor, { path, log, now: () => time })
    const { id } = await jobs.create(draft())
    await eventually(() => log.length === 1)
    expect(await jobs.get(id)).toMatchObject({ status: 'queued' })
    jobs.resume()
    expect(executor.calls).toHaveLength(1)
    time += 31_000
    jobs.resume()
    expect(await ended(jobs, id)).toMatchObject({ status: 'failed', failure: { code: 'failed', message: 'It broke.' } })
    expect(executor.calls).toHaveLength(2)
    await jobs.close()
  })

  test('is made again when the disk has room, where its end could not be kept', async () => {
    const path = jobsPath()
    let isFull = false
    const full = () => {
      if (isFull) throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
    }
    const openStore = () => {
      const store = testStore(path)
      return withStoreFailures(() => ({
        ...store,
        add(...added: Parameters<typeof store.add>) {
          full()
          return store.add(...added)
        },
        end(...end: Parameters<typeof store.end>) {
          full()
          store.end(...end)
        },
      }))
    }
    const log: string[] = []
    const executor = scriptedExecutor(answered)
    const clock = { now: Date.now() }
    const limits = { all: 2, each: 2 }
    const options = { openStore, executor, limits, renewMs: 20, now: () => clock.now }
    const jobs = backgroundJobs({ ...options, log: (level, message) => log.push(`${level} ${message}`) })
    const { id } = await jobs.create(draft())
    isFull = true
    await eventually(() => log.length > 0)
    expect(log).toEqual([
      'warning The jobs cannot be kept: The state folder of csp cannot be used: database or disk is full.',
    ])
    await expect(jobs.create(draft())).rejects.toThrow(
      'The state folder of csp cannot be used: database or disk is full.',
    )
    isFull = false
    jobs.resume()
    clock.now += 60_000
    jobs.resume()
    expect((await ended(jobs, id))?.status).toBe('completed')
    await jobs.close()
  })

  test('that is cancelled stops the search', async () => {
    const executor = playing(hanging)
    const jobs = testJobs(executor)
    const { id } = await jobs.create(draft())
    await eventually(hasBegun(jobs, id))
    expect(await jobs.cancel(id)).toMatchObject({ status: 'cancelled' })
    expect(executor.calls[0]?.signal.aborted).toBe(true)
    expect(await jobs.cancel(id)).toMatchObject({ status: 'cancelled' })
    await jobs.close()
  })

  test('that another process cancels or removes stops too', async () => {
    const executor = playing(hanging)
    const path = jobsPath()
    const jobs = testJobs(executor, { path })
    const other = testStore(path)
    const [one, two] = [await jobs.create(draft()), await jobs.create(draft())]
    await eventually(() => executor.calls.length === 2)
    other.cancel(one.id, 5)
    other.remove(two.id)
    await eventually(() => executor.calls.every(({ signal }) => signal.aborted))
    expect(await jobs.get(one.id)).toMatchObject({ status: 'cancelled', endedAt: 5 })
    expect(await jobs.get(two.id)).toBeUndefined()
    expect(await jobs.events(two.id)).toEqual([])
    other.close()
    await jobs.close()
  })

  test('goes on from its last checkpoint when csp starts again', async () => {
    const path = jobsPath()
    const first = testJobs(
      playing(async function* (context) {
        context.research?.onProgress?.(progress)
        yield* hanging(context)
      }),
      { path },
    )
    const { id } = await first.create(draft())
    await eventually(hasBegun(first, id))
    await first.close()
    const executor = playing(whole)
    const second = testJobs(executor, { path })
    expect(await second.get(id)).toMatchObject({ status: 'queued' })
    second.resume()
    await ended(second, id)
    expect(executor.calls[0]?.research?.progress).toEqual(progress)
    const runs = (await second.events(id)).map(({ run, sequence }) => [run, sequence])
    expect(runs).toEqual([
      [1, 1],
      [2, 2],
      [2, 3],
      [2, 4],
      [2, 5],
      [2, 6],
    ])
    await second.close()
  })

  test.each([
    [4, undefined],
    [5, 'csp stopped 5 times while this job was running.'],
  ])('that has ended csp %i times is given up: %s', async (times, message) => {
    const path = jobsPath()
    const store = testStore(path)
    const id = 'a'.repeat(32)
    store.add({ ...draft(), id, createdAt: 1 })
    const limits = { all: 1, each: 1 }
    for (let run = 1; run <= times; run++) {
      expect(store.claim(limits, run)).toMatchObject({ run, idleRuns: run })
      killedRunner(path)
      store.renew(run)
    }
    store.close()
    const executor = playing(whole)
    const jobs = testJobs(executor, { path })
    jobs.resume()
    expect((await ended(jobs, id))?.failure?.message).toBe(message)
    expect(executor.calls).toHaveLength(message ? 0 : 1)
    await jobs.close()
  })
})

describe('many jobs', () => {
  test('run so many at once, of one owner and of all, and every owner gets its turn', async () => {
    const executor = playing(hanging)
    const jobs = testJobs(executor, { limits: { all: 3, each: 2 } })
    for (const owner of ['alice', 'alice', 'alice', 'bob']) await jobs.create(draft(owner))
    await eventually(() => executor.calls.length === 3)
    expect(executor.calls.map(({ caller }) => caller).toSorted()).toEqual(['alice', 'alice', 'bob'])
    const [newest, ...older] = await jobs.list({ limit: 10 })
    expect([newest, ...older].map((job) => job?.status)).toEqual(['running', 'queued', 'running', 'running'])
    await jobs.cancel(older.at(-1)?.id ?? '')
    await eventually(() => executor.calls.length === 4)
    await jobs.close()
  })

  test('are refused beyond those that may wait, other callers aside', async () => {
    const jobs = testJobs(playing(hanging))
    for (let at = 0; at < 20; at++) await jobs.create(draft())
    const failure = await jobs.create(draft()).catch((error) => error)
    expect(failure).toMatchObject({ code: 'busy', message: '20 jobs have not ended yet.' })
    expect(await jobs.create(draft('bob'))).toMatchObject({ owner: 'bob' })
    await jobs.close()
  })

  test('are listed by owner and vendor, page by page', async () => {
    const store = testStore(jobsPath())
    for (const [at, owner] of ['a', 'b', 'a', 'a'].entries()) {
      store.add({ ...draft(owner), id: String(at), createdAt: at, vendor: at === 3 ? 'exa' : 'openai' })
    }
    const ids = (query: Parameters<typeof store.ids>[0]) => store.ids(query)
    expect(ids({ limit: 10 })).toEqual(['3', '2', '1', '0'])
    expect(ids({ limit: 10, owner: 'a', vendor: 'openai' })).toEqual(['2', '0'])
    expect(ids({ limit: 1, owner: 'a', before: '3' })).toEqual(['2'])
    store.close()
  })

  test('that have ended go after some time, and the oldest of an owner beyond so many', () => {
    const day = 86_400_000
    const store = testStore(jobsPath(), { maxDays: 30, maxEach: 2, maxAll: 3 })
    const add = (id: string, owner: string, endedAt: number) => {
      store.add({ ...draft(owner), id, createdAt: endedAt })
      store.cancel(id, endedAt)
    }
    add('old', 'a', day)
    for (const [at, owner] of ['a', 'a', 'a', 'b', 'c'].entries()) add(`${owner}${at}`, owner, 40 * day)
    store.add({ ...draft('a'), id: 'waits', createdAt: day })
    store.sweep(41 * day)
    expect(store.ids({ limit: 10 })).toEqual(['waits', 'c4', 'b3', 'a2'])
    store.close()
  })
})

describe('the file', () => {
  test('is its owner’s alone', () => {
    const path = jobsPath()
    const store = testStore(path)
    store.add({ ...draft(), id: '1', createdAt: 1 })
    for (const end of ['', '-wal', '-shm']) expect(statSync(path + end).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
    store.close()
  })

  test.each([
    ['is no database', 'no database '.repeat(1000)],
    ['is of a newer csp', undefined],
  ])('that %s is set aside, and a new one begins', (_, content) => {
    const path = jobsPath()
    testStore(path).close()
    if (content) writeFileSync(path, content)
    else {
      const newer = new Database(path)
      newer.run('PRAGMA user_version = 99')
      newer.close()
    }
    const notes: string[] = []
    const store = testStore(path, { onDamage: (message) => notes.push(message) })
    expect(store.ids({ limit: 1 })).toEqual([])
    expect(notes).toHaveLength(1)
    expect(existsSync(`${path}.damaged`)).toBe(true)
    store.close()
  })

  test('drops what a process writes to a job that another one runs', () => {
    const path = jobsPath()
    const store = testStore(path)
    store.add({ ...draft(), id: '1', createdAt: 1 })
    store.claim({ all: 1, each: 1 }, 1)
    killedRunner(path)
    store.append('1', 1, 2, [{ type: 'search-start', id: 's1', query: 'q' }])
    store.checkpoint('1', progress)
    store.end('1', 1, 3, { status: 'completed' }, [])
    expect(store.events('1', 0)).toEqual([])
    expect(store.get('1')).toMatchObject({ status: 'running' })
    expect(store.renew(4)).toEqual(new Set())
    expect(store.claim({ all: 1, each: 1 }, 5)?.progress).toBeUndefined()
    store.close()
  })
})
