import { expect, test } from 'bun:test'
import { collect } from '../../../src/domain/answer.ts'
import { queued } from '../../../src/executor/layers/resilience/queued.ts'
import { loadConfig } from '../../../src/runtime/config/config.ts'
import { searchPace } from '../../../src/runtime/server/backend-stacks.ts'
import { fakeExecutor, requestFor } from '../../support/fake-executor.ts'

test.each([
  ['0', 300, 300],
  ['20', 100, 101],
  ['20/1', 1, 2],
  ['20/3', 3, 4],
  ['0.5/1', 1, 1],
])('at --rate %s, %i of 300 searches start at once, and %i after 50 ms', async (rate, atOnce, later) => {
  const clock = { ms: 0 }
  const fake = fakeExecutor(async function* (_request, signal) {
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
  })
  const pace = searchPace(loadConfig({ rate }, { HOME: '/nowhere' }, '/').config.rate)
  const executor = queued({ ...pace, concurrency: 300, capacity: 300, now: () => clock.ms })(fake)
  const leave = new AbortController()
  const searches = Array.from({ length: 300 }, (_, number) =>
    collect(executor.search(requestFor(`${number}`), { signal: leave.signal })).catch(() => {}),
  )
  await fake.begun(atOnce)
  expect((await executor.health()).queue?.running).toBe(atOnce)
  clock.ms += 50
  await fake.begun(later)
  expect((await executor.health()).queue?.running).toBe(later)
  leave.abort()
  await Promise.all(searches)
})
