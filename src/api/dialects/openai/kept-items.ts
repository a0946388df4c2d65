import type { ResponsesItems } from '../shared/responses/items.ts'

type Items = Extract<ResponsesItems, readonly unknown[]>
type Item = Items[number]

interface Kept {
  readonly item: Item
  readonly keptAt: number
  readonly size: number
}

/**
 * The messages and calls of the latest responses, for an hour, in memory. The AI SDK sends its next turn with references
 * to them by default. Their ids are random, so only a caller who got the response has one.
 */
export class KeptItems {
  readonly #now: () => number
  /** By id, the oldest first. */
  readonly #items = new Map<string, Kept>()
  #size = 0

  /** `now`: milliseconds. */
  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  keep(output: readonly Readonly<Record<string, unknown>>[]): void {
    for (const { id, type, role, content, call_id, name, namespace, input, arguments: text } of output) {
      if (typeof id !== 'string' || !keptTypes.has(type)) continue
      const item = { type, role, content, id, call_id, name, namespace, input, arguments: text }
      const size = JSON.stringify(item).length
      this.#drop(id)
      // It was written here, by a writer whose items are those that the input takes.
      this.#items.set(id, { item: item as Item, keptAt: this.#now(), size })
      this.#size += size
    }
    for (const [id, { keptAt }] of this.#items) {
      const isOld = this.#now() - keptAt > maxAgeMs
      if (!isOld && this.#items.size <= maxItems && this.#size <= maxSize) break
      this.#drop(id)
    }
  }

  /** The input with the items that are known in place of their references. */
  resolve(input: ResponsesItems): ResponsesItems {
    return typeof input === 'string' ? input : input.map((item) => this.#referred(item) ?? item)
  }

  #referred({ type, id = '' }: Item): Item | undefined {
    const kept = type === 'item_reference' ? this.#items.get(id) : undefined
    return kept && this.#now() - kept.keptAt <= maxAgeMs ? kept.item : undefined
  }

  #drop(id: string): void {
    this.#size -= this.#items.get(id)?.size ?? 0
    this.#items.delete(id)
  }
}

const keptTypes: ReadonlySet<unknown> = new Set(['message', 'function_call', 'custom_tool_call', 'tool_search_call'])

const maxAgeMs = 3_600_000
const maxItems = 1000
/** Characters of all items together. */
const maxSize = 4_000_000
