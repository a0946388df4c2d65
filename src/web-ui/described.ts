import { isObject } from '../lib/json.ts'

type Json = Readonly<Record<string, unknown>>

/** The routes of one vendor. */
export interface Group {
  readonly title: string
  readonly description: string
  readonly operations: readonly DescribedOperation[]
}

/** One method at one path, or at several that do the same. */
export interface DescribedOperation {
  readonly method: string
  readonly paths: readonly string[]
  readonly summary: string
  readonly described: Json
}

export interface Field {
  readonly name: string
  /** `body`, `query`, `path` or `header`. */
  readonly place: string
  readonly type: string
  readonly isRequired: boolean
}

export interface DescribedReply {
  readonly status: string
  readonly description: string
  /** The JSON of an example. */
  readonly example: string | undefined
}

/** The operations of a document by their first tag, those under `/v1` with their equals. HEAD is left out. */
export function groupsOf(document: Json): readonly Group[] {
  const found = new Map<string, Map<string, DescribedOperation>>()
  for (const [path, item] of entriesOf(document['paths'])) {
    for (const [method, described] of entriesOf(item)) {
      if (method === 'head' || !isObject(described)) continue
      const { tags, summary, operationId: _, ...rest } = described
      const tag = Array.isArray(tags) ? String(tags[0]) : ''
      const operations = found.get(tag) ?? new Map<string, DescribedOperation>()
      found.set(tag, operations)
      const key = `${method} ${JSON.stringify(rest)}`
      const paths = [...(operations.get(key)?.paths ?? []), path]
      operations.set(key, { method: method.toUpperCase(), paths, summary: plain(summary), described })
    }
  }
  const tags = Array.isArray(document['tags']) ? document['tags'].filter(isObject) : []
  return tags.flatMap(({ name, description }) => {
    const operations = [...(found.get(String(name))?.values() ?? [])]
    return operations.length > 0 ? [{ title: String(name), description: plain(description), operations }] : []
  })
}

/** Markdown's marks of code mean nothing on the page. */
function plain(text: unknown): string {
  return String(text).replaceAll('`', '')
}

/** What a caller sends: parameters, and the fields of the body. */
export function fieldsOf({ described }: DescribedOperation, document: Json): readonly Field[] {
  const parameters = Array.isArray(described['parameters']) ? described['parameters'] : []
  const placed = parameters.map((parameter) => {
    const { name, in: place, schema, required } = resolve(parameter, document)
    return { name: String(name), place: String(place), type: typeOf(schema), isRequired: required === true }
  })
  return [...bodiesOf(described, document).flatMap(({ schema }) => fieldsOfSchema(schema, document)), ...placed]
}

function fieldsOfSchema(schema: unknown, document: Json): readonly Field[] {
  const { anyOf, properties, required } = resolve(schema, document)
  if (Array.isArray(anyOf)) return anyOf.flatMap((branch) => fieldsOfSchema(branch, document))
  const names = Array.isArray(required) ? required : []
  return entriesOf(properties).map(([name, inner]) => ({
    name,
    place: 'body',
    type: typeOf(inner),
    isRequired: names.includes(name),
  }))
}

/** A type as people write it: `whole number from 1 to 20`, `"low" or "high"`, `list of text`. */
export function typeOf(schema: unknown): string {
  if (!isObject(schema)) return 'anything'
  const { type, enum: values, const: only, anyOf, items, minimum, maximum, description } = schema
  if (description !== undefined) return String(description)
  if (only !== undefined) return JSON.stringify(only)
  if (Array.isArray(values))
    return values
      .filter((value) => value !== null)
      .map(quoted)
      .join(', ')
  if (Array.isArray(anyOf)) return [...new Set(anyOf.filter(isNotNull).map(typeOf))].join(' or ')
  const name = (Array.isArray(type) ? type : [type]).find((each) => each !== 'null')
  if (name === 'array') return `list of ${typeOf(items)}`
  const words: unknown = Object.hasOwn(names, String(name)) ? names[String(name)] : 'anything'
  const bounds = `${minimum === undefined ? '' : ` from ${minimum}`}${maximum === undefined ? '' : ` to ${maximum}`}`
  return `${words}${bounds}`
}

const names: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: 'true or false',
  object: 'object',
}

function quoted(value: unknown): string {
  return typeof value === 'string' && value.includes(' ') ? JSON.stringify(value) : String(value)
}

function isNotNull(schema: unknown): boolean {
  return !isObject(schema) || schema['type'] !== 'null'
}

/** The first example as a command for curl. */
export function curlCommand({ method, paths, described }: DescribedOperation, document: Json, url: string): string {
  const [first = '/'] = paths
  const parameters = (Array.isArray(described['parameters']) ? described['parameters'] : []).map((parameter) =>
    resolve(parameter, document),
  )
  const path = first.replaceAll(/\{(\w+)\}/g, (_, name: string) => pathExamples[name] ?? name.toUpperCase())
  const query = parameters
    .filter(({ in: place, example }) => place === 'query' && example !== undefined)
    .map(({ name, example }) => ` --data-urlencode ${inShell(`${name}=${example}`)}`)
  const verb = method === 'GET' ? '' : ` -X ${method}`
  if (query.length > 0) return `curl${verb} -G ${inShell(url + path)}${query.join('')}`
  const [body] = bodiesOf(described, document)
  if (!body) return `curl${verb} ${inShell(url + path)}`
  return `curl ${inShell(url + path)} -H 'content-type: application/json' -d ${inShell(JSON.stringify(body.example))}`
}

const pathExamples: Readonly<Record<string, string>> = {
  url: 'https://example.com/',
  tool: 'csp',
  id: 'sonar-pro',
  name: 'style.css',
}

function inShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** Each status once; the example is the first of the first content type. */
export function repliesOf({ described }: DescribedOperation, document: Json): readonly DescribedReply[] {
  return entriesOf(described['responses']).map(([status, part]) => {
    const { description, content } = resolve(part, document)
    const [first] = entriesOf(content)
    return { status, description: plain(description), example: exampleIn(first?.[1]) }
  })
}

function exampleIn(content: unknown): string | undefined {
  if (!isObject(content)) return undefined
  const value = firstExample(content)
  if (value === undefined) return undefined
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}

function firstExample({ example, examples }: Json): unknown {
  const [entry] = entriesOf(examples)
  return isObject(entry?.[1]) ? entry[1]['value'] : example
}

function bodiesOf(described: Json, document: Json): readonly { readonly schema: unknown; readonly example: unknown }[] {
  const { content } = resolve(described['requestBody'], document)
  return entriesOf(content).flatMap(([type, body]) =>
    isObject(body) && type === 'application/json' ? [{ schema: body['schema'], example: firstExample(body) }] : [],
  )
}

/** A part of the document, or what it refers to. */
function resolve(part: unknown, document: Json): Json {
  if (!isObject(part)) return {}
  const { $ref } = part
  if (typeof $ref !== 'string') return part
  let found: unknown = document
  for (const step of $ref.split('/').slice(1)) found = isObject(found) ? found[step] : undefined
  return resolve(found, document)
}

function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return isObject(value) ? Object.entries(value) : []
}
