import { describe, expect, test } from 'bun:test'
import { deferred } from '@csp/lib/deferred'
import fc from 'fast-check'
import { collect } from '../../../../src/domain/answer.ts'
import { SearchError, type SearchErrorCode } from '../../../../src/domain/error.ts'
import type { SearchEvent, SearchRequest } from '../../../../src/domain/search.ts'
import type { Executor, SearchTrace } from '../../../../src/executor/executor.ts'
import { fallback } from '../../../../src/executor/layers/resilience/fallback.ts'
import { Misses } from '../../../../src/executor/layers/resilience/misses.ts'
import { queued } from '../../../../src/executor/layers/resilience/queued.ts'
import { failureOf } from '../../../support/failure-of.ts'
import {
  answers,
  answersAfter,
  done,
  type Fields,
  fails,
  fakeExecutor,
  isSilent,
  requestFor,
  type Script,
} from '../../../support/fake-executor.ts'

const live = new AbortController().signal

describe('a backend that finds nothing', () => {
  const nothing: Script = async function* ({ query, want }) {
    yield { type: 'search-start', id: 'one', query }
    yield { type: 'search-results', id: 'one', results: [] }
    if (want === 'answer') yield { type: 'text-delta', text: 'Nothing.' }
    yield done
  }
  const slowly = (script: Script): Script =>
    async function* (request, signal) {
      try {
        yield* script(request, signal)
      } finally {
        await Bun.sleep(5)
      }
    }
  const scripts: Readonly<Record<string, Script>> = { rows: answers, nothing, failure: fails('unavailable') }
  const outcomes = fc.array(fc.constantFrom('rows', 'nothing', 'failure'), { minLength: 2, maxLength: 5 })

  test.each(['results', 'answer'] as const)('is followed by the next until one has a row: %s', async (want) => {
    await fc.assert(
      fc.asyncProperty(outcomes, async (kinds) => {
        const backends = kinds.map((kind, place) => backend(`b${place}`, scripts[kind]))
        const given = kinds.includes('rows') ? kinds.indexOf('rows') : kinds.indexOf('nothing')
        const asked: string[] = []
        const trace = { asked: (name: string) => asked.push(name), replaced() {}, note() {} } as unknown as SearchTrace
        const events = fallback(backends).search(requestFor('q', { want }), { signal: live, trace })
        const outcome = await collect(events).catch((error) => error.code)
        if (given < 0) expect(outcome).toBe('unavailable')
        else expect(outcome).toMatchObject({ backend: `b${given}` })
        const last = kinds.includes('rows') ? kinds.indexOf('rows') : kinds.length - 1
        expect(asked).toEqual(kinds.slice(0, last + 1).map((_, place) => `b${place}`))
        expect(backends.map(({ running }) => running)).toEqual(kinds.map(() => 0))
      }),
    )
  })

  test.each<readonly [string, Partial<SearchRequest>]>([
    ['an offset', { offset: 10 }],
    ['known rows', { exclude: ['https://a.example/'] }],
    ['a place in the list', { cursor: 10 }],
    ['a domain', { filters: { includeDomains: ['a.example'] } }],
    ['a period', { filters: { freshness: 'day' } }],
    ['a first day', { filters: { publishedAfter: '2026-01-01' } }],
    ['a last day', { filters: { publishedBefore: '2026-01-01' } }],
    ['a schema', { want: 'answer', schema: { type: 'object' } }],
    ['known sources', { want: 'answer', sources: [] }],
  ])('is believed where %s explains it', async (_, rest) => {
    const second = backend('second')
    expect((await collect(search(fallback([backend('first', nothing), second]), requestFor('q', rest)))).backend).toBe(
      'first',
    )
    expect(second.requests).toEqual([])
  })

  test('is asked last for five minutes after three searches in a row, and health says so', async () => {
    const clock = { ms: 0 }
    const known = { isEmpty: true }
    const first = backend('first', (request) => (known.isEmpty ? nothing(request, live) : answers(request)))
    const both = fallback([first, backend('second')], { misses: new Misses(() => clock.ms) })
    const ask = async () => (await collect(search(both))).backend
    const isAskedLast = async () => (await both.health()).backends.map((one) => one.isAskedLast ?? false)
    for (const calls of [1, 2, 3, 3, 3]) {
      expect(await ask()).toBe('second')
      expect(first.requests).toHaveLength(calls)
    }
    expect(await isAskedLast()).toEqual([true, false])
    clock.ms += 300_001
    known.isEmpty = false
    expect(await ask()).toBe('first')
    expect(await isAskedLast()).toEqual([false, false])
  })

  test('has ended before the next is asked, and before anything follows', async () => {
    const log: string[] = []
    const slow = (name: string) =>
      backend(name, async function* (request, signal) {
        log.push(`${name} begins`)
        try {
          yield* nothing(request, signal)
        } finally {
          for (let turn = 0; turn < 3; turn++) await Bun.sleep(0)
          log.push(`${name} ends`)
        }
      })
    const asked = async (...all: readonly Executor[]) => {
      log.length = 0
      for await (const _ of search(fallback(all))) if (log.at(-1) !== 'event') log.push('event')
      return log.join(', ')
    }
    expect(await asked(slow('a'), backend('b'))).toBe('a begins, a ends, event')
    expect(await asked(slow('a'), slow('b'), slow('c'))).toBe(
      'a begins, a ends, b begins, b ends, c begins, c ends, event',
    )
    await failureOf(asked(slow('a'), backend('b', fails('invalid-request'))))
    expect(log).toEqual(['a begins', 'a ends'])
  })

  test.each<readonly [string, Fields, readonly (readonly [Script, number])[]]>([
    ['a list', {}, [[nothing, 1]]],
    ['an answer that says so', { want: 'answer' }, [[nothing, 1]]],
    [
      'two of them',
      {},
      [
        [nothing, 1],
        [nothing, 1],
      ],
    ],
    [
      'one that another follows which fails',
      {},
      [
        [nothing, 1],
        [fails('unavailable'), 1],
      ],
    ],
    ['one with more places than one', {}, [[nothing, 2]]],
    ['a list whose search ends slowly', {}, [[slowly(nothing), 1]]],
  ])(
    'gives its place back before the next one searches: %s',
    async (_, rest, first) => {
      const gate = deferred<void>()
      const last = backend('last', answersAfter(gate.promise))
      const queues = first.map(([script, concurrency], place) =>
        queued({ concurrency, startsPerSecond: 0 })(backend(`b${place}`, script)),
      )
      const both = fallback([...queues, last])
      const all = Array.from({ length: 3 }, (_, place) => collect(search(both, requestFor(`q${place}`, rest))))
      await last.begun(3)
      gate.resolve()
      expect((await Promise.all(all)).map((answer) => answer.backend)).toEqual(['last', 'last', 'last'])
    },
    3000,
  )

  test('has no text of the abandoned answer passed on, and a caller that leaves ends both searches', async () => {
    const waits = backend('second', isSilent)
    const first = backend('first', nothing)
    const leave = new AbortController()
    const failure = failureOf(
      collect(fallback([first, waits]).search(requestFor('q', { want: 'answer' }), { signal: leave.signal })),
    )
    await waits.begun()
    leave.abort()
    expect((await failure).code).toBe('cancelled')
    expect([first.running, waits.running]).toEqual([0, 0])
  })
})

describe('a fallback over several backends', () => {
  test('uses the first alone when it answers, and first says which one answered', async () => {
    const [first, second] = [backend('first'), backend('second')]
    const events = await eventsOf(fallback([first, second]))
    expect(events[0]).toEqual({ type: 'backend', name: 'first' })
    expect(events.filter(({ type }) => type === 'backend')).toHaveLength(1)
    expect(second.requests).toEqual([])
  })

  const survivable = ['signed-out', 'rate-limited', 'busy', 'unavailable', 'ungrounded', 'timeout', 'failed'] as const
  test.each(survivable)('uses the next after %s and sends nothing of the first', async (code) => {
    const events = await eventsOf(fallback([backend('first', fails(code)), backend('second')]))
    expect(events.map(({ type }) => type)).toEqual(['backend', 'search-start', 'search-results', 'done'])
    expect(events[0]).toEqual({ type: 'backend', name: 'second' })
  })

  test.each(['invalid-request', 'unauthorized'] as const)('uses no other after %s', async (code) => {
    const second = backend('second')
    const error = await failureOf(eventsOf(fallback([backend('first', fails(code)), second])))
    expect(error.code).toBe(code)
    expect(second.requests).toEqual([])
  })

  test('uses no other once rows or text have been sent', async () => {
    const second = backend('second')
    const breaks: Script = async function* (request) {
      for await (const event of answers(request)) {
        if (event.type === 'done') throw new SearchError('unavailable', 'It broke.')
        yield event
      }
    }
    const events: SearchEvent[] = []
    const error = await failureOf(
      (async () => {
        for await (const event of search(fallback([backend('first', breaks), second]))) events.push(event)
      })(),
    )
    expect(error).toMatchObject({ code: 'unavailable', message: 'It broke.' })
    expect(events.at(-1)?.type).toBe('search-results')
    expect(second.requests).toEqual([])
  })

  test('uses no other for a caller who has left', async () => {
    const [first, second] = [backend('first', isSilent), backend('second')]
    const leave = new AbortController()
    const failure = failureOf(eventsOf(fallback([first, second]), requestFor('q'), leave.signal))
    await first.begun()
    leave.abort()
    expect((await failure).code).toBe('cancelled')
    expect(second.requests).toEqual([])
  })

  test('uses only those that can serve the request', async () => {
    const supports = ({ want }: SearchRequest) => want === 'results'
    const lists = Object.assign(backend('lists'), { supports })
    const all = fallback([lists, backend('writer')])
    expect((await eventsOf(all, requestFor('q', { want: 'text' })))[0]).toMatchObject({ name: 'writer' })
    expect((await eventsOf(all))[0]).toMatchObject({ name: 'lists' })
    const alone = fallback([lists])
    expect(alone.supports?.(requestFor('q', { want: 'text' }))).toBe(false)
    expect(await failureOf(eventsOf(alone, requestFor('q', { want: 'text' })))).toMatchObject({
      code: 'invalid-request',
      message: 'No configured backend can write text without a search.',
    })
  })
})

describe('an executor that names the backend of its answer', () => {
  test('has its name used by the fallback, and the age of its answer sent first', async () => {
    const far: Script = async function* (request) {
      yield { type: 'cache', status: 'hit', ageSeconds: 3 }
      yield { type: 'backend', name: 'far away' }
      yield* answers(request)
    }
    const events = await eventsOf(fallback([backend('near', far)]))
    expect(events.slice(0, 3)).toEqual([
      { type: 'cache', status: 'hit', ageSeconds: 3 },
      { type: 'backend', name: 'far away' },
      { type: 'search-start', id: 'one', query: 'q' },
    ])
  })

  test('need not do so: the fallback sends its name after the age', async () => {
    const near: Script = async function* () {
      yield { type: 'cache', status: 'hit', ageSeconds: 3 }
      yield done
    }
    expect((await eventsOf(fallback([backend('near', near)]))).map(({ type }) => type)).toEqual([
      'cache',
      'backend',
      'done',
    ])
  })
})

describe('when all backends fail, the error', () => {
  test('is that of the first, with the shortest wait and the problem of each', async () => {
    const all = fallback([
      backend('first', says('rate-limited', 'Spent.', 3600)),
      backend('second', says('unavailable', 'Down.', 20)),
      backend('third', says('failed', 'Odd.')),
    ])
    expect(await failureOf(eventsOf(all))).toMatchObject({
      code: 'rate-limited',
      retryAfterSeconds: 20,
      message: 'No backend could answer. first: Spent. second: Down. third: Odd.',
    })
  })

  test('of a single backend is passed on unchanged', async () => {
    const failure = await failureOf(eventsOf(fallback([backend('first', says('unavailable', 'Down.'))])))
    expect(failure).toMatchObject({ message: 'Down.', retryAfterSeconds: undefined })
  })
})

test('a fallback is ready while one backend is, and shows the health of each', async () => {
  const queue = (running: number) => ({ running, waiting: 0, concurrency: 3, capacity: 9 })
  const standing = (name: string, ready: boolean, running: number): Executor =>
    Object.assign(backend(name), {
      health: async () => ({ ready, backends: [{ name, ready }], queue: queue(running) }),
    })
  expect(await fallback([standing('first', false, 1), standing('second', true, 2)]).health()).toEqual({
    ready: true,
    backends: [
      { name: 'first', ready: false, queue: queue(1) },
      { name: 'second', ready: true, queue: queue(2) },
    ],
    queue: queue(1),
  })
  expect((await fallback([standing('first', false, 1)]).health()).ready).toBe(false)
})

test('closing a fallback closes all its backends', async () => {
  const all = [backend('first'), backend('second')]
  await fallback(all).close()
  expect(all.map(({ closed }) => closed)).toEqual([true, true])
})

function backend(name: string, script: Script = answers) {
  return fakeExecutor(script, name)
}

function says(code: SearchErrorCode, message: string, retryAfterSeconds?: number): Script {
  return async function* () {
    yield* []
    throw new SearchError(code, message, { retryAfterSeconds })
  }
}

function search(
  executor: Executor,
  request: SearchRequest = requestFor('q'),
  signal = live,
): AsyncIterable<SearchEvent> {
  return executor.search(request, { signal })
}

async function eventsOf(...asked: Parameters<typeof search>): Promise<readonly SearchEvent[]> {
  const events = await Array.fromAsync(search(...asked))
  await collect(each(events))
  return events
}

async function* each(events: readonly SearchEvent[]): AsyncGenerator<SearchEvent> {
  yield* events
}

describe('of several backends', () => {
  test('all are closed, and closing waits for them', async () => {
    let closed = 0
    const close = async () => {
      await Bun.sleep(0)
      closed++
    }
    await fallback([backend('first'), backend('second')].map((one) => ({ ...one, close }))).close()
    expect(closed).toBe(2)
  })

  test('each that fails is noted as replaced, but for the last, which nothing follows', async () => {
    const replaced: string[] = []
    const trace = { asked() {}, note() {}, replaced: (name: string) => replaced.push(name) } as unknown as SearchTrace
    const broken = ['first', 'second'].map((name) => backend(name, fails('unavailable')))
    await failureOf(collect(fallback(broken).search(requestFor('q'), { signal: live, trace })))
    expect(replaced).toEqual(['first'])
  })

  test('the failure says when to come back only where one of theirs does', async () => {
    const failing = (name: string, retryAfterSeconds?: number) =>
      backend(name, async function* () {
        yield* []
        throw new SearchError('unavailable', 'It is down.', { retryAfterSeconds })
      })
    const wait = async (...all: readonly Executor[]) =>
      (await failureOf(collect(search(fallback(all))))).retryAfterSeconds
    expect(await wait(failing('a'), failing('b'))).toBeUndefined()
    expect(await wait(failing('a', 9), failing('b', 5), failing('c'))).toBe(5)
  })

  test('none is asked for a caller that has left', async () => {
    let asked = 0
    const inner: Executor = { ...backend('first'), search: (request) => [asked++, answers(request)][1] as never }
    const gone = fallback([inner]).search(requestFor('q'), { signal: AbortSignal.abort() })
    expect((await failureOf(collect(gone))).code).toBe('cancelled')
    expect(asked).toBe(0)
  })
})

test('a backend without others is never asked last, however often it finds nothing', async () => {
  const only = fallback([
    backend('only', async function* ({ query }) {
      yield { type: 'search-start', id: 'one', query }
      yield { type: 'search-results', id: 'one', results: [] }
      yield done
    }),
  ])
  for (let times = 0; times < 4; times++) await collect(search(only))
  expect((await only.health()).backends[0]).not.toHaveProperty('isAskedLast')
})
