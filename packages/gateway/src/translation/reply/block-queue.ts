import type { BlockDelta, MessagesEvent } from '@csp/messages-api/events'
import { UpstreamError } from '@csp/messages-api/upstream-error'
import type { Segment } from './segment.ts'

const maxBlocks = 2_000

/**
 * Puts blocks that grow at the same time one behind the other. The first is sent as it grows; the others wait until nothing
 * can follow in those before them.
 */
export class BlockQueue<Item extends Segment> {
  readonly #waiting: Item[] = []
  #blocks = 0
  #index = 0
  #isOpen = false

  get waiting(): readonly Item[] {
    return this.#waiting
  }

  /** Throws an `UpstreamError` when a reply has so many blocks that putting them in order would stop csp. */
  push(segment: Item): void {
    if (++this.#blocks > maxBlocks) throw new UpstreamError(502, `The provider sent more than ${maxBlocks} blocks.`)
    this.#waiting.push(segment)
  }

  /** The events that can be sent now. A complete block without a start is left out. */
  *take(): Generator<MessagesEvent, void, undefined> {
    for (;;) {
      const [segment] = this.#waiting
      if (!segment) return
      const start = segment.start()
      if (!this.#isOpen && start) {
        this.#isOpen = true
        yield { type: 'content_block_start', index: this.#index, content_block: start }
      }
      if (this.#isOpen) yield* this.#deltas(segment.take())
      if (!segment.isComplete) return
      if (this.#isOpen) {
        yield* this.#deltas(segment.end())
        yield { type: 'content_block_stop', index: this.#index++ }
      }
      this.#isOpen = false
      this.#waiting.shift()
    }
  }

  *#deltas(deltas: readonly BlockDelta[]): Generator<MessagesEvent, void, undefined> {
    for (const delta of deltas) yield { type: 'content_block_delta', index: this.#index, delta }
  }
}
