import { describe, expect, jest, test } from 'bun:test'
import type { Exit } from '../../../../../src/executor/backends/claude/cli/process.ts'
import { Lease, Pool, type PoolOptions } from '../../../../../src/executor/backends/claude/worker/pool.ts'
import type { Worker } from '../../../../../src/executor/backends/claude/worker/worker.ts'

/** A pool whose workers run for ever, and are prepared as the next promise says. */
function poolOf(prepared: Promise<void>[]) {
  const start = (model: string) => {
    const ready = prepared.shift() ?? Promise.resolve()
    const ends = new Promise(() => {})
    return { alive: true, served: 0, model, ready, exited: ends, reset() {}, stop: () => ends } as unknown
  }
  const options = { maxSessionSearches: 9, sessionContext: 'clear', idleMs: 60_000 } as const
  return new Pool({ ...options, start: (_, model) => start(model) as Worker })
}

test('a worker that was given back is lent again', async () => {
  const pool = poolOf([])
  const worker = pool.take('writer', 'sonnet')
  pool.giveBack('writer', worker)
  await Bun.sleep(0)
  expect(pool.take('writer', 'sonnet')).toBe(worker)
})

test('a worker that could not be prepared is not lent again, although it still runs', async () => {
  const failed = Promise.reject(new Error('It did not list its tools.'))
  const pool = poolOf([failed])
  const worker = pool.take('writer', 'sonnet')
  await worker.ready.catch(() => {})
  pool.giveBack('writer', worker)
  expect(worker.alive).toBe(true)
  await Bun.sleep(0)
  expect(pool.take('writer', 'sonnet')).not.toBe(worker)
})

test('a worker that has the model is lent first, otherwise the one that was used last', async () => {
  const pool = poolOf([])
  const [opus, sonnet, haiku] = ['opus', 'sonnet', 'haiku'].map((model) => pool.take('writer', model))
  for (const worker of [opus, sonnet, haiku]) if (worker) pool.giveBack('writer', worker)
  await Bun.sleep(0)
  expect(pool.take('writer', 'opus')).toBe(opus as Worker)
  expect(pool.take('writer', 'fable')).toBe(haiku as Worker)
  expect(pool.take('writer', 'fable')).toBe(sonnet as Worker)
})

test('of the workers with a system prompt of their callers the last three are kept, each for its own', async () => {
  const pool = poolOf([])
  const prompts = ['a', 'b', 'c', 'd']
  const chats = prompts.map((prompt) => pool.take('chat', 'sonnet', '', prompt))
  const writer = pool.take('writer', 'sonnet')
  pool.giveBack('writer', writer)
  for (const [at, chat] of chats.entries()) {
    pool.giveBack('chat', chat)
    await Bun.sleep(0)
    expect(pool.state).toBe(`5 workers, ${Math.min(at + 1, 3) + 1} idle`) // the stand-ins never end
  }
  expect(prompts.map((prompt) => chats.indexOf(pool.take('chat', 'sonnet', '', prompt)))).toEqual([-1, 1, 2, 3])
})

test('of the idle workers of a kind one is kept for the whole idle time, and the others end soon', () => {
  jest.useFakeTimers()
  try {
    const pool = poolOf([])
    const burst = [1, 2, 3].map(() => pool.take('writer', 'sonnet'))
    const searcher = pool.take('searcher', 'sonnet')
    for (const worker of burst) pool.giveBack('writer', worker)
    pool.giveBack('searcher', searcher)
    expect(pool.state).toBe('4 workers, 4 idle')
    jest.advanceTimersByTime(30_001)
    expect(pool.state).toBe('4 workers, 2 idle') // the stand-ins never end
    jest.advanceTimersByTime(30_000)
    expect(pool.state).toBe('4 workers, 0 idle')
  } finally {
    jest.useRealTimers()
  }
})

test('a burst of writers ends a searcher that has stood idle, not one that was just needed', () => {
  for (const [idleMs, left] of [
    [10_000, 0],
    [9_000, 1],
  ] as const) {
    jest.useFakeTimers()
    try {
      const pool = poolOf([])
      pool.giveBack('searcher', pool.take('searcher', 'sonnet'))
      jest.advanceTimersByTime(idleMs)
      for (let busy = 0; busy < 2; busy++) pool.take('writer', 'sonnet')
      expect(pool.state).toBe('3 workers, 1 idle')
      pool.take('writer', 'sonnet')
      expect(pool.state).toBe(`4 workers, ${left} idle`) // the stand-ins never end
    } finally {
      jest.useRealTimers()
    }
  }
})

test.each([
  [7, 1, '1 worker, 0 idle'],
  [8, 1, '2 workers, 1 idle'],
  [8, 2, '2 workers, 1 idle'],
  [0, 1, '1 worker, 0 idle'],
])(
  'a worker that has served %i of 9 is followed by another, if it is the only one of %i: %s',
  async (served, of, state) => {
    const pool = poolOf([])
    const workers = Array.from({ length: of }, () => pool.take('writer', 'sonnet'))
    for (const worker of workers) {
      Object.assign(worker, { served })
      pool.giveBack('writer', worker)
    }
    await Bun.sleep(0)
    pool.take('writer', 'sonnet')
    await Bun.sleep(0)
    expect(pool.state).toBe(state)
  },
)

test('what is left of a worker that died is ended when another takes its place', () => {
  const lease = new Lease(poolOf([]), 'writer', 'sonnet')
  const { worker } = lease
  const stop = jest.fn(() => new Promise(() => {}))
  Object.assign(worker, { alive: false, stop })
  lease.exchange()
  expect(stop).toHaveBeenCalledTimes(1)
  expect(lease.worker).not.toBe(worker)
})

describe('a pool', () => {
  /** A pool whose workers end as soon as they are stopped, or when the test says so. */
  function createPool(options: Partial<PoolOptions> = {}) {
    const logged: string[] = []
    const ends = new Map<Worker, (exit: Partial<Exit>) => Promise<void>>()
    let resets = 0
    const start = (_: string, model: string) => {
      const { promise: exited, resolve } = Promise.withResolvers<Exit>()
      const end = async (exit: Partial<Exit>) => {
        Object.assign(worker, { alive: false })
        resolve({ code: null, signal: null, stderr: '', ...exit })
        await Bun.sleep(0)
      }
      const stop = () => {
        void end({ signal: 'SIGTERM' })
        return exited
      }
      const reset = () => void resets++
      const fake = { alive: true, served: 0, model, ready: Promise.resolve(), exited, reset, stop }
      const worker = fake as unknown as Worker
      ends.set(worker, end)
      return worker
    }
    const pool = new Pool({
      ...{ start, maxSessionSearches: 9, sessionContext: 'clear', idleMs: 60_000, log: (line) => logged.push(line) },
      ...options,
    })
    const end = async (worker: Worker, exit: Partial<Exit>) => ends.get(worker)?.(exit)
    return { pool, end, news: () => logged.splice(0), resets: () => resets }
  }

  test('says how many workers it has', async () => {
    const { pool, end } = createPool()
    expect(pool.state).toBe('no worker yet')
    const worker = pool.take('writer', 'sonnet')
    expect(pool.state).toBe('1 worker, 0 idle')
    pool.giveBack('writer', worker)
    const busy = pool.take('searcher', 'sonnet')
    expect(pool.state).toBe('2 workers, 1 idle')
    await end(busy, {})
    expect(pool.state).toBe('1 worker, 1 idle')
  })

  test('clears each session that comes back, or keeps it for its caller and clears it for another', () => {
    const clearing = createPool()
    clearing.pool.giveBack('writer', clearing.pool.take('writer', 'sonnet', 'ann'))
    expect(clearing.resets()).toBe(1)
    clearing.pool.take('writer', 'sonnet', 'bob')
    expect(clearing.resets()).toBe(1)

    const { pool, resets } = createPool({ sessionContext: 'keep' })
    const [first, second] = ['ann', 'bob'].map((caller) => pool.take('writer', 'sonnet', caller))
    for (const worker of [first, second]) if (worker) pool.giveBack('writer', worker)
    const taken: unknown[] = []
    for (const caller of ['ann', 'ann', 'cid', 'ann', 'bob']) {
      const worker = pool.take('writer', 'sonnet', caller)
      taken.push([caller, worker === first ? 'first' : worker === second ? 'second' : 'new', resets()])
      pool.giveBack('writer', worker)
    }
    expect(taken).toEqual([
      ['ann', 'first', 0],
      ['ann', 'first', 0],
      ['cid', 'first', 1],
      ['ann', 'first', 2],
      ['bob', 'second', 2],
    ])
  })

  test('ends a worker that has served enough, and says why each of its workers ended', async () => {
    const { pool, end, news } = createPool()
    const [used, killed, failed, outdated] = [1, 2, 3, 4].map(() => pool.take('writer', 'sonnet')) as Worker[]
    if (!used || !killed || !failed || !outdated) throw new Error('There are four.')
    expect(news()).toEqual([1, 2, 3, 4].map((count) => `A writer for sonnet starts, ${count} in all`))
    Object.assign(used, { served: 9 })
    pool.giveBack('writer', used)
    await Bun.sleep(0)
    await end(killed, { signal: 'SIGKILL' })
    await end(failed, { code: 3 })
    pool.recycle('another CLI was installed')
    expect([outdated.alive, pool.state]).toEqual([true, '1 worker, 0 idle'])
    pool.giveBack('writer', outdated)
    await Bun.sleep(0)
    expect(news()).toEqual([
      'A writer has ended: it has served 9 requests; 3 left',
      'A writer has ended: by itself, SIGKILL; 2 left',
      'A writer has ended: by itself, code 3; 1 left',
      'A writer has ended: another CLI was installed; 0 left',
    ])
    const next = pool.take('writer', 'sonnet')
    pool.giveBack('writer', next)
    expect(pool.state).toBe('1 worker, 1 idle') // what was started since stays
    pool.recycle('another CLI was installed')
    expect([next.alive, pool.take('writer', 'sonnet') === next]).toEqual([false, false])
  })

  test('loses a worker that ended while it was idle, and none when one ends that is at work', async () => {
    const { pool, end } = createPool()
    const [first, second, third] = [1, 2, 3].map(() => pool.take('writer', 'sonnet')) as Worker[]
    if (!first || !second || !third) throw new Error('There are three.')
    for (const worker of [first, second, third]) pool.giveBack('writer', worker)
    await end(first, { signal: 'SIGKILL' })
    expect(pool.state).toBe('2 workers, 2 idle')
    expect(pool.take('writer', 'sonnet')).toBe(third)
    await end(third, { signal: 'SIGKILL' })
    expect(pool.state).toBe('1 worker, 1 idle')
    Object.assign(second, { alive: false }) // it is being stopped
    expect(pool.take('writer', 'sonnet')).not.toBe(second)
  })

  test('ends the idle workers that a burst has left, and lends the one that was there before', async () => {
    for (const [idleMs, soonMs] of [
      [60_000, 30_000],
      [20_000, 20_000],
    ] as const) {
      jest.useFakeTimers()
      try {
        const { pool, news } = createPool({ idleMs })
        const burst = [1, 2, 3].map(() => pool.take('writer', 'sonnet'))
        news()
        for (const worker of burst) pool.giveBack('writer', worker)
        jest.advanceTimersByTime(soonMs - 1)
        expect(pool.state).toBe('3 workers, 3 idle')
        jest.advanceTimersByTime(1)
        expect(burst.map(({ alive }) => alive)).toEqual([idleMs > soonMs, false, false])
        if (idleMs > soonMs) expect(pool.take('writer', 'sonnet')).toBe(burst[0] as Worker)
        jest.useRealTimers()
        await Bun.sleep(0)
        expect(news()[0]).toBe(`A writer has ended: it was idle for ${soonMs / 1000} s; 2 left`)
      } finally {
        jest.useRealTimers()
      }
    }
  })

  test('that is closed ends all workers, waits for them, and lends no other', async () => {
    const stopped = Promise.withResolvers<void>()
    const { pool, end, news } = createPool()
    const [idle, busy] = [pool.take('writer', 'sonnet'), pool.take('searcher', 'sonnet')]
    pool.giveBack('writer', idle)
    // One that takes its time.
    Object.assign(busy, { stop: () => stopped.promise.then(() => end(busy, {})) })
    news()
    let isClosed = false
    const closed = pool.close().then(() => {
      isClosed = true
    })
    await Bun.sleep(0)
    expect([isClosed, news()]).toEqual([false, ['A writer has ended: csp stops; 1 left']])
    expect(() => pool.take('writer', 'sonnet')).toThrow()
    pool.giveBack('searcher', busy)
    expect(pool.state).toBe('1 worker, 0 idle')
    stopped.resolve()
    await closed
    expect(news()).toEqual(['A searcher has ended: csp stops; 0 left'])
  })
})
