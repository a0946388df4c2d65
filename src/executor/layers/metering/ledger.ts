import { z } from 'zod'
import { accountOf } from '../../../domain/account.ts'

/** The cost of a number of requests. */
export interface Spending {
  /** That reached a backend: an answer from the cache costs nothing and is not among them. */
  readonly requests: number
  /** Requests that failed. */
  readonly failures: number
  readonly searches: number
  /** As the backends report them; 0 where they do not say. */
  readonly inputTokens: number
  readonly outputTokens: number
  /** Pages that were fetched. They cost no search, and no limit counts them. */
  readonly pages?: number | undefined
}

/** What was spent on one UTC day, by one caller, at one backend. */
export interface DaySpending extends Spending {
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string
  readonly caller: string
  readonly backend: string
}

/** What was spent, by caller, backend and day. Keeps `daysKept` days. */
export interface Ledger {
  /** Counts at once, and resolves when it is written. Never throws: a search does not fail for its entry. */
  add(spending: DaySpending): Promise<void>
  /** Looks up what other processes entered from a day on. Never throws. */
  refresh(day: string): Promise<void>
  /** What is known from a day on: one row for each day, caller and backend, in no particular order. */
  since(day: string): readonly DaySpending[]
  /** Why the last write or read failed, if it did. What could not be written counts, and is written once that works. */
  readonly problem: string | undefined
  /** Tries once more to write what could not be written. Never throws. */
  close?(): Promise<void>
}

/** Days that a ledger looks back, today among them. */
export const daysKept = 31

/** Sums by day, caller and backend. Forgets a day when more than `daysKept` later ones are known. */
export class Tally {
  readonly #days = new Map<string, Map<string, DaySpending>>()

  add(spending: DaySpending): void {
    const { day, caller, backend } = spending
    const rows = this.#days.get(day) ?? new Map<string, DaySpending>()
    const key = JSON.stringify([caller, backend])
    rows.set(key, { day, caller, backend, ...sumOf([rows.get(key) ?? nothing, spending]) })
    this.#days.set(day, rows)
    if (this.#days.size > daysKept) this.#days.delete([...this.#days.keys()].toSorted()[0] ?? day)
  }

  since(first: string): readonly DaySpending[] {
    return [...this.#days].flatMap(([day, rows]) => (day >= first ? [...rows.values()] : []))
  }
}

export const nothing: Spending = { requests: 0, failures: 0, searches: 0, inputTokens: 0, outputTokens: 0 }

/** The name that checked claims are entered under, in place of a backend's. */
const checksName = 'checks'

/** The entry of one request that had claims checked: no search, and no model. */
export function checkOf(caller: string | undefined): DaySpending {
  return { ...nothing, requests: 1, day: dayOf(Date.now()), caller: accountOf(caller), backend: checksName }
}

/** The sum of all entries. */
export function sumOf(parts: readonly Spending[]): Spending {
  return parts.reduce(
    (sum, part) => ({
      requests: sum.requests + part.requests,
      failures: sum.failures + part.failures,
      searches: sum.searches + part.searches,
      inputTokens: sum.inputTokens + part.inputTokens,
      outputTokens: sum.outputTokens + part.outputTokens,
      pages: (sum.pages ?? 0) + (part.pages ?? 0) || undefined,
    }),
    nothing,
  )
}

/** The UTC day of a moment, so many days earlier. `now` is in milliseconds since 1970. */
export function dayOf(now: number, daysEarlier = 0): string {
  return new Date(now - daysEarlier * dayMs).toISOString().slice(0, 10)
}

/** When the UTC day of a moment ends, in milliseconds since 1970. */
export function endOfDay(now: number): number {
  return (Math.floor(now / dayMs) + 1) * dayMs
}

const dayMs = 86_400_000

const count = z.int().nonnegative()

/** A stored entry of what one caller spent at one backend, to be validated when it is read. */
export const spendingSchema = z.object({
  caller: z.string(),
  backend: z.string(),
  requests: count,
  failures: count,
  searches: count,
  inputTokens: count,
  outputTokens: count,
  // Absent in entries of earlier versions.
  pages: count.optional(),
})
