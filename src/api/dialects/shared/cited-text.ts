import type { Answer, Citation } from '../../../domain/search.ts'

/** Text without its markers, or the citation that the text before it has earned. */
export type CitedPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'citation'; readonly citation: Citation }

/**
 * Takes the `[n]` markers out of a text while it streams, and puts each citation in the place of its own. What looks
 * like a marker waits until its citation comes or a later one shows that it is none, as in `list[1]`; so does
 * whitespace, since that before a marker goes with it.
 */
export class CitedText {
  /** What has not left yet, and where it begins in the text. */
  #held = ''
  #start = 0
  /** Stood before the last marker. */
  #space = ''
  #sources = 0

  /** `sources`: how many there are to cite. */
  push(text: string, sources: number): CitedPart[] {
    this.#held += text
    this.#sources = sources
    return this.#release(this.#openFrom())
  }

  cite(citation: Citation): CitedPart[] {
    const marker = citation.start - this.#start
    // Its text has left already: all that can be said is that it is cited.
    if (marker < 0) return [{ type: 'citation', citation }]
    const parts = this.#release(this.#held.slice(0, marker).trimEnd().length)
    this.#space = this.#held.slice(0, citation.start - this.#start) || this.#space
    this.#held = this.#held.slice(citation.end - this.#start)
    this.#start = citation.end
    return [...parts, { type: 'citation', citation }, ...this.#release(this.#openFrom())]
  }

  /** Lets out what was held back. */
  flush(): CitedPart[] {
    return this.#release(this.#held.length)
  }

  /** Up to here the text may leave. */
  #openFrom(): number {
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

/** Whether the space before a marker is still one when the marker is gone. */
function isNeeded(space: string, next: string): boolean {
  return space.includes('\n') || !/^[\s.,;:!?)\]}'"”’»…。，；：！？）】]/.test(next)
}

/** The text without its `[n]` markers, for vendors whose answers have none. */
export function withoutMarkers({ text, citations }: Pick<Answer, 'text' | 'citations'>): string {
  return citations
    .toSorted((a, b) => b.start - a.start)
    .reduce((rest, { start, end }) => rest.slice(0, start).replace(/[ \t]+$/, '') + rest.slice(end), text)
}
