import { deferred } from './deferred.ts'
import { FairQueue, type Waiter } from './fair-queue.ts'

/** One that waits for a place. */
interface Waiting extends Waiter {
  readonly settle: (outcome: 'begin' | 'full' | 'left') => void
}

/**
 * A number of places for work, and those who wait for one: callers take turns, however many each has waiting. When more wait
 * than may, the last of the caller with the most has to go.
 */
export class Semaphore {
  readonly count: number
  readonly #capacity: number
  readonly #queue = new FairQueue<Waiting>(0)
  #taken = 0

  constructor(count: number, capacity = Number.POSITIVE_INFINITY) {
    this.count = count
    this.#capacity = capacity
  }

  /** The number of places in use. */
  get taken(): number {
    return this.#taken
  }

  /** The number of callers in the queue. */
  get waiting(): number {
    return this.#queue.size
  }

  /**
   * Resolves when there is a place, with the function that gives it back; with `full` when too many wait; without either when
   * the signal aborts before.
   */
  async take(signal: AbortSignal, caller = ''): Promise<(() => void) | 'full' | undefined> {
    if (signal.aborted) return undefined
    if (this.#taken < this.count) this.#taken++
    else {
      const outcome = await this.#wait(signal, caller)
      if (outcome !== 'begin') return outcome === 'full' ? 'full' : undefined
    }
    let isBack = false
    return () => {
      if (!isBack) this.#giveBack()
      isBack = true
    }
  }

  async #wait(signal: AbortSignal, caller: string): Promise<'begin' | 'full' | 'left'> {
    const { promise, resolve } = deferred<'begin' | 'full' | 'left'>()
    const waiting: Waiting = { caller, isLong: false, since: 0, settle: resolve }
    const leave = () => {
      if (this.#queue.remove(waiting)) resolve('left')
    }
    this.#queue.add(waiting)
    if (this.#queue.size > this.#capacity) this.#refuse(this.#queue.excess(waiting))
    signal.addEventListener('abort', leave)
    const outcome = await promise
    signal.removeEventListener('abort', leave)
    return outcome
  }

  #refuse(excess: Waiting): void {
    this.#queue.remove(excess)
    excess.settle('full')
  }

  /** The place goes to the next one as it is, so that nobody who comes meanwhile takes it. */
  #giveBack(): void {
    const next = this.#queue.take(0)
    if (next) next.settle('begin')
    else this.#taken--
  }
}
