import { accountOf } from '../../../domain/account.ts'
import { dayOf, type Ledger, nothing } from './ledger.ts'

/** The name that pages are entered under, in place of a backend's. */
export const pagesName = 'pages'

/**
 * Enters in the ledger which caller had how many pages fetched, a second's together: a list reads ten at once, and each
 * entry is a write.
 */
export class PageTally {
  readonly #ledger: Ledger
  readonly #counts = new Map<string, number>()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  add(caller: string | undefined): void {
    const account = accountOf(caller)
    this.#counts.set(account, (this.#counts.get(account) ?? 0) + 1)
    this.#timer ??= setTimeout(() => void this.close(), delayMs)
  }

  /** Enters what has been counted. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const counts = [...this.#counts]
    this.#counts.clear()
    const entry = { ...nothing, day: dayOf(Date.now()), backend: pagesName }
    await Promise.all(counts.map(([caller, pages]) => this.#ledger.add({ ...entry, caller, pages })))
  }
}

const delayMs = 1000
