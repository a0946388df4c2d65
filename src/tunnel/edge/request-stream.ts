import { isPassedBack } from '../../executor/wire/headers.ts'
import { type HeaderPair, type ToEdge, type ToHome, windowBytes } from '../protocol.ts'

/** A home did not accept a request, or lost it before the reply. Another home may be asked. */
export class NotServed extends Error {
  override readonly name = 'NotServed'
  readonly reason: 'busy' | 'silent' | 'lost'

  constructor(reason: NotServed['reason']) {
    super(`The home is ${reason}.`)
    this.reason = reason
  }
}

/** A frame that belongs to a request. */
export type StreamFrame = Extract<ToEdge, { id: number }>

/**
 * The edge's view of one request to a home: offered, accepted, replying. After the client has gone it is `left` until the
 * home reports that its work has stopped.
 */
export class RequestStream {
  readonly id: number
  readonly accepted = Promise.withResolvers<void>()
  readonly reply = Promise.withResolvers<Response>()
  readonly #send: (frame: ToHome) => void
  readonly #onEnd: () => void
  #stage: 'offered' | 'accepted' | 'replying' | 'left' = 'offered'
  #body: ReadableStreamDefaultController<Uint8Array> | undefined
  /** Bytes that the home may still send. */
  #credit = windowBytes

  constructor(id: number, send: (frame: ToHome) => void, onEnd: () => void) {
    this.id = id
    this.#send = send
    this.#onEnd = onEnd
    // Prevents unhandled rejections after the client has gone.
    this.accepted.promise.catch(() => {})
    this.reply.promise.catch(() => {})
  }

  /** Handles a frame of the home. Returns a description of the frame if it violates the protocol. */
  take(frame: StreamFrame): string | undefined {
    if (this.#stage === 'left') return this.#takeLate(frame)
    switch (frame.type) {
      case 'accept':
        if (this.#stage !== 'offered') return 'a second accept'
        this.#stage = 'accepted'
        this.accepted.resolve()
        return undefined
      case 'busy':
        if (this.#stage !== 'offered') return 'busy after an accept'
        this.#end(new NotServed('busy'))
        return undefined
      case 'reply':
        if (this.#stage !== 'accepted') return 'an unexpected reply'
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

  /** Handles bytes of the reply, like `take`. */
  takeBytes(bytes: Uint8Array): string | undefined {
    this.#credit -= bytes.byteLength
    if (this.#credit < 0) return 'more bytes than the window allows'
    if (this.#stage === 'left') return undefined
    if (this.#stage !== 'replying') return 'data before a reply'
    this.#body?.enqueue(bytes)
    this.#grant()
    return undefined
  }

  /** Tells the home to stop, because the client has gone. */
  leave(): void {
    if (this.#stage === 'left') return
    // The body has no reader any more, and workerd logs an error without a reader as uncaught.
    if (this.#stage === 'replying') this.#body?.close()
    else this.#fail(new NotServed('silent'))
    this.#stage = 'left'
    this.#send({ type: 'abort', id: this.id })
  }

  /** Fails the request because the home has gone. */
  lose(): void {
    this.#end(new NotServed('lost'))
  }

  /** Ignores late frames, except that the end of a request frees its place. */
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

  /** Allows the home to send more, so that at most a window of bytes is unread. */
  #grant(): void {
    const unread = windowBytes - (this.#body?.desiredSize ?? 0)
    const bytes = windowBytes - unread - this.#credit
    if (this.#stage !== 'replying' || bytes < windowBytes / 4) return
    this.#credit += bytes
    this.#send({ type: 'window', id: this.id, bytes })
  }
}
