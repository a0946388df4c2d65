import { sentenceEnds } from '@csp/language/sentence-ends'
import { sourceNotes } from '@csp/language/source-note'
import { isSpaceless } from '@csp/language/words'
import type { Pieces } from '@csp/lib/pieces'

/** A sentence and the sources that it cites. Places are UTF-16 units of the answer, end-exclusive. */
export interface CitedSentence {
  /** Without markers and marks of Markdown. */
  readonly text: string
  readonly start: number
  readonly end: number
  /** From 1, each once. */
  readonly sources: readonly number[]
}

/** A marker, and the page that it names. */
export interface Marker {
  readonly number: number
  readonly start: number
  readonly end: number
  readonly title?: string
  readonly url?: string
}

/**
 * The sentences of an answer that cite something. A marker behind the end of a sentence belongs to it, and so does a link
 * there: the name of the page before a marker is no part of what is said.
 */
export function* citedSentences(text: string, citations: readonly Marker[]): Pieces<readonly CitedSentence[]> {
  const ordered = citations.toSorted((a, b) => a.start - b.start)
  const plain = yield* blanked(text, ordered)
  const ends = sentenceEnds(plain)
  const sentences: CitedSentence[] = []
  let [next, from] = [0, 0]
  for (const [at, end] of ends.entries()) {
    if (at % sentencesAtOnce === 0) yield
    const start = from + (/\S/.exec(plain.slice(from, end))?.index ?? end - from)
    // What comes before the next words is cited by this sentence.
    const following = end + (/[\p{L}\p{N}]/u.exec(plain.slice(end, end + maxGap))?.index ?? maxGap)
    const sources = new Set<number>()
    for (let citation = ordered[next]; citation && citation.start < following; citation = ordered[++next]) {
      sources.add(citation.number)
    }
    from = end
    const sentence = plain
      .slice(start, end)
      .replace(/[*_`]{1,3}/g, '')
      .replace(/\s+/g, ' ')
      // A marker stood there.
      .replace(/ (?=[.,。])/g, '')
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

const sentencesAtOnce = 100
const markersAtOnce = 20

/** A name and its marker. */
const maxGap = 600

/** The text with spaces for its markers, for the names of pages before them, and for the marks that lines begin with, so that no place moves. */
function* blanked(text: string, ordered: readonly Marker[]): Pieces<string> {
  let plain = ''
  for (const [at, marker] of ordered.entries()) {
    if (at % markersAtOnce === 0) yield
    const { start, end } = marker
    // A name does not reach behind the marker before: so no letter is read for two of them.
    const from = Math.max(plain.length, start - maxGap)
    const name = nameStart(text.slice(from, start), marker) + start
    // It may stand in brackets.
    const nameAt = Math.max(plain.length, name < start && /[([]/.test(text.charAt(name - 1)) ? name - 1 : name)
    if (start >= plain.length) plain += text.slice(plain.length, nameAt) + ' '.repeat(Math.max(0, end - nameAt))
  }
  plain += text.slice(plain.length)
  return plain
    .replace(sourceNotes, (note) => ' '.repeat(note.length))
    .replace(/^[ \t>]*(?:#{1,6}|[-*+•]|\d{1,3}[.)])(?=\s)|\|/gm, (mark) => ' '.repeat(mark.length))
}

/** Where the name of a page begins that ends a text, counted from its end, as a negative number; 0 where none does. */
function nameStart(before: string, { title = '', url = '' }: Marker): number {
  const host = /^https?:\/\/(?:www\.)?([^/:?#]+)/.exec(url)?.[1] ?? ''
  const names = [title, ...title.split(/\s[|–—-]\s|:\s/), host].map(lettersOf)
  const letters = lettersOf(before)
  const isEnded = /[.!?。！？]["”’»)\]]*\s*$/.test(before)
  const starts = names.map((name) => {
    const first = letters[letters.length - name.length]
    const isThere =
      name.length > 1 && first && name.every(({ letter }, at) => letters.at(at - name.length)?.letter === letter)
    // Whole words, and no part of a longer one.
    const isCut = letters.at(-name.length - 1)?.place === (first?.place ?? 0) - 1 && !isSpaceless(first?.letter ?? '')
    if (!isThere || isCut) return 0
    // The last words of a sentence are what it says, even if a page is named so.
    const isSaid = isEnded && !sentenceEnd.test(before.slice(0, first.place))
    return isSaid ? 0 : first.place - before.length
  })
  return Math.min(...starts)
}

/** What stands before a name that is a sentence by itself. */
const sentenceEnd = /(?:^|[.!?。！？:：\n])["”’»)\]*_(<[]*\s*$/

/** The letters and digits of a text alone. */
function lettersOf(text: string): readonly { readonly letter: string; readonly place: number }[] {
  return [...text.matchAll(/[\p{L}\p{N}]/gu)].map(({ 0: letter, index: place }) => ({
    letter: letter.toLowerCase(),
    place,
  }))
}
