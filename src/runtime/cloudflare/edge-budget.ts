import type { Sql } from 'cloudflare:workers'
import { z } from 'zod'
import { SearchError } from '../../domain/error.ts'
import { Budget, type Reservation } from '../../executor/layers/metering/budget.ts'
import {
  type DaySpending,
  dayOf,
  daysKept,
  type Ledger,
  spendingSchema,
} from '../../executor/layers/metering/ledger.ts'
import type { Reserved } from './edge-meter.ts'
import { type EdgeEnvironment, type EdgeSettings, edgeLimits, edgeLog, readEdgeSettings } from './environment.ts'

/** The part of the state of a Durable Object that is used here. */
export interface BudgetState {
  readonly storage: { readonly sql: { exec(...query: Parameters<Sql['exec']>): Iterable<unknown> } }
}

/** Usage of one day, as sent by the Worker and as stored in the table. */
const daySchema = spendingSchema.extend({ day: z.string() })

const reserveSchema = z.object({ caller: z.string(), searches: z.boolean() })
const settleSchema = z.object({ id: z.string().nullable(), spending: daySchema })

/**
 * The budget of the whole edge. Workers run in many places; a single Durable Object makes sure that limits hold for
 * concurrent requests. Usage is stored in SQLite; the sliding minute and the reservations are kept in memory.
 */
export class EdgeBudget {
  readonly #budget: Budget
  /** Running requests by id, oldest first. */
  readonly #reserved = new Map<string, { readonly reservation: Reservation; readonly at: number }>()

  constructor({ storage }: BudgetState, environment: EdgeEnvironment) {
    const settings = readEdgeSettings(environment)
    // Without keys the Worker rejects every request, so this is never used.
    const options = typeof settings === 'string' ? {} : { ...edgeLimits(settings), warn: warnTo(settings) }
    this.#budget = new Budget({ ...options, ledger: ledgerIn(storage.sql) })
  }

  /** `POST /reserve`, `POST /settle`, `GET /limits?caller=NAME`, `GET /ledger?since=DAY`; see `edgeMeter`. */
  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname === '/reserve') {
      const { caller, searches } = reserveSchema.parse(await request.json())
      return Response.json(await this.#reserve(caller, searches))
    }
    if (pathname === '/settle') {
      const { id, spending } = settleSchema.parse(await request.json())
      await this.#settle(id, spending)
      return new Response()
    }
    if (pathname === '/limits') {
      return Response.json(await this.#budget.limits(searchParams.get('caller') ?? undefined))
    }
    return Response.json(this.#budget.ledger.since(searchParams.get('since') ?? ''))
  }

  async #reserve(caller: string, searches: boolean): Promise<Reserved> {
    this.#releaseLost()
    try {
      const reservation = await this.#budget.reserve(caller, searches)
      const id = crypto.randomUUID()
      this.#reserved.set(id, { reservation, at: Date.now() })
      return { id }
    } catch (error) {
      if (!(error instanceof SearchError)) throw error
      const { message, retryAfterSeconds } = error
      return { refusal: { message, retryAfterSeconds } }
    }
  }

  async #settle(id: string | null, spending: DaySpending): Promise<void> {
    const { day: _, caller: __, ...part } = spending
    const held = id === null ? undefined : this.#reserved.get(id)
    if (id !== null) this.#reserved.delete(id)
    // Not found: reserved before this object restarted, or not reserved because no limit applies.
    if (held) await held.reservation.settle([part])
    else await this.#budget.ledger.add(spending)
  }

  /** Settles reservations whose Worker ended without settling. Each counts as one search. */
  #releaseLost(): void {
    const longAgo = Date.now() - maxSearchMs
    for (const [id, { reservation, at }] of this.#reserved) {
      if (at > longAgo) break
      this.#reserved.delete(id)
      void reservation.settle([lost])
    }
  }
}

function warnTo({ config }: EdgeSettings): (message: string) => void {
  const log = edgeLog(config.logLevel)
  return (message) => log('warning', message)
}

const maxSearchMs = 900_000
const lost = { backend: 'lost', requests: 1, failures: 1, searches: 1, inputTokens: 0, outputTokens: 0 }

function ledgerIn(sql: BudgetState['storage']['sql']): Ledger {
  sql.exec(
    `CREATE TABLE IF NOT EXISTS spending (day TEXT, caller TEXT, backend TEXT, requests INTEGER, failures INTEGER,
     searches INTEGER, inputTokens INTEGER, outputTokens INTEGER, PRIMARY KEY (day, caller, backend))`,
  )
  let tidiedOn = ''
  return {
    problem: undefined,
    async add({ day, caller, backend, requests, failures, searches, inputTokens, outputTokens }) {
      if (requests === 0) return
      if (tidiedOn !== day) sql.exec('DELETE FROM spending WHERE day < ?', dayOf(Date.parse(day), daysKept - 1))
      tidiedOn = day
      sql.exec(
        `INSERT INTO spending VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
         requests = requests + excluded.requests, failures = failures + excluded.failures,
         searches = searches + excluded.searches, inputTokens = inputTokens + excluded.inputTokens,
         outputTokens = outputTokens + excluded.outputTokens`,
        ...[day, caller, backend, requests, failures, searches, inputTokens, outputTokens],
      )
    },
    async refresh() {},
    since: (day) => [...sql.exec('SELECT * FROM spending WHERE day >= ?', day)].map((row) => daySchema.parse(row)),
  }
}
