/** Items that are passed on, and the work beside them. */
export interface AttendedWork<Item> {
  readonly items: AsyncIterable<Item>
  /** Called with each item before it is passed on. */
  readonly onItem?: ((item: Item) => unknown) | undefined
  /** Returns the items to pass on in place of an item. */
  readonly instead?: ((item: Item) => readonly Item[]) | undefined
  /** Called once, when the items have ended, failed or been left. If it returns a promise, they end when that has settled. */
  readonly onEnd?: (() => unknown) | undefined
  /** Returns the error to throw in place of an error. */
  readonly failure?: ((error: unknown) => unknown) | undefined
}

/**
 * Passes items on, with work at their beginning, at each and at their end. `begin` is called at the first `next()`, and
 * what it throws is the failure. The same as a generator with `yield*`, but without its three turns of the microtask
 * queue for each item: the edge has many layers, and its processor time is counted.
 */
export function attended<Item>(
  begin: () => AttendedWork<Item> | Promise<AttendedWork<Item>>,
): AsyncGenerator<Item, void, undefined> {
  let beginning: Promise<void> | undefined
  let attendance: AttendedWork<Item> | undefined
  let iterator: AsyncIterator<Item, unknown> | undefined
  const waiting: Item[] = []
  let isOver = false

  function start(begun: AttendedWork<Item>): void {
    attendance = begun
    iterator = begun.items[Symbol.asyncIterator]()
  }

  function nextStep(): Promise<IteratorResult<Item, unknown>> {
    if (iterator) return iterator.next()
    const begun = begin()
    if (!(begun instanceof Promise)) {
      start(begun)
      return nextStep()
    }
    beginning = begun.then(start)
    return beginning.then(nextStep)
  }

  // Not an async function, which would cost the turns that this saves.
  function next(): Promise<IteratorResult<Item, void>> {
    const held = waiting.shift()
    if (held !== undefined) return Promise.resolve(step(held))
    if (isOver) return Promise.resolve(over)
    try {
      return nextStep().then(pass, fail)
    } catch (error) {
      return fail(error)
    }
  }

  function pass(
    given: IteratorResult<Item, unknown>,
  ): IteratorResult<Item, void> | Promise<IteratorResult<Item, void>> {
    if (given.done) {
      const ended = end()
      return ended instanceof Promise ? ended.then(() => over) : over
    }
    try {
      attendance?.onItem?.(given.value)
      if (!attendance?.instead) return given
      const [first, ...others] = attendance.instead(given.value)
      waiting.push(...others)
      return first === undefined ? next() : step(first)
    } catch (error) {
      return leave().then(() => fail(error))
    }
  }

  async function fail(error: unknown): Promise<never> {
    await end()
    throw attendance?.failure ? attendance.failure(error) : error
  }

  async function leave(): Promise<void> {
    await beginning?.catch(() => {})
    await iterator?.return?.()
  }

  function end(): unknown {
    if (isOver) return undefined
    isOver = true
    return attendance?.onEnd?.()
  }

  return {
    next,
    async return() {
      waiting.length = 0
      if (isOver) return over
      try {
        await leave()
      } catch (error) {
        await fail(error)
      }
      await end()
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

function step<Item>(value: Item): IteratorResult<Item, void> {
  return { done: false, value }
}
