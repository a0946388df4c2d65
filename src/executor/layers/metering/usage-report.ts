import type { LimitHealth } from '../../../domain/health.ts'
import { type Meter, warningOf } from './budget.ts'
import { type DaySpending, dayOf, type Spending, sumOf } from './ledger.ts'

/** What was spent within some days, and the state of the limits. */
export interface UsageReport {
  /** The latest first, also those without any spending. */
  readonly days: readonly DayReport[]
  readonly limits: readonly LimitHealth[]
  /** Which limits are nearly reached, in plain words. */
  readonly warning: string | undefined
}

export interface DayReport {
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string
  readonly total: Spending
  readonly byCaller: Readonly<Record<string, Spending>>
  readonly byBackend: Readonly<Record<string, Spending>>
}

/** What one caller, or all together, have spent. `now` is in milliseconds since 1970; `days` counts today. */
export async function reportUsage(budget: Meter, now: number, days: number, caller?: string): Promise<UsageReport> {
  const first = dayOf(now, days - 1)
  await budget.ledger.refresh(first)
  const rows = budget.ledger.since(first).filter((row) => caller === undefined || row.caller === caller)
  const limits = await budget.limits(caller)
  const wanted = Array.from({ length: days }, (_, earlier) => dayOf(now, earlier))
  return { days: wanted.map((day) => reportDay(day, rows)), limits, warning: warningOf(limits, now) }
}

function reportDay(day: string, rows: readonly DaySpending[]): DayReport {
  const own = rows.filter((row) => row.day === day)
  return {
    day,
    total: sumOf(own),
    byCaller: sumBy(own, ({ caller }) => caller),
    byBackend: sumBy(own, ({ backend }) => backend),
  }
}

function sumBy(rows: readonly DaySpending[], name: (row: DaySpending) => string): Readonly<Record<string, Spending>> {
  const names = [...new Set(rows.map(name))]
  return Object.fromEntries(names.map((key) => [key, sumOf(rows.filter((row) => name(row) === key))]))
}
