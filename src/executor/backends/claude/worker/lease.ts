import type { WorkerKind } from '../cli/launch.ts'
import type { Pool } from './pool.ts'
import type { Worker } from './worker.ts'

/** A worker of the pool's, borrowed for one request. What is taken must be ended. */
export class Lease {
  readonly #pool: Pool
  readonly #kind: WorkerKind
  readonly #model: string
  #worker: Worker

  constructor(pool: Pool, kind: WorkerKind, model: string) {
    this.#pool = pool
    this.#kind = kind
    this.#model = model
    this.#worker = pool.take(kind, model)
  }

  get worker(): Worker {
    return this.#worker
  }

  /** Another worker in the place of one that has died. */
  exchange(): void {
    this.end()
    this.#worker = this.#pool.take(this.#kind, this.#model)
  }

  end(): void {
    this.#pool.giveBack(this.#kind, this.#worker)
  }
}
