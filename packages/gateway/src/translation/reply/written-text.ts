import { type Split, ThinkTag, type ThinkTagOptions } from './think-tag.ts'
import type { Offered } from './written-calls/read-form.ts'
import { type Written, WrittenCalls } from './written-calls/written-calls.ts'

export interface WrittenTextOptions extends ThinkTagOptions {
  readonly offered: Offered
}

/** The text of a reply, in which a model may also write its thought and its calls. */
export class WrittenText {
  readonly #tag: ThinkTag
  readonly #calls: WrittenCalls

  constructor(options: WrittenTextOptions) {
    this.#tag = new ThinkTag(options)
    this.#calls = new WrittenCalls(options.offered)
  }

  /** Whether something is held back until it is known what it is. */
  get isHolding(): boolean {
    return this.#tag.isHolding || this.#calls.isHolding
  }

  push(piece: string): Split {
    return this.#read(this.#tag.push(piece))
  }

  /** What was held back, when nothing more comes, or something else than text. */
  end(): { readonly thought: string; readonly pieces: readonly Written[] } {
    const { thought, text } = this.#read(this.#tag.end())
    return { thought, pieces: [text, ...this.#calls.end()] }
  }

  /** The same where a real call follows: what looks like one was text. */
  release(): Split {
    const { thought, text } = this.#read(this.#tag.end())
    return { thought, text: text + this.#calls.release() }
  }

  #read({ thought, text }: Split): Split {
    return { thought, text: this.#calls.push(text) }
  }
}
