import { plainSnippet } from '@csp/lib/snippet'
import { readBlocks, sentencesOf } from './blocks.ts'
import { completed } from './completed.ts'
import { queryTerms } from './query-terms.ts'
import { sampled } from './sampled.ts'
import { clipped, joined, mayGrow, type PassageLength, rankedSpans } from './spans.ts'

/** How many passages to choose, and how long they may be. */
export interface PassageOptions {
  /** 6 by default: a snippet and five more. */
  readonly maxPassages?: number | undefined
  /** In characters. By default some 300, and up to 450 where a sentence would not be whole otherwise. */
  readonly maxLength?: number | undefined
}

/**
 * Chooses the passages of a page that bear on a query, the best first: whole sentences where they fit, as plain text.
 * Where the page has none of the words, its first paragraph; nothing where it has no prose. The ranking is BM25 over
 * spans of sentences, with a prior for a sentence that has many of the words, and for the start of the page. Pure and
 * fast: a long page is sampled where the words are.
 */
export function choosePassages(markdown: string, query: string, options: PassageOptions = {}): readonly string[] {
  const { maxPassages = 6, maxLength } = options
  const length = maxLength === undefined ? usualLength : { usual: maxLength, most: maxLength }
  const terms = queryTerms(query)
  const text = sampled(markdown, terms?.spellings ?? [])
  const found = terms ? rankedSpans(text, terms, length).slice(0, maxCandidates) : []
  const passages: string[] = []
  for (const whole of completed(found, length)) {
    const passage = plainSnippet(whole)
    if (passage !== undefined && !passages.includes(passage)) passages.push(passage)
    if (passages.length === maxPassages) break
  }
  if (passages.length > 0) return passages
  const lead = plainSnippet(leadOf(text, length))
  return lead === undefined ? [] : [lead]
}

const maxCandidates = 60
const usualLength: PassageLength = { usual: 300, most: 450 }

/** The first prose of the page that is about it. */
function leadOf(text: string, length: PassageLength): string {
  for (const block of readBlocks(text.slice(0, maxLeadIn))) {
    const raw = block.lines.join(' ')
    if (raw.length < 60 || boilerplate.test(raw)) continue
    let lead = ''
    for (const sentence of sentencesOf(block)) {
      const longer = lead ? joined(lead, sentence) : sentence
      if (lead && !mayGrow(lead, longer, length)) break
      lead = longer
    }
    if (lead) return clipped(lead, length.most)
  }
  return ''
}

const maxLeadIn = 20_000
const boilerplate =
  /\b(?:cookies?|javascript is (?:disabled|required)|enable javascript|privacy policy|all rights reserved|sign (?:in|up)|log ?in|subscribe|newsletter)\b/i
