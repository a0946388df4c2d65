import { isPassedBack } from '../../executor/wire/headers.ts'
import { type HeaderPair, type ToEdge, type ToHome, windowBytes } from '../protocol.ts'

/** Why a home has not taken a request on, or lost it before there was a reply: another home may. */
export class NotServed extends Error {
  override readonly name = 'NotServed'
  readonly reason: 'busy' | 'silent' | 'lost'

  constructor(reason: NotServed['reason']) {
    super(`The home is ${reason}.`)
    this.reason = reason
  }
}

/** What a home says of one request. */
export type StreamFrame = Extract<ToEdge, { id: number }>

/**
 * One request on its way through a home, as the edge sees it: offered, accepted, replying. When nobody waits any more
 * it is `left`, until the home says that its work has stopped.
 */
export class EdgeStream {
  readonly id: number
  readonly accepted = Promise.withResolvers<void>()
  readonly reply = Promise.withResolvers<Response>()
  readonly #send: (frame: ToHome) => void
  readonly #onEnd: () => void
  #stage: 'offered' | 'accepted' | 'replying' | 'left' = 'offered'
  #body: ReadableStreamDefaultController<Uint8Array> | undefined
  /** Bytes that the home may still send unasked. */
  #credit = windowBytes

  constructor(id: number, send: (frame: ToHome) => void, onEnd: () => void) {
    this.id = id
    this.#send = send
    this.#onEnd = onEnd
    // Whoever waits for them may have left before they fail.
    this.accepted.promise.catch(() => {})
    this.reply.promise.catch(() => {})
  }

  /** Takes what the home says of it. Gives what is wrong with that, if it is against the protocol. */
  take(frame: StreamFrame): string | undefined {
    if (this.#stage === 'left') return this.#takeLate(frame)
    switch (frame.type) {
      case 'accept':
        if (this.#stage !== 'offered') return 'a request that is accepted twice'
        this.#stage = 'accepted'
        this.accepted.resolve()
        return undefined
      case 'busy':
        if (this.#stage !== 'offered') return 'a refusal of what was accepted'
        this.#end(new NotServed('busy'))
        return undefined
      case 'reply':
        if (this.#stage !== 'accepted') return 'a reply at the wrong time'
        this.#stage = 'replying'
        this.reply.resolve(this.#response(frame.status, frame.headers))
        return undefined
      case 'end':
        if (this.#stage !== 'replying') return 'an end without a reply'
        this.#end()
        return undefined
      case 'error':
        this.#end(new Error(frame.message))
        return undefined
    }
  }

  /** Takes bytes of the reply. */
  takeBytes(bytes: Uint8Array): string | undefined {
    this.#credit -= bytes.byteLength
    if (this.#credit < 0) return 'more bytes than it was allowed'
    if (this.#stage === 'left') return undefined
    if (this.#stage !== 'replying') return 'bytes before a reply'
    this.#body?.enqueue(bytes)
    this.#grant()
    return undefined
  }

  /** Nobody waits for it any more: has the home stop. */
  leave(): void {
    if (this.#stage === 'left') return
    this.#fail(new NotServed('silent'))
    this.#stage = 'left'
    this.#send({ type: 'abort', id: this.id })
  }

  /** The home is gone, and with it the work. */
  lose(): void {
    this.#end(new NotServed('lost'))
  }

  /** What comes for a request that was let go of counts for nothing, but its end says that its place is free. */
  #takeLate(frame: StreamFrame): undefined {
    if (frame.type === 'end' || frame.type === 'error' || frame.type === 'busy') this.#onEnd()
  }

  #end(error?: Error): void {
    if (error) this.#fail(error)
    else this.#body?.close()
    this.#stage = 'left'
    this.#onEnd()
  }

  #fail(error: Error): void {
    if (this.#stage === 'left') return
    this.accepted.reject(error)
    this.reply.reject(error)
    this.#body?.error(error)
  }

  #response(status: number, headers: readonly HeaderPair[]): Response {
    const passed = headers.filter(([name]) => isPassedBack(name)).map(([name, value]): HeaderPair => [name, value])
    const mayHaveBody = status !== 204 && status !== 205 && status !== 304
    return new Response(mayHaveBody ? this.#open() : null, { status, headers: passed })
  }

  #open(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#body = controller
        },
        pull: () => this.#grant(),
        cancel: () => {
          this.#body = undefined
          this.leave()
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: windowBytes }),
    )
  }

  /** Lets the home send on, so that no more than the window is ever under way and unread. */
  #grant(): void {
    const unread = windowBytes - (this.#body?.desiredSize ?? 0)
    const bytes = windowBytes - unread - this.#credit
    if (this.#stage !== 'replying' || bytes < windowBytes / 4) return
    this.#credit += bytes
    this.#send({ type: 'window', id: this.id, bytes })
  }
}
