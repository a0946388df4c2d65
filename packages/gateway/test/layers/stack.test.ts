import { describe, expect, spyOn, test } from 'bun:test'
import { whenAborted } from '@csp/lib/abort'
import type { MessagesEvent } from '@csp/messages-api/events'
import { foldMessage } from '@csp/messages-api/fold'
import type { MessagesRequest } from '@csp/messages-api/request'
import { abortedCall, UpstreamError } from '@csp/messages-api/upstream-error'
import { createUpstreamStack, type UpstreamStackOptions } from '../../src/layers/stack.ts'
import type { Upstream, UpstreamContext } from '../../src/upstream.ts'
import { failureOf } from '../support/failure-of.ts'
import { scriptedEvents } from '../support/scripted-upstream.ts'

const request: MessagesRequest = { model: 'sonnet', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] }
const context = (): UpstreamContext => ({ signal: new AbortController().signal })

/** `silent`: not even a first event comes. */
type Step = UpstreamError | 'answer' | 'break' | 'hang' | 'silent'

/** An upstream that does one step after another, and repeats the last one. */
function setUp(steps: readonly Step[], options: UpstreamStackOptions = {}) {
  const clock = { ms: 0 }
  const waits: number[] = []
  const lines: string[] = []
  const script = [...steps]
  let asked = 0
  const inner: Upstream = {
    name: 'ollama',
    async *send(_, { signal }): AsyncGenerator<MessagesEvent> {
      asked++
      const step = (script.length > 1 ? script.shift() : script[0]) ?? 'answer'
      if (step instanceof UpstreamError) throw step
      if (step === 'silent') {
        await whenAborted(signal)
        throw abortedCall(signal)
      }
      const [first, ...rest] = scriptedEvents('sonnet', [{ type: 'text', text: 'Hello.' }])
      if (first) yield first
      if (step === 'break') throw new UpstreamError(502, 'The upstream broke off its reply.')
      if (step === 'hang') {
        await whenAborted(signal)
        throw abortedCall(signal)
      }
      yield* rest
    },
    async close() {},
  }
  const stack = createUpstreamStack(
    { upstream: inner, native: async () => undefined },
    {
      retried: { pause: async (ms) => void waits.push(ms) },
      log: (line) => lines.push(line),
      now: () => clock.ms,
      ...options,
    },
  )
  const ask = (given = context()) => foldMessage(stack.upstream.send(request, given))
  return { stack, ask, clock, waits, lines, asked: () => asked }
}

const limited = (retryAfterSeconds?: number) => new UpstreamError(429, 'Too many.', { retryAfterSeconds })
const broken = new UpstreamError(500, 'It broke.')
const down = new UpstreamError(503, 'It cannot be reached.')

describe('a call that fails before its first event', () => {
  test.each([429, 502, 503, 529])('with %i is sent again, and the caller sees nothing of it', async (status) => {
    const { ask, asked } = setUp([new UpstreamError(status, 'Later.'), 'answer'])
    expect((await ask()).content).toMatchObject([{ text: 'Hello.' }])
    expect(asked()).toBe(2)
  })

  test('waits as long as the upstream says, up to five seconds', async () => {
    const { ask, waits } = setUp([limited(5), 'answer'])
    await ask()
    expect(waits).toEqual([5000])
    const patient = setUp([limited(6), 'answer'])
    expect(patient.ask()).rejects.toMatchObject({ status: 429, retryAfterSeconds: 6 })
    expect(patient.asked()).toBe(1)
  })

  test('is sent three times at most, and fails with the last words of the upstream', async () => {
    const { ask, asked } = setUp([limited(), limited(), new UpstreamError(529, 'Still too many.')])
    expect(await failureOf(ask())).toMatchObject({ status: 529, message: 'Still too many.' })
    expect(asked()).toBe(3)
  })

  test.each([400, 401, 404, 413, 500, 504])('with %i is not sent again', async (status) => {
    const { ask, asked } = setUp([new UpstreamError(status, 'No.')])
    expect(await failureOf(ask())).toMatchObject({ status })
    expect(asked()).toBe(1)
  })

  test('waits for a quarter of a second at most, then for half a second, where the upstream says nothing', async () => {
    const random = spyOn(Math, 'random').mockReturnValue(1)
    try {
      const { ask, waits } = setUp([limited(), limited(), 'answer'])
      await ask()
      expect(waits).toEqual([250, 500])
    } finally {
      random.mockRestore()
    }
  })

  test('says in the log which try failed, and when the next one begins', async () => {
    const notes: string[] = []
    const trace = { note: (message: string) => notes.push(message), answered() {} }
    const { ask } = setUp([limited(5), limited(4), 'answer'])
    await ask({ ...context(), trace })
    expect(notes).toEqual(['Try 1 failed, try 2 begins in 5.0 s', 'Try 2 failed, try 3 begins in 4.0 s'])
  })

  test('is sent again only when the wait is over', async () => {
    const waiting = Promise.withResolvers<void>()
    const { ask, asked } = setUp([limited(), 'answer'], { retried: { pause: () => waiting.promise } })
    const answer = ask()
    await Bun.sleep(0)
    expect(asked()).toBe(1)
    waiting.resolve()
    await answer
    expect(asked()).toBe(2)
  })

  test('is not sent again to a caller who has left', async () => {
    const caller = new AbortController()
    const { ask, asked } = setUp([limited()], { retried: { pause: async () => caller.abort() } })
    expect(await failureOf(ask({ signal: caller.signal }))).toMatchObject({ status: 499 })
    expect(asked()).toBe(1)
  })
})

test('a reply that breaks off behind its first event is not asked for again', async () => {
  const { ask, asked } = setUp(['break', 'answer'])
  expect(await failureOf(ask())).toMatchObject({ status: 502 })
  expect(asked()).toBe(1)
})

describe('an upstream that fails five times in a row', () => {
  test('is not asked for a while, and errors say when it is asked again', async () => {
    const { ask, asked, clock, stack, lines } = setUp([new UpstreamError(500, 'It broke.')])
    for (let count = 0; count < 5; count++) await failureOf(ask())
    expect(asked()).toBe(5)
    clock.ms += 4000
    const refusal = await failureOf(ask())
    expect(refusal).toMatchObject({ status: 503, type: 'overloaded_error', retryAfterSeconds: 6 })
    expect(refusal.message).toBe(
      'The upstream ollama has failed 5 times in a row, and is asked again in 6 s. The last failure: 500 (api_error).',
    )
    expect(asked()).toBe(5)
    expect(stack.health()).toMatchObject({ name: 'ollama', ready: false, problem: refusal.message })
    expect(lines).toEqual(['The upstream ollama has failed 5 times in a row; tried again in 10 s.'])
  })

  test('says nothing of that to a caller who has left', async () => {
    const { ask, asked } = setUp([broken])
    for (let count = 0; count < 5; count++) await failureOf(ask())
    expect(await failureOf(ask({ signal: AbortSignal.abort() }))).toMatchObject({ status: 499 })
    expect(asked()).toBe(5)
  })

  test('is tried by one call when that time is over, and serves again when it answers', async () => {
    const { ask, clock, stack, lines } = setUp([...Array<Step>(5).fill(new UpstreamError(500, 'It broke.')), 'answer'])
    for (let count = 0; count < 5; count++) await failureOf(ask())
    clock.ms += 10_000
    await ask()
    expect(stack.health()).toEqual({ name: 'ollama', ready: true, problem: undefined, cachedShare: undefined })
    expect(lines.slice(1)).toEqual(['The upstream ollama is tried again.', 'The upstream ollama answers again.'])
  })

  test('has failed once for all tries of a call', async () => {
    const { ask, asked, stack } = setUp([down])
    for (let count = 0; count < 4; count++) await failureOf(ask())
    expect(asked()).toBe(12)
    expect(stack.health().ready).toBe(true)
  })

  test.each([400, 401, 404, 429])('is one that is there, where it says %i', async (status) => {
    const { ask, asked } = setUp([new UpstreamError(status, 'No.', { retryAfterSeconds: 60 })])
    for (let count = 0; count < 9; count++) expect(await failureOf(ask())).toMatchObject({ status })
    expect(asked()).toBe(9)
  })

  test('is one that is there, where it begins to answer and breaks off', async () => {
    const { ask, stack } = setUp(['break', ...Array<Step>(4).fill(broken)])
    for (let count = 0; count < 5; count++) await failureOf(ask())
    expect(stack.health().ready).toBe(true)
  })

  test('is not given up because of callers who leave', async () => {
    const { ask, stack } = setUp(['hang'])
    for (let count = 0; count < 9; count++) {
      const caller = new AbortController()
      const failure = failureOf(ask({ signal: caller.signal }))
      caller.abort()
      await failure
    }
    expect(stack.health().ready).toBe(true)
  })

  test('and one that leaves says nothing of it, neither good nor bad', async () => {
    const four = Array<Step>(4).fill(broken)
    const { ask, stack } = setUp([...four, 'silent', broken])
    for (let count = 0; count < 4; count++) await failureOf(ask())
    const caller = new AbortController()
    const failure = failureOf(ask({ signal: caller.signal }))
    caller.abort()
    await failure
    await failureOf(ask())
    expect(stack.health().ready).toBe(false)
  })

  test('is tried again after a try that failed', async () => {
    const { ask, clock } = setUp([...Array<Step>(6).fill(broken), 'answer'])
    for (let count = 0; count < 5; count++) await failureOf(ask())
    clock.ms += 10_000
    expect(await failureOf(ask())).toMatchObject({ status: 500 })
    clock.ms += 20_000
    expect((await ask()).content).toMatchObject([{ text: 'Hello.' }])
  })

  test('refuses a call at once, also while all places are taken', async () => {
    const { ask, asked, clock } = setUp(['silent', ...Array<Step>(5).fill(broken), 'silent'], { concurrency: 2 })
    const callers = [new AbortController(), new AbortController()] as const
    const held = [failureOf(ask({ signal: callers[0].signal }))]
    for (let count = 0; count < 5; count++) await failureOf(ask())
    clock.ms += 10_000
    // The one call that tries has the last place.
    held.push(failureOf(ask({ signal: callers[1].signal })))
    expect(await failureOf(ask())).toMatchObject({
      status: 503,
      message: expect.stringContaining('is being asked again.'),
    })
    expect(asked()).toBe(7)
    for (const caller of callers) caller.abort()
    await Promise.all(held)
  })
})

describe('calls at once', () => {
  test('wait for a place, in the order in which they came, and are refused when too many wait', async () => {
    const { stack, asked } = setUp(['hang'], { concurrency: 1, capacity: 1 })
    const callers = [new AbortController(), new AbortController()]
    const replies = callers.map(({ signal }) => failureOf(foldMessage(stack.upstream.send(request, { signal }))))
    await Bun.sleep(0)
    const refusal = await failureOf(foldMessage(stack.upstream.send(request, context())))
    expect(refusal).toMatchObject({ status: 529, type: 'overloaded_error', retryAfterSeconds: 5 })
    expect(refusal.message).toContain('1 requests are running there and 1 wait')
    expect(asked()).toBe(1)
    callers[0]?.abort()
    await replies[0]
    await Bun.sleep(0)
    expect(asked()).toBe(2)
    callers[1]?.abort()
    await replies[1]
  })

  test('wait by the hundred, and no more of them', async () => {
    const { stack } = setUp(['hang'], { concurrency: 1 })
    const leaving = new AbortController()
    const send = () => failureOf(foldMessage(stack.upstream.send(request, { signal: leaving.signal })))
    const replies = Array.from({ length: 101 }, send)
    expect((await send()).message).toContain('1 requests are running there and 100 wait')
    leaving.abort()
    expect(new Set((await Promise.all(replies)).map(({ status }) => status))).toEqual(new Set([499]))
  })

  test('of several callers take turns, and a caller with many waiting is the one that is refused', async () => {
    const begun: string[] = []
    const inner: Upstream = {
      name: 'ollama',
      async *send(asked, { caller = '' }) {
        begun.push(caller)
        yield* scriptedEvents(asked.model, [])
      },
      async close() {},
    }
    const stack = createUpstreamStack(
      { upstream: inner, native: async () => undefined },
      { concurrency: 1, capacity: 4 },
    )
    const send = (caller: string) => foldMessage(stack.upstream.send(request, { ...context(), caller }))
    const replies = ['a', 'a', 'a', 'a', 'a'].map(send)
    const late = send('b')
    expect(await failureOf(replies[4] ?? Promise.resolve())).toMatchObject({ status: 529 })
    await Promise.all([...replies.slice(0, 4), late])
    expect(begun).toEqual(['a', 'a', 'b', 'a', 'a'])
  })

  test('leave the queue when their callers do, and their places go to others', async () => {
    const { stack, ask, asked } = setUp(['hang', 'answer'], { concurrency: 1 })
    const first = stack.upstream.send(request, context())[Symbol.asyncIterator]()
    await first.next()
    const caller = new AbortController()
    const left = failureOf(ask({ signal: caller.signal }))
    const patient = ask()
    caller.abort()
    expect(await left).toMatchObject({ status: 499 })
    expect(asked()).toBe(1)
    void first.return?.()
    await stack.upstream.close()
    expect(await failureOf(patient)).toMatchObject({ status: 503 })
  })
})

test('closing waits for the upstream', async () => {
  let isClosed = false
  const inner: Upstream = {
    name: 'ollama',
    async *send() {},
    async close() {
      await Bun.sleep(0)
      isClosed = true
    },
  }
  await createUpstreamStack({ upstream: inner, native: async () => undefined }).upstream.close()
  expect(isClosed).toBe(true)
})

test('the share of cached input tokens is that of all replies together', async () => {
  const call = { baseUrl: 'http://a', model: 'm', outputTokens: 1, milliseconds: 1 }
  const told: number[] = []
  const inner: Upstream = {
    name: 'ollama',
    async *send(_, { trace }) {
      trace?.answered({ ...call, inputTokens: 30, cachedInputTokens: 0 })
      trace?.answered({ ...call, inputTokens: 70, cachedInputTokens: 60 })
      yield* scriptedEvents('sonnet', [])
    },
    async close() {},
  }
  const stack = createUpstreamStack({ upstream: inner, native: async () => undefined })
  const trace = { note() {}, answered: ({ inputTokens }: { readonly inputTokens: number }) => told.push(inputTokens) }
  await foldMessage(stack.upstream.send(request, { ...context(), trace }))
  expect(stack.health().cachedShare).toBe(0.6)
  expect(told).toEqual([30, 70])
})
