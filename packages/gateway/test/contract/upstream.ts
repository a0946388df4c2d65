import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { ErrorType } from '@csp/messages-api/error'
import type { MessagesEvent } from '@csp/messages-api/events'
import { foldMessage } from '@csp/messages-api/fold'
import type { MessagesRequest } from '@csp/messages-api/request'
import { UpstreamError } from '@csp/messages-api/upstream-error'
import { assembleWithSdk } from '@csp/testing/sdk-message'
import type { Upstream } from '../../src/upstream.ts'
import { expectMessageOrder } from '../support/message-order.ts'

/**
 * How an upstream is set up for one test.
 * - `succeed`: every reply ends well, and repeats the text of the last message.
 * - `hang`: a reply begins, and never ends by itself.
 * - `fail`: every call fails before its first event.
 * - `break`: every reply begins, and breaks off.
 */
export type UpstreamBehaviour = 'succeed' | 'hang' | 'fail' | 'break'

export interface UpstreamFixture {
  readonly upstream: Upstream
  /** How many calls the provider still works on. */
  running(): number | Promise<number>
  /** How many calls have reached the provider. */
  started(): number
  /** Frees what the fixture holds beside the upstream. */
  dispose?(): Promise<void>
}

export interface UpstreamContractOptions {
  readonly factory: (behaviour: UpstreamBehaviour) => UpstreamFixture | Promise<UpstreamFixture>
  /** What a call throws that was set up to fail. */
  readonly failure: {
    readonly status: number
    readonly type: ErrorType
    readonly retryAfterSeconds?: number | undefined
  }
}

/** Registers the tests that every upstream must pass. */
export function upstreamContract(name: string, options: UpstreamContractOptions): void {
  describe(`${name} keeps the contract of an upstream`, () => {
    // A describe each, because the hooks of a fixture run for all tests beside them.
    describe('when it succeeds', () => successTests(options))
    describe('when it hangs', () => stopTests(options))
    describe('when it fails', () => failureTests(options))
    describe('when its reply breaks off', () => breakTests(options))
    describe('when it is closed', () => closeTests(options))
  })
}

function successTests({ factory }: UpstreamContractOptions): void {
  const fixture = useFixture(() => factory('succeed'))

  test('sends nothing before the first next()', async () => {
    const iterator = fixture().upstream.send(requestFor('lazy'), context())[Symbol.asyncIterator]()
    await nextTurn()
    expect(fixture().started()).toBe(0)
    await iterator.return?.()
    expect(fixture().started()).toBe(0)
  })

  test('gives a fresh iterable for each call', async () => {
    const { upstream } = fixture()
    const first = upstream.send(requestFor('fresh'), context())
    const second = upstream.send(requestFor('fresh'), context())
    expect(second).not.toBe(first)
    expectMessageOrder(await Array.fromAsync(first))
    expectMessageOrder(await Array.fromAsync(second))
  })

  for (const stream of [true, false, undefined]) {
    test(`keeps the order of events when the request says stream: ${stream}`, async () => {
      const events = await Array.fromAsync(fixture().upstream.send({ ...requestFor('order'), stream }, context()))
      expectMessageOrder(events)
      expect(await eventually(fixture().running)).toBe(0)
    })
  }

  test("folds to the message that the vendor's client assembles", async () => {
    const events = await Array.fromAsync(fixture().upstream.send(requestFor('fold'), context()))
    const message = await foldMessage(each(events))
    expect(await assembleWithSdk(events)).toMatchObject(JSON.parse(JSON.stringify(message)))
    expect(JSON.stringify(message.content)).toContain('fold')
  })

  test('names the model of the request, whatever the provider calls it', async () => {
    const model = 'a-name-of-the-provider'
    const events = fixture().upstream.send(requestFor('model'), { ...context(), model })
    expect((await foldMessage(events)).model).toBe('claude-sonnet-5-5')
  })

  test('leaves the request as it is', async () => {
    const request = requestFor('frozen')
    const before = structuredClone(request)
    await Array.fromAsync(fixture().upstream.send(deepFreeze(request), context()))
    expect(request).toEqual(before)
  })

  test('does not mix ten calls at once', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `subject${String.fromCharCode(97 + index)}`)
    const messages = await Promise.all(
      names.map((name) => foldMessage(fixture().upstream.send(requestFor(name), context()))),
    )
    const mentioned = messages.map(({ content }) => names.filter((name) => JSON.stringify(content).includes(name)))
    expect(mentioned).toEqual(names.map((name) => [name]))
  })

  test('gives up the call when the consumer returns early', async () => {
    const iterator = fixture().upstream.send(requestFor('early'), context())[Symbol.asyncIterator]()
    expect((await iterator.next()).done).toBe(false)
    await iterator.return?.()
    expect(await eventually(fixture().running)).toBe(0)
    expect((await iterator.next()).done).toBe(true)
  })

  test('sends nothing for a signal that has aborted', async () => {
    const error = await failureIn(fixture().upstream.send(requestFor('late'), { signal: AbortSignal.abort() }))
    expect(error.status).toBe(499)
    expect(fixture().started()).toBe(0)
  })
}

function stopTests({ factory }: UpstreamContractOptions): void {
  const fixture = useFixture(() => factory('hang'))
  const reasons = [
    { name: 'an abort', reason: undefined, status: 499 },
    { name: 'a foreign abort reason', reason: 'gone', status: 499 },
    { name: 'a time-out', reason: new DOMException('Too late.', 'TimeoutError'), status: 504 },
  ] as const

  for (const { name, reason, status } of reasons) {
    test(`gives up the call on ${name}, then throws ${status}`, async () => {
      const controller = new AbortController()
      const iterator = fixture()
        .upstream.send(requestFor('hang'), { signal: controller.signal })
        [Symbol.asyncIterator]()
      expect((await iterator.next()).value).toMatchObject({ type: 'message_start' })
      expect(await fixture().running()).toBe(1)
      const failure = failureIn({ [Symbol.asyncIterator]: () => iterator })
      controller.abort(reason)
      expect((await failure).status).toBe(status)
      expect(await eventually(fixture().running)).toBe(0)
    })
  }

  test('gives up the call on close(), and the reply fails', async () => {
    const iterator = fixture().upstream.send(requestFor('hang'), context())[Symbol.asyncIterator]()
    await iterator.next()
    const failure = failureIn({ [Symbol.asyncIterator]: () => iterator })
    await fixture().upstream.close()
    expect(await failure).toBeInstanceOf(UpstreamError)
    expect(await eventually(fixture().running)).toBe(0)
  })
}

function failureTests({ factory, failure }: UpstreamContractOptions): void {
  const fixture = useFixture(() => factory('fail'))

  test('throws the status of the provider before any event, and nothing follows', async () => {
    const iterator = fixture().upstream.send(requestFor('fail'), context())[Symbol.asyncIterator]()
    const events: MessagesEvent[] = []
    const error = await failureIn({ [Symbol.asyncIterator]: () => iterator }, events)
    const { status, type, retryAfterSeconds } = error
    expect({ status, type, retryAfterSeconds }).toEqual({ retryAfterSeconds: undefined, ...failure })
    expect(error.toBody()).toEqual({ type: 'error', error: { type: error.type, message: error.message } })
    expect(events).toEqual([])
    expect((await iterator.next()).done).toBe(true)
    expect(await eventually(fixture().running)).toBe(0)
  })
}

function breakTests({ factory }: UpstreamContractOptions): void {
  const fixture = useFixture(() => factory('break'))

  test('throws behind what has come, without an end', async () => {
    const events: MessagesEvent[] = []
    const error = await failureIn(fixture().upstream.send(requestFor('break'), context()), events)
    expect(error.status).toBeGreaterThanOrEqual(500)
    expect(events[0]?.type).toBe('message_start')
    expect(events.map(({ type }) => type)).not.toContain('message_stop')
  })
}

function closeTests({ factory }: UpstreamContractOptions): void {
  const fixture = useFixture(() => factory('succeed'))

  test('closes more than once, and sends no more', async () => {
    const { upstream } = fixture()
    await Array.fromAsync(upstream.send(requestFor('closed'), context()))
    await Promise.all([upstream.close(), upstream.close()])
    await upstream.close()
    const started = fixture().started()
    expect(await failureIn(upstream.send(requestFor('closed'), context()))).toBeInstanceOf(UpstreamError)
    expect(fixture().started()).toBe(started)
  })
}

/** A fixture for each test, closed after it. */
function useFixture(make: () => UpstreamFixture | Promise<UpstreamFixture>): () => UpstreamFixture {
  let current: UpstreamFixture | undefined
  beforeEach(async () => {
    current = await make()
  })
  afterEach(async () => {
    await current?.upstream.close()
    await current?.dispose?.()
    current = undefined
  })
  return () => {
    if (!current) throw new Error('There is no fixture outside a test.')
    return current
  }
}

/** What a stream throws; the events before it go to `events`. */
async function failureIn(stream: AsyncIterable<MessagesEvent>, events: MessagesEvent[] = []): Promise<UpstreamError> {
  try {
    for await (const event of stream) events.push(event)
  } catch (error) {
    if (error instanceof UpstreamError) return error
    throw error
  }
  throw new Error('The call did not fail.')
}

/** The last of several counts, once it is 0: a provider learns over the network that its caller has left. */
async function eventually(count: () => number | Promise<number>): Promise<number> {
  for (let attempt = 0; attempt < 200 && (await count()) > 0; attempt++)
    await new Promise((resolve) => setTimeout(resolve, 10))
  return count()
}

function requestFor(text: string): MessagesRequest {
  return { model: 'claude-sonnet-5-5', max_tokens: 100, messages: [{ role: 'user', content: text }] }
}

function context(): { readonly signal: AbortSignal } {
  return { signal: new AbortController().signal }
}

async function* each(events: Iterable<MessagesEvent>): AsyncGenerator<MessagesEvent> {
  yield* events
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze)
  return value
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
