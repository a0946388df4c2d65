/** Items that are passed on as they are, and the work beside them. */
export interface Attendance<Item> {
  readonly items: AsyncIterable<Item>
  /** Called with each item before it is passed on. */
  readonly onItem?: ((item: Item) => void) | undefined
  /** Called once, when the items have ended, failed or been left. */
  readonly onEnd?: (() => void) | undefined
  /** What is thrown in place of an error. */
  readonly failure?: ((error: unknown) => unknown) | undefined
}

/**
 * Passes items on, with work at their beginning, at each and at their end. `begin` is called at the first `next()`, and
 * what it throws is the failure. The same as a generator with `yield*`, but without its three turns of the microtask
 * queue for each item: the edge has many layers, and its processor time is counted.
 */
export function attended<Item>(begin: () => Attendance<Item>): AsyncGenerator<Item, void, undefined> {
  let attendance: Attendance<Item> | undefined
  let iterator: AsyncIterator<Item, unknown> | undefined
  let isOver = false

  function end(): void {
    if (isOver) return
    isOver = true
    attendance?.onEnd?.()
  }

  function fail(error: unknown): never {
    end()
    throw attendance?.failure ? attendance.failure(error) : error
  }

  function pass(step: IteratorResult<Item, unknown>): IteratorResult<Item, void> | Promise<never> {
    if (step.done) {
      end()
      return over
    }
    try {
      attendance?.onItem?.(step.value)
    } catch (error) {
      return leave().then(() => fail(error))
    }
    return step
  }

  async function leave(): Promise<void> {
    await iterator?.return?.()
  }

  return {
    // Not an async function, which would cost the turns that this saves.
    next() {
      if (isOver) return Promise.resolve(over)
      try {
        attendance ??= begin()
        iterator ??= attendance.items[Symbol.asyncIterator]()
      } catch (error) {
        return Promise.reject(error).catch(fail)
      }
      return iterator.next().then(pass, fail)
    },
    async return() {
      if (isOver) return over
      try {
        await leave()
      } catch (error) {
        fail(error)
      }
      end()
      return over
    },
    async throw(error) {
      await this.return()
      throw error
    },
    async [Symbol.asyncDispose]() {
      await this.return()
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

const over = { done: true, value: undefined } as const
