/**
 * A queue between one producer that pushes and one consumer that iterates.
 * Items pushed before a failure are still delivered, later ones are dropped.
 */
export class Channel<Item> implements AsyncIterable<Item> {
  readonly #items: Item[] = []
  #failure: { readonly error: unknown } | undefined
  #wake: (() => void) | undefined

  push(item: Item): void {
    if (this.#failure) return
    this.#items.push(item)
    this.#wake?.()
  }

  /** Ends the iteration with an error. Only the first counts. */
  fail(error: unknown): void {
    this.#failure ??= { error }
    this.#wake?.()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for (;;) {
      for (let item = this.#items.shift(); item !== undefined; item = this.#items.shift()) yield item
      if (this.#failure) throw this.#failure.error
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}
