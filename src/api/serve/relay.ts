import { SearchError, toSearchError } from '../../domain/error.ts'
import type { SearchRequest } from '../../domain/search.ts'
import type { SearchContext } from '../../executor/executor.ts'
import type { Fetcher } from '../../executor/wire/fetcher.ts'
import { callerHeader, isPassedBack, isPassedOn } from '../../executor/wire/headers.ts'
import { joinBytes } from '../../lib/bytes.ts'
import type { Failure, Frame } from '../dialect.ts'
import type { Exchange } from '../http/exchange.ts'
import { failureOf } from '../http/failure.ts'
import { writeFrame } from './sse.ts'

/** A validated, authorized request for a stream. */
export interface RelayRequest {
  readonly method: string
  /** With its query string. */
  readonly path: string
  readonly headers: Headers
  /** JSON; absent for a GET. */
  readonly body?: string | undefined
  /** The searches that it asks for, so that a relay can answer them from a cache. */
  readonly requests: readonly SearchRequest[]
  readonly cache: SearchContext['cache']
  readonly signal: AbortSignal
}

/**
 * Lets another csp answer in final bytes, so that nothing is decoded on the way. If it returns `undefined`, or throws
 * `unavailable` before there is a reply, this csp answers itself.
 */
export type Relay = (request: RelayRequest, caller: string | undefined) => Promise<Response | undefined>

/** Relays to the csp behind a fetcher. Server errors and 429 fall back to the backends here. */
export function relayThrough(fetcher: Fetcher): Relay {
  return async ({ method, path, headers, body, signal }, caller) => {
    const passed = new Headers([...headers].filter(([name]) => isPassedOn(name)))
    if (body !== undefined) passed.set('content-type', 'application/json')
    if (caller !== undefined) passed.set(callerHeader, encodeURIComponent(caller))
    const init = { method, headers: passed, signal, redirect: 'manual', ...(body !== undefined && { body }) } as const
    const response = await fetcher.fetch(new Request(`http://relay.invalid${path}`, init))
    if (response.ok || (response.status < 500 && response.status !== 429)) return response
    await response.body?.cancel()
    return undefined
  }
}

export interface RelayOptions {
  readonly relay: Relay
  readonly request: RelayRequest
  readonly exchange: Exchange
  /** Formats the failure of a stream that broke after this many frames. */
  readonly formatLoss: (failure: Failure, framesSent: number) => readonly Frame[]
}

/** The reply of the relay, without its private headers. `undefined`: the relay does not answer. */
export async function relayed(options: RelayOptions): Promise<Response | undefined> {
  const { exchange, request } = options
  exchange.relaying()
  const response = await reach(options)
  if (!response) {
    exchange.notRelayed()
    return undefined
  }
  exchange.relayed(response.headers)
  const { status, body } = response
  const headers = new Headers([...response.headers].filter(([name]) => isPassedBack(name)))
  if (!body || !headers.get('content-type')?.startsWith('text/event-stream'))
    return new Response(body, { status, headers })
  const frames = passedFrames(body, {
    onLost(error, framesSent) {
      const loss = lost(error, request.signal)
      const failure = failureOf(loss)
      exchange.failed(failure.code, loss)
      return options.formatLoss(failure, framesSent)
    },
    onEnd: () => exchange.finish(status),
  })
  return new Response(frames, { status, headers })
}

async function reach({ relay, request, exchange }: RelayOptions): Promise<Response | undefined> {
  try {
    return await relay(request, exchange.caller)
  } catch (error) {
    const failure = toSearchError(error)
    if (request.signal.aborted || failure.code !== 'unavailable') throw failure
    return undefined
  }
}

function lost(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return error
  return new SearchError('unavailable', 'The connection to the csp that answers was lost.', { cause: error })
}

export interface PassedFramesOptions {
  /** Formats the loss of the source after this many frames. */
  readonly onLost: (error: unknown, framesSent: number) => readonly Frame[]
  /** Called once, after the last byte. */
  readonly onEnd: () => void
}

/**
 * Passes server-sent events through as bytes, but only complete ones, so that an error event can follow where the
 * source breaks off.
 */
export function passedFrames(
  body: ReadableStream<Uint8Array>,
  options: PassedFramesOptions,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const blocks = new Blocks()
  let cancelled = false

  async function next(): Promise<Uint8Array | undefined> {
    for (;;) {
      const { done, value } = await reader.read()
      if (done && blocks.hasRest) throw new Error('The stream ended in the middle of an event.')
      if (done) return undefined
      const whole = blocks.take(value)
      if (whole.byteLength > 0) return whole
    }
  }

  return new ReadableStream({
    async pull(controller) {
      let failure: readonly Frame[] = []
      try {
        const whole = await next()
        if (cancelled) return
        if (whole) return controller.enqueue(whole)
      } catch (error) {
        if (cancelled) return
        void reader.cancel(error).catch(() => {})
        failure = options.onLost(error, blocks.frames)
      }
      const last = failure.map(writeFrame).join('')
      if (last) controller.enqueue(new TextEncoder().encode(last))
      options.onEnd()
      controller.close()
    },
    async cancel(reason) {
      cancelled = true
      await reader.cancel(reason).catch(() => {})
      options.onEnd()
    },
  })
}

/** Splits a stream of bytes at its blank lines, and counts the events. */
class Blocks {
  /** Events returned so far, without comments. */
  frames = 0
  #rest: Uint8Array = new Uint8Array()

  get hasRest(): boolean {
    return this.#rest.byteLength > 0
  }

  /** Returns the events that this chunk completes. Throws when a single event is too large. */
  take(chunk: Uint8Array): Uint8Array {
    const bytes = this.hasRest ? joinBytes([this.#rest, chunk]) : chunk
    let end = 0
    for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) {
      if (bytes[at + 1] !== newline) continue
      if (bytes[end] !== colon) this.frames += 1
      at += 1
      end = at + 1
    }
    this.#rest = bytes.slice(end)
    if (this.#rest.byteLength > maxEvent) throw new Error('An event is too long.')
    return bytes.subarray(0, end)
  }
}

const newline = 0x0a
const colon = 0x3a
const maxEvent = 8 * 1024 * 1024
