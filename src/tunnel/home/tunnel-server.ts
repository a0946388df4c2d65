import { pieces } from '@csp/lib/http-client'
import { isPassedBack } from '../../executor/wire/headers.ts'
import {
  headerPairs,
  maxChunkBytes,
  maxRequestBytes,
  packData,
  type RequestFrame,
  readToHome,
  type StateFrame,
  type ToEdge,
  type ToHome,
} from '../protocol.ts'
import { Credit, FrameBatcher } from './flow-control.ts'

export interface TunnelServerOptions {
  /** Processes a request. It must stop when the request's signal aborts or its reply is cancelled. */
  readonly handler: (request: Request) => Response | Promise<Response>
  /** Maximum number of concurrent requests. */
  readonly capacity: number
  readonly send: (message: string | Uint8Array<ArrayBuffer>) => void
  /** Whether this home expects to answer, which the edge is told. Absent: always. */
  readonly state?: (() => Promise<HomeState>) | undefined
  /** Called when a request has ended, successfully or not. */
  readonly onEnd: () => void
}

/** What a home says of itself. */
export type HomeState = Pick<StateFrame, 'ready' | 'problem'>

/** Serves the edge's requests of one connection and answers in frames. The edge is not trusted. */
export class TunnelServer {
  readonly #options: TunnelServerOptions
  readonly #live = new Map<number, { readonly stop: AbortController; readonly credit: Credit }>()
  readonly #idle: (() => void)[] = []
  #isDraining = false
  #told: HomeState = { ready: true }

  constructor(options: TunnelServerOptions) {
    this.#options = options
  }

  get running(): number {
    return this.#live.size
  }

  /** Whether the edge was told that this home expects to answer. */
  get isReady(): boolean {
    return this.#told.ready
  }

  /** Tells the edge how this home stands, if that has changed. */
  async reportState(): Promise<void> {
    const { ready, problem } = (await this.#options.state?.().catch(() => undefined)) ?? this.#told
    if (ready === this.#told.ready && problem === this.#told.problem) return
    this.#told = { ready, problem }
    this.#send({ type: 'state', ready, problem: problem?.slice(0, 300) })
  }

  /** Handles a frame of the edge. Returns its `bye`, or a description of the frame if it violates the protocol. */
  take(text: string): Extract<ToHome, { type: 'bye' }> | string | undefined {
    const frame = readToHome(text)
    switch (frame?.type) {
      case undefined:
        return 'a malformed frame'
      case 'bye':
        return frame
      case 'window':
        this.#live.get(frame.id)?.credit.add(frame.bytes)
        return undefined
      case 'abort':
        this.#live.get(frame.id)?.stop.abort()
        return undefined
      case 'request':
        if (this.#live.has(frame.id)) return 'a request id that is in use'
        if ((frame.body?.length ?? 0) > maxRequestBytes) return 'a request that is too large'
        void this.#serve(frame)
        return undefined
    }
  }

  /** Accepts no new requests. Resolves when the running ones have ended. */
  async drain(): Promise<void> {
    this.#isDraining = true
    this.#send({ type: 'drain' })
    if (this.#live.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  /** Stops all requests because the connection is closed. */
  close(): void {
    this.#isDraining = true
    for (const { stop } of this.#live.values()) stop.abort()
  }

  async #serve(frame: RequestFrame): Promise<void> {
    const { id } = frame
    if (this.#isDraining || this.#live.size >= this.#options.capacity) return this.#send({ type: 'busy', id })
    const stop = new AbortController()
    const credit = new Credit(frame.window)
    this.#live.set(id, { stop, credit })
    this.#send({ type: 'accept', id })
    try {
      // After a freeze an abort may be queued behind its request. Handling it first avoids a needless search.
      await nextTurn()
      if (!stop.signal.aborted) await this.#answer(frame, stop.signal, credit)
      this.#finish(stop.signal.aborted ? { type: 'error', id, message: 'aborted' } : { type: 'end', id })
    } catch (error) {
      // Internal error messages stay private; the handler reports its own errors in the reply.
      const message = stop.signal.aborted ? 'aborted' : `failed: ${error instanceof Error ? error.name : 'unknown'}`
      this.#finish({ type: 'error', id, message })
    }
  }

  async #answer(frame: RequestFrame, signal: AbortSignal, credit: Credit): Promise<void> {
    const response = await this.#options.handler(requestFrom(frame, signal))
    // A refusal may mean more than this request.
    if (response.status === 429 || response.status === 503) void this.reportState()
    if (signal.aborted) return response.body?.cancel()
    this.#send({
      type: 'reply',
      id: frame.id,
      status: response.status,
      headers: headerPairs(response.headers, isPassedBack),
    })
    if (!response.body) return
    const batcher = new FrameBatcher((bytes) => this.#pass(frame.id, bytes, signal, credit))
    // Ends when the work after the reply has stopped.
    for await (const chunk of pieces(response.body, { signal })) await batcher.add(chunk)
    await batcher.end()
  }

  async #pass(id: number, chunk: Uint8Array, signal: AbortSignal, credit: Credit): Promise<void> {
    for (let sent = 0; sent < chunk.byteLength; ) {
      const taken = await credit.take(Math.min(maxChunkBytes, chunk.byteLength - sent), signal)
      if (taken === 0) return
      this.#options.send(packData({ id, bytes: chunk.subarray(sent, sent + taken) }))
      sent += taken
    }
  }

  #finish(last: Extract<ToEdge, { id: number }>): void {
    this.#live.delete(last.id)
    this.#send(last)
    this.#options.onEnd()
    if (this.#live.size === 0) for (const resolve of this.#idle.splice(0)) resolve()
  }

  #send(frame: ToEdge): void {
    this.#options.send(JSON.stringify(frame))
  }
}

function requestFrom({ method, path, headers, body }: RequestFrame, signal: AbortSignal): Request {
  const url = `http://home.invalid${path}`
  return new Request(url, { method, headers, signal, ...(method === 'POST' && body !== undefined && { body }) })
}

/** Lets messages that have already arrived be handled. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
