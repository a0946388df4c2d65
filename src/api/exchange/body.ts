import { joinBytes } from '@csp/lib/bytes'
import { isObject } from '@csp/lib/json'
import type { Issue } from './failure.ts'
import { invalid, Refusal, refused } from './refusal.ts'

/**
 * What one request sent, read at most once and kept: whoever reads it later, gets the same. The first reader's bound
 * holds for the reading, and each reader's own for what is there.
 */
export class Sent {
  readonly #request: Request
  #body: Promise<Body> | undefined
  #change: ((sent: Readonly<Record<string, unknown>>) => object) | undefined

  constructor(request: Request) {
    this.#request = request
  }

  /**
   * The query string of a GET, a form, otherwise the body as JSON, whatever its content type. Throws a `Refusal`, also
   * for input beyond the bounds.
   */
  async input(maximumBytes: number): Promise<unknown> {
    const value = await this.#fields(maximumBytes)
    checkBounds(value)
    return this.#changed(value)
  }

  /** The body as JSON, to see who answers it; `undefined` if it is not. */
  async json(maximumBytes: number): Promise<unknown> {
    return this.#changed((await this.#read(maximumBytes)).value)
  }

  /** Whether the body is a form, or left out because the query string has everything. */
  async isForm(maximumBytes: number): Promise<boolean> {
    return isForm(this.#request, await this.#read(maximumBytes))
  }

  /** Has every later reader get an object changed: with the fields that stand in its path. What is no object stays. */
  change(change: (sent: Readonly<Record<string, unknown>>) => object): void {
    this.#change = change
  }

  #changed(value: unknown): unknown {
    return this.#change && isObject(value) ? this.#change(value) : value
  }

  async #fields(maximumBytes: number): Promise<unknown> {
    const request = this.#request
    const query = new URL(request.url).searchParams
    if (request.method === 'GET') return readQueryString(query)
    const body = await this.#read(maximumBytes)
    if (isForm(request, body)) return readQueryString(readForm(body.bytes, query))
    if (body.size === 0) throw invalid({ path: [], type: 'missing', message: 'The request needs a JSON body' })
    if (body.value === undefined) {
      throw invalid({ path: [], type: 'json_invalid', message: 'The body is not valid JSON' })
    }
    return body.value
  }

  async #read(maximumBytes: number): Promise<Body> {
    this.#body ??= readBody(this.#request, maximumBytes).then(parsed)
    const body = await this.#body
    if (body.size > maximumBytes) throw tooLarge(maximumBytes)
    return body
  }
}

interface Body {
  readonly size: number
  /** As JSON; `undefined` if it is not. */
  readonly value: unknown
  /** Empty where `value` is an object or a list, which no form is. */
  readonly bytes: Uint8Array
}

function parsed(bytes: Uint8Array): Body {
  const value = jsonIn(bytes)
  const isWhole = typeof value === 'object' && value !== null
  return { size: bytes.byteLength, value, bytes: isWhole ? new Uint8Array() : bytes }
}

function isForm(request: Request, { size, bytes }: Body): boolean {
  if (size === 0) return new URL(request.url).search !== ''
  // `curl -d` sends JSON with the content type of a form.
  return bytes.byteLength > 0 && saysForm(request) && !/^\s*[{[]/.test(new TextDecoder().decode(bytes))
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

/** The values of a name that a query string or a form repeats: a list, or the first of them where one is wanted. */
export class Repeated extends Array<string> {}

/** Each name with its value; a repeated name has a list. */
function readQueryString(parameters: URLSearchParams): unknown {
  const values = new Map<string, string[]>()
  for (const [name, value] of parameters) {
    const known = values.get(name)
    if (known) known.push(value)
    else values.set(name, [value])
  }
  return Object.fromEntries([...values].map(([name, list]) => [name, list.length > 1 ? Repeated.from(list) : list[0]]))
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
async function readBody(request: Request, maximumBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const { body, headers } = request
  const packing = headers.get('content-encoding')?.toLowerCase() || 'identity'
  if (packing !== 'identity') {
    const message = `Content-Encoding ${packing.slice(0, 20)} is not supported; send the body unencoded.`
    throw new Refusal('encoded-body', message)
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
function checkBounds(root: unknown): void {
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
