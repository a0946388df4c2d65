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
    for (const day of ['2026-01-29', '2026-01-30', '2026-03-01']) {
      setSystemTime(new Date(`${day}T12:00:00Z`))
      await (await meter.reserve('phone', true)).settle([{ backend: 'home', ...spent }])
      await meter.settled()
    }
    expect((await spentOn(meter, '2026-01-01')).map(({ day }) => day)).toEqual(['2026-01-30', '2026-03-01'])
  })
})

describe('the object of the budget', () => {
  const settle = (id: string | null, day = '2026-03-01', more: object = {}) => {
    const spending = { day, caller: 'phone', backend: 'home', ...spent, ...more }
    return new Request('http://budget/settle', { method: 'POST', body: JSON.stringify({ id, spending }) })
  }
  const reserve = async (budget: Fetcher) => {
    const body = JSON.stringify({ caller: 'phone', searches: true })
    const reply = await budget.fetch(new Request('http://budget/reserve', { method: 'POST', body }))
    return ((await reply.json()) as { readonly id: string }).id
  }
  const ledger = async (budget: Fetcher, query: string) =>
    (await (await budget.fetch(new Request(`http://budget/ledger${query}`))).json()) as readonly object[]

  test('says what was spent from a day on, of every day without one', async () => {
    const budget = object()
    for (const day of ['2026-02-27', '2026-02-28', '2026-03-01']) await budget.fetch(settle(null, day))
    expect(await ledger(budget, '?since=2026-02-28')).toMatchObject([{ day: '2026-02-28' }, { day: '2026-03-01' }])
    expect(await ledger(budget, '')).toHaveLength(3)
  })

  test('says the limits of a caller if one is named', async () => {
    const keys = [{ name: 'phone', sha256: 'a'.repeat(64), created: '2026-01-01T00:00:00.000Z', 'per-day': 7 }]
    const CSP_KEYS = JSON.stringify({ version: 1, keys })
    const budget = object({ CSP_DAILY_SEARCHES: '9', CSP_KEYS })
    const limits = async (query: string) =>
      ((await (await budget.fetch(new Request(`http://budget/limits${query}`))).json()) as readonly object[]).map(
        (limit) => Reflect.get(limit, 'limit'),
      )
    expect(await limits('')).toEqual([9])
    expect(await limits('?caller=phone')).toEqual([9, 7])
  })

  test('adds up failures as well, and enters nothing for what was returned', async () => {
    const budget = object()
    for (const failures of [1, 1, 0]) await budget.fetch(settle(null, '2026-03-01', { failures }))
    await budget.fetch(settle(await reserve(budget), '2026-03-01', { ...nothing, backend: 'none' }))
    expect(await ledger(budget, '')).toMatchObject([{ backend: 'home', requests: 3, failures: 2 }])
  })

  test('keeps a reservation for a quarter of an hour; what its Worker says later counts as well', async () => {
    const budget = object()
    const id = await reserve(budget)
    await reserve(budget)
    setSystemTime(new Date('2026-03-01T12:14:59.999Z'))
    await reserve(budget)
    expect(await ledger(budget, '')).toEqual([])
    setSystemTime(new Date('2026-03-01T12:15:00Z'))
    await reserve(budget)
    expect(await ledger(budget, '')).toMatchObject([{ backend: 'lost', requests: 2, failures: 2, searches: 2 }])
    await budget.fetch(settle(id))
    expect(await ledger(budget, '')).toMatchObject([{ backend: 'home', inputTokens: 10 }, { backend: 'lost' }])
  })

  test('keeps no reservation that was settled', async () => {
    const budget = object()
    await budget.fetch(settle(await reserve(budget)))
    setSystemTime(new Date('2026-03-01T12:15:00Z'))
    await reserve(budget)
    expect(await ledger(budget, '')).toMatchObject([{ backend: 'home', requests: 1 }])
  })

  test('fails where it cannot write down what was spent, reserved or not', async () => {
    const budget = object()
    const id = await reserve(budget)
    database.run('DROP TABLE spending')
    await expect(budget.fetch(settle(id))).rejects.toThrow('no such table')
    await expect(budget.fetch(settle(null))).rejects.toThrow('no such table')
  })
})

describe('what the Worker asks of its object', () => {
  /** An object that answers when it is let go on, and what it was asked. */
  function recorded(reply: unknown = []) {
    const asked: string[] = []
    const held = Promise.withResolvers<void>()
    const budget: Fetcher = {
      async fetch(request) {
        asked.push(`${request.method} ${request.url.replace('http://budget', '')}`)
        if (request.url.endsWith('/settle')) await held.promise
        return Response.json(reply)
      },
    }
    return { asked, budget, goOn: held.resolve }
  }
  const background = (): void => {}

  test('are limits where there are any, those of a caller by its name', async () => {
    const { asked, budget } = recorded()
    const limitsOf = (caller: string) => (caller === 'a phone' ? { searchesPerDay: 1 } : undefined)
    const own = edgeMeter({ budget, limits: {}, limitsOf, background })
    await own.limits()
    await own.limits('desk')
    expect(asked).toEqual([])
    await own.limits('a phone')
    const shared = edgeMeter({ budget, limits: { searchesPerDay: 2 }, limitsOf, background })
    await shared.limits()
    await shared.limits('desk')
    expect(asked).toEqual(['GET /limits?caller=a%20phone', 'GET /limits', 'GET /limits?caller=desk'])
  })

  test('is nothing where no limit applies and nothing was spent', async () => {
    const { asked, budget } = recorded()
    const meter = edgeMeter({ budget, limits: {}, limitsOf: () => undefined, background })
    await (await meter.reserve('phone', true)).settle([{ backend: 'home', ...nothing }])
    expect(asked).toEqual([])
  })

  test('is waited for where a reservation is returned, and not where something was spent', async () => {
    const { asked, budget, goOn } = recorded({ id: 'one' })
    const meter = edgeMeter({ budget, limits: { searchesPerDay: 2 }, limitsOf: () => undefined, background })
    await (await meter.reserve('phone', true)).settle([{ backend: 'home', ...spent }])
    let isReturned = false
    const returned = (await meter.reserve('phone', true)).settle([{ backend: 'home', ...nothing }]).then(() => {
      isReturned = true
    })
    await Bun.sleep(0)
    expect([isReturned, asked]).toEqual([false, ['POST /reserve', 'POST /settle', 'POST /reserve', 'POST /settle']])
    goOn()
    await returned
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
