import { deferred } from './deferred.ts'

/** A number of places for work, and those who wait for one, in the order in which they came. */
export class Places {
  readonly count: number
  #taken = 0
  readonly #waiting = new Set<() => void>()

  constructor(count: number) {
    this.count = count
  }

  get taken(): number {
    return this.#taken
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /** Resolves when there is a place, with the function that gives it back; without one when the signal aborts before. */
  async take(signal: AbortSignal): Promise<(() => void) | undefined> {
    if (signal.aborted) return undefined
    if (this.#taken < this.count) this.#taken++
    else if (!(await this.#turn(signal))) return undefined
    let isBack = false
    return () => {
      if (!isBack) this.#giveBack()
      isBack = true
    }
  }

  /** Settles with whether a place has been handed over. */
  async #turn(signal: AbortSignal): Promise<boolean> {
    const { promise, resolve } = deferred<boolean>()
    const begin = () => resolve(true)
    const leave = () => {
      this.#waiting.delete(begin)
      resolve(false)
    }
    this.#waiting.add(begin)
    signal.addEventListener('abort', leave, { once: true })
    const hasPlace = await promise
    signal.removeEventListener('abort', leave)
    return hasPlace
  }

  /** The place goes to the next one as it is, so that nobody who comes meanwhile takes it. */
  #giveBack(): void {
    const [next] = this.#waiting
    if (next) this.#waiting.delete(next)
    else this.#taken--
    next?.()
  }
}
