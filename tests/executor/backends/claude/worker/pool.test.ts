import { expect, jest, test } from 'bun:test'
import { Lease, Pool } from '../../../../../src/executor/backends/claude/worker/pool.ts'
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
