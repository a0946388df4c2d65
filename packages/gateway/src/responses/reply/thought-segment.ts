import type { BlockDelta } from '@csp/messages-api/events'
import type { ContentBlock } from '@csp/messages-api/request'
import type { Segment } from '../../translation/reply/segment.ts'
import type { Thought } from '../thought.ts'

/** An item of reasoning. Its block begins with its first word, or at its end when all of it is encrypted. */
export class ThoughtSegment implements Segment {
  readonly type = 'thinking'
  isComplete = false
  readonly #sign: (thought: Thought) => string
  readonly #isOmitted: boolean
  readonly #all: string[] = []
  #text = ''
  #hasText = false
  #isRaw = false
  #summary = 0
  #id = ''
  #encrypted: string | undefined

  /** `isOmitted`: the block has no words, and its signature has those that the provider wants back. */
  constructor(sign: (thought: Thought) => string, isOmitted = false) {
    this.#sign = sign
    this.#isOmitted = isOmitted
  }

  /** `summary`: which of its summaries the words belong to. They are paragraphs of one block. */
  pushSummary(text: string, summary: number): void {
    const isNext = this.#hasText && summary !== this.#summary
    this.#summary = summary
    this.#push(isNext ? `\n\n${text}` : text)
  }

  pushRaw(text: string): void {
    this.#isRaw = true
    this.#push(text)
  }

  /** What the provider wants back. Whole only when the item is done. */
  identify(id: string | null | undefined, encrypted: string | null | undefined): void {
    this.#id = id || this.#id
    this.#encrypted = encrypted || this.#encrypted
  }

  start(): ContentBlock | undefined {
    const hasBegun = this.#hasText || (this.isComplete && this.#encrypted !== undefined)
    return hasBegun ? { type: 'thinking', thinking: '', signature: '' } : undefined
  }

  take(): readonly BlockDelta[] {
    const thinking = this.#text
    this.#text = ''
    return thinking === '' || this.#isOmitted ? [] : [{ type: 'thinking_delta', thinking }]
  }

  end(): readonly BlockDelta[] {
    const words = this.#isOmitted && this.#isRaw ? { words: this.#all.join('') } : {}
    const thought = { id: this.#id, encrypted: this.#encrypted, isRaw: this.#isRaw, ...words }
    return [{ type: 'signature_delta', signature: this.#sign(thought) }]
  }

  #push(text: string): void {
    this.#hasText ||= text !== ''
    this.#text += text
    if (this.#isOmitted) this.#all.push(text)
  }
}
