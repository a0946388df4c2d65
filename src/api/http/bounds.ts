import type { Issue } from '../dialect.ts'
import { invalid } from './refusal.ts'

/** What a request may hold at most, whatever its dialect allows besides. A body has its own limit, in bytes. */
export const bounds = {
  /** Lists and objects within one another. */
  depth: 100,
  /** Items of one list: messages, tools, rows. */
  items: 4096,
  /** Values in all, the names of a form among them. */
  values: 50_000,
  /** Things that are wrong: the reply names no more of them. */
  issues: 20,
} as const

/** Throws a `Refusal` that names the first place where a value is deeper, longer or larger than the bounds. */
export function checkBounds(root: unknown): void {
  const places: Place[] = [{ value: root, depth: 1 }]
  // By hand: whoever calls itself for each level is at the mercy of whoever sends them.
  for (let place = places.pop(), count = 1; place; place = places.pop(), count++) {
    if (count > bounds.values) throw beyond([], `hold at most ${bounds.values} values`)
    const { value, depth } = place
    if (typeof value !== 'object' || value === null) continue
    if (depth > bounds.depth) throw beyond(pathOf(place).slice(0, 3), `be at most ${bounds.depth} levels deep`)
    if (Array.isArray(value) && value.length > bounds.items) {
      throw beyond(pathOf(place), `have at most ${bounds.items} items`)
    }
    for (const [step, inner] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
      if (step === '__proto__') throw beyond([...pathOf(place), step], 'have another name')
      places.push({ value: inner, depth: depth + 1, step, parent: place })
    }
  }
}

interface Place {
  readonly value: unknown
  readonly depth: number
  readonly step?: string | number | undefined
  readonly parent?: Place | undefined
}

function pathOf(place: Place): Issue['path'] {
  const path: (string | number)[] = []
  for (let at: Place | undefined = place; at?.step !== undefined; at = at.parent) path.unshift(at.step)
  return path
}

function beyond(path: Issue['path'], should: string) {
  return invalid({ path, type: 'value_error', message: `Input should ${should}` })
}
