import type { Citation } from '../domain/search.ts'

/** A sentence and the sources that it cites. Places are UTF-16 units of the answer, end-exclusive. */
export interface CitedSentence {
  /** Without markers and marks of Markdown. */
  readonly text: string
  readonly start: number
  readonly end: number
  /** From 1, each once. */
  readonly sources: readonly number[]
}

/** The sentences of an answer that cite something. A marker behind the end of a sentence belongs to it. */
export function citedSentences(
  text: string,
  citations: readonly Pick<Citation, 'number' | 'start' | 'end'>[],
): readonly CitedSentence[] {
  const ordered = citations.toSorted((a, b) => a.start - b.start)
  const plain = blanked(text, ordered)
  const ends = sentenceEnds(plain)
  const sentences: CitedSentence[] = []
  let [next, from] = [0, 0]
  for (const end of ends) {
    const start = from + (/\S/.exec(plain.slice(from, end))?.index ?? end - from)
    // What comes before the next words is cited by this sentence.
    const following = end + (/\S/.exec(plain.slice(end, end + maxGap))?.index ?? maxGap)
    const sources = new Set<number>()
    for (let citation = ordered[next]; citation && citation.start < following; citation = ordered[++next]) {
      sources.add(citation.number)
    }
    from = end
    const sentence = plain
      .slice(start, end)
      .replace(/[*_`]{1,3}/g, '')
      .replace(/\s+/g, ' ')
      .trim()
    if (sources.size > 0 && sentence !== '') {
      sentences.push({
        text: sentence,
        start,
        end: start + plain.slice(start, end).trimEnd().length,
        sources: [...sources],
      })
    }
  }
  return sentences
}

const maxGap = 200

/** The text with spaces for its markers and for the marks that lines begin with, so that no place moves. */
function blanked(text: string, ordered: readonly Pick<Citation, 'start' | 'end'>[]): string {
  let plain = ''
  for (const { start, end } of ordered) {
    if (start >= plain.length) plain += text.slice(plain.length, start) + ' '.repeat(Math.max(0, end - start))
  }
  plain += text.slice(plain.length)
  return plain.replace(/^[ \t>]*(?:#{1,6}|[-*+•]|\d{1,3}[.)])(?=\s)|\|/gm, (mark) => ' '.repeat(mark.length))
}

/** Where sentences end: behind their marks and at the ends of lines. */
function sentenceEnds(text: string): readonly number[] {
  const ends: number[] = []
  for (const { 0: mark, index } of text.matchAll(sentenceEnd)) {
    const isInside = mark.startsWith('.') && abbreviation.test(text.slice(Math.max(0, index - 12), index))
    if (!isInside) ends.push(index + mark.length)
  }
  return [...ends, text.length]
}

const sentenceEnd = /[.!?…؟۔।]["'”’»)\]*_]{0,3}(?=\s+[^\s\p{Ll}])|[。！？][」』”’）]?|\n/gu
/** What a point does not end: `Dr.`, `U.S.`, `5. Mai`. */
const abbreviation =
  /(?:^|[\s(.])(?:\p{L}|\d{1,2}|Dr|Mrs?|Ms|St|No|Nr|vs|[Ff]ig|approx|ca|bzw|etc|Jr|Sr|Prof|Inc|Ltd|Co|Gen|Sen|Rep|Gov|Jan|Feb|Mar|Apr|Aug|Sept?|Oct|Okt|Nov|Dec|Dez|Mio|Mrd|Art|Vol)$/u
