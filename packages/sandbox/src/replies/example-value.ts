import { isObject } from '@csp/lib/json'

type Schema = Readonly<Record<string, unknown>>

export interface ExampleOptions {
  /** The value of strings. */
  readonly text: string
  /** The value of strings whose name does not ask for a whole sentence. Absent: the text. */
  readonly subject?: string | undefined
  /** The value of strings that must be a URL. */
  readonly url?: string | undefined
  /** Without properties that are not required, where some are. By default the value has all properties. */
  readonly isLeast?: boolean | undefined
}

/** A value that matches an ordinary JSON Schema. */
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
  if (!isObject(given) || place.depth > maxDepth) return null
  const inner = { ...place, depth: place.depth + 1 }
  const { $ref, const: only, enum: choices, anyOf, oneOf, allOf } = given
  if (typeof $ref === 'string') return valueFor(resolve(place.root, $ref), inner)
  if (only !== undefined) return only
  if (Array.isArray(choices)) return choices.find((choice) => isNamed(choice, place.text)) ?? choices[0]
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
  const required = listOf(schema['required']).filter((name) => typeof name === 'string')
  const missing = required.filter((name) => !(name in properties))
  const all = { ...properties, ...Object.fromEntries(missing.map((name) => [name, {}])) }
  if (place.isLeast && required.length > 0)
    return Object.fromEntries(required.map((name) => [name, valueFor(all[name], { ...place, name })]))
  return Object.fromEntries(Object.entries(all).map(([name, inner]) => [name, valueFor(inner, { ...place, name })]))
}

function numberFor({ minimum, exclusiveMinimum, maximum, multipleOf }: Schema): number {
  const least = Math.max(numberOr(minimum, 0), numberOr(exclusiveMinimum, -1) + 1)
  const step = numberOr(multipleOf, 1)
  return Math.min(Math.ceil(Math.max(least, step) / step) * step, numberOr(maximum, Number.POSITIVE_INFINITY))
}

function stringFor({ format, minLength, maxLength }: Schema, place: Place): string {
  const { name, text, url, subject = text } = place
  const formatted = typeof format === 'string' ? formats[format] : undefined
  if (formatted !== undefined) return formatted
  const own = /^(q|question|query|prompt|text|input|message|task|request)$/i.test(name) ? text : subject
  const said = url !== undefined && (format === 'uri' || /(^|_)(url|uri|link)$/i.test(name)) ? url : own
  return said.padEnd(numberOr(minLength, 0), '.').slice(0, numberOr(maxLength, said.length + numberOr(minLength, 0)))
}

const formats: Readonly<Record<string, string>> = {
  date: '2026-01-02',
  'date-time': '2026-01-02T03:04:05Z',
  time: '03:04:05Z',
  email: 'nobody@example.com',
  uuid: '00000000-0000-4000-8000-000000000000',
  hostname: 'www.example.com',
  ipv4: '192.0.2.1',
}

/** Whether a text names a choice of an `enum`. */
function isNamed(choice: unknown, text: string): boolean {
  return typeof choice === 'string' && choice !== '' && text.toLowerCase().includes(choice.toLowerCase())
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

function asSchema(value: unknown): Schema {
  return isObject(value) ? value : {}
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise
}
