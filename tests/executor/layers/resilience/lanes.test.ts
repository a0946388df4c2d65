import { describe, expect, test } from 'bun:test'
import { quickTimers } from '@csp/testing/quick-timers'
import { collect } from '../../../../src/domain/answer.ts'
import { SearchError } from '../../../../src/domain/error.ts'
import type { SearchRequest } from '../../../../src/domain/search.ts'
import type { Executor } from '../../../../src/executor/executor.ts'
import { type QueuedOptions, queued } from '../../../../src/executor/layers/resilience/queued.ts'
import { failureOf } from '../../../support/failure-of.ts'
import { answers, fakeExecutor, hangs, requestFor } from '../../../support/fake-executor.ts'

const lists = { concurrency: 3, takes: ({ want }: SearchRequest) => want === 'results' }

/** A backend whose searches end when they are told to, behind a queue with a lane for lists. */
function gated(options: QueuedOptions = {}) {
  const gates = new Map<string, () => void>()
  const fake = fakeExecutor(async function* (request, signal) {
    const { promise, resolve } = Promise.withResolvers<void>()
    gates.set(request.query, resolve)
    signal.addEventListener('abort', () => resolve(), { once: true })
    await promise
    yield* answers(request)
  })
  const executor = queued({ concurrency: 1, startsPerSecond: 0, lightLane: lists, ...options })(fake)
  return {
    fake,
    executor,
    end: (query: string) => gates.get(query)?.(),
    begun: () => fake.requests.map(({ query }) => query),
  }
}

test('written answers that hold all their places do not keep lists waiting, nor lists answers', async () => {
  const { fake, executor, end, begun } = gated()
  const searches = [write(executor, 'A1'), write(executor, 'A2'), list(executor, 'a'), list(executor, 'b')]
  await fake.begun(3)
  expect(begun()).toEqual(['A1', 'a', 'b'])
  searches.push(...['c', 'd'].map((query) => list(executor, query)))
  await fake.begun(4)
  end('A1')
  await fake.begun(5)
  expect(begun()).toEqual(['A1', 'a', 'b', 'c', 'A2'])
  expect((await executor.health()).queue).toMatchObject({
    ...{ running: 4, waiting: 1, concurrency: 4 },
    lanes: { main: { running: 1, waiting: 0, concurrency: 1 }, light: { running: 3, waiting: 1, concurrency: 3 } },
  })
  for (const query of ['a', 'b', 'c', 'A2']) end(query)
  await fake.begun(6)
  end('d')
  await Promise.all(searches)
  expect((await executor.health()).queue).toMatchObject({ running: 0, waiting: 0, estimatedWaitSeconds: 0 })
})

test('callers take turns in each lane: a burst of lists delays the list of another caller by one at most', async () => {
  const { fake, executor, end, begun } = gated({ lightLane: { ...lists, concurrency: 1 } })
  const burst = ['a0', 'a1', 'a2', 'a3'].map((query) => list(executor, query, 'busy'))
  const other = list(executor, 'b', 'calm')
  const answer = write(executor, 'A', 'writer')
  await fake.begun(2)
  for (const query of ['a0', 'a1', 'b', 'a2', 'a3']) {
    expect(begun()).toContain(query)
    end(query)
    await fake.begun(Math.min(6, begun().length + 1))
  }
  end('A')
  await Promise.all([...burst, other, answer])
  expect(begun()).toEqual(['a0', 'A', 'a1', 'b', 'a2', 'a3'])
})

test('searches of both lanes start at the rate of the queue, after a burst', async () => {
  using _ = quickTimers()
  const clock = { ms: 0 }
  const { fake, executor, end, begun } = gated({ startsPerSecond: 2, burst: 3, now: () => clock.ms })
  const searches = [list(executor, 'a'), write(executor, 'A'), list(executor, 'b'), list(executor, 'c')]
  await fake.begun(3)
  expect((await executor.health()).queue).toMatchObject({ running: 3, waiting: 1 })
  clock.ms += 500
  await fake.begun(4)
  expect(begun()).toEqual(['a', 'A', 'b', 'c'])
  for (const query of begun()) end(query)
  await Promise.all(searches)
})

test('a text over known pages takes no start of the rate, also while lists wait for theirs', async () => {
  const clock = { ms: 0 }
  const { fake, executor, end, begun } = gated({ startsPerSecond: 1, burst: 1, now: () => clock.ms })
  const over = requestFor('text', { want: 'answer', sources: [] })
  const leave = new AbortController()
  const searches = [list(executor, 'a'), failureOf(list(executor, 'b', 'x', leave.signal))]
  await fake.begun()
  searches.push(collect(executor.search(over, { signal: leave.signal, caller: 'x' })))
  await fake.begun(2)
  expect(begun()).toEqual(['a', 'text'])
  end('a')
  end('text')
  await searches[2]
  leave.abort()
  await Promise.all(searches)
})

describe('an answer that finds all places taken', () => {
  const relieved = (relief: 'light' | 'list' | undefined) => {
    const takes = ({ want }: SearchRequest) => want === 'results'
    const fixture = gated({
      ...{ startsPerSecond: 1, burst: 3, now: () => 0 },
      lightLane: { concurrency: 2, takes, relieves: () => relief },
    })
    return { ...fixture, spared: () => fixture.fake.calls.map((call) => call.context.isSparing === true) }
  }

  test('goes the way of lists where that is sooner, and the backend is told', async () => {
    const { fake, executor, end, begun, spared } = relieved('light')
    const searches = [write(executor, 'A1'), write(executor, 'A2'), list(executor, 'a')]
    await fake.begun(3)
    expect([begun(), spared()]).toEqual([
      ['A1', 'A2', 'a'],
      [false, true, false],
    ])
    for (const query of begun()) end(query)
    await Promise.all(searches)
  })

  test('is left to a list, without a search, and without a start of the rate', async () => {
    const { fake, executor, end, begun } = relieved('list')
    const waiting = async () => (await executor.health()).queue?.waiting
    const left = async (query: string) => {
      const answer = collect(executor.search(requestFor(query, { want: 'answer' }), context))
      expect(await waiting()).toBe(0)
      const { text, searches, usage } = await answer
      expect([text, searches, usage.searches]).toEqual(['', [], 0])
    }
    const running = [write(executor, 'A1')]
    await fake.begun()
    await left('A2')
    running.push(list(executor, 'a'), list(executor, 'b'))
    expect(await waiting()).toBe(0)
    await fake.begun(3)
    await left('A3') // no start is left
    expect(begun()).toEqual(['A1', 'a', 'b'])
    for (const query of begun()) end(query)
    await Promise.all(running)
  })

  test('waits where neither is sooner', async () => {
    const { fake, executor, end, begun } = relieved(undefined)
    const searches = [write(executor, 'A1'), write(executor, 'A2')]
    await fake.begun()
    expect((await executor.health()).queue).toMatchObject({ running: 1, waiting: 1 })
    end('A1')
    await fake.begun(2)
    end('A2')
    await Promise.all(searches)
    expect(begun()).toEqual(['A1', 'A2'])
  })
})

const context = { signal: new AbortController().signal, caller: 'x' }

describe('what is made ready for writings', () => {
  const ask = requestFor('q', { want: 'answer', sources: [] })
  function preparing(options: QueuedOptions = {}) {
    const ready = { now: 0, most: 0, fails: false }
    const fake = Object.assign(fakeExecutor(hangs), {
      async prepare() {
        if (ready.fails) throw new SearchError('unavailable', 'No.')
        ready.most = Math.max(ready.most, ++ready.now)
        return { release: () => void ready.now-- }
      },
    })
    return { ready, fake, executor: queued({ concurrency: 2, startsPerSecond: 0, lightLane: lists, ...options })(fake) }
  }

  test('is with what runs never more than the lane has places, whatever fails and however often it is released', async () => {
    const { ready, executor } = preparing()
    const made = await Promise.all(Array.from({ length: 5 }, () => executor.prepare?.(ask, context)))
    expect(ready).toMatchObject({ now: 2, most: 2 })
    for (const one of [...made, ...made]) one?.release()
    ready.fails = true
    for (let count = 0; count < 3; count++) await failureOf(executor.prepare?.(ask, context) ?? Promise.resolve())
    ready.fails = false
    ready.now = 0
    await Promise.all(Array.from({ length: 5 }, () => executor.prepare?.(ask, context)))
    expect(ready).toMatchObject({ now: 2, most: 2 })
  })

  test('is refused where the writing would find the queue full, and not before', async () => {
    const { ready, fake, executor } = preparing({ concurrency: 1, capacity: 1 })
    const leave = new AbortController()
    const running = [failureOf(write(executor, 'A', 'x', leave.signal))]
    await fake.begun()
    ;(await executor.prepare?.(ask, context))?.release()
    running.push(failureOf(write(executor, 'B', 'x', leave.signal)))
    expect((await failureOf(executor.prepare?.(ask, context) ?? Promise.resolve())).code).toBe('busy')
    expect(ready.most).toBe(0)
    expect((await executor.health()).queue).toMatchObject({ running: 1, waiting: 1 })
    leave.abort()
    await Promise.all(running)
  })
})

test('a place is free again in the lane it was taken from, also when its caller leaves', async () => {
  const { fake, executor, end } = gated()
  const leave = new AbortController()
  const left = failureOf(list(executor, 'a', 'x', leave.signal))
  await fake.begun()
  leave.abort()
  await left
  expect((await executor.health()).queue?.lanes?.light).toMatchObject({ running: 0 })
  const next = list(executor, 'b')
  await fake.begun(2)
  end('b')
  await next
})

test('the time to come back is that of the lane: lists that move fast are not told the wait of long answers', async () => {
  const clock = { ms: 0 }
  const { fake, executor, end } = gated({ capacity: 4, now: () => clock.ms })
  const pass = async (search: Promise<unknown>, query: string, seconds: number, count: number) => {
    await fake.begun(count)
    clock.ms += seconds * 1000
    end(query)
    await search
  }
  for (let round = 0; round < 40; round++) {
    await pass(list(executor, `l${round}`), `l${round}`, 2.5, 2 * round + 1)
    await pass(write(executor, `w${round}`), `w${round}`, 29.5, 2 * round + 2)
  }
  const leave = new AbortController()
  const waiting = ['w', 'l', 'l', 'l', 'w', 'w', 'l', 'l'].map((kind, index) =>
    failureOf((kind === 'w' ? write : list)(executor, `${kind} ${index}`, 'x', leave.signal)),
  )
  const full = await Promise.all([failureOf(list(executor, 'one more')), failureOf(write(executor, 'one more'))])
  expect(full.map(({ retryAfterSeconds }) => retryAfterSeconds)).toEqual([3, 89])
  leave.abort()
  await Promise.all(waiting)
})

test('a search that the backend comes to see as light starts at once when another one moves the queue', async () => {
  const known = { isLight: false }
  const { fake, executor, end, begun } = gated({ lightLane: { concurrency: 3, takes: () => known.isLight } })
  const searches = [list(executor, 'a'), list(executor, 'b')]
  await fake.begun()
  known.isLight = true
  searches.push(list(executor, 'c'))
  await fake.begun(3)
  expect(begun()).toEqual(['a', 'b', 'c'])
  for (const query of begun()) end(query)
  await Promise.all(searches)
  expect((await executor.health()).queue).toMatchObject({ running: 0, waiting: 0 })
})

function list(executor: Executor, query: string, caller = 'x', signal = new AbortController().signal) {
  return collect(executor.search(requestFor(query), { signal, caller }))
}

function write(executor: Executor, query: string, caller = 'x', signal = new AbortController().signal) {
  return collect(executor.search(requestFor(query, { want: 'answer' }), { signal, caller }))
}
