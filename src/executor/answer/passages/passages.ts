import { plainSnippet } from '../row-text.ts'
import { type Block, readBlocks, sentencesOf } from './blocks.ts'
import { type QueryTerms, queryTerms } from './query-terms.ts'
import { sampled } from './sampled.ts'

export interface PassageOptions {
  /** 6 by default: a snippet and five more. */
  readonly maxPassages?: number | undefined
  /** In characters; 300 by default. */
  readonly maxLength?: number | undefined
}

/**
 * Chooses the passages of a page that bear on a query, the best first: whole sentences where they fit, as plain text.
 * Where the page has none of the words, its first paragraph; nothing where it has no prose. The ranking is BM25 over
 * windows of sentences. Pure and fast: a long page is sampled where the words are.
 */
export function choosePassages(markdown: string, query: string, options: PassageOptions = {}): readonly string[] {
  const { maxPassages = 6, maxLength = 300 } = options
  const terms = queryTerms(query)
  const text = sampled(markdown, terms?.spellings ?? [])
  const found = terms ? ranked(text, terms, maxLength).slice(0, maxCandidates) : []
  const passages: string[] = []
  for (const window of apart(found)) {
    const passage = plainSnippet(window.text)
    if (passage !== undefined && !passages.includes(passage)) passages.push(passage)
    if (passages.length === maxPassages) break
  }
  if (passages.length > 0) return passages
  const lead = plainSnippet(leadOf(text, maxLength))
  return lead === undefined ? [] : [lead]
}

/** Neighbouring sentences of one block. */
interface Window {
  readonly block: number
  /** The first sentence, and the one behind the last. */
  readonly start: number
  readonly end: number
  readonly text: string
  readonly score: number
}

const maxCandidates = 60
/** Of the best score: what is below it only repeats a word. */
const minShare = 0.3

/** The windows that score, the best first. */
function ranked(text: string, terms: QueryTerms, maxLength: number): readonly Window[] {
  const blocks = [...readBlocks(text)].map((block) => new CountedBlock(block, terms))
  const weights = weightsOf(blocks, terms.count)
  const windows = bestBlocks(blocks, weights).flatMap((block, index) =>
    windowsOf(block, index, { terms, weights, maxLength }),
  )
  const all = windows.toSorted((a, b) => b.score - a.score)
  const least = (all[0]?.score ?? 0) * minShare
  return all.filter(({ score }) => score > 0 && score >= least)
}

/** A block and which of the words it has. */
class CountedBlock {
  readonly block: Block
  readonly length: number
  readonly own: Counts
  readonly heading: Counts

  constructor(block: Block, terms: QueryTerms) {
    const raw = block.lines.join(' ')
    this.block = block
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

type Counts = ReadonlyMap<number, number>

function countsIn(text: string, terms: QueryTerms): Counts {
  const counts = new Map<number, number>()
  for (const { term } of terms.find(text)) counts.set(term, (counts.get(term) ?? 0) + 1)
  return counts
}

/** How telling each word is: the rarer on the page, the more. */
function weightsOf(blocks: readonly CountedBlock[], terms: number): readonly number[] {
  const all = Math.max(blocks.length, minBlocks)
  return Array.from({ length: terms }, (_, term) => {
    const having = blocks.filter(({ own }) => own.has(term)).length
    return Math.log(1 + (all - having + 0.5) / (having + 0.5))
  })
}

/** On a short page a word that is in each of its blocks still counts. */
const minBlocks = 20

interface Scale {
  readonly terms: QueryTerms
  readonly weights: readonly number[]
  readonly maxLength: number
}

/** From each sentence as far as fits. */
function windowsOf({ block, heading }: CountedBlock, index: number, scale: Scale): readonly Window[] {
  const { terms, weights, maxLength } = scale
  const sentences = sentencesOf(block)
  const counted = sentences.map((sentence) => countsIn(sentence, terms))
  return sentences.map((first, start) => {
    const counts = new Map(counted[start])
    let text = first
    let end = start + 1
    for (; end < Math.min(sentences.length, start + maxJoined); end++) {
      const longer = joined(text, sentences[end] ?? '')
      if (longer.length > maxLength) break
      text = longer
      for (const [term, count] of counted[end] ?? []) counts.set(term, (counts.get(term) ?? 0) + count)
    }
    // BM25. What is very short says little, however often it has the words.
    const saturation = 1.2 * (0.7 + (0.3 * text.length) / maxLength)
    let score = 0
    for (const [term, count] of counts) score += ((weights[term] ?? 0) * 2.2 * count) / (count + saturation)
    for (const term of heading.keys()) if (!counts.has(term)) score += (weights[term] ?? 0) * headingShare
    const fullness = Math.min(1, 0.4 + text.length / 150)
    // A passage that begins with what was asked reads better than one that comes to it.
    const place = text.length > maxLength ? firstOf(terms.find(text))?.index : 0
    const isAtStart = (counted[start]?.size ?? 0) > 0
    return {
      block: index,
      start,
      end,
      text: clipped(text, maxLength, place),
      score: score * fullness * (isAtStart ? 1 : 0.8),
    }
  })
}

const headingShare = 0.4
/** Sentences of a window. More have hardly a word each. */
const maxJoined = 40

function firstOf<Item>(items: Iterable<Item>): Item | undefined {
  for (const item of items) return item
  return undefined
}

/** An item of a list has no mark at its end, and Chinese has no space behind it. */
function joined(text: string, next: string): string {
  if (/[。！？」』”]$/.test(text)) return text + next
  return /[\p{P}]$/u.test(text) ? `${text} ${next}` : `${text}; ${next}`
}

/** What is too long by itself, from shortly before the place that matters. */
function clipped(whole: string, maxLength: number, place = 0): string {
  if (whole.length <= maxLength) return whole
  if (place > maxLength / 2) {
    const from = whole.indexOf(' ', place - maxLength / 4)
    const start = from >= 0 && from < place ? from + 1 : place
    return `…${clipped(whole.slice(start), maxLength - 1)}`
  }
  const cut = whole.lastIndexOf(' ', maxLength - 1)
  return `${whole.slice(0, cut > maxLength / 2 ? cut : maxLength - 1).toWellFormed()}…`
}

/** Without those that share a sentence with a better one. */
function* apart(windows: readonly Window[]): Generator<Window, void, undefined> {
  const taken: Window[] = []
  for (const window of windows) {
    const isTaken = taken.some(
      ({ block, start, end }) => block === window.block && window.start < end && start < window.end,
    )
    if (isTaken) continue
    taken.push(window)
    yield window
  }
}

/** The first prose of the page that is about it. */
function leadOf(text: string, maxLength: number): string {
  for (const block of readBlocks(text.slice(0, maxLeadIn))) {
    const raw = block.lines.join(' ')
    if (raw.length < 60 || boilerplate.test(raw)) continue
    let lead = ''
    for (const sentence of sentencesOf(block)) {
      const longer = lead ? joined(lead, sentence) : sentence
      if (lead && longer.length > maxLength) break
      lead = longer
    }
    if (lead) return clipped(lead, maxLength)
  }
  return ''
}

const maxLeadIn = 20_000
const boilerplate =
  /\b(?:cookies?|javascript is (?:disabled|required)|enable javascript|privacy policy|all rights reserved|sign (?:in|up)|log ?in|subscribe|newsletter)\b/i
