// What the check of an answer says, in words.

import type { Evidence } from '@csp/evidence/evidence'
import { type CiteToken, type PlacedCite, type Token, wordsOf } from './markdown.ts'
import type { Kind } from './parts.tsx'

/** A page of an answer. */
export interface Source {
  readonly title: string
  readonly url: string
  readonly snippet?: string | null
  readonly date?: string | null
}

/** As the API sends it. */
export type SentenceEvidence = Omit<Evidence, 'start' | 'end' | 'passage' | 'passages'> & {
  readonly passage?: { readonly text: string; readonly source: number }
  readonly passages?: readonly { readonly text: string; readonly source: number }[]
}

export type Mark = 'found' | 'partly' | 'not' | 'unread'

/** What is said of a sentence at the marker of one of its sources. */
export interface Said {
  readonly mark: Mark
  /** What of the sentence is amiss, or where it is found. */
  readonly text: string
  /** The words of that page. */
  readonly quote?: string | undefined
  /** What else a reader may look at, though the sentence is found. */
  readonly unseen?: string | undefined
}

/** How many sentences ahead that of a marker is looked for. */
const maxAhead = 16

/**
 * The evidence of each marker, in the order of the text: a sentence has each of its sources once, and its words stand in
 * the block of the marker. Some markers have none.
 */
export function evidenceAt(
  cites: readonly PlacedCite[],
  evidence: readonly SentenceEvidence[],
): ReadonlyMap<CiteToken, SentenceEvidence> {
  const found = new Map<CiteToken, SentenceEvidence>()
  const texts = new Map<Token, string>()
  let place = 0
  let seen = new Set<number>()
  for (const { token, within } of cites) {
    const text = texts.get(within) ?? lettersOf(wordsOf(within))
    texts.set(within, text)
    const ahead = evidence.slice(place, place + maxAhead)
    const fits = ({ sources }: SentenceEvidence, index: number) =>
      sources.includes(token.number) && !(index === 0 && seen.has(token.number))
    const named = ahead.findIndex(
      (one, index) => fits(one, index) && text.includes(lettersOf(one.sentence).slice(0, 40)),
    )
    const index = named < 0 ? ahead.slice(0, 2).findIndex((one, index) => fits(one, index) && !isElsewhere(one)) : named
    const one = ahead[index]
    if (!one) continue
    if (index > 0) seen = new Set()
    place += index
    seen.add(token.number)
    found.set(token, one)
  }
  return found
}

/** A sentence of which there is something to look for: it stands in another block. */
function isElsewhere({ sentence }: SentenceEvidence): boolean {
  return lettersOf(sentence).length >= 12
}

/** Letters and digits alone: marks and spaces differ between a text and what is shown of it. */
function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/\[\d{1,3}\]|[^\p{L}\p{N}]+/gu, '')
}

export function isDoubtful({ verdict, missing = [], doubt, judge }: SentenceEvidence): boolean {
  return verdict === 'not-found' || missing.length > 0 || doubt !== undefined || (judge?.says ?? '') in denials
}

/** Only the page of that marker is quoted. */
export function saidAt(evidence: SentenceEvidence, number: number): Said {
  const { verdict, sources, passage, passages, missing = [], unseen = [], doubt, reason = '', judge } = evidence
  const pages = sources.length > 1 ? 'pages it cites' : 'page'
  const absent = missing.map(({ text }) => text).join(', ')
  const denial = denials[judge?.says ?? '']
  const own = (passages ?? (passage ? [passage] : [])).find(({ source }) => source === number)?.text
  const mark = verdict === 'not-found' || denial ? 'not' : 'partly'
  if (denial) return { mark, text: judge?.words ? `${denial}: ${judge.words}` : denial, quote: own }
  if (absent) return { mark, text: `Not on the ${pages}: ${absent}`, quote: own }
  if (doubt) return { mark, text: doubtInWords(doubt), quote: own }
  if (verdict === 'not-found') return { mark, text: `Not found on the ${pages}`, quote: own }
  if (verdict === 'not-read') {
    const text = `Not compared: ${reasons[reason] ?? reason}`
    return { mark: 'unread', text: own ? `${text}. The search quotes it` : text, quote: own }
  }
  const found = verdict === 'partly' ? 'Partly found' : 'Found'
  const text = passage && !own ? `${found} on source ${passage.source}` : `${found} on this page`
  if (verdict === 'partly') return { mark: 'partly', text, quote: own }
  return { mark: 'found', text, quote: own, ...(unseen.length > 0 && { unseen: unseenInWords(unseen) }) }
}

function unseenInWords(unseen: readonly string[]): string {
  return `Words that no page has: ${unseen.join(', ')}`
}

function doubtInWords({ kind, said, page }: NonNullable<SentenceEvidence['doubt']>): string {
  if (kind === 'order') return `In the other order on the page: ${page}`
  if (kind === 'opposite') return `The answer says “${said}”, the page “${page}”`
  return page ? `The page says “${page}” here` : `The page does not say “${said}” here`
}

const denials: Readonly<Record<string, string>> = {
  contradicted: 'Contradicted, as the judge says',
  'not-said': 'Not all of it is said, as the judge says',
}

const reasons: Readonly<Record<string, string>> = {
  unreadable: 'a page could not be read',
  'other-language': 'in another language',
  'too-long': 'too long',
  'no-words': 'nothing to compare',
}

/** What came of the check of an answer, for who does not see its marks. */
export function checkedInWords(evidence: readonly SentenceEvidence[]): string {
  const counts = countsOf(evidence)
  const parts = verdictNames.flatMap((name) => (counts[name] ? [`${counts[name]} ${name.replace('-', ' ')}`] : []))
  return parts.length > 0 ? `Sentences on the pages they cite: ${parts.join(', ')}. ${judgedInWords(evidence)}` : ''
}

/** Who judged, or why nobody did. */
export function judgedInWords(evidence: readonly SentenceEvidence[]): string {
  const judges = evidence.flatMap(({ judge }) => judge ?? [])
  const { model, says, problem } = judges.find((judge) => judge.says) ?? judges[0] ?? {}
  return says ? `The sentences were judged by ${model}.` : problem ? `Not judged: ${problem}.` : ''
}

export const verdictNames = ['found', 'partly', 'not-found', 'not-read'] as const
export const verdictKinds: Readonly<Record<string, Kind | undefined>> = {
  found: 'good',
  partly: 'look',
  'not-found': 'bad',
}
export const verdictIcons = { found: 'check', partly: 'partly', 'not-found': 'question', 'not-read': 'circle' } as const

export function countsOf(evidence: readonly SentenceEvidence[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { verdict } of evidence) counts[verdict] = (counts[verdict] ?? 0) + 1
  return counts
}

/** A passage in three parts: the words that the sentence shares with it are in the middle. */
export function sharedPart(passage: string, sentence: string): readonly [string, string, string] {
  const known = new Set(sentence.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
  const words = [...passage.matchAll(/[\p{L}\p{N}]+/gu)].map((found) => ({
    start: found.index,
    end: found.index + found[0].length,
    isKnown: known.has(found[0].toLowerCase()),
  }))
  let best: readonly [number, number, number] = [0, 0, 0]
  let [first, count] = [-1, 0]
  let missed = 0
  for (const [place, { isKnown }] of words.entries()) {
    if (isKnown) {
      if (first < 0) first = place
      count++
      missed = 0
      if (count > best[2]) best = [first, place, count]
    } else if (++missed > 1) [first, count] = [-1, 0]
  }
  const [from, to] = [words[best[0]]?.start ?? 0, words[best[1]]?.end ?? 0]
  if (best[2] < 2) return [passage, '', '']
  return [passage.slice(0, from), passage.slice(from, to), passage.slice(to)]
}
