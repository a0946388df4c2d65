import type { EdgeSocket } from 'cloudflare:workers'
import { z } from 'zod'
import type { Login } from '../login.ts'
import {
  type closeCodes,
  type RequestFrame,
  readToEdge,
  type StateFrame,
  type ToHome,
  unpackData,
  windowBytes,
} from '../protocol.ts'
import { RequestStream, type StreamFrame } from './request-stream.ts'

/** Stored with a home's socket while the object hibernates. */
export type Attachment = z.infer<typeof attachmentSchema>

const attachmentSchema = z.object({
  home: z.string(),
  capacity: z.number(),
  workers: z.number(),
  /** What it last said against itself. */
  problem: z.string().optional(),
  /** Milliseconds since 1970. */
  connectedAt: z.number(),
  draining: z.boolean(),
})

/** A request without its id. */
export type Offer = Omit<RequestFrame, 'type' | 'id' | 'window'>

/** The edge's view of a connected home. */
export class ConnectedHome {
  readonly #socket: EdgeSocket
  readonly #lastPingAt: () => number
  readonly #streams = new Map<number, RequestStream>()
  /** The bodies of its running requests. */
  readonly #bodies = new Map<number, string>()
  #attachment: Attachment
  // Starts at random: after hibernation the home may still have requests with earlier ids.
  #nextId = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0
  /** Milliseconds since 1970. */
  lastFrameAt = 0
  #silentSince: number | undefined
  #rest: { readonly until: number; readonly problem: string } | undefined
  /** Time between the last request and its acceptance. */
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

  /** Number of its running requests. */
  get running(): number {
    return this.#streams.size
  }

  /** Requests for each of its workers. Below 1, one of them is free. */
  get load(): number {
    return this.running / this.#attachment.workers
  }

  /** Why another home should be asked first. */
  problemAt(now: number): string | undefined {
    return this.#attachment.problem ?? (this.#rest && now < this.#rest.until ? this.#rest.problem : undefined)
  }

  /** Notes that it could not serve a request: other homes are asked first for a while. */
  rest(until: number, problem: string): void {
    this.#rest = { until, problem }
  }

  /** Whether it works on an equal request, whose search it can share. */
  runs({ body }: Offer): boolean {
    return body !== undefined && [...this.#bodies.values()].includes(body)
  }

  /** Time of its last frame or ping, in milliseconds since 1970. */
  get lastSeenAt(): number {
    return Math.max(this.lastFrameAt, this.connectedAt, this.#lastPingAt())
  }

  /** Whether it did not accept a request in time and has sent nothing since. */
  get isSilent(): boolean {
    return this.#silentSince !== undefined && this.lastSeenAt <= this.#silentSince
  }

  /** Offers it a request. The stream fails with `NotServed` if another home may be asked. */
  offer(offer: Offer): RequestStream {
    const id = this.#freeId()
    const stream = new RequestStream(
      id,
      (frame) => this.#send(frame),
      () => {
        this.#streams.delete(id)
        this.#bodies.delete(id)
      },
    )
    this.#streams.set(id, stream)
    if (offer.body !== undefined) this.#bodies.set(id, offer.body)
    this.#send({ type: 'request', id, window: windowBytes, ...offer })
    return stream
  }

  /** Marks it as silent because it did not accept a request in time. It is skipped until it sends something. */
  suspect(now: number): void {
    this.#silentSince = now
  }

  /** Handles a message of the home. Returns a description of the message if it violates the protocol. */
  take(message: string | ArrayBuffer, now: number): string | undefined {
    this.lastFrameAt = now
    if (typeof message !== 'string') {
      const data = unpackData(message)
      if (!data) return 'a data frame of the wrong size'
      const stream = this.#streams.get(data.id)
      return stream ? stream.takeBytes(data.bytes) : 'data for an unknown request'
    }
    const frame = readToEdge(message)
    if (!frame) return 'a malformed frame'
    if (frame.type === 'drain') return this.#keep({ draining: true })
    if (frame.type === 'state') return this.#heed(frame)
    return this.#takeFor(frame)
  }

  /** Fails all of its requests. */
  lose(): void {
    for (const stream of [...this.#streams.values()]) stream.lose()
  }

  /** Sends the reason, since the close may not arrive, and closes its socket. */
  dismiss(code: (typeof closeCodes)[keyof typeof closeCodes], reason: string): void {
    this.lose()
    this.#send({ type: 'bye', code, reason })
    try {
      this.#socket.close(code, reason)
    } catch {
      // Already closed.
    }
  }

  #takeFor(frame: StreamFrame): string | undefined {
    const stream = this.#streams.get(frame.id)
    return stream ? stream.take(frame) : 'a frame for an unknown request'
  }

  #heed({ ready, problem }: StateFrame): undefined {
    if (ready) this.#rest = undefined
    return this.#keep({ problem: ready ? undefined : (problem ?? 'not ready') })
  }

  #keep(change: Partial<Attachment>): undefined {
    this.#attachment = { ...this.#attachment, ...change }
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
      // The socket is closing; its close event follows.
    }
  }
}

/** What is stored with the socket of a new home. */
export function attachmentFor(login: Pick<Login, 'home' | 'capacity' | 'workers'>, now: number): Attachment {
  const { home, capacity, workers = capacity } = login
  return { home, capacity, workers, connectedAt: now, draining: false }
}
