import type { Schema } from '@cfworker/json-schema'
import { SearchError } from '../../../domain/error.ts'
import type { PatternCost } from './pattern.ts'

/** Keywords that contain values, not schemas. */
export const valueKeywords: ReadonlySet<string> = new Set(['default', 'examples', 'enum', 'const'])

/** The error for a schema that is not usable. */
export function invalidSchema(why: string, cause?: unknown): SearchError {
  return new SearchError('invalid-request', `The JSON Schema cannot be used: ${why.replace(/\.?$/, '.')}`, { cause })
}

/** What the check of a value would cost. */
export class TooCostly extends Error {}

/** Counts how often a validator looks at a schema, and what that may cost, and ends a check that does too much. */
export class StepLimit {
  #made = 0
  #steps = 0
  /** Of one visit of a schema with a pattern or without duplicates, at most. */
  #stepsEach = 0

  begin(stepsEach: number): void {
    this.#made = 0
    this.#steps = 0
    this.#stepsEach = stepsEach
  }

  /** The validator reads this field at each visit, whatever the value, before it does anything. */
  count(schema: Schema): void {
    const { $recursiveAnchor, pattern, uniqueItems, format } = schema
    const isCostly = typeof pattern === 'string' || uniqueItems === true || formatCosts.has(format)
    Object.defineProperty(schema, '$recursiveAnchor', {
      enumerable: false,
      configurable: true,
      get: () => {
        if (++this.#made > maxVisits) throw invalidSchema('a check takes too many steps')
        if (isCostly) this.#steps += this.#stepsEach
        if (this.#steps > maxSteps) throw new TooCostly()
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
/** Of patterns, and of comparisons of items, in one check: some 0.3 s. */
const maxSteps = 100_000_000

/** Throws for a schema with too many values. */
export function checkSize(root: unknown): void {
  const open: unknown[] = [root]
  let count = 0
  for (; open.length > 0; count++) {
    if (count > maxValues) throw invalidSchema(`it has more than ${maxValues} values`)
    const value = open.pop()
    if (typeof value !== 'object' || value === null) continue
    for (const inner of Object.values(value)) open.push(inner)
  }
}

/** What a pattern takes on the longest text of a value, or uniqueness on its longest list, at most. */
export function stepsOnLongest(root: unknown, patterns: readonly PatternCost[]): number {
  const open: unknown[] = [root]
  let text = 0
  let list = 0
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === 'string') text = Math.max(text, value.length)
    if (typeof value !== 'object' || value === null) continue
    if (Array.isArray(value)) list = Math.max(list, value.length)
    else open.push(...Object.keys(value))
    for (const inner of Object.values(value)) open.push(inner)
  }
  const steps = patterns.map(({ factor, degree }) => factor * text ** degree)
  return Math.max(0, ...steps) + stepsPerPair * list ** 2
}

/** A comparison of two items looks at what is in them. */
const stepsPerPair = 20

/** What the validator's own patterns take for a text that does not fit. */
export const formatCosts: ReadonlyMap<unknown, PatternCost> = new Map([
  ['uri', { factor: 0.01, degree: 2 }],
  ['uri-reference', { factor: 0.01, degree: 2 }],
  ['uri-template', { factor: 0.1, degree: 2 }],
])

/** A copy without patterns, uniqueness and costly formats. */
export function withoutCostly(schema: Schema): Schema {
  const copy: Schema = structuredClone(schema)
  const strip = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return
    const known: Schema = part
    if (typeof known.pattern === 'string') delete known.pattern
    if (typeof known.uniqueItems === 'boolean') delete known.uniqueItems
    if (formatCosts.has(known.format)) delete known.format
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
      throw invalidSchema(`its references expand to more than ${maxExpanded} schemas for a single value`)
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
  if (nestedIds(schema) > maxNestedIds) throw invalidSchema('too many schemas with an $id are inside one another')
}

/** How many schemas with an `$id` are inside one another at most. */
function nestedIds(part: unknown): number {
  if (typeof part !== 'object' || part === null) return 0
  const { $id, id }: Schema = part
  const inner = Object.values(part).reduce<number>((most, each) => Math.max(most, nestedIds(each)), 0)
  return inner + (typeof $id === 'string' || typeof id === 'string' ? 1 : 0)
}
