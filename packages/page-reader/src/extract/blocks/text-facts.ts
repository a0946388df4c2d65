import { maxText, type PageBlock, wordsOf } from './blocks.ts'
import type { PageState } from './page-state.ts'

/** What is known of the words of short blocks: above 0 where they stand in content more often than not. */
export type WordScores = ReadonlyMap<string, number>

/** What the words of a block show. */
export interface TextFacts {
  readonly isHeading: boolean
  readonly isSeen: boolean
  readonly inTitle: number
  readonly inDescription: number
  readonly said: number
  readonly commas: number
  readonly digits: number
  readonly capitals: number
  readonly ends: number
  readonly letters: number
}

export function textFactsOf({ text, words, frame }: PageBlock, scores: WordScores, page: PageState): TextFacts {
  const start = text.slice(0, maxText)
  const key = text.length > maxText ? `${start}${text.length}` : text
  const isSeen = page.seen.has(key)
  page.seen.add(key)
  const own = wordsOf(start)
  const count = own.length || 1
  const said = words <= maxShort ? own.reduce((sum, word) => sum + (scores.get(word) ?? 0), 0) : 0
  return {
    isHeading: /^h[1-6]$/.test(frame.name),
    isSeen,
    inTitle: own.filter((word) => page.titleWords.has(word)).length / count,
    inDescription: own.filter((word) => page.descriptionWords.has(word)).length / count,
    said,
    commas: (start.match(/[,;:，、]/g)?.length ?? 0) / count,
    digits: (start.match(/\d/g)?.length ?? 0) / (start.length || 1),
    capitals: (start.match(/\p{Lu}/gu)?.length ?? 0) / count,
    ends: /[.!?。！？…]["'”’)]?$/.test(text) ? 1 : 0,
    letters: start.length / count,
  }
}

/** A block of more words is judged by other things than each of them. */
export const maxShort = 12
