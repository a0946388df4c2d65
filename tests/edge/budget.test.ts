import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, setSystemTime, test } from 'bun:test'
import type { Meter } from '../../src/executor/layers/metering/budget.ts'
import { nothing } from '../../src/executor/layers/metering/ledger.ts'
import type { Fetcher } from '../../src/executor/wire/fetcher.ts'
import { EdgeBudget } from '../../src/runtime/cloudflare/edge-budget.ts'
import { edgeMeter } from '../../src/runtime/cloudflare/edge-meter.ts'
import type { EdgeEnvironment } from '../../src/runtime/cloudflare/environment.ts'
import { failureOf } from '../support/failure-of.ts'

// The budget's object on a SQLite of Bun's, where its clock can be set. In workerd it is in limits.test.ts.

const spent = { ...nothing, requests: 1, searches: 1, inputTokens: 10, outputTokens: 5 }

let database: Database
beforeEach(() => {
  database = new Database(':memory:')
  setSystemTime(new Date('2026-03-01T12:00:00Z'))
})
afterEach(() => {
  setSystemTime()
  database.close()
})

/** The object as it is after it was moved, with what it has kept. */
function object(variables: Readonly<Record<string, string>> = {}): Fetcher {
  const exec = (query: string, ...bindings: readonly (string | number)[]) => database.query(query).all(...bindings)
  const none = {
    get: async () => null,
    put: async () => {},
    delete: async () => {},
    list: async () => ({}),
    idFromName: () => undefined,
  }
  const bindings = {
    CACHE: none,
    HOMES: { ...none, get: () => unreachable },
    BUDGET: { ...none, get: () => unreachable },
  }
  const environment: EdgeEnvironment = { ...bindings, CSP_API_KEYS: 'a-key', CSP_LOG_LEVEL: 'silent', ...variables }
  return new EdgeBudget({ storage: { sql: { exec } } }, environment)
}

const unreachable: Fetcher = { fetch: () => Promise.reject(new Error('The object is gone.')) }

function meterOf(budget: Fetcher, searchesPerDay?: number): Meter & { settled(): Promise<void> } {
  const work: Promise<unknown>[] = []
  const limits = searchesPerDay === undefined ? {} : { searchesPerDay }
  const meter = edgeMeter({ budget, limits, limitsOf: () => undefined, background: (one) => void work.push(one) })
  return { ...meter, settled: async () => void (await Promise.all(work)) }
}

async function spentOn(meter: Meter, day: string) {
  await meter.ledger.refresh(day)
  return meter.ledger.since(day)
}

describe('the budget of the edge', () => {
  test('sums usage by day, caller and backend', async () => {
    const meter = meterOf(object())
    for (const backend of ['home', 'home', 'searxng'])
      await (await meter.reserve('phone', true)).settle([{ backend, ...spent }])
    await meter.settled()
    expect(await spentOn(meter, '2026-03-01')).toEqual([
      {
        day: '2026-03-01',
        caller: 'phone',
        backend: 'home',
        ...spent,
        requests: 2,
        searches: 2,
        inputTokens: 20,
        outputTokens: 10,
      },
      { day: '2026-03-01', caller: 'phone', backend: 'searxng', ...spent },
    ])
  })

  test('returns a reservation only once, even if it is settled repeatedly', async () => {
    const budget = object({ CSP_DAILY_SEARCHES: '2' })
    const meter = meterOf(budget, 2)
    const reservation = await meter.reserve('phone', true)
    await reservation.settle([{ backend: 'home', ...nothing }])
    await reservation.settle([{ backend: 'home', ...spent }])
    await meter.settled()
    expect((await meter.limits()).map(({ left }) => left)).toEqual([2])
  })

  test('records usage that was reserved before the object restarted', async () => {
    const { settle } = await meterOf(object({ CSP_DAILY_SEARCHES: '5' }), 5).reserve('phone', true)
    expect(settle).toBeFunction()
    const moved = object({ CSP_DAILY_SEARCHES: '5' })
    const spending = { day: '2026-03-01', caller: 'phone', backend: 'home', ...spent }
    const body = JSON.stringify({ id: 'of-before', spending })
    await moved.fetch(new Request('http://budget/settle', { method: 'POST', body }))
    expect(await meterOf(moved, 5).limits()).toMatchObject([{ used: 1, left: 4 }])
  })

  test('counts the reservation of a Worker that ended without settling as spent after a while', async () => {
    const budget = object({ CSP_DAILY_SEARCHES: '2' })
    const meter = meterOf(budget, 2)
    await meter.reserve('phone', true)
    expect(await meter.limits()).toMatchObject([{ used: 1 }])
    setSystemTime(new Date('2026-03-01T12:16:00Z'))
    await meter.reserve('desk', true)
    expect(await spentOn(meter, '2026-03-01')).toMatchObject([{ caller: 'phone', backend: 'lost', searches: 1 }])
    expect((await failureOf(meter.reserve('phone', true))).code).toBe('rate-limited')
  })

  test.each([
    ['does not answer', () => Promise.reject(new Error('The object is gone.'))],
    ['fails', async () => Response.json({ rows: [] }, { status: 500 })],
    ['says what is no JSON', async () => new Response('<html>')],
  ])('makes no search where its object %s', async (_name, fetch) => {
    expect((await failureOf(meterOf({ fetch }, 2).reserve('phone', true))).code).toBe('unavailable')
  })

  test('reports when a search is possible again', async () => {
    const meter = meterOf(object({ CSP_DAILY_SEARCHES: '1' }), 1)
    await meter.reserve('phone', true)
    const { retryAfterSeconds, message } = await failureOf(meter.reserve('phone', true))
    expect(retryAfterSeconds).toBe(12 * 3600)
    expect(message).toContain('daily limit of 1 search')
  })

  test('keeps a month of days', async () => {
    const meter = meterOf(object())
    for (const day of ['2026-01-20', '2026-02-01', '2026-03-01']) {
      setSystemTime(new Date(`${day}T12:00:00Z`))
      await (await meter.reserve('phone', true)).settle([{ backend: 'home', ...spent }])
      await meter.settled()
    }
    expect((await spentOn(meter, '2026-01-01')).map(({ day }) => day)).toEqual(['2026-02-01', '2026-03-01'])
  })
})

describe('when the budget object does not answer', () => {
  test('callers with a limit are rejected, callers without one are not', async () => {
    expect((await failureOf(meterOf(unreachable, 5).reserve('phone', true))).code).toBe('unavailable')
    const free = meterOf(unreachable)
    await (await free.reserve('phone', true)).settle([{ backend: 'home', ...spent }])
    await free.settled()
  })

  test('health reports it', async () => {
    expect(await meterOf(unreachable, 5).health()).toMatchObject({
      problem: expect.stringContaining('usage counter does not answer'),
    })
  })
})
