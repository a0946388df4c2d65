import { eventText } from '@csp/lib/event-stream'
import { isObject } from '@csp/lib/json'
import type { TurnClock } from '@csp/lib/turn-clock'
import { type Frame, TextReply } from '../dialect.ts'
import type { RouteReference } from '../serve/reference.ts'
import type { Vendor } from '../vendor.ts'
import type { Components } from './components.ts'
import { errorReplies } from './failures.ts'
import { headerRefs, type ReplyHeader, requestHeaders } from './headers.ts'
import { inputSchema, type JsonObject, schemaOfExample } from './json-schema.ts'

/** A route as it is described: where it stands, and what it speaks. */
export interface DescribedRoute {
  readonly path: string
  readonly method: string
  readonly vendor: Vendor
  readonly kind: 'search' | 'page' | 'job'
  readonly references: readonly RouteReference[]
  /** The same for all paths at which these dialects answer. */
  readonly name: string
}

/** What every path of the same dialects has, made once for all of them. */
export interface Spoken {
  readonly fields: readonly Fields[]
  readonly success: JsonObject
}

interface Fields {
  readonly reference: RouteReference
  readonly json: JsonObject
  readonly schemaName: string
}

/** Reads the schemas and makes the replies to the examples, with turns for others in between. */
export async function spokenBy(route: DescribedRoute, components: Components, turns: TurnClock): Promise<Spoken> {
  const { references, name } = route
  const fields: Fields[] = []
  for (const [at, reference] of references.entries()) {
    const schemaName = `${name}${at > 0 ? `-${at + 1}` : ''}`
    fields.push({ reference, json: inputSchema(reference.schema), schemaName })
    await turns.rest()
  }
  const reply = await success(route, components, turns)
  return { fields, success: components.ref('responses', name, () => reply) }
}

/** Describes one method of one path. */
export function operation(route: DescribedRoute, { fields, success }: Spoken, components: Components): JsonObject {
  const { path, method, vendor, kind, references } = route
  const [first] = fields
  const isQuery = method === 'GET'
  const placed = pathNames(path)
  const readsHeaders = references.some((reference) => reference.readsHeaders)
  const isElsewhere = (field: string) => placed.includes(field) || (readsHeaders && isHeaderField(field))
  const hasBody = !isQuery && !(readsHeaders && placed.length > 0)
  const common = kind === 'search' ? requestHeaders : { 'cache-control': requestHeaders['cache-control'] }
  const body = () => ({ required: true, content: bodies(fields, isElsewhere, components) })
  return {
    operationId: operationId(method, path),
    tags: [vendor.title],
    summary: summaryOf(references),
    parameters: [
      ...placed.map((field) => ({
        ...described(field, 'path', references.find(({ path: named }) => named?.[field])?.path?.[field]),
        required: true,
      })),
      ...(first ? parameters(first.json, first.reference, { isQuery, readsHeaders, placed }) : []),
      ...Object.entries(first?.reference.headers ?? {}).map(([header, words]) => described(header, 'header', words)),
      ...Object.entries(first?.reference.query ?? {}).map(([parameter, words]) => described(parameter, 'query', words)),
      ...Object.entries(common).map(([header, described]) => components.ref('parameters', header, () => described)),
    ],
    ...(hasBody && { requestBody: components.ref('requestBodies', route.name, body) }),
    responses: { 200: success, ...errorReplies(vendor, method, kind, components) },
  }
}

function described(name: string, place: 'path' | 'header' | 'query', description: string | undefined): JsonObject {
  return { name, in: place, ...(description !== undefined && { description }), schema: { type: 'string' } }
}

/** Schemas and examples by content type. */
class Contents {
  readonly #byType = new Map<
    string,
    { readonly schema: JsonObject; readonly title: string; readonly value: unknown }[]
  >()

  add(type: string, schema: JsonObject, title: string, value: unknown): void {
    this.#byType.set(type, [...(this.#byType.get(type) ?? []), { schema, title, value }])
  }

  toJSON(): JsonObject {
    return Object.fromEntries(
      [...this.#byType].map(([type, entries]) => {
        const [only, ...more] = entries.map(({ schema }) => schema)
        const examples = Object.fromEntries(entries.map(({ title, value }) => [title, { value }]))
        return [type, { schema: more.length > 0 ? { anyOf: [only, ...more] } : only, examples }]
      }),
    )
  }
}

function bodies(
  fields: readonly Fields[],
  isElsewhere: (field: string) => boolean,
  components: Components,
): JsonObject {
  const contents = new Contents()
  for (const { reference, json, schemaName } of fields) {
    const type = reference.isForm ? 'application/x-www-form-urlencoded' : 'application/json'
    const schema = components.ref('schemas', `${schemaName}-request`, () => without(json, isElsewhere))
    const example = Object.fromEntries(Object.entries(reference.example).filter(([field]) => !isElsewhere(field)))
    contents.add(type, schema, reference.title ?? 'example', example)
  }
  return contents.toJSON()
}

interface Places {
  readonly isQuery: boolean
  readonly readsHeaders: boolean
  readonly placed: readonly string[]
}

function parameters(json: JsonObject, reference: RouteReference, places: Places): readonly JsonObject[] {
  const { properties, required } = json
  if (!isObject(properties)) return []
  return Object.entries(properties).flatMap(([name, schema]) => {
    const isHeader = places.readsHeaders && isHeaderField(name)
    // OpenAPI knows no parameter of this name: the types of the reply say it.
    if (places.placed.includes(name) || name === 'accept' || !(isHeader || places.isQuery)) return []
    const example = reference.example[name]
    return {
      name,
      in: isHeader ? 'header' : 'query',
      required: Array.isArray(required) && required.includes(name),
      schema,
      ...(example !== undefined && { example }),
    }
  })
}

async function success(route: DescribedRoute, components: Components, turns: TurnClock): Promise<JsonObject> {
  const contents = new Contents()
  for (const [at, { reply, frames, title = 'example' }] of route.references.entries()) {
    const whole = await reply?.()
    if (whole instanceof TextReply) {
      contents.add(whole.type, { type: 'string' }, title, whole.text)
    } else if (reply) {
      const value: unknown = JSON.parse(JSON.stringify(whole))
      const name = `${route.name}${at > 0 ? `-${at + 1}` : ''}-reply`
      const schema = () => ({ description: 'As the reply to the example has it.', ...schemaOfExample(value) })
      contents.add('application/json', components.ref('schemas', name, schema), title, value)
    }
    if (frames) contents.add('text/event-stream', { type: 'string' }, title, await streamText(frames()))
    await turns.rest()
  }
  return {
    description: descriptionOf(route),
    headers: headerRefs(headersOf(route), components),
    content: contents.toJSON(),
  }
}

function descriptionOf({ kind, references }: DescribedRoute): string {
  if (kind === 'page') return 'The pages that could be read.'
  if (kind === 'job') return 'The job as it is now.'
  if (!references.some(({ frames }) => frames)) return 'What was found.'
  const isAlways = references.every(({ reply }) => !reply)
  return isAlways ? 'A stream of events.' : 'What was found and written; a stream of events where `stream` is true.'
}

function headersOf({ kind }: DescribedRoute): readonly ReplyHeader[] {
  if (kind !== 'search') return ['x-request-id', 'x-csp-pages', 'x-csp-ignored']
  return [
    'x-request-id',
    'x-cache',
    'age',
    'x-csp-backend',
    'x-csp-asked',
    'x-csp-pages',
    'x-csp-model',
    'x-csp-search-model',
    'x-csp-stale-reason',
    'x-csp-ignored',
    'x-csp-missing',
    'x-csp-receipt',
    'x-csp-seen',
    'server-timing',
  ]
}

async function streamText(frames: AsyncIterable<Frame>): Promise<string> {
  let text = ''
  for await (const frame of frames) text += eventText(frame)
  return text
}

function summaryOf(references: readonly RouteReference[]): string {
  if (references.length === 1) return references[0]?.summary ?? ''
  return references.map(({ title, summary }) => `${title}: ${summary}`).join('; ')
}

function without(json: JsonObject, isElsewhere: (field: string) => boolean): JsonObject {
  const { properties, required, ...rest } = json
  if (!isObject(properties)) return json
  const names = Array.isArray(required) ? required.filter((name) => !isElsewhere(String(name))) : []
  const kept = Object.entries(properties).filter(([name]) => !isElsewhere(name))
  return { ...rest, properties: Object.fromEntries(kept), ...(names.length > 0 && { required: names }) }
}

function isHeaderField(name: string): boolean {
  return name.startsWith('x-') || name === 'accept'
}

function pathNames(path: string): readonly string[] {
  return [...path.matchAll(/:(\w+)(?:\{[^}]*\})?/g)].map(([, name = '']) => name)
}

/** `/v1/r/:url{.+}` as OpenAPI writes it. */
export function templated(path: string): string {
  return path.replaceAll(/:(\w+)(?:\{[^}]*\})?/g, '{$1}')
}

/** `postResV1WebSearch`. */
export function operationId(method: string, path: string): string {
  const words = templated(path)
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
  return [method.toLowerCase(), ...words.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join('')
}
