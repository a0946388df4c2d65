import type { BlockDelta } from '@csp/messages-api/events'
import type { ContentBlock } from '@csp/messages-api/request'
import type { Segment } from '../../translation/reply/segment.ts'
import type { Thought, WordsField } from '../request/options.ts'

/** A thought, with what the provider wants back of it. */
export class ThinkingSegment implements Segment {
  readonly type = 'thinking'
  isComplete = false
  readonly #sign: (thought: Thought, thinking: string) => string
  readonly #isOmitted: boolean
  readonly #details: Record<string, unknown>[] = []
  readonly #all: string[] = []
  readonly #calls = new Map<string, unknown>()
  #field: WordsField = 'reasoning'
  #text = ''

  /** `isOmitted`: the block has no words, and its signature has them. */
  constructor(sign: (thought: Thought, thinking: string) => string, isOmitted: boolean) {
    this.#sign = sign
    this.#isOmitted = isOmitted
  }

  push(text: string, field: WordsField): void {
    this.#field = field
    this.#text += text
    this.#all.push(text)
  }

  /** Pieces of one detail come one after another and are joined: providers want it back whole. */
  keep(detail: Readonly<Record<string, unknown>>): void {
    const last = this.#details.at(-1)
    if (!last || !isContinued(last, detail)) {
      this.#details.push({ ...detail })
      return
    }
    for (const [name, value] of Object.entries(detail)) {
      const before = last[name]
      const isJoined = joined.includes(name) && typeof before === 'string' && typeof value === 'string'
      if (isJoined) last[name] = before + value
      else if (value !== null) last[name] = value
    }
  }

  /** Keeps what belongs to a call that follows: its own block has no place for it. */
  keepForCall(id: string, extra: unknown): void {
    this.#calls.set(id, extra)
  }

  start(): ContentBlock {
    return { type: 'thinking', thinking: '', signature: '' }
  }

  take(): readonly BlockDelta[] {
    const thinking = this.#text
    this.#text = ''
    return thinking === '' || this.#isOmitted ? [] : [{ type: 'thinking_delta', thinking }]
  }

  end(): readonly BlockDelta[] {
    const thinking = this.#all.join('')
    const calls = this.#calls.size > 0 ? Object.fromEntries(this.#calls) : undefined
    const thought: Thought =
      this.#details.length > 0
        ? { field: 'reasoning_details', details: this.#details, calls }
        : { field: this.#field, text: thinking, calls }
    return [{ type: 'signature_delta', signature: this.#sign(thought, this.#isOmitted ? '' : thinking) }]
  }
}

const joined = ['text', 'summary', 'data']

/** Whether a detail is the next piece of another one. */
function isContinued(last: Readonly<Record<string, unknown>>, next: Readonly<Record<string, unknown>>): boolean {
  if (last['type'] !== next['type'] || last['index'] !== next['index']) return false
  const isOther = (name: string): boolean => last[name] != null && next[name] != null && last[name] !== next[name]
  return !isOther('id') && !isOther('format')
}
