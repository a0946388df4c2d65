/** Someone in the line. */
export interface Waiter {
  readonly caller: string
  /** Whether the work takes long, so that short work may go first. */
  readonly isLong: boolean
  /** When it came, in milliseconds of the line's clock. */
  readonly since: number
}

/**
 * A line that is fair between callers: they take turns, however many searches each has in it. Short work goes before
 * long work, until that has waited for `patienceMs`; then it counts as short. Among equals of one caller the first
 * comes first.
 */
export class FairQueue<Item extends Waiter> {
  readonly #patienceMs: number
  /** In the order of turns; no line is empty. */
  readonly #lines = new Map<string, Item[]>()
  #size = 0

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs
  }

  get size(): number {
    return this.#size
  }

  /** How many callers have someone in it. */
  get callers(): number {
    return this.#lines.size
  }

  /** When the one came who has waited longest. */
  get oldest(): number | undefined {
    const firsts = [...this.#lines.values()].flatMap(([first]) => first?.since ?? [])
    return firsts.length > 0 ? Math.min(...firsts) : undefined
  }

  add(item: Item): void {
    const line = this.#lines.get(item.caller)
    if (line) line.push(item)
    else this.#lines.set(item.caller, [item])
    this.#size++
  }

  /** Whether it was there. */
  remove(item: Item): boolean {
    const line = this.#lines.get(item.caller)
    const index = line?.indexOf(item) ?? -1
    if (!line || index < 0) return false
    line.splice(index, 1)
    if (line.length === 0) this.#lines.delete(item.caller)
    this.#size--
    return true
  }

  /** Takes out whose turn it is. */
  take(now: number): Item | undefined {
    const isUrgent = (item: Item) => !item.isLong || now - item.since >= this.#patienceMs
    const next = this.#firstWhere(isUrgent) ?? this.#firstWhere(() => true)
    if (!next) return undefined
    this.remove(next)
    // The caller has had its turn: the others come first now.
    const rest = this.#lines.get(next.caller)
    if (rest) {
      this.#lines.delete(next.caller)
      this.#lines.set(next.caller, rest)
    }
    return next
  }

  /** Who has to go when one too many has come: the last of the longest line; of equally long ones, the newcomer. */
  excess(newcomer: Item): Item {
    let longest = this.#lines.get(newcomer.caller) ?? []
    for (const line of this.#lines.values()) if (line.length > longest.length) longest = line
    return longest.at(-1) ?? newcomer
  }

  *[Symbol.iterator](): Generator<Item, void, undefined> {
    for (const line of this.#lines.values()) yield* line
  }

  #firstWhere(holds: (item: Item) => boolean): Item | undefined {
    for (const line of this.#lines.values()) {
      const found = line.find(holds)
      if (found) return found
    }
    return undefined
  }
}
