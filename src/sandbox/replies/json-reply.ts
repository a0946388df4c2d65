import type { MessagesRequest } from '../messages-request.ts'
import { type UserTurn, userTurns } from '../messages-request.ts'
import type { ReplyContext } from '../scenario.ts'
import { inventedUrls } from './model-text.ts'

/** JSON that matches the schema in csp's prompt. `undefined` without a schema and in the scenario `non-compliant`. */
export function jsonReply(request: MessagesRequest, text: string, url: string | undefined, context: ReplyContext) {
  const schema = userTurns(request).flatMap(schemaIn).at(-1)
  if (schema === undefined || context.scenario === 'non-compliant') return undefined
  const spoilt = context.scenario === 'invented-url' ? `${text} See ${inventedUrls[1]}` : text
  return JSON.stringify(exampleValue(schema, { text: spoilt, url }))
}

function schemaIn({ text: prompt }: UserTurn): readonly unknown[] {
  const text = /<schema>([\s\S]*?)<\/schema>/.exec(prompt)?.[1]
  if (text === undefined) return []
  try {
    return [JSON.parse(text.replaceAll('\u2060', ''))]
  } catch {
    return []
  }
}

type Schema = Readonly<Record<string, unknown>>

export interface ExampleOptions {
  /** The value of strings. */
  readonly text: string
  /** The value of strings that must be a URL. */
  readonly url?: string | undefined
}

/** A value that matches an ordinary JSON Schema and has all of its properties. */
export function exampleValue(schema: unknown, options: ExampleOptions): unknown {
  return valueFor(schema, { ...options, root: schema, name: '', depth: 0 })
}

interface Place extends ExampleOptions {
  readonly root: unknown
  /** The name of the property that the value belongs to. */
  readonly name: string
  readonly depth: number
}

function valueFor(given: unknown, place: Place): unknown {
  if (!isSchema(given) || place.depth > maxDepth) return null
  const inner = { ...place, depth: place.depth + 1 }
  const { $ref, const: only, enum: choices, anyOf, oneOf, allOf } = given
  if (typeof $ref === 'string') return valueFor(resolve(place.root, $ref), inner)
  if (only !== undefined) return only
  if (Array.isArray(choices)) return choices[0]
  const [first] = listOf(anyOf ?? oneOf)
  if (first !== undefined) return valueFor({ ...given, anyOf: undefined, oneOf: undefined, ...asSchema(first) }, inner)
  if (Array.isArray(allOf))
    return valueFor(Object.assign({}, given, { allOf: undefined }, ...allOf.map(asSchema)), inner)
  switch (typeOf(given)) {
    case 'object':
      return objectFor(given, inner)
    case 'array':
      return Array.from({ length: Math.max(1, numberOr(given['minItems'], 1)) }, () =>
        valueFor(given['items'] ?? {}, inner),
      )
    case 'integer':
    case 'number':
      return numberFor(given)
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return stringFor(given, place)
  }
}

const maxDepth = 20

function objectFor(schema: Schema, place: Place): object {
  const properties = asSchema(schema['properties'])
  const missing = listOf(schema['required']).filter((name) => typeof name === 'string' && !(name in properties))
  const all = { ...properties, ...Object.fromEntries(missing.map((name) => [name, {}])) }
  return Object.fromEntries(Object.entries(all).map(([name, inner]) => [name, valueFor(inner, { ...place, name })]))
}

function numberFor({ minimum, exclusiveMinimum, maximum, multipleOf }: Schema): number {
  const least = Math.max(numberOr(minimum, 0), numberOr(exclusiveMinimum, -1) + 1)
  const step = numberOr(multipleOf, 1)
  return Math.min(Math.ceil(Math.max(least, step) / step) * step, numberOr(maximum, Number.POSITIVE_INFINITY))
}

function stringFor({ format, minLength, maxLength }: Schema, { name, text, url }: Place): string {
  if (format === 'date') return '2026-01-02'
  if (format === 'date-time') return '2026-01-02T03:04:05Z'
  if (format === 'email') return 'nobody@example.com'
  const said = url !== undefined && (format === 'uri' || /(^|_)(url|uri|link)$/i.test(name)) ? url : text
  return said.padEnd(numberOr(minLength, 0), '.').slice(0, numberOr(maxLength, said.length + numberOr(minLength, 0)))
}

function typeOf(schema: Schema): unknown {
  const type = schema['type']
  if (type !== undefined) return Array.isArray(type) ? type[0] : type
  if ('properties' in schema || 'required' in schema) return 'object'
  return 'items' in schema ? 'array' : 'string'
}

function resolve(root: unknown, reference: string): unknown {
  const path = reference.replace(/^#\/?/, '').split('/').filter(Boolean)
  return path.reduce<unknown>((at, key) => asSchema(at)[key.replaceAll('~1', '/').replaceAll('~0', '~')], root)
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function asSchema(value: unknown): Schema {
  return isSchema(value) ? value : {}
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise
}
