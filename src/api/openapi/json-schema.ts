import { isObject } from '@csp/lib/json'
import { z } from 'zod'

export type JsonObject = Readonly<Record<string, unknown>>

/** The JSON Schema of what a client sends, from the zod schema that the route validates with. */
export function inputSchema(schema: z.ZodType): JsonObject {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return tidy(json)
}

/** `{anyOf: [X, {type: 'null'}]}` as X with one more type, and without the bounds of safe integers. */
function tidy(schema: JsonObject): JsonObject {
  const { anyOf, ...rest } = mapObject(schema)
  if (!Array.isArray(anyOf)) return bounded(rest)
  const others = anyOf.filter((branch) => !isNull(branch))
  const [only] = others
  if (others.length === anyOf.length) return { ...rest, anyOf }
  if (others.length === 1 && isObject(only)) return { ...nullable(only), ...rest }
  return { ...rest, anyOf }
}

function nullable(schema: JsonObject): JsonObject {
  const { type, enum: values, ...rest } = schema
  if (Object.keys(schema).length === 0) return schema
  if (typeof type !== 'string' || 'const' in schema) return { anyOf: [schema, { type: 'null' }] }
  return { ...rest, type: [type, 'null'], ...(Array.isArray(values) && { enum: [...values, null] }) }
}

function bounded(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).filter(([, value]) => Math.abs(Number(value)) !== Number.MAX_SAFE_INTEGER),
  )
}

function mapObject(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapValue(inner)]))
}

function mapValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(mapValue)
  return isObject(value) ? tidy(value) : value
}

function isNull(schema: unknown): boolean {
  return isObject(schema) && schema['type'] === 'null'
}

/** A schema that describes an example: its fields and their types, none of them required. */
export function schemaOfExample(example: unknown): JsonObject {
  if (Array.isArray(example)) return { type: 'array', items: merged(example.map(schemaOfExample)) }
  if (isObject(example)) {
    const fields = Object.entries(example).map(([name, value]) => [name, schemaOfExample(value)] as const)
    return { type: 'object', properties: Object.fromEntries(fields) }
  }
  // What is null in the example may be anything in another reply.
  return example === null || example === undefined ? {} : { type: typeof example }
}

function merged(schemas: readonly JsonObject[]): JsonObject {
  const distinct = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()]
  return distinct.length > 1 ? { anyOf: distinct } : (distinct[0] ?? {})
}
