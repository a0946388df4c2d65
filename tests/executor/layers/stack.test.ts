import { expect, spyOn, test } from 'bun:test'
import { collect } from '../../../src/domain/answer.ts'
import { SearchError } from '../../../src/domain/error.ts'
import type { SearchRequest } from '../../../src/domain/search.ts'
import type { Executor } from '../../../src/executor/executor.ts'
import { Breaker } from '../../../src/executor/layers/resilience/breaker.ts'
import { fallback } from '../../../src/executor/layers/resilience/fallback.ts'
import type { QueueLimits } from '../../../src/executor/layers/resilience/queued.ts'
import { createBackendStack, createStack } from '../../../src/executor/layers/stack.ts'
import { failureOf } from '../../support/failure-of.ts'
import { answers, fakeExecutor, hangs, requestFor, type Script } from '../../support/fake-executor.ts'

const live = new AbortController().signal
const kept = { cache: { ttlSeconds: 60 }, paging: { ttlSeconds: 60 } }

test('a usage limit fails the searches in the queue at once, and later ones before they enter it', async () => {
  const gate = Promise.withResolvers<void>()
  const fake = fakeExecutor(async function* () {
    yield* []
    await gate.promise
    throw new SearchError('rate-limited', 'Spent.', { retryAfterSeconds: 3600 })
  })
  const executor = behind(fake, { concurrency: 1 })
  const failures = ['running', 'waiting', 'waiting too'].map((query) => failureOf(ask(executor, query)))
  await fake.begun()
  gate.resolve()
  for (const failure of await Promise.all(failures))
    expect(failure).toMatchObject({ code: 'rate-limited', message: 'Spent.' })
  expect(await failureOf(ask(executor, 'next'))).toMatchObject({ code: 'rate-limited', retryAfterSeconds: 3600 })
  expect(fake.requests.map(({ query }) => query)).toEqual(['running'])
  expect(await executor.health()).toMatchObject({
    ready: false,
    backends: [{ ready: false, problem: 'Spent.', breaker: { state: 'open' } }],
    queue: { running: 0, waiting: 0 },
  })
})

test('the next backend answers while the first has a limit, and the first is not called', async () => {
  const first = fakeExecutor(says('rate-limited', 3600), 'first')
  const second = fakeExecutor(answers, 'second')
  const executor = fallback([behind(first), behind(second)])
  for (const query of ['a', 'b', 'c']) expect((await ask(executor, query)).backend).toBe('second')
  expect(first.requests).toHaveLength(1)
  expect((await executor.health()).ready).toBe(true)
})

test('five failures open the breaker, and the tries of one search count once', async () => {
  const fake = fakeExecutor(says('failed'))
  const executor = behind(fake)
  for (let count = 0; count < 7; count++) await failureOf(ask(executor, 'q'))
  expect(fake.requests).toHaveLength(5)
  expect(await failureOf(ask(executor, 'q'))).toMatchObject({ code: 'unavailable', retryAfterSeconds: 10 })
})

test('a search that a full queue rejects does not count against the backend', async () => {
  const fake = fakeExecutor(hangs)
  const executor = behind(fake, { concurrency: 1, capacity: 0 })
  const leave = new AbortController()
  const running = failureOf(ask(executor, 'running', {}, leave.signal))
  await fake.begun()
  for (let count = 0; count < 9; count++) expect((await failureOf(ask(executor, 'q'))).code).toBe('busy')
  expect((await executor.health()).backends[0]?.breaker).toMatchObject({ state: 'closed', failures: 0 })
  leave.abort()
  await running
})

test('the deadline applies to all tries together', async () => {
  const fake = fakeExecutor(hangs)
  expect((await failureOf(ask(behind(fake, { timeoutMs: 20 }), 'q'))).code).toBe('timeout')
  expect(fake.requests).toHaveLength(1)
  expect(fake.running).toBe(0)
})

test('no try begins in the second half of the deadline', async () => {
  const clock = { ms: 0 }
  const elapsed = spyOn(performance, 'now').mockImplementation(() => clock.ms)
  try {
    const fake = fakeExecutor(async function* () {
      yield* []
      clock.ms += 30_001
      throw new SearchError('unavailable', 'Slow to fail.')
    })
    expect((await failureOf(ask(behind(fake, { retries: 2 }), 'q'))).message).toBe('Slow to fail.')
    expect(fake.requests).toHaveLength(1)
  } finally {
    elapsed.mockRestore()
  }
})

test('searches whose callers run out of time say nothing about the backend', async () => {
  const fake = fakeExecutor(hangs)
  const executor = behind(fake)
  for (let count = 1; count <= 6; count++) {
    const leave = new AbortController()
    const failure = failureOf(ask(executor, 'q', {}, leave.signal))
    await fake.begun(count)
    leave.abort(new DOMException('Too slow.', 'TimeoutError'))
    expect((await failure).code).toBe('timeout')
  }
  expect((await executor.health()).backends[0]?.breaker).toMatchObject({ state: 'closed', failures: 0 })
})

test('with two hundred callers at once, a third of whom leave, each of the others is served and nothing is left', async () => {
  const fake = fakeExecutor(async function* (request) {
    await new Promise((resolve) => setImmediate(resolve))
    yield* answers(request)
  })
  const executor = createStack([behind(fake, { capacity: 1000 })], kept)
  const searches = Array.from({ length: 200 }, (_, index) => {
    const leave = new AbortController()
    const asked = collect(executor.search(requestFor(`q${index}`), { signal: leave.signal, caller: `c${index % 20}` }))
    return { index, leave, end: asked.then(() => 'answered', codeOf) }
  })
  await fake.begun(3)
  for (const { index, leave } of searches) if (index % 3 === 2) leave.abort()
  const ends = await Promise.all(searches.map(({ end }) => end))
  expect(ends).toEqual(searches.map(({ index }) => (index % 3 === 2 ? 'cancelled' : 'answered')))
  expect(fake.running).toBe(0)
  expect(fake.requests.length).toBeLessThanOrEqual(134 + 3)
  expect((await executor.health()).queue).toMatchObject({ running: 0, waiting: 0, callers: 0 })
})

test('all layers together support what the backend supports', () => {
  const lists = Object.assign(fakeExecutor(), { supports: ({ want }: SearchRequest) => want === 'results' })
  const whole = createStack([behind(lists)], kept)
  expect(whole.supports?.(requestFor('q'))).toBe(true)
  expect(whole.supports?.(requestFor('q', { want: 'text' }))).toBe(false)
})

test('a writer makes texts only where it is named', () => {
  const lists = Object.assign(fakeExecutor(), { supports: ({ want }: SearchRequest) => want === 'results' })
  const writers = [fakeExecutor(answers, 'writer')]
  const makesTexts = (areWritersNamed?: boolean) =>
    createStack([lists], { writers, areWritersNamed }).supports?.(requestFor('q', { want: 'text' }))
  expect([makesTexts(), makesTexts(false), makesTexts(true)]).toEqual([false, false, true])
})

test('a row whose address is not of the web reaches no caller', async () => {
  const inner = fakeExecutor(async function* (request) {
    for await (const event of answers(request)) {
      const bad = { title: 'Bad', url: 'javascript:alert(1)', source: 'fake' }
      yield event.type === 'search-results' ? { ...event, results: [bad, ...event.results] } : event
    }
  })
  const { searches } = await ask(createStack([inner], kept), 'q')
  expect(searches[0]?.results.map(({ url }) => url)).toEqual(['https://example.com/q', 'https://example.com/q/more'])
})

test('a page names the backend that answered, also when it is made of known rows', async () => {
  const executor = createStack([fakeExecutor(answers, 'first')], { paging: { ttlSeconds: 60 } })
  for (let count = 0; count < 2; count++) expect((await ask(executor, 'q', { limit: 2 })).backend).toBe('first')
})

test("the operator's instructions reach each answer before the caller's, and no list or plain text", async () => {
  const fake = fakeExecutor()
  const executor = createStack([fake], { ...kept, instructions: 'Use metres.' })
  await ask(executor, 'a', { want: 'answer' })
  await ask(executor, 'b', { want: 'answer', instructions: 'Be brief.' })
  await ask(executor, 'c', { want: 'results' })
  await ask(executor, 'd', { want: 'text', instructions: 'Be brief.' })
  expect(fake.requests.map(({ instructions }) => instructions)).toEqual([
    'Use metres.',
    'Use metres.\n\nBe brief.',
    undefined,
    'Be brief.',
  ])
})

test.each([
  ['without a cache', {}, {}, 'answer'],
  ['with a cache that keeps nothing', { cache: { ttlSeconds: 0 } }, {}, 'answer'],
  ['that is kept', kept, {}, 'answer'],
  ['that is not to be kept', kept, { cache: 'no-store' }, 'answer'],
  ['that is made anew', kept, { cache: 'no-cache' }, 'answer'],
  ['of plain text', kept, {}, 'text'],
] as const)('a search %s is read to its end although its client stops reading', async (_, options, context, want) => {
  const ended = Promise.withResolvers<void>()
  const fake = fakeExecutor(async function* (request) {
    for await (const event of answers(request)) {
      if (event.type === 'done') for (let at = 0; at < 100; at++) yield { type: 'text-delta', text: '.' }
      yield event
    }
    ended.resolve()
  })
  const leave = new AbortController()
  const search = createStack([fake], options).search(requestFor('q', { want }), { signal: leave.signal, ...context })
  const events = search[Symbol.asyncIterator]()
  await events.next()
  await ended.promise
  await events.return?.()
})

test.each([
  ['writing', {}],
  ['preparing', { prepare: () => Promise.reject(new SearchError('unavailable', 'Not now.')) }],
])(
  'a backend that writes over its own list fails with its %s, and no other writer of its name does',
  async (_, parts) => {
    const lists = () =>
      Object.assign(
        fakeExecutor((request) => (request.want === 'results' ? answers(request) : says('unavailable')(request, live))),
        { answers: async () => false, ...parts },
      )
    const own = lists()
    const failure = await failureOf(ask(createStack([own], { writers: [own] }), 'q', { want: 'answer' }))
    expect(failure.code).toBe('unavailable')
    const excerpts = await ask(createStack([lists()], { writers: [lists()] }), 'q', { want: 'answer' })
    expect(excerpts).toMatchObject({ isDegraded: true })
  },
)

type BehindOptions = QueueLimits & { readonly timeoutMs?: number; readonly retries?: number }

function behind(inner: Executor, options: BehindOptions = {}): Executor {
  const { timeoutMs = 60_000, retries = 0, ...limits } = options
  const breaker = new Breaker({ name: inner.name })
  return createBackendStack(inner, { breaker, queue: { startsPerSecond: 0, ...limits }, timeoutMs, retries })
}

function says(code: SearchError['code'], retryAfterSeconds?: number): Script {
  return async function* () {
    yield* []
    throw new SearchError(code, 'It broke.', { retryAfterSeconds })
  }
}

function ask(executor: Executor, query: string, rest: Partial<SearchRequest> = {}, signal = live) {
  return collect(executor.search(requestFor(query, rest), { signal }))
}

function codeOf(error: unknown): string {
  return error instanceof SearchError ? error.code : String(error)
}
