import { type Block, isBetweenClauses, readBlocks, sentencesOf } from './blocks.ts'
import type { QueryTerms } from './query-terms.ts'

/** Neighbouring sentences of one block. */
export interface Span {
  readonly block: number
  /** The first sentence, and the one behind the last. */
  readonly start: number
  readonly end: number
  readonly text: string
  readonly score: number
  /** All of its block. */
  readonly sentences: readonly string[]
}

/** How long a passage is, in characters. */
export interface PassageLength {
  /** As a rule. */
  readonly usual: number
  /** Where its last sentence would not be whole otherwise. */
  readonly most: number
}

/** Whether a text may have a sentence more: one that goes beyond the usual length only where much would be empty. */
export function mayGrow(text: string, longer: string, { usual, most }: PassageLength): boolean {
  return longer.length <= usual || (longer.length <= most && text.length <= usual * minFilled)
}

const minFilled = 0.75

/** A share of the best score: what is below it only repeats a word. */
const minShare = 0.3

/** The spans that score, the best first. */
export function rankedSpans(text: string, terms: QueryTerms, length: PassageLength): readonly Span[] {
  let place = 0
  const blocks = [...readBlocks(text)].map((block) => {
    const counted = new CountedBlock(block, place, terms)
    // A title or a label does not move the prose behind it away from the start.
    if (counted.length >= minProse) place += counted.length
    return counted
  })
  const weights = weightsOf(blocks, terms)
  const spans = bestBlocks(blocks, weights).flatMap((block, index) => spansOf(block, index, { terms, weights, length }))
  const all = spans.toSorted((a, b) => b.score - a.score)
  const least = (all[0]?.score ?? 0) * minShare
  return all.filter(({ score }) => score > 0 && score >= least)
}

/** A block and which of the words it has. */
class CountedBlock {
  readonly block: Block
  readonly length: number
  readonly own: Counts
  readonly heading: Counts
  /** Where it begins in the prose of the page, in characters. */
  readonly place: number

  constructor(block: Block, place: number, terms: QueryTerms) {
    const raw = block.lines.join(' ')
    this.block = block
    this.place = place
    this.length = raw.length
    this.own = countsIn(raw, terms)
    this.heading = countsIn(block.heading, terms)
  }

  score(weights: readonly number[]): number {
    let score = 0
    for (const term of this.own.keys()) score += weights[term] ?? 0
    for (const term of this.heading.keys()) if (!this.own.has(term)) score += (weights[term] ?? 0) * headingShare
    return score
  }
}

/** Those that have the most of the words, no more than are worth the work. */
function bestBlocks(blocks: readonly CountedBlock[], weights: readonly number[]): readonly CountedBlock[] {
  const scored = blocks.map((block) => ({ block, score: block.score(weights) })).filter(({ score }) => score > 0)
  let left = maxRead
  return scored
    .toSorted((a, b) => b.score - a.score)
    .filter(({ block }) => {
      const fits = left > 0
      left -= block.length
      return fits
    })
    .map(({ block }) => block)
}

/** In characters. */
const maxRead = 12_000
const minProse = 60

/** How often each word is there. */
type Counts = ReadonlyMap<number, number>

function countsIn(text: string, terms: QueryTerms): Counts {
  const counts = new Map<number, number>()
  for (const { term, share } of terms.find(text)) counts.set(term, (counts.get(term) ?? 0) + share)
  return counts
}

/** How telling each word is: the rarer on the page and the longer, the more; numbers tell much. */
function weightsOf(blocks: readonly CountedBlock[], { spellings, general }: QueryTerms): readonly number[] {
  const all = Math.max(blocks.length, minBlocks)
  return spellings.map((word, term) => {
    const having = blocks.filter(({ own }) => own.has(term)).length
    const rarity = Math.log(1 + (all - having + 0.5) / (having + 0.5))
    const kind = general.has(word) ? generalShare : /\p{Nd}/u.test(word) ? numberShare : 1
    return rarity * Math.min(1, 0.4 + word.length / 10) * kind
  })
}

const generalShare = 0.6
const numberShare = 1.3

/** On a short page a word that is in each of its blocks still counts. */
const minBlocks = 20

interface Scale {
  readonly terms: QueryTerms
  readonly weights: readonly number[]
  readonly length: PassageLength
}

/** From each sentence as far as fits; near the end of a block, what stands before it as well. */
function spansOf(counted: CountedBlock, index: number, scale: Scale): readonly Span[] {
  const { terms, weights, length } = scale
  const sentences = sentencesOf(counted.block)
  const counts = sentences.map((sentence) => countsIn(sentence, terms))
  const densities = sentences.map((sentence, at) => densityOf(sentence, counts[at] ?? new Map(), weights))
  let offset = counted.place
  return sentences.map((sentence, first) => {
    const place = offset
    offset += sentence.length
    let [text, start, end] = [sentence, first, first + 1]
    const add = (longer: string): boolean => {
      if (!mayGrow(text, longer, length) || end - start >= maxJoined) return false
      text = longer
      return true
    }
    while (end < sentences.length && add(joined(text, sentences[end] ?? ''))) end++
    while (start > 0 && add(joined(sentences[start - 1] ?? '', text))) start--
    // A passage that begins with what was asked reads better than one that comes to it.
    const order = (counts[first]?.size ?? 0) > 0 ? 1 : 0.8
    const found = text.length > length.most ? firstOf(terms.find(text))?.index : 0
    const factor = order * leadFactor(place, terms) * lengthFactor(text, terms)
    const score =
      scoreOf(text, sumOf(counts.slice(start, end)), counted, scale) + Math.max(...densities.slice(start, end))
    return { block: index, start, end, text: clipped(text, length.most, found), score: factor * score, sentences }
  })
}

/** What a sentence has of the words, the shorter the more: words that stand together belong together. */
function densityOf(sentence: string, counts: Counts, weights: readonly number[]): number {
  let weight = 0
  for (const term of counts.keys()) weight += weights[term] ?? 0
  return weight / (1 + sentence.length / 400)
}

function sumOf(counts: readonly Counts[]): Counts {
  const sum = new Map<number, number>()
  for (const one of counts) for (const [term, count] of one) sum.set(term, (sum.get(term) ?? 0) + count)
  return sum
}

/** BM25, with a share for words that stand around the passage. */
function scoreOf(text: string, counts: Counts, { own, heading }: CountedBlock, scale: Scale): number {
  const { weights, length } = scale
  const saturation = 0.9 * (0.7 + (0.3 * text.length) / length.usual)
  let score = 0
  for (const [term, count] of counts) score += ((weights[term] ?? 0) * 2.2 * count) / (count + saturation)
  for (const term of heading.keys()) if (!counts.has(term)) score += (weights[term] ?? 0) * headingShare
  for (const term of own.keys()) if (!counts.has(term)) score += (weights[term] ?? 0) * blockShare
  return score
}

/** What is very short says little, however often it has the words. */
function lengthFactor(text: string, { asksForNumber }: QueryTerms): number {
  return Math.min(1, 0.4 + text.length / 150) * (asksForNumber && number.test(text) ? 1.3 : 1)
}

/** A page says first what it is about, which answers short queries more often than long ones. */
function leadFactor(place: number, { count }: QueryTerms): number {
  const first = place === 0 ? 0.4 / count : 0
  return 1 + first + Math.min(1.2, Math.max(1 / count, 4 / count ** 2)) * Math.exp(-place / 300)
}

const number = /\p{Nd}|[一二三四五六七八九十百千]/u
const blockShare = 0.2
const headingShare = 0.4
/** Sentences of a span. More have hardly a word each. */
const maxJoined = 40

function firstOf<Item>(items: Iterable<Item>): Item | undefined {
  for (const item of items) return item
  return undefined
}

/** An item of a list has no mark at its end, a clause in Thai neither, and Chinese has no space behind it. */
export function joined(text: string, next: string): string {
  if (/[。！？」』”]$/.test(text)) return text + next
  return /\p{P}$/u.test(text) || isBetweenClauses(text, next) ? `${text} ${next}` : `${text}; ${next}`
}

/** What is too long by itself, from shortly before the place that matters. */
export function clipped(whole: string, maxLength: number, place = 0): string {
  if (whole.length <= maxLength) return whole
  if (place > maxLength / 2) {
    const from = whole.indexOf(' ', place - maxLength / 4)
    const start = from >= 0 && from < place ? from + 1 : place
    return `…${clipped(whole.slice(start), maxLength - 1)}`
  }
  const cut = whole.lastIndexOf(' ', maxLength - 1)
  return `${whole.slice(0, cut > maxLength / 2 ? cut : maxLength - 1).toWellFormed()}…`
}
