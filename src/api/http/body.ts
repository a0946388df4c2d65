import { joinBytes } from '../../lib/bytes.ts'
import { isObject } from '../../lib/json.ts'
import type { Issue } from '../dialect.ts'
import { invalid, Refusal, refused } from './refusal.ts'

/**
 * Reads what a client sent: the query string of a GET, a form, otherwise the body as JSON, whatever its content
 * type. Throws a `Refusal`, also for input beyond the bounds. Reads at most `maximumBytes` of a body.
 */
export async function readInput(request: Request, maximumBytes: number): Promise<unknown> {
  const input = await readAny(request, maximumBytes)
  checkBounds(input)
  return input
}

async function readAny(request: Request, maximumBytes: number): Promise<unknown> {
  const parsed = parsedBody(request)
  if (parsed) {
    if (parsed.size > maximumBytes) throw tooLarge(maximumBytes)
    return parsed.value
  }
  if (request.method === 'GET') return readQueryString(new URL(request.url).searchParams)
  const bytes = await readBody(request, maximumBytes)
  return isForm(request, bytes) ? readQueryString(readForm(bytes, new URL(request.url).searchParams)) : parseJson(bytes)
}

/** Whether a body is sent as a form, or left out because the query string has everything. */
export function isForm(request: Request, bytes: Uint8Array): boolean {
  if (bytes.byteLength === 0) return new URL(request.url).search !== ''
  // `curl -d` sends JSON with the content type of a form.
  return saysForm(request) && !/^\s*[{[]/.test(new TextDecoder().decode(bytes))
}

/** Whether the content type is that of a form. */
export function saysForm({ headers }: Request): boolean {
  return /^\s*application\/x-www-form-urlencoded\b/i.test(headers.get('content-type') ?? '')
}

/** The fields of a form, and those that only the query string has. */
function readForm(bytes: Uint8Array, query: URLSearchParams): URLSearchParams {
  checkNumberOfNames(bytes)
  const form = new URLSearchParams(new TextDecoder().decode(bytes))
  const names = new Set(form.keys())
  return new URLSearchParams([...form, ...[...query].filter(([name]) => !names.has(name))])
}

/** Before a form is parsed, which takes a hundred times as long. */
function checkNumberOfNames(bytes: Uint8Array): void {
  let names = 1
  for (let at = bytes.indexOf(ampersand); at >= 0; at = bytes.indexOf(ampersand, at + 1)) names++
  if (names > bounds.values) throw tooMany()
}

const ampersand = '&'.charCodeAt(0)

/** Each name with its value; a repeated name has a list. */
function readQueryString(parameters: URLSearchParams): unknown {
  const values = new Map<string, string[]>()
  for (const [name, value] of parameters) {
    const known = values.get(name)
    if (known) known.push(value)
    else values.set(name, [value])
  }
  return Object.fromEntries([...values].map(([name, list]) => [name, list.length > 1 ? list : list[0]]))
}

/** A request with the same body again, since a body can be read only once and the next handler reads it as well. */
export function withBody(request: Request, body: Uint8Array<ArrayBuffer>, headers = request.headers): Request {
  const { url, method, signal } = request
  return new Request(url, { method, headers, signal, body })
}

/** What was sent, and the request as it was before. */
interface ReadAhead {
  /** The body as JSON; `undefined` if it is not. */
  readonly value: unknown
  /** Absent if the body was parsed before. */
  readonly bytes?: Uint8Array<ArrayBuffer> | undefined
  /** For the handler that the body decides about, which need not parse it again. */
  readonly again: () => Request
}

/** Reads a body to see who answers it. */
export async function readAhead(request: Request, maximumBytes: number): Promise<ReadAhead> {
  const parsed = parsedBody(request)
  if (parsed) return { value: parsed.value, again: () => request }
  const bytes = await readBody(request, maximumBytes)
  const value = jsonIn(bytes)
  const isJson = typeof value === 'object' && value !== null
  const again = () => (isJson ? withParsedBody(request, { value, size: bytes.byteLength }) : withBody(request, bytes))
  return { value, bytes, again }
}

/** A body that was parsed already. */
interface ParsedBody {
  readonly value: unknown
  /** Of its text, in bytes. */
  readonly size: number
}

const parsedBodies = new WeakMap<Request, ParsedBody>()

/** A request whose body `readInput` has at hand: the next handler need not parse it again. */
export function withParsedBody(request: Request, parsed: ParsedBody): Request {
  const { url, method, headers, signal } = request
  const next = new Request(url, { method, headers, signal })
  parsedBodies.set(next, parsed)
  return next
}

/** A request with what was read of it and fields that its path has; what is no object stays as it is. */
export function withFields(request: Request, sent: unknown, fields: Readonly<Record<string, unknown>>): Request {
  return withParsedBody(request, { value: isObject(sent) ? { ...sent, ...fields } : sent, size: 0 })
}

/** The body of a request that was parsed already. */
function parsedBody(request: Request): ParsedBody | undefined {
  return parsedBodies.get(request)
}

/** The value of a body; `undefined` if it is not JSON. */
function jsonIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}

/**
 * Reads a whole body. Throws a `Refusal` when it is encoded or too large, and leaves the rest unread, but readable: the
 * server drops it before it closes the connection, so that the client can read why.
 */
export async function readBody(request: Request, maximumBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const { body, headers } = request
  const packing = headers.get('content-encoding')?.trim().toLowerCase() || 'identity'
  if (packing !== 'identity') {
    throw invalid({
      path: [],
      type: 'value_error',
      message: `Content-Encoding ${packing.slice(0, 20)} is not supported; send the body unencoded`,
    })
  }
  const length = Number(headers.get('content-length') ?? 0)
  if (length > maximumBytes) throw tooLarge(maximumBytes)
  if (!body) return new Uint8Array()
  // At once, which costs half as much as piece by piece.
  if (length > 0) return new Uint8Array(await request.arrayBuffer())
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = body.getReader()
  try {
    for (let step = await reader.read(); !step.done; step = await reader.read()) {
      size += step.value.byteLength
      if (size > maximumBytes) throw tooLarge(maximumBytes)
      chunks.push(step.value)
    }
  } finally {
    reader.releaseLock()
  }
  return joinBytes(chunks)
}

function tooLarge(maximumBytes: number): Refusal {
  return new Refusal('too-large', `The body is larger than ${maximumBytes} bytes.`)
}

function parseJson(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) throw invalid({ path: [], type: 'missing', message: 'The request needs a JSON body' })
  const value = jsonIn(bytes)
  if (value === undefined) throw invalid({ path: [], type: 'json_invalid', message: 'The body is not valid JSON' })
  return value
}

/** The limits of every request, besides those of its dialect. A body has its own limit, in bytes. */
export const bounds = {
  /** Nested lists and objects. */
  depth: 100,
  /** Items of one list: messages, tools, rows. */
  items: 4096,
  /** All values, including the names of a form. */
  values: 50_000,
  /** Issues in an error reply. */
  issues: 20,
} as const

/** Throws a `Refusal` that names the first place where a value is deeper, longer or larger than the bounds. */
export function checkBounds(root: unknown): void {
  const places: Place[] = [{ value: root, depth: 1 }]
  // A loop, since deep input could overflow the stack of a recursive function.
  for (let place = places.pop(), count = 1; place; place = places.pop(), count++) {
    if (count > bounds.values) throw tooMany()
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

function tooMany(): Refusal {
  return beyond([], `hold at most ${bounds.values} values`)
}

function beyond(path: Issue['path'], should: string) {
  return refused(path, `Input should ${should}`)
}
