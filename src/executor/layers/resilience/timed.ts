/** Passes items on, and has `begin` count the time in which the next one is waited for: not what is done with them. */
export function timed<Item>(items: AsyncIterable<Item>, begin: () => () => void): AsyncIterable<Item> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = items[Symbol.asyncIterator]()
      return {
        next() {
          const end = begin()
          return iterator.next().finally(end)
        },
        return: async () => iterator.return?.() ?? { done: true, value: undefined },
      }
    },
  }
}
