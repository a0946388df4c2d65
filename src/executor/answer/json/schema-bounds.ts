import type { Schema } from '@cfworker/json-schema'
import { SearchError } from '../../../domain/error.ts'
import type { PatternCost } from './pattern.ts'

/** Keywords that contain values, not schemas. */
export const valueKeywords: ReadonlySet<string> = new Set(['default', 'examples', 'enum', 'const'])

/** The error for a schema that is not usable. */
export function invalid(why: string, cause?: unknown): SearchError {
  return new SearchError('invalid-request', `The JSON Schema cannot be used: ${why.replace(/\.?$/, '.')}`, { cause })
}

/** Counts how often a validator looks at a schema, and ends a check that looks too often. */
export class Visits {
  #made = 0

  reset(): void {
    this.#made = 0
  }

  /** The validator reads this field at each visit, whatever the value. */
  count(schema: Schema): void {
    const { $recursiveAnchor } = schema
    Object.defineProperty(schema, '$recursiveAnchor', {
      enumerable: false,
      configurable: true,
      get: () => {
        if (++this.#made > maxVisits) throw invalid('a check takes too many steps')
        return $recursiveAnchor
      },
    })
  }
}

/** Of a schema: numbers, texts, lists and objects. */
const maxValues = 20_000
/** Of schemas that hold for one and the same value, all references followed. */
const maxExpanded = 10_000
/** Of schemas in the check of one value: some 0.3 s. */
const maxVisits = 200_000
/** The validator looks at what is inside such a schema twice. */
const maxNestedIds = 4
/** Of all patterns on all texts of a value: some 0.3 s. */
const maxPatternSteps = 50_000_000
/** Of pairs of items in lists that must be without duplicates. */
const maxPairs = 1_000_000

/** Throws for a schema with too many values. */
export function checkSize(root: unknown): void {
  const open: unknown[] = [root]
  let count = 0
  for (; open.length > 0; count++) {
    if (count > maxValues) throw invalid(`it has more than ${maxValues} values`)
    const value = open.pop()
    if (typeof value !== 'object' || value === null) continue
    for (const inner of Object.values(value)) open.push(inner)
  }
}

/** Whether patterns and uniqueness take a bounded time on all texts and lists of a value. */
export function isCheap(root: unknown, patterns: readonly PatternCost[]): boolean {
  const open: unknown[] = [root]
  let steps = 0
  let pairs = 0
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === 'string') {
      for (const { factor, degree } of patterns) steps += factor * value.length ** degree
    } else if (typeof value === 'object' && value !== null) {
      if (Array.isArray(value)) pairs += value.length ** 2 / 2
      else open.push(...Object.keys(value))
      for (const inner of Object.values(value)) open.push(inner)
    }
    if (steps > maxPatternSteps || pairs > maxPairs) return false
  }
  return true
}

/** A copy without what `isCheap` is about. */
export function withoutCostly(schema: Schema): Schema {
  const copy: Schema = structuredClone(schema)
  const strip = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return
    const known: Schema = part
    if (typeof known.pattern === 'string') delete known.pattern
    if (typeof known.uniqueItems === 'boolean') delete known.uniqueItems
    for (const [keyword, inner] of Object.entries(part)) if (!valueKeywords.has(keyword)) strip(inner)
  }
  strip(copy)
  return copy
}

/** Throws where a schema stands for too many of them at one place of a value, all references followed. */
export function checkExpansion(root: Schema, known: Readonly<Record<string, unknown>>): void {
  const sizes = new Map<object, number>()
  const sizeOf = (part: unknown): number => {
    if (typeof part !== 'object' || part === null) return 1
    const counted = sizes.get(part)
    if (counted !== undefined) return counted
    sizes.set(part, 0) // a schema that contains itself fails when it is applied
    const size = inPlace(part, known).reduce<number>((sum, inner) => sum + sizeOf(inner), 1)
    sizes.set(part, size)
    return size
  }
  for (const part of [root, ...Object.values(known)]) {
    if (sizeOf(part) > maxExpanded)
      throw invalid(`its references expand to more than ${maxExpanded} schemas for a single value`)
  }
}

/** The schemas that hold for the same value as this one. */
function inPlace(schema: Schema, known: Readonly<Record<string, unknown>>): readonly unknown[] {
  const {
    __absolute_ref__: target,
    allOf = [],
    anyOf = [],
    oneOf = [],
    not,
    if: condition,
    then: yes,
    else: no,
  } = schema
  const { dependentSchemas = {}, dependencies = {} } = schema
  const single = [typeof target === 'string' ? known[target] : undefined, not, condition, yes, no]
  const all = [allOf, anyOf, oneOf, Object.values(dependentSchemas), Object.values(dependencies)].flat()
  return [...single, ...all].filter((part) => typeof part === 'object')
}

/** Throws for too many schemas with an `$id` inside one another. */
export function checkNesting(schema: unknown): void {
  if (nestedIds(schema) > maxNestedIds) throw invalid('too many schemas with an $id are inside one another')
}

/** How many schemas with an `$id` are inside one another at most. */
function nestedIds(part: unknown): number {
  if (typeof part !== 'object' || part === null) return 0
  const { $id, id }: Schema = part
  const inner = Object.values(part).reduce<number>((most, each) => Math.max(most, nestedIds(each)), 0)
  return inner + (typeof $id === 'string' || typeof id === 'string' ? 1 : 0)
}
