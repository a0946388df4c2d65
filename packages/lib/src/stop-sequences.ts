/**
 * Ends a text that comes in pieces at a stop sequence: the one that is complete first, so that it does not matter how the
 * text was split. What could be the beginning of one is held back until it is known.
 */
export class StopSequences {
  readonly #sequences: readonly string[]
  #held = ''
  #found: string | undefined

  constructor(sequences: readonly string[]) {
    this.#sequences = sequences.filter((sequence) => sequence !== '')
  }

  /** The sequence at which the text has ended. */
  get found(): string | undefined {
    return this.#found
  }

  /** The text that may be sent now. */
  push(text: string): string {
    if (this.#found !== undefined) return ''
    if (this.#sequences.length === 0) return text
    const all = this.#held + text
    this.#held = ''
    const [first] = this.#sequences
      .map((sequence) => ({ sequence, place: all.indexOf(sequence), length: sequence.length }))
      .filter(({ place }) => place >= 0)
      .toSorted((a, b) => a.place + a.length - (b.place + b.length) || a.place - b.place)
    if (first) {
      this.#found = first.sequence
      return all.slice(0, first.place)
    }
    const kept = Math.max(0, ...this.#sequences.map((sequence) => beginningAtEnd(all, sequence)))
    this.#held = all.slice(all.length - kept)
    return all.slice(0, all.length - kept)
  }

  /** The text that was held back, when nothing more comes. */
  end(): string {
    const rest = this.#held
    this.#held = ''
    return rest
  }
}

/** How many characters at the end of a text begin a sequence. */
export function beginningAtEnd(text: string, sequence: string): number {
  for (let length = Math.min(sequence.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(sequence.slice(0, length))) return length
  }
  return 0
}
