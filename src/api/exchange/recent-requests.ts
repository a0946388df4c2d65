import type { RequestLog } from './request-log.ts'

/** A request that has ended, and when. */
export interface RecentRequest extends RequestLog {
  /** ISO 8601, of its end. */
  readonly at: string
}

/** The last requests of this process, in memory alone. The log has no queries, so neither has this. */
export class RecentRequests {
  readonly #entries: RecentRequest[] = []

  add(entry: RequestLog, at: Date): void {
    if (isOfPage(entry.path)) return
    this.#entries.push({ ...entry, at: at.toISOString() })
    if (this.#entries.length > maxEntries) this.#entries.shift()
  }

  /** The newest first; of one caller, where it is given. */
  list(caller?: string): readonly RecentRequest[] {
    const own = caller === undefined ? this.#entries : this.#entries.filter((entry) => entry.caller === caller)
    return own.toReversed()
  }
}

const maxEntries = 50

/** What shows csp's own state, which asks all the time and would displace everything else. */
function isOfPage(path: string): boolean {
  return /^(\/v1)?\/((health|page)(\/.*)?|usage|requests|jobs|memory|receipts(\/\w+)?|sign-in(\/code)?)?$/.test(path)
}
