import { expect, test } from 'bun:test'
import { collect } from '../../src/domain/answer.ts'
import type { Answer, SearchRequest } from '../../src/domain/search.ts'
import type { Executor } from '../../src/executor/executor.ts'
import { queued } from '../../src/executor/queued.ts'
import { failureOf } from '../support/failure-of.ts'
import { answersAfter, fails, fakeExecutor, hangs, requestFor } from '../support/fake-executor.ts'

const live = new AbortController().signal

test('runs so many at once, the others in the order they came', async () => {
  const gate = Promise.withResolvers<void>()
  const fake = fakeExecutor(answersAfter(gate.promise))
  const executor = queued({ concurrency: 2, startsPerSecond: 0 })(fake)
  const searches = ['a', 'b', 'c', 'd', 'e'].map((query) => ask(executor, query))
  await fake.begun(2)
  expect(fake.running).toBe(2)
  expect((await executor.health()).queue).toEqual({ running: 2, waiting: 3, concurrency: 2, capacity: 100 })
  gate.resolve()
  await Promise.all(searches)
  expect(queriesOf(fake)).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect((await executor.health()).queue).toMatchObject({ running: 0, waiting: 0 })
})

test('lets result lists go before written answers', async () => {
  const gate = Promise.withResolvers<void>()
  const fake = fakeExecutor(answersAfter(gate.promise))
  const executor = queued({ concurrency: 1, startsPerSecond: 0 })(fake)
  const first = ask(executor, 'first', { want: 'answer' })
  await fake.begun()
  const rest = [
    ask(executor, 'answer', { want: 'answer' }),
    ask(executor, 'text', { want: 'text' }),
    ask(executor, 'list'),
    ask(executor, 'another list'),
  ]
  gate.resolve()
  await Promise.all([first, ...rest])
  expect(queriesOf(fake)).toEqual(['first', 'list', 'another list', 'answer', 'text'])
})

test('turns away who finds the line full, and nobody else', async () => {
  const gate = Promise.withResolvers<void>()
  const fake = fakeExecutor(answersAfter(gate.promise))
  const executor = queued({ concurrency: 1, capacity: 1, startsPerSecond: 0 })(fake)
  const running = ask(executor, 'running')
  const waiting = ask(executor, 'waiting')
  const error = await failureOf(ask(executor, 'too many'))
  expect(error.code).toBe('busy')
  expect((await executor.health()).queue).toMatchObject({ running: 1, waiting: 1 })
  gate.resolve()
  await Promise.all([running, waiting])
  expect(queriesOf(fake)).toEqual(['running', 'waiting'])
})

test('lets nobody wait when the capacity is 0, but serves who finds a free place', async () => {
  const gate = Promise.withResolvers<void>()
  const fake = fakeExecutor(answersAfter(gate.promise))
  const executor = queued({ concurrency: 1, capacity: 0, startsPerSecond: 0 })(fake)
  const first = ask(executor, 'first')
  expect((await failureOf(ask(executor, 'second'))).code).toBe('busy')
  gate.resolve()
  await first
  await ask(executor, 'third')
  expect(queriesOf(fake)).toEqual(['first', 'third'])
})

test('reckons from recent searches and the length of the line when to come back', async () => {
  let seconds = 0
  const retryAfter = async (secondsPerSearch: number, waiting: number): Promise<number | undefined> => {
    const abandon = new AbortController()
    const fake = fakeExecutor(async function* (request, signal) {
      seconds += secondsPerSearch
      if (request.query === 'hang') yield* hangs(request, signal)
      yield* answersAfter(Promise.resolve())(request, signal)
    })
    const layer = queued({ concurrency: 1, capacity: waiting, startsPerSecond: 0, now: () => seconds * 1000 })
    const executor = layer(fake)
    for (let count = 0; count < 50; count++) await ask(executor, 'done')
    const hanging = Array.from({ length: waiting + 1 }, () => failureOf(ask(executor, 'hang', {}, abandon.signal)))
    const { retryAfterSeconds } = await failureOf(ask(executor, 'too many'))
    abandon.abort()
    await Promise.all(hanging)
    return retryAfterSeconds
  }
  expect(await retryAfter(2, 4)).toBe(11)
  expect(await retryAfter(20, 4)).toBe(100)
  expect(await retryAfter(2, 9)).toBe(21)
  expect(await retryAfter(0, 1)).toBe(1)
})

test('lets a caller who leaves while waiting go at once, and starts nothing for it', async () => {
  const fake = fakeExecutor(hangs)
  const executor = queued({ concurrency: 1, startsPerSecond: 0 })(fake)
  const abandon = new AbortController()
  const running = failureOf(ask(executor, 'running', {}, abandon.signal))
  const impatient = new AbortController()
  const waiting = failureOf(ask(executor, 'waiting', {}, impatient.signal))
  await fake.begun()
  impatient.abort()
  expect((await waiting).code).toBe('cancelled')
  expect((await executor.health()).queue).toMatchObject({ running: 1, waiting: 0 })
  abandon.abort()
  await running
  expect(queriesOf(fake)).toEqual(['running'])
})

test('gives a place on only when the work has stopped', async () => {
  let running = 0
  let most = 0
  const fake = fakeExecutor(async function* (request, signal) {
    most = Math.max(most, ++running)
    try {
      yield* request.query === 'fail' ? fails('failed')(request, signal) : hangs(request, signal)
    } finally {
      await new Promise((resolve) => setImmediate(resolve))
      running--
    }
  })
  const executor = queued({ concurrency: 1, startsPerSecond: 0 })(fake)
  const abandon = new AbortController()
  const aborted = failureOf(ask(executor, 'abort', {}, abandon.signal))
  const failing = failureOf(ask(executor, 'fail'))
  const early = executor.search(requestFor('early'), { signal: live })[Symbol.asyncIterator]()
  const first = early.next()
  const last = failureOf(ask(executor, 'fail'))
  await fake.begun()
  abandon.abort()
  expect((await aborted).code).toBe('cancelled')
  expect((await failing).code).toBe('failed')
  await first
  await early.return?.()
  expect((await last).code).toBe('failed')
  expect(queriesOf(fake)).toEqual(['abort', 'fail', 'early', 'fail'])
  expect(most).toBe(1)
})

test('starts the first few at once and then no more than allowed', async () => {
  const fake = fakeExecutor()
  const executor = queued({ concurrency: 10, startsPerSecond: 2 })(fake)
  const searches = ['a', 'b', 'c'].map((query) => ask(executor, query))
  await Promise.all(searches.slice(0, 2))
  expect(queriesOf(fake)).toEqual(['a', 'b'])
  expect((await executor.health()).queue).toMatchObject({ waiting: 1 })
  await Promise.all(searches)
  expect(queriesOf(fake)).toEqual(['a', 'b', 'c'])
})

test('starts fewer than one a second when told so', async () => {
  const fake = fakeExecutor()
  const executor = queued({ startsPerSecond: 0.5 })(fake)
  await ask(executor, 'first')
  const abandon = new AbortController()
  const second = failureOf(ask(executor, 'second', {}, abandon.signal))
  expect((await executor.health()).queue).toMatchObject({ waiting: 1 })
  abandon.abort()
  expect((await second).code).toBe('cancelled')
})

test('sends away who waits when it closes', async () => {
  const fake = fakeExecutor(hangs)
  const executor = queued({ concurrency: 1, startsPerSecond: 0 })(fake)
  const running = failureOf(ask(executor, 'running'))
  const waiting = failureOf(ask(executor, 'waiting'))
  await fake.begun()
  await executor.close()
  expect((await waiting).code).toBe('unavailable')
  await running
  expect(fake.running).toBe(0)
  expect(queriesOf(fake)).toEqual(['running'])
})

function ask(
  executor: Executor,
  query: string,
  rest: Partial<SearchRequest> = {},
  signal: AbortSignal = live,
): Promise<Answer> {
  return collect(executor.search(requestFor(query, rest), { signal }))
}

function queriesOf(fake: { readonly requests: readonly SearchRequest[] }): readonly string[] {
  return fake.requests.map(({ query }) => query)
}
