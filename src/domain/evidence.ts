/**
 * How a sentence stands to the pages that it cites, by their words alone. It never says that something is true.
 *
 * - `found`: its words, numbers, dates and quotations are on the pages, most of the words close together.
 * - `partly`: some are, or a number, date or quotation is on none of the pages.
 * - `not-found`: hardly any are, or the words that it quotes are on none of the pages.
 * - `not-read`: nobody knows; `reason` says why.
 */
export type Verdict = (typeof verdicts)[number]

/** From the best to the one that says nothing. */
export const verdicts = ['found', 'partly', 'not-found', 'not-read'] as const

export type UnreadReason =
  /** A page that it needs could not be read. */
  | 'unreadable'
  /** The pages are in another language, where only numbers, dates and names can be compared. */
  | 'other-language'
  /** The sentence or a page is longer than can be compared, or there was no time left. */
  | 'too-long'
  /** It says nothing that can be looked for. */
  | 'no-words'

/** What a sentence names and none of its pages has. */
export interface Missing {
  readonly kind: 'number' | 'date' | 'quotation'
  readonly text: string
}

/** Where a sentence was found. */
export interface Passage {
  readonly text: string
  /** The number of the source, from 1. */
  readonly source: number
  /** Where it begins in the text of the page, in UTF-16 units. */
  readonly place: number
}

/** What is known of one sentence. Plain data: it can be sent and stored. */
export interface Evidence {
  readonly sentence: string
  /** Where it stands in the answer, in UTF-16 units, end-exclusive. */
  readonly start: number
  readonly end: number
  readonly verdict: Verdict
  /** From 0 to 1, how much of it was found. Not a probability. */
  readonly score: number
  /** The sources that it cites, from 1. */
  readonly sources: readonly number[]
  readonly passage?: Passage | undefined
  readonly missing?: readonly Missing[] | undefined
  readonly reason?: UnreadReason | undefined
}

/**
 * - `report`: its verdicts come with the answer.
 * - `repair`: sentences that do not stand on their pages are given back to the writer once; text waits for the check.
 * - `off`: nothing is compared.
 */
export type EvidenceMode = 'report' | 'repair' | 'off'

/** An answer with sentences that its pages do not have. */
export interface Draft {
  readonly text: string
  /** Each sentence in doubt, and what none of its pages has. */
  readonly doubts: readonly { readonly sentence: string; readonly missing: readonly string[] }[]
}

/** A page that a sentence cites. */
export interface CitedPage {
  /** Markdown or plain text, untrusted. */
  readonly text: string
  readonly title?: string | undefined
  /** `YYYY-MM-DD`. */
  readonly publishedAt?: string | undefined
}

/** Such counts as a line: `found=7 partly=1 not-found=0 not-read=0`. */
export function verdictsText(counts: Readonly<Record<Verdict, number>>): string {
  return Object.entries(counts)
    .map(([verdict, count]) => `${verdict}=${count}`)
    .join(' ')
}

/** How many sentences have each verdict. */
export function countVerdicts(evidence: readonly Pick<Evidence, 'verdict'>[]): Readonly<Record<Verdict, number>> {
  const counts = { found: 0, partly: 0, 'not-found': 0, 'not-read': 0 }
  for (const { verdict } of evidence) counts[verdict]++
  return counts
}
