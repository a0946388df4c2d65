import { joinBytes } from '@csp/lib/bytes'
import { maxChunkBytes } from '../protocol.ts'

/** Flow control: counts the bytes that may still be sent. The receiver adds more as it reads. */
export class Credit {
  #bytes: number
  #changed = Promise.withResolvers<void>()

  constructor(bytes: number) {
    this.#bytes = bytes
  }

  add(bytes: number): void {
    this.#bytes += bytes
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
  }

  /** Takes 1 to `wanted` bytes, and waits while none are available. Returns 0 when the signal aborts. */
  async take(wanted: number, signal: AbortSignal): Promise<number> {
    const aborted = Promise.withResolvers<void>()
    const stop = () => aborted.resolve()
    signal.addEventListener('abort', stop, { once: true })
    try {
      while (this.#bytes <= 0 && !signal.aborted) await Promise.race([this.#changed.promise, aborted.promise])
    } finally {
      signal.removeEventListener('abort', stop)
    }
    if (signal.aborted) return 0
    const taken = Math.min(wanted, this.#bytes)
    this.#bytes -= taken
    return taken
  }
}

/**
 * Joins the chunks of one turn of the event loop into one frame, so that a burst of small events does not cost a frame
 * each. Nothing waits longer than that turn; large chunks do not wait.
 */
export class FrameBatcher {
  readonly #send: (bytes: Uint8Array) => Promise<void>
  #queued: Uint8Array[] = []
  #size = 0
  #flushing: Promise<void> | undefined

  /** `send` settles when more data may be sent. */
  constructor(send: (bytes: Uint8Array) => Promise<void>) {
    this.#send = send
  }

  /** Settles immediately while little data is queued, otherwise when it has been sent. */
  async add(bytes: Uint8Array): Promise<void> {
    if (!this.#flushing && bytes.byteLength >= largeBytes) return this.#send(bytes)
    this.#queued.push(bytes)
    this.#size += bytes.byteLength
    this.#flushing ??= this.#flush()
    if (this.#size >= maxChunkBytes) await this.#flushing
  }

  /** Settles when all data has been sent. */
  async end(): Promise<void> {
    await this.#flushing
  }

  async #flush(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#size > 0) {
      const [first, ...more] = this.#queued
      const all = first && more.length === 0 ? first : joinBytes(this.#queued)
      this.#queued = []
      this.#size = 0
      await this.#send(all)
    }
    this.#flushing = undefined
  }
}

/** A chunk of this size is sent in its own frame. */
const largeBytes = 16 * 1024
