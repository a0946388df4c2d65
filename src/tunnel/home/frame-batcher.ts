import { joinBytes } from '../../lib/bytes.ts'
import { maxChunkBytes } from '../protocol.ts'

/**
 * Puts together what comes within one turn of the event loop: a burst of small events costs a frame, not a frame each.
 * Nothing waits longer than that turn, and what is large not at all.
 */
export class FrameBatcher {
  readonly #send: (bytes: Uint8Array) => Promise<void>
  #waiting: Uint8Array[] = []
  #size = 0
  #flushing: Promise<void> | undefined

  /** `send` settles when more may come. */
  constructor(send: (bytes: Uint8Array) => Promise<void>) {
    this.#send = send
  }

  /** Settles at once while little waits, else when it has been sent. */
  async add(bytes: Uint8Array): Promise<void> {
    if (!this.#flushing && bytes.byteLength >= largeBytes) return this.#send(bytes)
    this.#waiting.push(bytes)
    this.#size += bytes.byteLength
    this.#flushing ??= this.#flush()
    if (this.#size >= maxChunkBytes) await this.#flushing
  }

  /** Settles when all has been sent. */
  async end(): Promise<void> {
    await this.#flushing
  }

  async #flush(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#size > 0) {
      const [first, ...more] = this.#waiting
      const all = first && more.length === 0 ? first : joinBytes(this.#waiting)
      this.#waiting = []
      this.#size = 0
      await this.#send(all)
    }
    this.#flushing = undefined
  }
}

/** From here on a frame of its own is no waste. */
const largeBytes = 16 * 1024
