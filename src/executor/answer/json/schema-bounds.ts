import { format, type Schema, schemaMapKeyword } from '@cfworker/json-schema'
import { parseUrl } from '@csp/lib/url'
import { SearchError } from '../../../domain/error.ts'

// The validator's own patterns for these take quadratic time, and the one for “url” may never end.
format.uri = format.url = (text) => /^[a-z][a-z\d+.-]*:\S+$/i.test(text)
format['uri-reference'] = format['uri-template'] = (text) => !/\s/.test(text)
// The validator applies these schemas, but does not look for them where a property is named like a keyword.
schemaMapKeyword.dependencies = true

/** The error for a schema that is not usable. */
export function invalidSchema(why: string, cause?: unknown): SearchError {
  return new SearchError('invalid-request', `The JSON Schema cannot be used: ${why.replace(/\.?$/, '.')}`, { cause })
}

/** Counts how often a validator looks at a schema, and ends a check that does so too often. */
export class StepLimit {
  #made = 0

  begin(): void {
    this.#made = 0
  }

  /** The validator reads this field at each visit, whatever the value, before it does anything. */
  count(schema: Schema): void {
    const { $recursiveAnchor } = schema
    Object.defineProperty(schema, '$recursiveAnchor', {
      configurable: true,
      get: () => {
        if (++this.#made > maxVisits) throw invalidSchema('a check takes too many steps')
        return $recursiveAnchor
      },
    })
  }
}

/** The most values in a schema: numbers, texts, lists and objects. */
const maxValues = 20_000
/** The most schemas that hold for one value, all references followed. */
const maxExpanded = 10_000
/** The most schemas looked at to check one value: some 0.3 s. */
const maxVisits = 200_000
/** The validator looks at what is inside such a schema twice. */
const maxNestedIds = 4

const addressKeywords = new Set(['$id', 'id', '$ref', '$recursiveRef'])

/** Throws for a schema with too many values, or with an address whose host is too long for the validator to parse. */
export function checkSize(root: unknown): void {
  const open: unknown[] = [root]
  let count = 0
  for (; open.length > 0; count++) {
    if (count >= maxValues) throw invalidSchema(`it has more than ${maxValues} values`)
    const value = open.pop()
    if (typeof value !== 'object' || value === null) continue
    for (const [name, inner] of Object.entries(value)) {
      open.push(inner)
      if (typeof inner === 'string' && addressKeywords.has(name) && !parseUrl(inner, 'https://csp.invalid'))
        throw invalidSchema(`its ${name} is not an address`)
    }
  }
}

/**
 * Removes what is not checked, since a caller's pattern may take for ever on a text, and items that must differ are
 * compared pair by pair. Where something was removed, so is whatever would reject a value because a part accepts more
 * than before. Returns the keywords.
 */
export function removeUnchecked(schemas: readonly Schema[]): readonly string[] {
  // The names that a pattern matches become additional ones.
  for (const schema of schemas) if (schema.patternProperties) delete schema.additionalProperties
  const unchecked = removeKeywords(schemas, uncheckedKeywords)
  if (unchecked.length === 0) return []
  for (const schema of schemas) if (schema.oneOf) schema.allOf = [...(schema.allOf ?? []), { anyOf: schema.oneOf }]
  return [...unchecked, ...removeKeywords(schemas, rejectingKeywords)]
}

const uncheckedKeywords = ['pattern', 'patternProperties', 'uniqueItems']
const rejectingKeywords = ['not', 'oneOf', 'if', 'unevaluatedProperties', 'unevaluatedItems', 'maxContains']

/** Returns those of the keywords that stood in a schema. */
function removeKeywords(schemas: readonly Schema[], keywords: readonly string[]): readonly string[] {
  return keywords.filter((keyword) => {
    const having = schemas.filter((schema) => schema[keyword] !== undefined)
    for (const schema of having) delete schema[keyword]
    return having.length > 0
  })
}

/** Throws if a schema stands for too many of them at one place of a value, all references followed. */
export function checkExpansion(parts: readonly Schema[], known: Readonly<Record<string, unknown>>): void {
  const sizes = new Map<Schema, number>()
  const sizeOf = (part: Schema): number => {
    const counted = sizes.get(part)
    if (counted !== undefined) return counted
    sizes.set(part, 0) // a schema that contains itself fails when it is applied
    const size = inPlace(part, known).reduce<number>((sum, inner) => sum + sizeOf(inner), 1)
    sizes.set(part, size)
    return size
  }
  for (const part of parts) {
    if (sizeOf(part) > maxExpanded)
      throw invalidSchema(`its references expand to more than ${maxExpanded} schemas for a single value`)
  }
}

/** The schemas that hold for the same value as this one. */
function inPlace(schema: Schema, known: Readonly<Record<string, unknown>>): readonly Schema[] {
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
  return [...single, ...all].filter((part): part is Schema => typeof part === 'object')
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
