import { describe, expect, test } from 'bun:test'
import { deferred } from '@csp/lib/deferred'
import { createMemoryStorage } from 'ocache'
import { collect } from '../../../../src/domain/answer.ts'
import { SearchError, type SearchErrorCode } from '../../../../src/domain/error.ts'
import type { Executor, SearchContext } from '../../../../src/executor/executor.ts'
import { cached } from '../../../../src/executor/layers/cache/cached.ts'
import { reaching } from '../../../../src/executor/layers/metering/account.ts'
import { Budget, type BudgetOptions, type Limits } from '../../../../src/executor/layers/metering/budget.ts'
import { type DaySpending, nothing, sumOf } from '../../../../src/executor/layers/metering/ledger.ts'
import { metered } from '../../../../src/executor/layers/metering/metered.ts'
import { reportUsage } from '../../../../src/executor/layers/metering/usage-report.ts'
import { createBackendStack, createStack } from '../../../../src/executor/layers/stack.ts'
import { failureOf } from '../../../support/failure-of.ts'
import {
  answersAfter,
  done,
  fails,
  fakeExecutor,
  hangs,
  requestFor,
  type Script,
} from '../../../support/fake-executor.ts'
import { memoryLedger } from '../../../support/memory-ledger.ts'

const day = '2026-11-20'

/** A meter over a fake, at ten in the morning UTC. */
function setUp(script?: Script, options: Partial<BudgetOptions> = {}) {
  const clock = { now: Date.parse(`${day}T10:00:00Z`), elapsed: 5_000_000 }
  const ledger = memoryLedger()
  const warnings: string[] = []
  const budget = new Budget({
    ledger,
    now: () => clock.now,
    elapsed: () => clock.elapsed,
    warn: (message) => warnings.push(message),
    ...options,
  })
  const fake = fakeExecutor(script)
  const executor = metered(budget)(reaching(fake))
  return {
    budget,
    clock,
    executor,
    fake,
    ledger,
    warnings,
    pass(ms: number) {
      clock.now += ms
      clock.elapsed += ms
    },
    spent: (caller?: string) => sumOf(rowsOf(ledger.since('2026-01-01'), caller)),
  }
}

function rowsOf(rows: readonly DaySpending[], caller: string | undefined): readonly DaySpending[] {
  return rows.filter((row) => caller === undefined || row.caller === caller)
}

const never = new AbortController().signal
const ask = (executor: Executor, caller?: string, want: 'results' | 'answer' | 'text' = 'results') =>
  collect(executor.search(requestFor('seals', { want }), { signal: never, caller }))

async function refusal(promise: Promise<unknown>): Promise<SearchError> {
  const error = await promise.catch((reason: unknown) => reason)
  if (!(error instanceof SearchError)) throw new Error('Nothing was refused.', { cause: error })
  return error
}

describe('the ledger', () => {
  test('counts a search, its tokens, its caller, its backend and its day', async () => {
    const { executor, ledger } = setUp()
    await ask(executor, 'phone')
    const usage = { requests: 1, failures: 0, searches: 1, inputTokens: 10, outputTokens: 20 }
    expect(ledger.since(day)).toEqual([{ day, caller: 'phone', backend: 'fake', ...usage }])
  })

  test('counts for the backend that answered, where there are several', async () => {
    const { executor, ledger } = setUp(async function* () {
      yield { type: 'backend', name: 'searxng' }
      yield done
    })
    await ask(executor, 'phone')
    expect(ledger.since(day).map(({ backend }) => backend)).toEqual(['searxng'])
  })

  test('counts a failed search for the backend that was called last', async () => {
    const { executor, ledger } = setUp(async function* () {
      yield { type: 'backend', name: 'searxng' }
      throw new SearchError('failed', 'It broke.')
    })
    await failureOf(ask(executor, 'phone'))
    expect(ledger.since(day).map(({ backend, failures }) => [backend, failures])).toEqual([['searxng', 1]])
  })

  test('keeps 31 days and deletes the oldest first', async () => {
    const { executor, ledger, pass } = setUp()
    for (let count = 0; count < 40; count++) {
      await ask(executor, 'phone')
      pass(86_400_000)
    }
    const days = ledger.since('2026-01-01').map((row) => row.day)
    expect(days).toHaveLength(31)
    expect([days[0], days.at(-1)]).toEqual(['2026-11-29', '2026-12-29'])
  })

  test('counts as many searches as the backend reports, or as were seen', async () => {
    const { executor, spent } = setUp(async function* ({ query }) {
      for (const id of ['a', 'b', 'c']) {
        yield { type: 'search-start', id, query }
        yield { type: 'search-results', id, results: [] }
      }
      yield { ...done, usage: { ...done.usage, searches: query === 'seals' ? 5 : 0 } }
    })
    await ask(executor)
    expect(spent().searches).toBe(5)
    await collect(executor.search(requestFor('bees'), { signal: never }))
    expect(spent().searches).toBe(8)
  })

  test('has the entry before the caller gets the end of the search', async () => {
    const { executor, spent } = setUp()
    for await (const event of executor.search(requestFor('seals'), { signal: never })) {
      expect(spent().requests).toBe(event.type === 'done' ? 1 : 0)
    }
  })

  test('ends without waiting for its entry to be written; closing waits', async () => {
    const written = deferred<void>()
    const ledger = { ...memoryLedger(), add: () => written.promise }
    const { executor } = setUp(undefined, { ledger })
    await collect(executor.search(requestFor('bees'), { signal: new AbortController().signal }))
    let isClosed = false
    const closing = executor.close().then(() => {
      isClosed = true
    })
    await Bun.sleep(0)
    expect(isClosed).toBeFalse()
    written.resolve()
    await closing
  })

  test('is closed behind all else, and closing waits for it', async () => {
    const ended: string[] = []
    const late = (name: string, ms: number) => async () => {
      await Bun.sleep(ms)
      ended.push(name)
    }
    const { budget } = setUp(undefined, { ledger: { ...memoryLedger(), close: late('ledger', 0) } })
    await metered(budget)({ ...fakeExecutor(), close: late('executor', 10) }).close()
    expect(ended).toEqual(['executor', 'ledger'])
  })

  test('has its limits beside the health of what it counts', async () => {
    const { executor } = setUp()
    expect(await executor.health()).toEqual({
      ready: true,
      backends: [{ name: 'fake', ready: true }],
      budget: { limits: [], warning: undefined, problem: undefined },
    })
  })

  test('counts callers without a key as one and does not store what separates them', async () => {
    const { executor, ledger } = setUp()
    await ask(executor, 'anonymous:ab12cd')
    await ask(executor, 'anonymous:ef3456')
    await ask(executor)
    expect(ledger.since(day).map(({ caller, requests }) => [caller, requests])).toEqual([
      ['anonymous', 2],
      ['(local)', 1],
    ])
  })

  const codes: readonly [SearchErrorCode, number][] = [
    ['busy', 0],
    ['unavailable', 0],
    ['signed-out', 0],
    ['rate-limited', 0],
    ['timeout', 1],
    ['ungrounded', 1],
    ['failed', 1],
  ]
  test.each(codes)(
    'counts a search that fails with %s before it finds anything as a failure, and %i searches',
    async (code, searches) => {
      const { executor, spent } = setUp(fails(code))
      expect((await failureOf(ask(executor, 'phone'))).code).toBe(code)
      expect(spent('phone')).toEqual({ ...nothing, requests: 1, failures: 1, searches })
    },
  )

  test('counts a search that its caller leaves, so that hanging up early is not free', async () => {
    const { executor, spent } = setUp(hangs)
    for await (const _ of executor.search(requestFor('seals'), { signal: never })) break
    expect(spent()).toEqual({ ...nothing, requests: 1, failures: 1, searches: 1 })
  })

  test('does not count searches whose callers leave while they wait for a place', async () => {
    const { budget, fake, spent } = setUp(hangs)
    const stack = createBackendStack(fake, { queue: { concurrency: 1, startsPerSecond: 0 }, timeoutMs: 0 })
    const executor = createStack([stack], { meter: budget })
    const leave = new AbortController()
    const asking = (['results', 'results', 'answer'] as const).map((want) =>
      failureOf(collect(executor.search(requestFor(`seals, ${want}`, { want }), { signal: leave.signal }))),
    )
    await fake.begun()
    leave.abort()
    await Promise.all(asking)
    await executor.close()
    expect(fake.requests).toHaveLength(1)
    expect(spent()).toMatchObject({ requests: 3, failures: 3, searches: 1 })
  })

  test('does not count the list that an answer waits for', async () => {
    const { budget, fake, spent } = setUp(hangs)
    const lists = Object.assign(fake, { answers: async () => false })
    const stack = createBackendStack(lists, { queue: { concurrency: 1, startsPerSecond: 0 }, timeoutMs: 0 })
    const executor = createStack([stack], { meter: budget, writers: [stack] })
    const leave = new AbortController()
    const asking = ['one', 'two'].map((query) =>
      failureOf(collect(executor.search(requestFor(query, { want: 'answer' }), { signal: leave.signal }))),
    )
    await fake.begun()
    leave.abort()
    await Promise.all(asking)
    await executor.close()
    expect(spent()).toMatchObject({ requests: 2, searches: 1 })
  })

  test('does not count a search that was over before it began', async () => {
    const { executor, spent } = setUp()
    const search = collect(executor.search(requestFor('seals'), { signal: AbortSignal.abort() }))
    expect((await failureOf(search)).code).toBe('cancelled')
    expect(spent()).toEqual(nothing)
  })

  test('does not count answers from the cache', async () => {
    const { executor, spent } = setUp(undefined, { limits: { searchesPerDay: 1 } })
    const kept = cached({ storage: createMemoryStorage(), ttlSeconds: 60 })(executor)
    for (let count = 0; count < 3; count++) await ask(kept, 'phone')
    expect(spent().requests).toBe(1)
  })
})

describe('a limit', () => {
  const kinds: readonly [string, Limits, Limits | undefined][] = [
    ['of a key', {}, { searchesPerMinute: 2 }],
    ['of the server', { searchesPerMinute: 2 }, undefined],
  ]

  test.each(kinds)('%s by minute refuses the third search and says when there is room', async (_name, limits, own) => {
    const { executor, fake, pass } = setUp(undefined, { limits, limitsOf: () => own })
    await ask(executor, 'phone')
    pass(20_000)
    await ask(executor, 'phone')
    const error = await refusal(ask(executor, 'phone'))
    expect(error).toMatchObject({ code: 'rate-limited', retryAfterSeconds: 40 })
    expect(fake.requests).toHaveLength(2)
    pass(39_999)
    expect(await refusal(ask(executor, 'phone'))).toMatchObject({ retryAfterSeconds: 1 })
    pass(1)
    await ask(executor, 'phone')
    expect(await refusal(ask(executor, 'phone'))).toMatchObject({ retryAfterSeconds: 20 })
  })

  test('is named in its error', async () => {
    const byKey = setUp(undefined, { limitsOf: () => ({ searchesPerMinute: 0 }) })
    expect((await refusal(ask(byKey.executor, 'phone'))).message).toStartWith(
      'The limit of 0 searches a minute of the key "phone" is reached.',
    )
    const ofAll = setUp(undefined, { limits: { tokensPerDay: 30 } })
    await ask(ofAll.executor)
    expect(await refusal(ask(ofAll.executor))).toMatchObject({
      message: "This server's daily limit of 30 tokens is reached.",
      retryAfterSeconds: 50_400,
    })
  })

  test('that lasts longest is the one in the error when several are reached', async () => {
    const limits = { searchesPerMinute: 1, tokensPerDay: 30 }
    const { executor } = setUp(undefined, { limits, limitsOf: () => ({ searchesPerMinute: 1 }) })
    await ask(executor, 'phone')
    const error = await refusal(ask(executor, 'phone'))
    expect(error.retryAfterSeconds).toBe(14 * 3600)
    expect(error.message).toContain('daily limit of 30 tokens')
  })

  test('of one key does not affect another key', async () => {
    const limitsOf = (caller: string) => (caller === 'phone' ? { searchesPerMinute: 1, searchesPerDay: 1 } : undefined)
    const { executor } = setUp(undefined, { limitsOf })
    await ask(executor, 'phone')
    await refusal(ask(executor, 'phone'))
    await ask(executor, 'desk')
    await ask(executor, 'desk')
  })

  test('of the server applies to all keys together', async () => {
    const { executor } = setUp(undefined, { limits: { searchesPerDay: 2 } })
    await ask(executor, 'phone')
    await ask(executor, 'desk')
    expect(await refusal(ask(executor, 'tablet'))).toMatchObject({ code: 'rate-limited' })
  })

  test('of a day ends with the UTC day', async () => {
    const { executor, pass } = setUp(undefined, { limits: { searchesPerDay: 1 } })
    await ask(executor)
    expect(await refusal(ask(executor))).toMatchObject({ retryAfterSeconds: 14 * 3600 })
    pass(14 * 3_600_000 - 1)
    expect(await refusal(ask(executor))).toMatchObject({ retryAfterSeconds: 1 })
    pass(1)
    await ask(executor)
  })

  test('counts what was spent before this process began', async () => {
    const ledger = memoryLedger()
    await ledger.add({ ...nothing, day, caller: 'phone', backend: 'claude', searches: 2 })
    const { executor } = setUp(undefined, { ledger, limitsOf: () => ({ searchesPerDay: 3 }) })
    await ask(executor, 'phone')
    await refusal(ask(executor, 'phone'))
  })

  test('counts what another process has spent meanwhile', async () => {
    const books = memoryLedger()
    const spending = { ...nothing, day, caller: 'phone', backend: 'claude', searches: 2 }
    const ledger = { ...books, refresh: () => books.add(spending) }
    const { executor } = setUp(undefined, { ledger, limits: { searchesPerDay: 3 } })
    await ask(executor, 'phone')
    await refusal(ask(executor, 'phone'))
  })

  test('waits until it is known what another process has spent', async () => {
    const late = () => {
      const books = memoryLedger()
      const entry = { ...nothing, day, caller: 'phone', backend: 'claude', searches: 3 }
      const ledger = { ...books, refresh: () => Bun.sleep(0).then(() => books.add(entry)) }
      return setUp(undefined, { ledger, limits: { searchesPerDay: 3 } })
    }
    await refusal(ask(late().executor, 'phone'))
    expect((await late().budget.limits())[0]?.left).toBe(0)
    const { budget, clock } = late()
    expect((await reportUsage(budget, clock.now, 1)).days[0]?.total.searches).toBe(3)
  })

  test('of searches counts each further list of a request, and refuses it where there is no place', async () => {
    const script: Script = async function* () {
      yield done
    }
    const further = (context: SearchContext) =>
      context.account?.enter('further-list', 'exa', () => script(requestFor('q'), never)) ?? []
    const inner: Executor = {
      ...fakeExecutor(),
      async *search(_, context) {
        for await (const _event of further(context)) yield { type: 'text-delta', text: '.' }
        yield done
      },
    }
    const withLimit = (searchesPerDay: number) => setUp(undefined, { limits: { searchesPerDay } }).budget
    await refusal(ask(metered(withLimit(1))(inner), 'phone'))
    const budget = withLimit(2)
    await ask(metered(budget)(inner), 'phone')
    expect((await budget.limits())[0]).toMatchObject({ used: 2, left: 0 })
  })

  test.each([{ searchesPerDay: 3 }, { searchesPerMinute: 3 }])(
    'of three lets no more than three of ten begin at once: %j',
    async (limits) => {
      const gate = Promise.withResolvers<void>()
      const { executor, fake, spent } = setUp(answersAfter(gate.promise), { limits })
      const searches = Array.from({ length: 10 }, () =>
        ask(executor, 'phone').then(
          () => 'found',
          () => 'refused',
        ),
      )
      await fake.begun(3)
      gate.resolve()
      const ends = await Promise.all(searches)
      expect(ends.filter((end) => end === 'found')).toHaveLength(3)
      expect(spent().searches).toBe(3)
    },
  )

  test('gives back the place of a search that was not made', async () => {
    const { executor, fake } = setUp(fails('unavailable'), { limits: { searchesPerMinute: 1, searchesPerDay: 1 } })
    for (let count = 0; count < 3; count++) expect((await failureOf(ask(executor))).code).toBe('unavailable')
    expect(fake.requests).toHaveLength(3)
  })

  test('takes as many places as searches were made', async () => {
    const script: Script = async function* () {
      yield { ...done, usage: { ...done.usage, searches: 3 } }
    }
    const { executor } = setUp(script, { limits: { searchesPerMinute: 3 } })
    await ask(executor, 'phone', 'answer')
    await refusal(ask(executor, 'phone', 'answer'))
  })

  test('of searches lets plain text pass, and a limit of tokens does not', async () => {
    const script: Script = async function* () {
      yield { ...done, usage: { searches: 0, inputTokens: 40, outputTokens: 10 } }
    }
    const { executor, spent } = setUp(script, {
      limits: { searchesPerMinute: 0, searchesPerDay: 0, tokensPerDay: 100 },
    })
    await ask(executor, 'phone', 'text')
    await ask(executor, 'phone', 'text')
    expect(spent()).toMatchObject({ requests: 2, searches: 0, inputTokens: 80 })
    await refusal(ask(executor, 'phone', 'text'))
  })

  test('of a minute does not depend on the wall clock', async () => {
    const { executor, clock } = setUp(undefined, { limits: { searchesPerMinute: 1 } })
    await ask(executor)
    clock.now -= 3_600_000
    expect(await refusal(ask(executor))).toMatchObject({ retryAfterSeconds: 60 })
    clock.elapsed += 60_000
    await ask(executor)
  })

  test('that is changed applies from the next search on', async () => {
    let limits: Limits = { searchesPerMinute: 1 }
    const { executor } = setUp(undefined, { limitsOf: () => limits })
    await ask(executor, 'phone')
    await refusal(ask(executor, 'phone'))
    limits = { searchesPerMinute: 2 }
    await ask(executor, 'phone')
    await refusal(ask(executor, 'phone'))
  })
})

describe('a limit that is nearly reached', () => {
  test('is logged once a day, at 80 %', async () => {
    const { executor, warnings, pass } = setUp(undefined, { limits: { searchesPerDay: 10 } })
    for (let count = 0; count < 7; count++) await ask(executor)
    expect(warnings).toEqual([])
    for (let count = 0; count < 3; count++) await ask(executor)
    const words =
      "This server's daily limit of 10 searches is used to 80 %; the day ends at 2026-11-21 00:00 UTC (in 14 h)."
    expect(warnings).toEqual([words])
    pass(86_400_000)
    for (let count = 0; count < 8; count++) await ask(executor)
    expect(warnings).toEqual([words, words.replace('11-21', '11-22')])
  })

  test('shows in the health with all other limits', async () => {
    const { executor } = setUp(undefined, {
      limits: { searchesPerMinute: 5, searchesPerDay: 2, tokensPerDay: 1000 },
      limitsOf: () => ({ searchesPerDay: 1 }),
    })
    await ask(executor, 'phone')
    const before = (await executor.health()).budget
    expect(before?.warning).toBeUndefined()
    expect(before?.limits).toEqual([
      { kind: 'searches', window: 'minute', limit: 5, used: 1, left: 4, resetsAt: '2026-11-20T10:00:00.000Z' },
      { kind: 'searches', window: 'day', limit: 2, used: 1, left: 1, resetsAt: '2026-11-21T00:00:00.000Z' },
      { kind: 'tokens', window: 'day', limit: 1000, used: 30, left: 970, resetsAt: '2026-11-21T00:00:00.000Z' },
    ])
    await ask(executor, 'desk')
    expect((await executor.health()).budget?.warning).toContain('daily limit of 2 searches')
  })

  test('costs a report only the days that it shows', async () => {
    const lookedUp: string[] = []
    const ledger = { ...memoryLedger(), refresh: async (first: string) => void lookedUp.push(first) }
    const { budget, clock } = setUp(undefined, { ledger })
    const { days } = await reportUsage(budget, clock.now, 2)
    expect(days.map((shown) => shown.day)).toEqual(['2026-11-20', '2026-11-19'])
    expect(lookedUp).toEqual(['2026-11-19'])
  })

  test('shows for a caller beside the limits of all', async () => {
    const limitsOf = (caller: string) => (caller === 'phone' ? { searchesPerDay: 4 } : undefined)
    const { budget, executor } = setUp(undefined, { limits: { searchesPerDay: 9 }, limitsOf })
    await ask(executor, 'phone')
    await ask(executor, 'desk')
    const told = (await budget.limits('phone')).map(({ caller, limit, used }) => [caller, limit, used])
    expect(told).toEqual([
      [undefined, 9, 2],
      ['phone', 4, 1],
    ])
    expect(await budget.limits('desk')).toHaveLength(1)
  })
})
