/** An entry of the queue. */
export interface Waiter {
  readonly caller: string
  /** Whether the work takes long, so that short work may go first. */
  readonly isLong: boolean
  /** When it came, in milliseconds of the queue's clock. */
  readonly since: number
}

/**
 * A queue that is fair between callers: they take turns, however many searches each has in it. Short work goes before
 * long work, until that has waited for `patienceMs`; then it counts as short. Among equals of one caller the first
 * comes first.
 */
export class FairQueue<Item extends Waiter> {
  readonly #patienceMs: number
  /** By caller, in the order in which they are served; none is empty. */
  readonly #queues = new Map<string, Item[]>()
  #size = 0

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs
  }

  /** The number of entries that wait. */
  get size(): number {
    return this.#size
  }

  /** How many callers have an entry in it. */
  get callers(): number {
    return this.#queues.size
  }

  /** When the oldest entry came. */
  get oldest(): number | undefined {
    const firsts = [...this.#queues.values()].flatMap(([first]) => first?.since ?? [])
    return firsts.length > 0 ? Math.min(...firsts) : undefined
  }

  /** Puts an entry at the end of its caller's queue. */
  add(item: Item): void {
    const queue = this.#queues.get(item.caller)
    if (queue) queue.push(item)
    else this.#queues.set(item.caller, [item])
    this.#size++
  }

  /** Whether it was there. */
  remove(item: Item): boolean {
    const queue = this.#queues.get(item.caller)
    const index = queue?.indexOf(item) ?? -1
    if (!queue || index < 0) return false
    queue.splice(index, 1)
    if (queue.length === 0) this.#queues.delete(item.caller)
    this.#size--
    return true
  }

  /** Removes and returns the entry that is next, among those that may start. The others keep their places. */
  take(now: number, mayStart: (item: Item) => boolean = () => true): Item | undefined {
    const isUrgent = (item: Item) => mayStart(item) && (!item.isLong || now - item.since >= this.#patienceMs)
    const next = this.#firstWhere(isUrgent) ?? this.#firstWhere(mayStart)
    if (!next) return undefined
    this.remove(next)
    // The caller has been served: the others come first now.
    const rest = this.#queues.get(next.caller)
    if (rest) {
      this.#queues.delete(next.caller)
      this.#queues.set(next.caller, rest)
    }
    return next
  }

  /** The entry to reject when the queue is over its capacity: the last of the caller with the most; on a tie, the newcomer. */
  excess(newcomer: Item): Item {
    let longest = this.#queues.get(newcomer.caller) ?? []
    for (const queue of this.#queues.values()) if (queue.length > longest.length) longest = queue
    return longest.at(-1) ?? newcomer
  }

  *[Symbol.iterator](): Generator<Item, void, undefined> {
    for (const queue of this.#queues.values()) yield* queue
  }

  #firstWhere(holds: (item: Item) => boolean): Item | undefined {
    for (const queue of this.#queues.values()) {
      const found = queue.find(holds)
      if (found) return found
    }
    return undefined
  }
}
