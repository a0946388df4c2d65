import { parseJson } from '@csp/lib/json'
import { z } from 'zod'

/** Version of the tunnel protocol, which a home names at its login. */
export const protocolVersion = 3

/** The edge takes homes of this version and later. Logins of earlier ones name no edge, and would hold at another. */
export const minProtocolVersion = 3

/** The path of the Worker to which homes connect by WebSocket. */
export const connectPath = '/connect'

/** The paths of the Durable Object's own endpoints; all others are forwarded to a home. */
export const objectPaths = { connect: '/__connect', status: '/__status' } as const

/** Flow control window: bytes of one reply that may be sent before the client has read them. */
export const windowBytes = 256 * 1024

/** Maximum payload of a data frame, in bytes. */
export const maxChunkBytes = 64 * 1024

/** Maximum length of a request body. */
export const maxRequestBytes = 4 * 1024 * 1024

/** Maximum length of a home's text frame, in characters. */
export const maxControlLength = 64 * 1024

/** Text messages for keep-alive. The edge answers a ping without waking the object. */
export const ping = 'ping'
export const pong = 'pong'

/** Interval between the pings of a home. */
export const pingIntervalMs = 15_000

/** WebSocket close codes, also sent in the `bye` before the close. */
export const closeCodes = {
  /** A frame violates the protocol. */
  protocol: 4400,
  /** The home stopped responding. */
  silent: 4408,
  /** A new connection of the same home replaced this one. */
  replaced: 4409,
} as const

/** Maximum number of headers of a request or a reply. */
const maxHeaders = 100

const id = z.int().min(0).max(0xffff_ffff)
const pair = z.tuple([z.string().regex(/^[a-z0-9-]{1,100}$/), z.string().max(8192)])
const headers = z.array(pair).max(maxHeaders)

const toHome = z.discriminatedUnion('type', [
  /** Process this request. Up to `window` bytes of the reply may be sent before the first `window` frame. */
  z.object({
    type: z.literal('request'),
    id,
    method: z.enum(['GET', 'POST']),
    path: z.string().regex(/^\/[!-~]*$/),
    headers,
    body: z.string().optional(),
    window: z.int().positive(),
  }),
  /** Allows the home to send `bytes` more. */
  z.object({ type: z.literal('window'), id, bytes: z.int().positive() }),
  /** Stop: the client has left. */
  z.object({ type: z.literal('abort'), id }),
  /** Sent before the close, because the close itself may not arrive. */
  z.object({ type: z.literal('bye'), code: z.int(), reason: z.string() }),
])

/**
 * A request is first accepted or rejected as `busy`. The home then sends `reply`, data frames, and finally `end` or `error`.
 * It sends one of these after an `abort` too, when the work has stopped.
 */
const toEdge = z.discriminatedUnion('type', [
  z.object({ type: z.literal('accept'), id }),
  z.object({ type: z.literal('busy'), id }),
  z.object({ type: z.literal('reply'), id, status: z.int().min(200).max(599), headers }),
  z.object({ type: z.literal('end'), id }),
  z.object({ type: z.literal('error'), id, message: z.string().max(1000) }),
  /** The home finishes its requests and accepts no new ones. */
  z.object({ type: z.literal('drain') }),
  /** Whether the home expects to answer, sent when that changes. It is connected either way. Since version 2. */
  z.object({ type: z.literal('state'), ready: z.boolean(), problem: z.string().max(300).optional() }),
])

/** A frame from the edge to a home, as JSON text. */
export type ToHome = z.infer<typeof toHome>

/** A frame from a home to the edge, as JSON text. Reply bodies are sent in data frames. */
export type ToEdge = z.infer<typeof toEdge>

export type RequestFrame = Extract<ToHome, { type: 'request' }>

export type StateFrame = Extract<ToEdge, { type: 'state' }>

/** A header's name in lower case, and its value. */
export type HeaderPair = z.infer<typeof pair>

/** The headers that `isAllowed` accepts and that a frame can carry, at most as many as it may have. */
export function headerPairs(headers: Headers, isAllowed: (name: string) => boolean): HeaderPair[] {
  return [...headers].filter((header) => isAllowed(header[0]) && pair.safeParse(header).success).slice(0, maxHeaders)
}

/** Parses a frame from the edge. `undefined`: malformed. */
export function readToHome(text: string): ToHome | undefined {
  return read(toHome, text)
}

/** Parses a frame from a home. `undefined`: malformed or too long. */
export function readToEdge(text: string): ToEdge | undefined {
  return text.length > maxControlLength ? undefined : read(toEdge, text)
}

/** Bytes of a reply, with the id of its request. */
export interface DataFrame {
  readonly id: number
  readonly bytes: Uint8Array
}

/** Encodes a data frame: the id as four bytes, big-endian, then the bytes. */
export function packData({ id, bytes }: DataFrame): Uint8Array<ArrayBuffer> {
  const packed = new Uint8Array(4 + bytes.byteLength)
  new DataView(packed.buffer).setUint32(0, id)
  packed.set(bytes, 4)
  return packed
}

/** Decodes a data frame without copying. `undefined`: empty or too large. */
export function unpackData(message: ArrayBuffer): DataFrame | undefined {
  if (message.byteLength <= 4 || message.byteLength > 4 + maxChunkBytes) return undefined
  return { id: new DataView(message).getUint32(0), bytes: new Uint8Array(message, 4) }
}

function read<Frame>(schema: z.ZodType<Frame>, text: string): Frame | undefined {
  return schema.safeParse(parseJson(text)).data
}
