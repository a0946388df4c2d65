import { createHash } from 'node:crypto'
import type { SetRow } from './sets.ts'

/** Where the name stood that was replaced. */
export type SwapPlace = 'within' | 'first'

export interface Swap extends SetRow {
  readonly place: SwapPlace
  readonly was: string
}

/** True sentences with one name replaced by one of another page of the set. The same for the same rows. */
export function swapsOf(rows: readonly SetRow[]): readonly Swap[] {
  const named = rows.flatMap((row) =>
    row.isTrue ? row.sentences.map((sentence) => ({ row, sentence, names: namesIn(sentence, row) })) : [],
  )
  const all = named.flatMap(({ row, names }) => names.map((name) => ({ ...name, page: row.pages[0] ?? '' })))
  return named.flatMap(({ row, sentence, names }) => {
    const known = names.filter(({ text }) => row.pages.some((page) => page.includes(text)))
    return (['within', 'first'] as const).flatMap((place) => {
      const own = chosen(
        known.filter((name) => name.place === place),
        sentence,
      )
      if (!own) return []
      const fits = (name: (typeof all)[number]) =>
        (row.name === undefined || name.place === place) &&
        name.words === own.words &&
        name.page !== row.pages[0] &&
        name.text.split(' ').every((word) => !row.pages.some((page) => page.toLowerCase().includes(word.toLowerCase())))
      const from = hashOf(sentence)
      const other = Array.from({ length: maxTried }, (_, at) => all[(from + at) % all.length]).find(
        (name) => name !== undefined && fits(name),
      )
      if (!other) return []
      const text = sentence.slice(0, own.at) + other.text + sentence.slice(own.at + own.text.length)
      return [{ ...row, sentences: [text], isTrue: false, place, was: own.text }]
    })
  })
}

interface Name {
  readonly text: string
  readonly at: number
  readonly words: number
  readonly place: SwapPlace
}

/** The name that the set tells, or words with capital letters that the page has within a sentence as well. */
function namesIn(sentence: string, { name, pages }: SetRow): readonly Name[] {
  if (name !== undefined) {
    const at = sentence.indexOf(name)
    const place = /^[^\p{L}\p{N}]*$/u.test(sentence.slice(0, at)) ? 'first' : 'within'
    return at < 0 ? [] : [{ text: name, at, words: name.split(' ').length, place }]
  }
  return [...sentence.matchAll(capitals)].flatMap(({ 0: text, index }) => {
    const place = /^[^\p{L}\p{N}]*$|[.:!?”"]\s*$/u.test(sentence.slice(0, index)) ? 'first' : 'within'
    const isSure = place === 'within' || pages.some((page) => page.includes(`${text}`) && isWithin(page, text))
    return isSure && !noName.test(text) ? [{ text, at: index, words: text.split(' ').length, place }] : []
  })
}

/** Whether a page has a name behind a small letter. */
function isWithin(page: string, text: string): boolean {
  const at = page.indexOf(` ${text}`)
  return at > 0 && /\p{Ll}/u.test(page.charAt(at - 1))
}

const capitals = /(?<![\p{L}\p{N}.'’-])\p{Lu}[\p{L}'-]*\p{Ll}(?: \p{Lu}[\p{L}'-]*\p{Ll}){0,2}(?![\p{L}\p{N}])/gu
const noName =
  /^(?:I|The|A|An|In|It|This|These|He|She|They|We|But|And|Mr|Mrs|Dr|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|January|February|March|April|May|June|July|August|September|October|November|December)(?:\s|$)/

const maxTried = 300

/** One of several, by the hash of a text. */
function chosen<Item>(items: readonly Item[], text: string): Item | undefined {
  return items[hashOf(text) % Math.max(1, items.length)]
}

export function hashOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0)
}
