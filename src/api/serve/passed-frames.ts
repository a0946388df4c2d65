import { joinBytes } from '../../lib/bytes.ts'
import type { Frame } from '../dialect.ts'
import { writeFrame } from './event-stream.ts'

export interface PassedFramesOptions {
  /** The frames that tell of a loss, when so many have gone by. */
  readonly onLost: (error: unknown, framesSent: number) => readonly Frame[]
  /** Nothing more will be sent. Called once. */
  readonly onEnd: () => void
}

/**
 * Passes server-sent events on as the bytes they are, but only whole ones: where their source breaks off, what tells of
 * it can follow.
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

/** Cuts a stream of bytes at its blank lines, and counts the events between them. */
class Blocks {
  /** Events that have been given out; comments are none. */
  frames = 0
  #rest: Uint8Array = new Uint8Array()

  get hasRest(): boolean {
    return this.#rest.byteLength > 0
  }

  /** All that is whole with this chunk. Throws when a single event grows out of bounds. */
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
    if (this.#rest.byteLength > longestEvent) throw new Error('An event is too long.')
    return bytes.subarray(0, end)
  }
}

const newline = 0x0a
const colon = 0x3a
const longestEvent = 8 * 1024 * 1024
