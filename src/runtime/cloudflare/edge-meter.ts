import { messageOf } from '@csp/lib/errors'
import { SearchError } from '../../domain/error.ts'
import type { LimitHealth } from '../../domain/health.ts'
import { hasLimit, type Meter, warningOf } from '../../executor/layers/metering/budget.ts'
import { type DaySpending, dayOf } from '../../executor/layers/metering/ledger.ts'
import type { Fetcher } from '../../executor/wire/fetcher.ts'
import type { Background } from './edge-executor.ts'
import type { EdgeLimits } from './environment.ts'

export interface EdgeMeterOptions extends EdgeLimits {
  /** The `EdgeBudget`. */
  readonly budget: Fetcher
  readonly background: Background
}

/**
 * The Worker's client of the `EdgeBudget`. Callers without a limit do not wait for it. Usage is reported after the reply.
 */
export function edgeMeter({ budget, limits, limitsOf, background }: EdgeMeterOptions): Meter {
  const isLimited = (caller: string) => hasLimit(limits) || hasLimit(limitsOf(caller) ?? {})
  const ask = (path: string, body?: unknown) =>
    budget.fetch(
      new Request(`http://budget${path}`, body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    )
  let rows: readonly DaySpending[] = []

  async function reserve(caller: string, searches: boolean): Promise<string | null> {
    if (!isLimited(caller)) return null
    const { id, refusal } = await answerOf<Reserved>(ask('/reserve', { caller, searches }))
    if (!refusal) return id ?? null
    throw new SearchError('rate-limited', refusal.message, { retryAfterSeconds: refusal.retryAfterSeconds })
  }

  async function limitsNow(caller?: string): Promise<readonly LimitHealth[]> {
    if (!hasLimit(limits) && (caller === undefined || !isLimited(caller))) return []
    return answerOf(ask(`/limits${caller === undefined ? '' : `?caller=${encodeURIComponent(caller)}`}`))
  }

  return {
    async reserve(caller, searches) {
      const id = await reserve(caller, searches)
      let isSettled = false
      return {
        async settle([own, ...others]) {
          if (isSettled) return
          isSettled = true
          const isReturned = own.requests === 0
          if (isReturned && id === null) return
          const entry = { day: dayOf(Date.now()), caller }
          // A search does not fail because its usage cannot be recorded.
          const report = (body: object) => ask('/settle', body).catch(() => {})
          const reported = report({ id, spending: { ...entry, ...own } })
          background(reported)
          for (const part of others) background(report({ id: null, spending: { ...entry, ...part } }))
          // A reservation that is returned may be needed again immediately, for another attempt at the same answer.
          if (isReturned) await reported
        },
      }
    },
    limits: limitsNow,
    async health() {
      try {
        const found = await limitsNow()
        return { limits: found, warning: warningOf(found, Date.now()) }
      } catch (error) {
        return { limits: [], problem: messageOf(error) }
      }
    },
    ledger: {
      problem: undefined,
      add: async () => {},
      async refresh(day) {
        rows = await answerOf(ask(`/ledger?since=${day}`))
      },
      since: (day) => rows.filter((row) => row.day >= day),
    },
  }
}

/** The object's reply to a reservation. */
export interface Reserved {
  readonly id?: string | undefined
  readonly refusal?: { readonly message: string; readonly retryAfterSeconds?: number | undefined } | undefined
}

/** Throws `unavailable` if the object does not answer: with limits, no search runs without it. */
async function answerOf<Body>(asked: Promise<Response>): Promise<Body> {
  try {
    const response = await asked
    if (!response.ok) throw new Error(`The object answered with status ${response.status}.`)
    // Trust boundary: the object belongs to the same deployment and is not reachable from outside.
    return (await response.json()) as Body
  } catch (error) {
    throw new SearchError('unavailable', 'The usage counter does not answer.', { cause: error })
  }
}
