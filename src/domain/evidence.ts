/**
 * Whether the pages that a sentence cites contain its words. It does not say that the sentence is true.
 *
 * - `found`: its words, numbers, dates and quotations are on the pages, most of the words close together.
 * - `partly`: some are, or a number, date or quotation is on none of the pages, or there is a doubt.
 * - `not-found`: hardly any are, or the words that it quotes are on none of the pages.
 * - `not-read`: unknown; `reason` says why.
 */
export type Verdict = (typeof verdicts)[number]

/** From best to unknown. */
export const verdicts = ['found', 'partly', 'not-found', 'not-read'] as const

export type UnreadReason =
  /** A page that it needs could not be read. */
  | 'unreadable'
  /** The pages are in another language, where only numbers, dates and names can be compared. */
  | 'other-language'
  /** The sentence or a page is longer than can be compared, or there was no time left. */
  | 'too-long'
  /** It has no words that could be compared. */
  | 'no-words'

/** What a sentence says and none of its pages contains. */
export interface Missing {
  readonly kind: 'number' | 'date' | 'quotation'
  readonly text: string
}

/**
 * What a sentence says in another way than the page does, with the word of each: only one of them negates it (`negation`), a word
 * and its opposite (`opposite`), two names or numbers in the other order (`order`).
 */
export interface Doubt {
  readonly kind: 'negation' | 'opposite' | 'order'
  /** Empty where the sentence has no such word. */
  readonly said: string
  readonly page: string
}

/** Where a sentence was found. */
export interface Passage {
  readonly text: string
  /** The number of the source, from 1. */
  readonly source: number
  /** Its offset in the text of the page, in UTF-16 units. */
  readonly place: number
}

/** The verdict on one sentence. Plain data that can be sent and stored. */
export interface Evidence {
  readonly sentence: string
  /** Its position in the answer, in UTF-16 units, end-exclusive. */
  readonly start: number
  readonly end: number
  readonly verdict: Verdict
  /** From 0 to 1, how much of it was found. Not a probability. */
  readonly score: number
  /** The sources that it cites, from 1. */
  readonly sources: readonly number[]
  readonly passage?: Passage | undefined
  readonly missing?: readonly Missing[] | undefined
  /** Why it is not `found` although its words are. */
  readonly doubt?: Doubt | undefined
  readonly reason?: UnreadReason | undefined
}

/**
 * - `report`: verdicts are sent with the answer.
 * - `repair`: the writer gets unsupported sentences back once; text is held until the check is done.
 * - `off`: nothing is compared.
 */
export type EvidenceMode = 'report' | 'repair' | 'off'

/** An answer with unsupported sentences. */
export interface Draft {
  readonly text: string
  /** Each unsupported sentence, and what is missing from its pages. */
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

/** A doubt in words. */
export function doubtText({ kind, said, page }: Doubt): string {
  if (kind === 'order') return `in the other order on the page: ${page}`
  if (kind === 'opposite') return `“${said}”, where the page has “${page}”`
  return page ? `without the “${page}” of the page` : `with a “${said}” that the page does not have`
}

/** Whether a sentence is not on its pages, or says something else than they do. */
export function isDoubtful({ verdict, missing = [], doubt }: Evidence): boolean {
  return verdict === 'not-found' || missing.length > 0 || doubt !== undefined
}

/** What is amiss with a sentence, in words. */
export function concernsOf({ missing = [], doubt }: Pick<Evidence, 'missing' | 'doubt'>): readonly string[] {
  return [...missing.map(({ kind, text }) => `on no page: the ${kind} ${text}`), ...(doubt ? [doubtText(doubt)] : [])]
}

/** The counts as a line: `found=7 partly=1 not-found=0 not-read=0`. */
export function verdictsText(counts: Readonly<Record<Verdict, number>>): string {
  return Object.entries(counts)
    .map(([verdict, count]) => `${verdict}=${count}`)
    .join(' ')
}

/** The counts to read: `7 found, 1 partly`. */
export function verdictsInWords(counts: Readonly<Record<Verdict, number>>): string {
  const had = Object.entries(counts).filter(([, count]) => count > 0)
  return had.map(([verdict, count]) => `${count} ${verdict.replace('-', ' ')}`).join(', ')
}

/** How many sentences have each verdict. */
export function countVerdicts(evidence: readonly Pick<Evidence, 'verdict'>[]): Readonly<Record<Verdict, number>> {
  const counts = { found: 0, partly: 0, 'not-found': 0, 'not-read': 0 }
  for (const { verdict } of evidence) counts[verdict]++
  return counts
}
