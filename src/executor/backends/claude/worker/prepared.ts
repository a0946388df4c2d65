import type { Prepared } from '../../../executor.ts'
import { Lease, type Pool } from './pool.ts'

interface Waiting {
  readonly lease: Lease
  readonly model: string
  readonly caller: string | undefined
}

/**
 * Writers that were started for texts whose pages are still searched for. A text takes any that fits it; what nothing has
 * taken goes back to the pool.
 */
export class PreparedWriters {
  readonly #pool: Pool
  readonly #waiting = new Set<Waiting>()

  constructor(pool: Pool) {
    this.#pool = pool
  }

  prepare(model: string, caller: string | undefined): Prepared {
    const waiting = { lease: new Lease(this.#pool, 'writer', model, caller), model, caller }
    this.#waiting.add(waiting)
    return {
      release: () => {
        if (this.#waiting.delete(waiting)) waiting.lease.end()
      },
    }
  }

  /** A writer that is ready, or a new one. Its taker ends the lease. */
  take(model: string, caller: string | undefined): Lease {
    const ready = [...this.#waiting].find((one) => one.model === model && one.caller === caller)
    if (!ready) return new Lease(this.#pool, 'writer', model, caller)
    this.#waiting.delete(ready)
    return ready.lease
  }
}
