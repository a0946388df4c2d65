import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { Pool, PreparedWriters } from '../../../../../src/executor/backends/claude/worker/pool.ts'
import type { Worker } from '../../../../../src/executor/backends/claude/worker/worker.ts'

const unended = new Promise<never>(() => {})

/** A pool of workers without processes. */
function fakePool() {
  const start = (_: string, model: string) =>
    ({
      model,
      alive: true,
      served: 0,
      ready: unended,
      exited: unended,
      reset() {},
      stop: async () => {},
    }) as unknown as Worker
  return new Pool({ start, maxSessionSearches: 20, sessionContext: 'clear', idleMs: Number.POSITIVE_INFINITY })
}

const step = fc.record({
  kind: fc.constantFrom('prepare', 'release', 'write', 'end'),
  which: fc.nat(9),
  model: fc.constantFrom('opus', 'sonnet'),
  caller: fc.constantFrom('a', 'b'),
})

test('every writer is back in its pool once each text has ended and each preparation is released, in whatever order', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const pool = fakePool()
      const writers = new PreparedWriters(pool)
      const prepared: { release(): void }[] = []
      const leases: { end(): void }[] = []
      for (const { kind, which, model, caller } of steps) {
        if (kind === 'prepare') prepared.push(writers.prepare(model, caller))
        else if (kind === 'write') leases.push(writers.take(model, caller))
        else if (kind === 'release') prepared[which]?.release()
        else for (const lease of leases.splice(which, 1)) lease.end()
      }
      for (const lease of leases) lease.end()
      for (const one of [...prepared, ...prepared]) one.release()
      const [, all, idle] = /^(\d+) workers?, (\d+) idle$/.exec(pool.state) ?? ['', '0', '0']
      expect(idle).toBe(all)
    }),
  )
})

test('a text takes what was made ready for its model and its caller, and nothing else', () => {
  const pool = fakePool()
  const writers = new PreparedWriters(pool)
  const ready = writers.prepare('opus', 'a')
  expect(pool.state).toBe('1 worker, 0 idle')
  const others = [writers.take('opus', 'b'), writers.take('sonnet', 'a')]
  expect(pool.state).toBe('3 workers, 0 idle')
  const own = writers.take('opus', 'a')
  expect(pool.state).toBe('3 workers, 0 idle')
  expect(others.map(({ worker }) => worker === own.worker)).toEqual([false, false])
  ready.release()
  expect(pool.state).toBe('3 workers, 0 idle')
  own.end()
  expect(writers.take('opus', 'a').worker).toBe(own.worker)
})
