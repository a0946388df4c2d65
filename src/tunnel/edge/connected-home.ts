import { z } from 'zod'
import { type closeCodes, type RequestFrame, readToEdge, type ToHome, unpackData, windowBytes } from '../protocol.ts'
import { EdgeStream, type StreamFrame } from './edge-stream.ts'
import type { EdgeSocket } from './platform.ts'

/** What is kept with a home's socket while the object sleeps. */
export type Attachment = z.infer<typeof attachmentSchema>

const attachmentSchema = z.object({
  home: z.string(),
  capacity: z.number(),
  /** Milliseconds since 1970. */
  connectedAt: z.number(),
  draining: z.boolean(),
})

/** What a home is asked to do, the number aside. */
export type Offer = Omit<RequestFrame, 'type' | 'id' | 'window'>

/** A home that is connected, as the edge sees it. */
export class ConnectedHome {
  readonly #socket: EdgeSocket
  readonly #lastPingAt: () => number
  readonly #streams = new Map<number, EdgeStream>()
  #attachment: Attachment
  // Begins anywhere: after a sleep a home may still know numbers of before.
  #nextId = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0
  #lastFrameAt = 0
  #silentSince: number | undefined
  /** From the last request to its acceptance. */
  roundTripMs: number | undefined

  constructor(socket: EdgeSocket, lastPingAt: () => number) {
    this.#socket = socket
    this.#lastPingAt = lastPingAt
    this.#attachment = attachmentSchema.parse(socket.deserializeAttachment())
  }

  get name(): string {
    return this.#attachment.home
  }

  get connectedAt(): number {
    return this.#attachment.connectedAt
  }

  get capacity(): number {
    return this.#attachment.capacity
  }

  get isDraining(): boolean {
    return this.#attachment.draining
  }

  /** Requests that it works on. */
  get running(): number {
    return this.#streams.size
  }

  /** How full it is, 0 to 1. */
  get load(): number {
    return this.running / this.capacity
  }

  /** When it was last heard of, in milliseconds since 1970. */
  get lastSeenAt(): number {
    return Math.max(this.#lastFrameAt, this.connectedAt, this.#lastPingAt())
  }

  /** Whether it owes an answer, and has not been heard of since. */
  get isSilent(): boolean {
    return this.#silentSince !== undefined && this.lastSeenAt <= this.#silentSince
  }

  /** Asks it. The stream fails with `NotServed` where another home may be asked. */
  offer(offer: Offer): EdgeStream {
    const id = this.#freeId()
    const stream = new EdgeStream(
      id,
      (frame) => this.#send(frame),
      () => this.#streams.delete(id),
    )
    this.#streams.set(id, stream)
    this.#send({ type: 'request', id, window: windowBytes, ...offer })
    return stream
  }

  /** It has not taken a request in time: until it is heard of again, others go first. */
  suspect(now: number): void {
    this.#silentSince = now
  }

  /** Takes a message of its. Gives what is wrong with it, if it is against the protocol. */
  take(message: string | ArrayBuffer, now: number): string | undefined {
    this.#lastFrameAt = now
    if (typeof message !== 'string') {
      const data = unpackData(message)
      if (!data) return 'a data frame of the wrong size'
      const stream = this.#streams.get(data.id)
      return stream ? stream.takeBytes(data.bytes) : 'bytes of a request that it does not have'
    }
    const frame = readToEdge(message)
    if (!frame) return 'a frame that is none'
    if (frame.type === 'drain') return this.#drain()
    return this.#takeFor(frame)
  }

  /** All that it works on is lost. */
  lose(): void {
    for (const stream of [...this.#streams.values()]) stream.lose()
  }

  /** Closes its socket, and says why first: the close may never reach it. */
  dismiss(code: (typeof closeCodes)[keyof typeof closeCodes], reason: string): void {
    this.lose()
    this.#send({ type: 'bye', code, reason })
    try {
      this.#socket.close(code, reason)
    } catch {
      // It was closed already.
    }
  }

  #takeFor(frame: StreamFrame): string | undefined {
    const stream = this.#streams.get(frame.id)
    return stream ? stream.take(frame) : 'word of a request that it does not have'
  }

  #drain(): undefined {
    this.#attachment = { ...this.#attachment, draining: true }
    this.#socket.serializeAttachment(this.#attachment)
  }

  #freeId(): number {
    do this.#nextId = (this.#nextId + 1) >>> 0
    while (this.#streams.has(this.#nextId))
    return this.#nextId
  }

  #send(frame: ToHome): void {
    try {
      this.#socket.send(JSON.stringify(frame))
    } catch {
      // It is closing; its end is told by an event of its own.
    }
  }
}

/** What is to be kept with the socket of a home that was just let in. */
export function attachmentFor(login: Pick<Attachment, 'home' | 'capacity'>, now: number): Attachment {
  return { home: login.home, capacity: login.capacity, connectedAt: now, draining: false }
}
