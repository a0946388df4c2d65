/**
 * Whether the pages that a sentence cites contain its words. It does not say that the sentence is true.
 *
 * - `found`: its words, numbers, dates and quotations are on the pages, most of the words close together.
 * - `partly`: some are, or a number, date, quotation or name is on none of the pages, or there is a doubt.
 * - `not-found`: hardly any are, or the words that it quotes are on none of the pages.
 * - `not-read`: unknown; `reason` says why.
 */
export type Verdict = (typeof verdicts)[number]

/** From best to unknown. */
export const verdicts = ['found', 'partly', 'not-found', 'not-read'] as const

/**
 * Why a sentence is `not-read`.
 *
 * - `unreadable`: a page that it needs could not be read.
 * - `other-language`: the pages are in one where only numbers, dates and names can be compared.
 * - `too-long`: the sentence or a page is longer than can be compared, or there was no time left.
 * - `no-words`: it has no words that could be compared.
 */
export const unreadReasons = ['unreadable', 'other-language', 'too-long', 'no-words'] as const

export type UnreadReason = (typeof unreadReasons)[number]

/** What can be missing. A reader skips kinds that it does not know. */
export const missingKinds = ['number', 'date', 'quotation', 'name'] as const

/** What a sentence says and none of its pages contains. */
export interface Missing {
  readonly kind: (typeof missingKinds)[number]
  readonly text: string
}

export const doubtKinds = ['negation', 'opposite', 'order'] as const

/**
 * What a sentence says in another way than the page does, with the word of each: only one of them negates it (`negation`), in a
 * word of its own or by a part of one (`uncontrolled`), a word and its opposite (`opposite`), two names or numbers in the other order (`order`).
 */
export interface Doubt {
  readonly kind: (typeof doubtKinds)[number]
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

/** What a model says of a sentence, by the passages that are shown of its pages. */
export const judgements = ['supported', 'contradicted', 'not-said'] as const

/** What came of asking a model about a sentence. */
export interface Judgement {
  /** The model that judged. */
  readonly model?: string | undefined
  readonly says?: (typeof judgements)[number] | undefined
  /** What it rests on, as the page has it. */
  readonly words?: string | undefined
  /** Why the words of the sentence alone decide: the failure of the call, or `not-counted` where it rests on words of no page. */
  readonly problem?: string | undefined
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
  /** Where each of its pages has the most of it, in the order of `sources`. Absent where no more than one page has some. */
  readonly passages?: readonly Passage[] | undefined
  readonly missing?: readonly Missing[] | undefined
  /** Other words that say something and stand on no page in any form, ten at most. True sentences have such words, too. */
  readonly unseen?: readonly string[] | undefined
  /** Why it is not `found` although its words are. */
  readonly doubt?: Doubt | undefined
  readonly reason?: UnreadReason | undefined
  /** Where a model was asked about it. */
  readonly judge?: Judgement | undefined
}

/** A page that a sentence cites. */
export interface CitedPage {
  /** Markdown or plain text, untrusted. */
  readonly text: string
  readonly title?: string | undefined
  /** Its address: a site is named by its host. */
  readonly url?: string | undefined
  /** `YYYY-MM-DD`. */
  readonly publishedAt?: string | undefined
  /**
   * Whether it is no more than what somebody quotes of a page that could not be read. What it has is `found`; what it has
   * not may stand on the page all the same.
   */
  readonly isExcerpt?: boolean | undefined
  /** Whether the site shows only a part of it without a subscription. What it has not may stand in the rest. */
  readonly isPaywalled?: boolean | undefined
}

/** A doubt in words. */
export function doubtText({ kind, said, page }: Doubt): string {
  if (kind === 'order') return `in the other order on the page: ${page}`
  if (kind === 'opposite' || (said && page)) return `“${said}”, where the page has “${page}”`
  return page ? `without the “${page}” of the page` : `with a “${said}” that the page does not have`
}

/** Whether a sentence is not on its pages, or says something else than they do. */
export function isDoubtful({ verdict, missing = [], doubt, judge }: Evidence): boolean {
  return verdict === 'not-found' || missing.length > 0 || doubt !== undefined || isDenied(judge)
}

function isDenied(judge: Judgement | undefined): boolean {
  return judge?.says === 'contradicted' || judge?.says === 'not-said'
}

/** Each place to show of a sentence: one of each page. */
export function passagesOf({ passage, passages }: Pick<Evidence, 'passage' | 'passages'>): readonly Passage[] {
  return passages ?? (passage ? [passage] : [])
}

/** What is amiss with a sentence, in words. */
export function concernsOf({
  missing = [],
  doubt,
  judge,
}: Pick<Evidence, 'missing' | 'doubt' | 'judge'>): readonly string[] {
  return [
    ...missing.map(({ kind, text }) => `on no page: the ${kind} ${text}`),
    ...(doubt ? [doubtText(doubt)] : []),
    ...(isDenied(judge) ? [judgeText(judge)] : []),
  ]
}

/** Words that no page has, to read. Empty where each is there. */
export function unseenText({ unseen = [] }: Pick<Evidence, 'unseen'>): string {
  return unseen.length > 0 ? `words that no page has: ${unseen.join(', ')}` : ''
}

/** A judgement in words. */
function judgeText({ says, words }: Judgement = {}): string {
  const denial =
    says === 'contradicted' ? 'contradicted, as the judge says' : 'not all of it is said, as the judge says'
  return words ? `${denial}: ${words}` : denial
}

/** The counts as a line: `found=7 partly=1 not-found=0 not-read=0`. */
function verdictsText(counts: Readonly<Record<Verdict, number>>): string {
  return Object.entries(counts)
    .map(([verdict, count]) => `${verdict}=${count}`)
    .join(' ')
}

/** What came of the check of an answer: its counts as a line, and who judged: `found=7 … judge=claude-haiku-4-5`. */
export function evidenceText(evidence: readonly Evidence[]): string {
  const judge = judgeOf(evidence)
  const name = judge?.says && judge.model?.replace(/[^\w.:/-]/g, '').slice(0, 100)
  return `${verdictsText(countVerdicts(evidence))}${judge ? ` judge=${name || 'none'}` : ''}`
}

/** The same to read: `7 found, 1 partly; judged by claude-haiku-4-5`. Empty if nothing was compared. */
export function evidenceInWords(evidence: readonly Evidence[]): string {
  const judge = judgeOf(evidence)
  const judged = judge?.says ? `; judged by ${judge.model}` : judge ? `; not judged: ${judge.problem}` : ''
  return `${verdictsInWords(countVerdicts(evidence))}${judged}`
}

/** Whether a judge was asked, and none judged. */
export function lacksJudge(evidence: readonly Evidence[]): boolean {
  const judge = judgeOf(evidence)
  return judge !== undefined && judge.says === undefined
}

/** Who judged any of the sentences, or why nobody did; `undefined` if nobody was asked. */
function judgeOf(evidence: readonly Evidence[]): Judgement | undefined {
  return evidence.find(({ judge }) => judge?.says)?.judge ?? evidence.find(({ judge }) => judge)?.judge
}

/** The counts to read: `7 found, 1 partly`. */
function verdictsInWords(counts: Readonly<Record<Verdict, number>>): string {
  const had = Object.entries(counts).filter(([, count]) => count > 0)
  return had.map(([verdict, count]) => `${count} ${verdict.replace('-', ' ')}`).join(', ')
}

/** How many sentences have each verdict. */
export function countVerdicts(evidence: readonly Pick<Evidence, 'verdict'>[]): Readonly<Record<Verdict, number>> {
  const counts = { found: 0, partly: 0, 'not-found': 0, 'not-read': 0 }
  for (const { verdict } of evidence) counts[verdict]++
  return counts
}
