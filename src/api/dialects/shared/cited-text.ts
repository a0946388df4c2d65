import type { Answer, Citation } from '../../../domain/search.ts'

/** Text without its markers, or a citation of the text before it. */
export type CitedPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'citation'; readonly citation: Citation }

/**
 * Removes the `[n]` markers from a text while it streams, and puts each citation where its marker was. Text that looks
 * like a marker is held back until its citation comes, or until a later one shows that it is not a marker, as in
 * `list[1]`. Whitespace is held back, too, since it is removed with the marker after it.
 */
export class CitedText {
  /** The text that is held back, and its offset. */
  #held = ''
  #start = 0
  /** Stood before the last marker. */
  #space = ''
  #sources = 0

  /** `sources`: how many there are to cite. */
  push(text: string, sources: number): CitedPart[] {
    this.#held += text
    this.#sources = sources
    return this.#release(this.#heldFrom())
  }

  cite(citation: Citation): CitedPart[] {
    const marker = citation.start - this.#start
    // Its text was sent already, so only the citation remains to be sent.
    if (marker < 0) return [{ type: 'citation', citation }]
    const parts = this.#release(this.#held.slice(0, marker).trimEnd().length)
    this.#space = this.#held.slice(0, citation.start - this.#start) || this.#space
    this.#held = this.#held.slice(citation.end - this.#start)
    this.#start = citation.end
    return [...parts, { type: 'citation', citation }, ...this.#release(this.#heldFrom())]
  }

  /** Flushes the text that is held back. */
  flush(): CitedPart[] {
    return this.#release(this.#held.length)
  }

  /** The text up to this offset may be sent. */
  #heldFrom(): number {
    for (const { index, 1: number } of this.#held.matchAll(/\[(?:([1-9]\d*)\]|(?:[1-9]\d*)?$)/g)) {
      const mayBeMarker = number === undefined ? this.#sources > 0 : Number(number) <= this.#sources
      if (mayBeMarker) return this.#held.slice(0, index).trimEnd().length
    }
    return this.#held.trimEnd().length
  }

  #release(end: number): CitedPart[] {
    if (end === 0) return []
    const text = this.#held.slice(0, end)
    this.#held = this.#held.slice(end)
    this.#start += end
    const space = isNeeded(this.#space, text) ? this.#space : ''
    this.#space = ''
    return [{ type: 'text', text: `${space}${text}` }]
  }
}

/** Whether the space before a marker is still needed without the marker. */
function isNeeded(space: string, next: string): boolean {
  return space.includes('\n') || !/^[\s.,;:!?)\]}'"”’»…。，；：！？）】]/.test(next)
}

/** The text without its `[n]` markers, for vendors whose answers have none. */
export function withoutMarkers({ text, citations }: Pick<Answer, 'text' | 'citations'>): string {
  let kept = ''
  let from = 0
  for (const { start, end } of citations.toSorted((a, b) => a.start - b.start)) {
    let to = start
    while (to > from && (text[to - 1] === ' ' || text[to - 1] === '\t')) to--
    kept += text.slice(from, to)
    from = end
  }
  return kept + text.slice(from)
}
