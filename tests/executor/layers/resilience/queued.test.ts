import { describe, expect, spyOn, test } from 'bun:test'
import { quickTimers } from '@csp/testing/quick-timers'
import { collect } from '../../../../src/domain/answer.ts'
import { SearchError } from '../../../../src/domain/error.ts'
import type { Answer, SearchRequest } from '../../../../src/domain/search.ts'
import type { Executor } from '../../../../src/executor/executor.ts'
import type { Refuse } from '../../../../src/executor/layers/resilience/breaker.ts'
import { queued } from '../../../../src/executor/layers/resilience/queued.ts'
import { failureOf } from '../../../support/failure-of.ts'
import { answers, answersAfter, fails, fakeExecutor, hangs, requestFor } from '../../../support/fake-executor.ts'

const live = new AbortController().signal

test('the queue runs as many searches as allowed, the others in the order they came', async () => {
  const gate = Promise.withResolvers<void>()
  const fake = fakeExecutor(answersAfter(gate.promise))
  const executor = queued({ concurrency: 2, startsPerSecond: 0 })(fake)
  const searches = ['a', 'b', 'c', 'd', 'e'].map((query) => ask(executor, query))
  await fake.begun(2)
  expect(fake.running).toBe(2)
  expect((await executor.health()).queue).toMatchObject({ running: 2, waiting: 3, concurrency: 2, capacity: 100 })
  gate.resolve()
  await Promise.all(searches)
  expect(queriesOf(fake)).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect((await executor.health()).queue).toMatchObject({ running: 0, waiting: 0 })
})

test('the queue runs result lists before written answers', async () => {
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

test('the queue rejects a search that finds it full, and no other', async () => {
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

test('the queue with a capacity of 0 serves a search that finds a free place and rejects the others', async () => {
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

test('the queue estimates from recent searches and its length when to come back', async () => {
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

test('the queue lets a caller who leaves while waiting go at once and starts nothing for it', async () => {
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

test('the queue frees a place only when the work has stopped', async () => {
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

test('the queue starts the first few at once and then no more than allowed', async () => {
  using _ = quickTimers()
  const fake = fakeExecutor()
  const executor = queued({ concurrency: 10, startsPerSecond: 2 })(fake)
  const searches = ['a', 'b', 'c'].map((query) => ask(executor, query))
  await Promise.all(searches.slice(0, 2))
  expect(queriesOf(fake)).toEqual(['a', 'b'])
  expect((await executor.health()).queue).toMatchObject({ waiting: 1 })
  await Promise.all(searches)
  expect(queriesOf(fake)).toEqual(['a', 'b', 'c'])
})

test('the queue can start fewer than one search a second', async () => {
  const fake = fakeExecutor()
  const executor = queued({ startsPerSecond: 0.5 })(fake)
  await ask(executor, 'first')
  const abandon = new AbortController()
  const second = failureOf(ask(executor, 'second', {}, abandon.signal))
  expect((await executor.health()).queue).toMatchObject({ waiting: 1 })
  abandon.abort()
  expect((await second).code).toBe('cancelled')
})

test('the queue starts one search at once, not two, where one and a half may start in a second', async () => {
  const fake = fakeExecutor()
  const executor = queued({ startsPerSecond: 1.5 })(fake)
  await ask(executor, 'first')
  const abandon = new AbortController()
  const second = failureOf(ask(executor, 'second', {}, abandon.signal))
  expect((await executor.health()).queue).toMatchObject({ waiting: 1 })
  abandon.abort()
  expect((await second).code).toBe('cancelled')
  await executor.close()
})

test('the queue estimates from the allowed starts where they take longer than the searches', async () => {
  const executor = queued({ concurrency: 100, startsPerSecond: 0.5, now: () => 0 })(fakeExecutor())
  await ask(executor, 'first')
  const abandon = new AbortController()
  const waiting = ['a', 'b', 'c'].map((query) => failureOf(ask(executor, query, {}, abandon.signal)))
  expect((await executor.health()).queue).toMatchObject({ waiting: 3, estimatedWaitSeconds: 8 })
  abandon.abort()
  await Promise.all(waiting)
  await executor.close()
})

test('the queue stops listening to the signal of a search that has its place', async () => {
  const { signal } = new AbortController()
  const [listen, unlisten] = [spyOn(signal, 'addEventListener'), spyOn(signal, 'removeEventListener')]
  await ask(
    queued({ startsPerSecond: 0 })({ ...fakeExecutor(), search: () => answers(requestFor('q')) }),
    'q',
    {},
    signal,
  )
  expect(listen).toHaveBeenCalled()
  expect(unlisten.mock.calls.map(([, listener]) => listener)).toEqual(listen.mock.calls.map(([, listener]) => listener))
})

test('the queue rejects waiting searches at once when it closes, however long the backend takes to close', async () => {
  const fake = fakeExecutor(hangs)
  const executor = queued({ concurrency: 1, startsPerSecond: 0 })({ ...fake, close: () => new Promise(() => {}) })
  const leave = new AbortController()
  const running = failureOf(ask(executor, 'running', {}, leave.signal))
  const waiting = failureOf(ask(executor, 'waiting'))
  await fake.begun()
  void executor.close()
  expect((await waiting).code).toBe('unavailable')
  leave.abort()
  await running
})

test('the queue rejects waiting searches when it closes', async () => {
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

test('the queue lets callers take turns, so a burst of one does not delay the single search of another', async () => {
  const gate = Promise.withResolvers<void>()
  const fake = fakeExecutor(answersAfter(gate.promise))
  const executor = queued({ concurrency: 1, startsPerSecond: 0 })(fake)
  const burst = Array.from({ length: 50 }, (_, index) => askAs(executor, 'busy', `busy ${index}`))
  const single = askAs(executor, 'calm', 'calm')
  gate.resolve()
  await Promise.all([...burst, single])
  expect(queriesOf(fake).slice(0, 4)).toEqual(['busy 0', 'busy 1', 'calm', 'busy 2'])
})

test('the queue does not let lists delay a written answer forever', async () => {
  const clock = { ms: 0 }
  const fake = fakeExecutor(async function* (request) {
    clock.ms += 4000
    yield* answers(request)
  })
  const executor = queued({ concurrency: 1, startsPerSecond: 0, now: () => clock.ms })(fake)
  const lists = ['a', 'b', 'c', 'd', 'e', 'f'].map((query) => ask(executor, query))
  const answer = ask(executor, 'answer', { want: 'answer' })
  const late = ['g', 'h'].map((query) => ask(executor, query))
  await Promise.all([...lists, answer, ...late])
  expect(queriesOf(fake)).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'answer', 'g', 'h'])
})

test('the queue starts nothing once it is closed, nor for a caller that has left, and closes behind the backend', async () => {
  let asked = 0
  let isClosed = false
  const inner: Executor = {
    ...fakeExecutor(),
    search: (request) => {
      asked++
      return answers(request)
    },
    async close() {
      await Bun.sleep(0)
      isClosed = true
    },
  }
  const executor = queued({ startsPerSecond: 0 })(inner)
  expect(await executor.health()).toMatchObject({ ready: true, backends: [{ name: 'fake' }], queue: { running: 0 } })
  expect((await failureOf(ask(executor, 'q', {}, AbortSignal.abort()))).code).toBe('cancelled')
  await executor.close()
  expect(isClosed).toBe(true)
  expect(await failureOf(ask(executor, 'q'))).toMatchObject({ code: 'unavailable', message: 'csp is shutting down.' })
  expect(asked).toBe(0)
})

test('the queue sets no timer while its places are taken and more might start', async () => {
  const leave = new AbortController()
  const executor = queued({ concurrency: 1, startsPerSecond: 0 })(fakeExecutor(hangs))
  const set = spyOn(globalThis, 'setTimeout')
  try {
    const searches = ['a', 'b'].map((query) => failureOf(ask(executor, query, {}, leave.signal)))
    await Bun.sleep(5)
    expect(set.mock.calls.filter(([, ms]) => ms === 0)).toEqual([])
    leave.abort()
    await Promise.all(searches)
  } finally {
    set.mockRestore()
  }
})

describe('a full queue', () => {
  test('says how many run, in both lanes, and how many wait', async () => {
    const lightLane = { concurrency: 2, takes: ({ want }: SearchRequest) => want === 'results' }
    for (const [options, running] of [
      [{ lightLane }, 3],
      [{}, 1],
    ] as const) {
      const leave = new AbortController()
      const fake = fakeExecutor(hangs)
      const executor = queued({ concurrency: 1, capacity: 1, startsPerSecond: 0, ...options })(fake)
      const write = (query: string) => failureOf(ask(executor, query, { want: 'answer' }, leave.signal))
      const searches = [write('A')]
      if (running === 3)
        for (const query of ['a', 'b']) searches.push(failureOf(ask(executor, query, {}, leave.signal)))
      await fake.begun(running)
      searches.push(write('B'))
      expect((await write('C')).message).toBe(`Queue full (${running} running, 1 queued).`)
      leave.abort()
      await Promise.all(searches)
    }
  })

  const fill = (capacity: number, ...asked: readonly (readonly [caller: string, query: string])[]) => {
    const gate = Promise.withResolvers<void>()
    const fake = fakeExecutor(answersAfter(gate.promise))
    const executor = queued({ concurrency: 1, capacity, startsPerSecond: 0 })(fake)
    const ends = asked.map(([caller, query]) => askAs(executor, caller, query).then(() => query, codeOf))
    return { fake, executor, ends, open: gate.resolve }
  }

  test('accepts a search of a caller with fewer waiting, and rejects the last one of the caller with most', async () => {
    const { ends, open } = fill(3, ['a', 'a0'], ['a', 'a1'], ['a', 'a2'], ['a', 'a3'], ['b', 'b1'])
    expect(await ends[3]).toBe('busy')
    open()
    expect(await Promise.all(ends)).toEqual(['a0', 'a1', 'a2', 'busy', 'b1'])
  })

  test('rejects a new search of a caller who has no fewer waiting than the others', async () => {
    const { ends, open } = fill(2, ['a', 'a0'], ['a', 'a1'], ['b', 'b1'], ['b', 'b2'], ['a', 'a2'])
    expect(await Promise.all([ends[3], ends[4]])).toEqual(['busy', 'busy'])
    open()
    expect(await Promise.all(ends)).toEqual(['a0', 'a1', 'b1', 'busy', 'busy'])
  })
})

test('the queue reports how long a search would wait, how long one has waited, and how many wait for it', async () => {
  const clock = { ms: 60_000 }
  const gate = Promise.withResolvers<void>()
  const executor = queued({ concurrency: 2, startsPerSecond: 0, now: () => clock.ms })(
    fakeExecutor(answersAfter(gate.promise)),
  )
  const queue = async () => (await executor.health()).queue
  expect(await queue()).toMatchObject({ callers: 0, estimatedWaitSeconds: 0, oldestWaitSeconds: 0 })
  const searches = [askAs(executor, 'a', '1')]
  expect(await queue()).toMatchObject({ running: 1, estimatedWaitSeconds: 0 })
  searches.push(askAs(executor, 'a', '2'), askAs(executor, 'a', '3'), askAs(executor, 'b', '4'))
  clock.ms += 7500
  expect(await queue()).toMatchObject({ waiting: 2, callers: 2, estimatedWaitSeconds: 15, oldestWaitSeconds: 7 })
  gate.resolve()
  await Promise.all(searches)
  expect(await queue()).toMatchObject({ callers: 0, estimatedWaitSeconds: 0, oldestWaitSeconds: 0 })
})

test('the queue rejects waiting searches when the breaker opens for them, and running ones go on', async () => {
  const gate = Promise.withResolvers<void>()
  const fake = fakeExecutor(answersAfter(gate.promise))
  const listeners: ((refuse: Refuse) => void)[] = []
  const breaker = { onOpen: (listener: (refuse: Refuse) => void) => void listeners.push(listener) }
  const executor = queued({ concurrency: 1, startsPerSecond: 0, breaker })(fake)
  const running = ask(executor, 'running')
  const refused = failureOf(ask(executor, 'refused'))
  const other = ask(executor, 'other', { model: 'opus' })
  const refuse: Refuse = ({ model }) => (model ? undefined : new SearchError('rate-limited', 'Spent.'))
  for (const listener of listeners) listener(refuse)
  expect((await refused).message).toBe('Spent.')
  gate.resolve()
  await Promise.all([running, other])
  expect(queriesOf(fake)).toEqual(['running', 'other'])
})

function ask(
  executor: Executor,
  query: string,
  rest: Partial<SearchRequest> = {},
  signal: AbortSignal = live,
): Promise<Answer> {
  return collect(executor.search(requestFor(query, rest), { signal }))
}

function askAs(executor: Executor, caller: string, query: string): Promise<Answer> {
  return collect(executor.search(requestFor(query), { signal: live, caller }))
}

function codeOf(error: unknown): string {
  return error instanceof SearchError ? error.code : String(error)
}

function queriesOf(fake: { readonly requests: readonly SearchRequest[] }): readonly string[] {
  return fake.requests.map(({ query }) => query)
}
