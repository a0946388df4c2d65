import { z } from 'zod'
import { parseJson } from '../lib/json.ts'

/** What is spoken over the tunnel. An edge and a home whose numbers differ do not talk. */
export const protocolVersion = 1

/** Where the Worker takes a home in, by WebSocket. */
export const connectPath = '/connect'

/** Bytes of one reply that may be under way and not yet read by the client. */
export const windowBytes = 256 * 1024

/** The most that one data frame carries. */
export const maxChunkBytes = 64 * 1024

/** The largest body of a request that goes through. */
export const maxRequestBytes = 4 * 1024 * 1024

/** The longest text frame of a home's, in characters. */
export const maxControlLength = 64 * 1024

/** Answered by the edge without waking the object behind it. */
export const ping = 'ping'
export const pong = 'pong'

/** How often a home pings. */
export const pingIntervalMs = 15_000

/** Why a socket was closed, as its close code and in the `bye` before it. */
export const closeCodes = {
  /** A frame that makes no sense. */
  protocol: 4400,
  /** No sign of life. */
  silent: 4408,
  /** The same home has connected anew. */
  replaced: 4409,
} as const

const id = z.int().min(0).max(0xffff_ffff)
const pair = z.tuple([z.string().regex(/^[a-z0-9-]{1,100}$/), z.string().max(8192)])
const headers = z.array(pair).max(100)

const toHome = z.discriminatedUnion('type', [
  /** Carry this out; up to `window` bytes of the reply may be sent unasked. */
  z.object({
    type: z.literal('request'),
    id,
    method: z.enum(['GET', 'POST']),
    path: z.string().regex(/^\/[!-~]*$/),
    headers,
    body: z.string().optional(),
    window: z.int().positive(),
  }),
  /** So many bytes more may be sent. */
  z.object({ type: z.literal('window'), id, bytes: z.int().positive() }),
  /** Nobody waits for it any more. */
  z.object({ type: z.literal('abort'), id }),
  /** Comes before the close: the close itself may never be seen. */
  z.object({ type: z.literal('bye'), code: z.int(), reason: z.string() }),
])

/**
 * A request is first accepted, or refused as `busy`; then comes its `reply`, data, and at the very end `end` or `error`,
 * also after an `abort`: it says that the work has stopped.
 */
const toEdge = z.discriminatedUnion('type', [
  z.object({ type: z.literal('accept'), id }),
  z.object({ type: z.literal('busy'), id }),
  z.object({ type: z.literal('reply'), id, status: z.int().min(200).max(599), headers }),
  z.object({ type: z.literal('end'), id }),
  z.object({ type: z.literal('error'), id, message: z.string().max(1000) }),
  /** Runs what it has, and takes nothing new. */
  z.object({ type: z.literal('drain') }),
])

/** What the edge says to a home, as JSON text. */
export type ToHome = z.infer<typeof toHome>

/** What a home says to the edge, as JSON text; the bytes of replies go in data frames. */
export type ToEdge = z.infer<typeof toEdge>

export type RequestFrame = Extract<ToHome, { type: 'request' }>

/** A header as it goes over the wire: the name in lower case. */
export type HeaderPair = z.infer<typeof pair>

/** Reads what the edge said. `undefined`: it is no frame. */
export function readToHome(text: string): ToHome | undefined {
  return read(toHome, text)
}

/** Reads what a home said. `undefined`: it is no frame, or too long for one. */
export function readToEdge(text: string): ToEdge | undefined {
  return text.length > maxControlLength ? undefined : read(toEdge, text)
}

/** Bytes of a reply, and whose they are. */
export interface DataFrame {
  readonly id: number
  readonly bytes: Uint8Array
}

/** A data frame: the id as four bytes, the highest first, then the bytes. */
export function packData({ id, bytes }: DataFrame): Uint8Array<ArrayBuffer> {
  const packed = new Uint8Array(4 + bytes.byteLength)
  new DataView(packed.buffer).setUint32(0, id)
  packed.set(bytes, 4)
  return packed
}

/** Takes a data frame apart, without a copy. `undefined`: it is none, or too large. */
export function unpackData(message: ArrayBuffer): DataFrame | undefined {
  if (message.byteLength <= 4 || message.byteLength > 4 + maxChunkBytes) return undefined
  return { id: new DataView(message).getUint32(0), bytes: new Uint8Array(message, 4) }
}

function read<Frame>(schema: z.ZodType<Frame>, text: string): Frame | undefined {
  return schema.safeParse(parseJson(text)).data
}
