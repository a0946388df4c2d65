import { z } from 'zod'

/** A JSON schema, or one within it. */
export type Schema = Readonly<Record<string, unknown>>

/** The schema of a tool as all take it at first: others than OpenAI refuse the dialect in `$schema`. */
export function withoutDialect({ $schema: _, ...schema }: Schema): Schema {
  return eachSchema({ type: 'object', ...schema }, complete)
}

/** OpenAI refuses an object without `properties`, and a list without `items`, at any depth. */
function complete(schema: Schema): Schema {
  const missing = schema['type'] === 'object' ? { properties: {} } : schema['type'] === 'array' ? { items: {} } : {}
  return { ...missing, ...schema }
}

/**
 * A schema without what the model refuses of schemas: keywords, as `schema:pattern`, or with `schema` all that has no
 * counterpart in the smallest dialect.
 */
export function plainerSchema(schema: Schema, without: ReadonlySet<string>): Schema {
  if (without.has('schema') || without.has('plain')) return eachSchema(schema, plainest)
  const keywords = [...without].flatMap((name) => (name.startsWith('schema:') ? [name.slice('schema:'.length)] : []))
  if (keywords.length === 0) return schema
  return eachSchema(schema, (each) => withoutKeywords(each, keywords))
}

/** In any case: what an error names is read in lower case. */
function withoutKeywords(schema: Schema, keywords: readonly string[]): Schema {
  const isKept = (name: string): boolean => !keywords.includes(name.toLowerCase())
  const kept = Object.fromEntries(Object.entries(schema).filter(([name]) => isKept(name)))
  return typeof schema['const'] === 'string' && !isKept('const') ? { ...kept, enum: [schema['const']] } : kept
}

function plainest(schema: Schema): Schema {
  const { type, enum: words, const: word } = schema
  const isOfStrings = (value: unknown): boolean =>
    Array.isArray(value) && value.every((item) => typeof item === 'string')
  const kept = Object.fromEntries(Object.entries(schema).filter(([name]) => plainKeywords.includes(name)))
  return {
    ...kept,
    ...(Array.isArray(type) && { type: type.find((name) => name !== 'null') ?? 'string' }),
    ...(isOfStrings(words) ? { enum: words } : typeof word === 'string' && { enum: [word] }),
  }
}

const plainKeywords = ['type', 'description', 'properties', 'required', 'items']

/** A schema with a change at each place that holds a schema, from the outside to the inside. */
function eachSchema(given: Schema, change: (schema: Schema) => Schema, depth = maxDepth): Schema {
  const schema = change(given)
  if (depth === 0) return schema
  const one = (value: unknown): unknown => {
    const inner = schemaSchema.safeParse(value).data
    return inner ? eachSchema(inner, change, depth - 1) : value
  }
  const within = (value: unknown): unknown => (Array.isArray(value) ? value.map(one) : one(value))
  const named = (value: unknown): unknown => {
    const all = schemaSchema.safeParse(value).data
    return all ? Object.fromEntries(Object.entries(all).map(([name, inner]) => [name, within(inner)])) : value
  }
  const entries = Object.entries(schema).map(([name, value]): readonly [string, unknown] => {
    if (mapsOfSchemas.includes(name)) return [name, named(value)]
    return [name, schemas.includes(name) ? within(value) : value]
  })
  return Object.fromEntries(entries)
}

const schemaSchema = z.record(z.string(), z.unknown())
const schemas = ['items', 'anyOf', 'oneOf', 'allOf', 'additionalProperties']
const mapsOfSchemas = ['properties', '$defs', 'definitions']
const maxDepth = 32
