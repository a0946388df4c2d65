import { mayVisit } from '@csp/lib/domain-lists'
import { catalogue, type KnownPage, type KnownSubject, subjects } from './library.ts'

export interface LibrarySearch {
  readonly query: string
  readonly count: number
  /** Host names; each includes its subdomains. Absent or empty: all. */
  readonly allowedDomains?: readonly string[] | undefined
  readonly blockedDomains?: readonly string[] | undefined
}

/** The pages that bear on a query, best first: those of its subjects. If it has none, the page that names them all. */
export function findInLibrary(search: LibrarySearch): readonly KnownPage[] {
  const { query, count, allowedDomains: allowed, blockedDomains: blocked } = search
  const wanted = new Set(wordsOf(query))
  const found = subjectsOf(query).flatMap(({ pages }) => pages)
  const score = ({ heading, sentences }: KnownPage) =>
    3 * shared(wordsOf(heading), wanted) + shared(wordsOf(sentences.map(({ text }) => text).join(' ')), wanted)
  const ranked = found.map((page) => ({ page, score: score(page) })).toSorted((a, b) => b.score - a.score)
  return (ranked.length > 0 ? ranked.map(({ page }) => page) : [catalogue])
    .filter(({ url }) => mayVisit(new URL(url), { allowed, blocked }))
    .slice(0, count)
}

/** Whether the library has a page on it. */
export function isKnown(query: string): boolean {
  return subjectsOf(query).length > 0
}

function subjectsOf(query: string): readonly KnownSubject[] {
  const text = ` ${plain(query)} `
  return subjects.filter(({ about }) => about.split(',').some((words) => text.includes(` ${plain(words)} `)))
}

/**
 * The sentences of a page that answer a query, in the order of the page: those with most words that the page's own heading
 * lacks. `least`: how many words of the query each has at least.
 */
export function sentencesFor(page: KnownPage, query: string, count: number, least = 0): readonly string[] {
  const wanted = new Set(wordsOf(query))
  const more = wanted.difference(new Set(wordsOf(page.heading)))
  return page.sentences
    .map(({ text, heading }, place) => ({ text, place, words: wordsOf(`${text} ${heading}`) }))
    .filter(({ words }) => shared(words, wanted) >= least)
    .map(({ words, ...sentence }) => ({ ...sentence, score: shared(words, more) }))
    .toSorted((a, b) => b.score - a.score || a.place - b.place)
    .slice(0, count)
    .toSorted((a, b) => a.place - b.place)
    .map(({ text }) => text)
}

/** How many different wanted words a text has. */
function shared(words: readonly string[], wanted: ReadonlySet<string>): number {
  return new Set(words.filter((word) => wanted.has(word))).size
}

function wordsOf(text: string): readonly string[] {
  return plain(text)
    .split(' ')
    .filter((word) => word.length > 1 && !common.has(word))
    .map((word) => word.replace(/(?<=\w\w)(?:ing|ed|s)$/, '').replace(/(?<=\w\w)e$/, ''))
}

function plain(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')
}

const common = new Set(
  'a about an and are as at be by can did do does for from has have how i in is it its me of on or that the their there they this to was we were what when where which who why with would you your'.split(
    ' ',
  ),
)
