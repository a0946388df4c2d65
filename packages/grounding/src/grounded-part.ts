/**
 * A `[n]` marker in the text and the page it cites. Offsets are in UTF-16 units, end-exclusive, and span the marker.
 * @example const footnote = ({ number, title, url }: Citation) => `[${number}] ${title}: ${url}`
 */
export interface Citation {
  /** Its position in the answer's sources, from 1. */
  readonly number: number
  readonly url: string
  readonly title: string
  readonly start: number
  readonly end: number
  /** What the page says for the sentence before the marker, or what a search quotes of it, if already known. Untrusted. */
  readonly quote?: string | undefined
}

/** The output of grounding: text, and the citations of the markers in it. */
export type GroundedPart =
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'citation'; readonly citation: Citation }
