import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { collect, replay, sourcesOf } from '../../src/domain/answer.ts'
import { SearchError, type SearchErrorCode } from '../../src/domain/error.ts'
import type { SearchEvent, SearchRequest } from '../../src/domain/search.ts'
import type { Executor } from '../../src/executor/executor.ts'
import { failureOf } from '../support/failure-of.ts'
import { expectEventOrder } from './event-order.ts'

/**
 * How an executor is set up for one test.
 * - `succeed`: every search ends well, and what it finds or writes names the query.
 * - `hang`: a search begins its work and never ends it by itself; it may say something first.
 * - `fail`: every search fails, at once or in the middle.
 */
export type Behaviour = 'succeed' | 'hang' | 'fail'

export interface ExecutorFixture {
  readonly executor: Executor
  /** How much work of searches has not stopped: processes, requests, scripts. Warm workers that wait do not count. */
  running(): number | Promise<number>
  /** Resolves once work for a search has begun. Needed for `hang`. */
  begun?(): Promise<void>
  /** How many searches have begun. Without it, laziness is judged by `running`. */
  started?(): number
  /** Frees what the fixture holds beside the executor. */
  dispose?(): Promise<void>
  /** Other tests use the executor too: a test leaves it open. Never where a test closes it by itself. */
  readonly isShared?: boolean | undefined
}

export interface ExecutorContractOptions {
  /** `isClosed`: the test closes the executor, which no other test may then use. */
  readonly factory: (behaviour: Behaviour, isClosed: boolean) => ExecutorFixture | Promise<ExecutorFixture>
  /** What a search throws that was set up to fail. */
  readonly failure: SearchErrorCode
  /** How many searches run at once where they must not mix. Fewer than ten where each starts a process. */
  readonly atOnce?: number | undefined
  /** How long one test may take. */
  readonly timeoutMs?: number | undefined
}

/** Registers the tests that every executor must pass. */
export function executorContract(name: string, options: ExecutorContractOptions): void {
  describe(`${name} keeps the contract of an executor`, () => {
    // A describe each, because the hooks of a fixture run for all tests beside them.
    describe('when it succeeds', () => successTests(options))
    describe('when it hangs', () => stopTests(options))
    describe('when it fails', () => failureTests(options))
    describe('when it is closed', () => closeTests(options))
    describe('when it is closed while it hangs', () => stopByCloseTests(options))
  })
}

function successTests({ factory, timeoutMs, atOnce = 10 }: ExecutorContractOptions): void {
  const fixture = useFixture(() => factory('succeed', false))
  const check = (name: string, body: () => Promise<void>): void => test(name, body, timeoutMs)

  check('starts nothing before the first next()', async () => {
    const { executor } = fixture()
    const begunBefore = fixture().started?.() ?? 0
    const iterator = executor.search(requestFor('lazy'), { signal: live() })[Symbol.asyncIterator]()
    await nextTurn()
    expect(await fixture().running()).toBe(0)
    expect(fixture().started?.() ?? 0).toBe(begunBefore)
    await iterator.return?.()
    expect(fixture().started?.() ?? 0).toBe(begunBefore)
  })

  check('gives a fresh iterable for each call', async () => {
    const { executor } = fixture()
    const first = executor.search(requestFor('fresh'), { signal: live() })
    const second = executor.search(requestFor('fresh'), { signal: live() })
    expect(second).not.toBe(first)
    expectEventOrder(await Array.fromAsync(first))
    expectEventOrder(await Array.fromAsync(second))
  })

  for (const want of ['results', 'answer'] as const) {
    check(`keeps the order of events for ${want}`, async () => {
      const events = await Array.fromAsync(fixture().executor.search(requestFor('order', want), { signal: live() }))
      expectEventOrder(events)
      expect(await fixture().running()).toBe(0)
    })

    check(`makes an answer for ${want} that replays to itself`, async () => {
      const events = await Array.fromAsync(fixture().executor.search(requestFor('replay', want), { signal: live() }))
      const answer = await collect(each(events))
      expect(await collect(each(replay(answer)))).toEqual(answer)
      expect(sourcesOf(answer.searches)).not.toEqual([])
      if (want === 'answer') expect(answer.text).not.toBe('')
    })
  }

  check(`does not mix ${atOnce} searches at once`, async () => {
    const names = Array.from({ length: atOnce }, (_, index) => `subject${String.fromCharCode(97 + index)}`)
    const streams = await Promise.all(
      names.map((name) => Array.fromAsync(fixture().executor.search(requestFor(name), { signal: live() }))),
    )
    const mentioned = streams.map((events) => names.filter((name) => JSON.stringify(events).includes(name)))
    expect(mentioned).toEqual(names.map((name) => [name]))
  })

  check('leaves no work behind when the consumer returns early', async () => {
    const iterator = fixture().executor.search(requestFor('early'), { signal: live() })[Symbol.asyncIterator]()
    expect((await iterator.next()).done).toBe(false)
    await iterator.return?.()
    expect(await fixture().running()).toBe(0)
    expect((await iterator.next()).done).toBe(true)
  })

  check('starts nothing for a signal that has aborted', async () => {
    const begunBefore = fixture().started?.() ?? 0
    const signal = AbortSignal.abort()
    const error = await failureIn(fixture().executor.search(requestFor('late'), { signal }))
    expect(error.code).toBe('cancelled')
    expect(await fixture().running()).toBe(0)
    expect(fixture().started?.() ?? 0).toBe(begunBefore)
  })

  check('tells how it stands', async () => {
    const health = await fixture().executor.health()
    expect(health.ready).toBe(true)
    expect(health.backends.map(({ name }) => name)).not.toEqual([])
  })
}

function stopTests({ factory, timeoutMs }: ExecutorContractOptions): void {
  const fixture = useFixture(() => factory('hang', false))
  const reasons = [
    { name: 'an abort', reason: undefined, code: 'cancelled' },
    { name: 'a foreign abort reason', reason: 'gone', code: 'cancelled' },
    { name: 'a time-out', reason: new DOMException('Too late.', 'TimeoutError'), code: 'timeout' },
  ] as const

  for (const { name, reason, code } of reasons) {
    test(
      `stops its work on ${name}, then throws ${code}`,
      async () => {
        const controller = new AbortController()
        const failure = failureIn(fixture().executor.search(requestFor('hang'), { signal: controller.signal }))
        await fixture().begun?.()
        expect(await fixture().running()).toBeGreaterThan(0)
        controller.abort(reason)
        expect((await failure).code).toBe(code)
        expect(await fixture().running()).toBe(0)
      },
      timeoutMs,
    )
  }
}

function stopByCloseTests({ factory, timeoutMs }: ExecutorContractOptions): void {
  const fixture = useFixture(() => factory('hang', true))

  test(
    'stops its work on close(), and the search fails',
    async () => {
      const failure = failureIn(fixture().executor.search(requestFor('hang'), { signal: live() }))
      await fixture().begun?.()
      await fixture().executor.close()
      expect(await failure).toBeInstanceOf(SearchError)
      expect(await fixture().running()).toBe(0)
    },
    timeoutMs,
  )
}

function failureTests({ factory, failure, timeoutMs }: ExecutorContractOptions): void {
  const fixture = useFixture(() => factory('fail', false))

  test(
    `fails with a SearchError, and nothing follows`,
    async () => {
      const iterator = fixture().executor.search(requestFor('fail'), { signal: live() })[Symbol.asyncIterator]()
      const events: SearchEvent[] = []
      const error = await failureIn({ [Symbol.asyncIterator]: () => iterator }, events)
      expect(error.code).toBe(failure)
      expect(events.map(({ type }) => type)).not.toContain('done')
      expect((await iterator.next()).done).toBe(true)
      expect(await fixture().running()).toBe(0)
    },
    timeoutMs,
  )

  test(
    'tells how it stands after a failure',
    async () => {
      await failureIn(fixture().executor.search(requestFor('fail'), { signal: live() }))
      expect(await fixture().executor.health()).toHaveProperty('backends')
    },
    timeoutMs,
  )
}

function closeTests({ factory, timeoutMs }: ExecutorContractOptions): void {
  const fixture = useFixture(() => factory('succeed', true))

  test(
    'closes more than once, and searches no more',
    async () => {
      const { executor } = fixture()
      // A search that was answered before must not be answered from memory afterwards.
      await Array.fromAsync(executor.search(requestFor('closed'), { signal: live() }))
      await Promise.all([executor.close(), executor.close()])
      await executor.close()
      const error = await failureIn(executor.search(requestFor('closed'), { signal: live() }))
      expect(error).toBeInstanceOf(SearchError)
      expect(await executor.health()).toHaveProperty('backends')
      expect(await fixture().running()).toBe(0)
    },
    timeoutMs,
  )
}

/** A fixture for each test, closed after it unless it is shared. */
function useFixture(make: () => ExecutorFixture | Promise<ExecutorFixture>): () => ExecutorFixture {
  let current: ExecutorFixture | undefined
  beforeEach(async () => {
    current = await make()
  })
  afterEach(async () => {
    if (!current?.isShared) {
      await current?.executor.close()
      await current?.dispose?.()
    }
    current = undefined
  })
  return () => {
    if (!current) throw new Error('There is no fixture outside a test.')
    return current
  }
}

/** What a stream throws; the events before it go to `events`. */
function failureIn(stream: AsyncIterable<SearchEvent>, events: SearchEvent[] = []): Promise<SearchError> {
  return failureOf(
    (async () => {
      for await (const event of stream) events.push(event)
    })(),
  )
}

function requestFor(query: string, want: SearchRequest['want'] = 'results'): SearchRequest {
  return { query, history: [], want, effort: 'fast', filters: {} }
}

async function* each(events: Iterable<SearchEvent>): AsyncGenerator<SearchEvent> {
  yield* events
}

function live(): AbortSignal {
  return new AbortController().signal
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
