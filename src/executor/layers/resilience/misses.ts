import type { SearchEvent, SearchRequest } from '../../../domain/search.ts'
import { needsModel } from '../../answer/excerpt-answer.ts'

/** Which backends have found nothing lately. Three searches in a row without a row: that one is asked last for five minutes. */
export class Misses {
  readonly #now: () => number
  readonly #byName = new Map<string, { inARow: number; lastUntil: number }>()

  /** `now`: monotonic time, ms. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  note(name: string, isMiss: boolean): void {
    const { inARow, lastUntil } = this.#byName.get(name) ?? none
    const count = isMiss ? inARow + 1 : 0
    const isOften = count >= maxInARow
    this.#byName.set(name, { inARow: count, lastUntil: isMiss ? (isOften ? this.#now() + lastMs : lastUntil) : 0 })
  }

  isAskedLast(name: string): boolean {
    return (this.#byName.get(name)?.lastUntil ?? 0) > this.#now()
  }

  /** Those that are asked last come behind all others. */
  inOrder<Named extends { readonly name: string }>(all: readonly Named[]): readonly Named[] {
    return all.toSorted((a, b) => Number(this.isAskedLast(a.name)) - Number(this.isAskedLast(b.name)))
  }
}

/** Whether that nothing is found may be the backend's own lack: no filter and no known row explains it. */
export function mayMiss(request: SearchRequest): boolean {
  const { want, sources, cursor, offset, exclude = [], filters } = request
  const { includeDomains = [], freshness, publishedAfter, publishedBefore } = filters
  const isNarrow = includeDomains.length > 0 || freshness || publishedAfter || publishedBefore
  if (want === 'text' || sources || needsModel(request)) return false
  return !cursor && !offset && exclude.length === 0 && !isNarrow
}

/** The events of a search that has begun, and whether it has found nothing by its first word or its end. */
export interface Looked {
  readonly isMiss: boolean
  readonly events: AsyncIterableIterator<SearchEvent, undefined>
}

/**
 * Holds events back until it is known whether there is a row. A search that has found nothing is read to its end: until
 * then it keeps its place in the queue of its backend, while the next one searches.
 */
export async function looked(events: AsyncIterableIterator<SearchEvent, undefined>): Promise<Looked> {
  const held: SearchEvent[] = []
  let found: 'a row' | 'nothing' | undefined
  let hasSearched = false
  while (found === undefined) {
    const { done, value } = await events.next()
    if (done) break
    held.push(value)
    if (value.type === 'search-results') {
      hasSearched = true
      if (value.results.length > 0) found = 'a row'
    } else if (['text-delta', 'tool-call-start', 'done'].includes(value.type)) found = hasSearched ? 'nothing' : 'a row'
  }
  if (found === 'nothing') for await (const event of events) held.push(event)
  return {
    isMiss: found === 'nothing',
    events: {
      next() {
        const value = held.shift()
        return value ? Promise.resolve({ done: false, value }) : events.next()
      },
      async return() {
        await events.return?.()
        return { done: true, value: undefined }
      },
      [Symbol.asyncIterator]() {
        return this
      },
    },
  }
}

const none = { inARow: 0, lastUntil: 0 }
const maxInARow = 3
const lastMs = 300_000
