import { isSpaceless } from '@csp/language/words'
import type { SoughtClaim } from './claim.ts'
import type { Missing } from './evidence.ts'
import { nameFinder } from './names.ts'
import type { PageIndex } from './page-index.ts'
import { type Scan, scan as scanned } from './scan.ts'

/**
 * The words of a sentence that say something and that none of its pages has in any form, as the sentence has them. What is
 * `missing` is not named again. They say nothing of the sentence by themselves: a true paraphrase has as many.
 */
export function unseenWords(
  claim: SoughtClaim,
  pages: readonly PageIndex[],
  missing: readonly Missing[],
): readonly string[] {
  const { scan, dates, quantities } = claim
  const { text, words, stems, starts, ends } = scan
  const terms = new Set(claim.terms)
  const named = new Set(missing.flatMap((one) => scanned(one.text).words))
  const counted: readonly Extent[] = [...quantities, ...dates, ...scan.figures]
  const has = pageFinder(claim, pages)
  const unseen = new Map<string, string>()
  const rows: Extent[] = []
  let asked = 0
  for (const [at, word] of words.entries()) {
    const stem = stems[at] ?? ''
    const extent = { start: starts[at] ?? 0, end: ends[at] ?? 0 }
    if (!terms.has(stem) || unseen.has(stem) || pages.some((page) => page.has(stem))) continue
    if (counted.some(({ start, end }) => extent.start >= start && extent.end <= end)) continue
    if (isSpaceless(word)) {
      rows.push(extent)
      continue
    }
    if (named.has(word)) continue
    if (++asked > maxAsked) break
    if (!has(at)) unseen.set(stem, text.slice(extent.start, extent.end))
  }
  const letters = rowsOfLetters(rows, scan).filter((row) => !missing.some((one) => one.text.includes(row)))
  return [...new Set([...unseen.values(), ...letters])].slice(0, maxShown)
}

type Extent = Pick<Scan['figures'][number], 'start' | 'end'>

/** Whether a page has a word that has other letters there: as a name, with another ending, or written as one with the next. */
function pageFinder(claim: SoughtClaim, pages: readonly PageIndex[]): (at: number) => boolean {
  const { text, words, starts } = claim.scan
  let finder: ReturnType<typeof nameFinder> | undefined
  return (at) => {
    const word = words[at] ?? ''
    const joined = [`${words[at - 1] ?? ''}${word}`, `${word}${words[at + 1] ?? ''}`]
    if (pages.some(({ names }) => joined.some((one) => names.hasWord(one)) || names.hasStartOf(word))) return true
    if (!/^\p{Lu}/u.test(text.charAt(starts[at] ?? 0))) return false
    finder ??= nameFinder(claim, pages)
    return finder(at)
  }
}

/**
 * Where words have no spaces: rows of letters that stand in no pair which a page has. Where two words meet, their pair may be
 * new, but then each letter has another one.
 */
function rowsOfLetters(pairs: readonly Extent[], { text, starts, ends, words }: Scan): readonly string[] {
  const absent = new Set(pairs.map(({ start }) => start))
  const present = new Map<number, boolean>()
  for (const [at, word] of words.entries()) {
    if (!isSpaceless(word)) continue
    const [start, end] = [starts[at] ?? 0, ends[at] ?? 0]
    for (let place = start; place < end; place++)
      present.set(place, (present.get(place) ?? false) || !absent.has(start))
  }
  const rows: Extent[] = []
  for (const [place, isThere] of present) {
    if (isThere) continue
    const last = rows.at(-1)
    if (last?.end === place) rows[rows.length - 1] = { start: last.start, end: place + 1 }
    else rows.push({ start: place, end: place + 1 })
  }
  // A letter by itself may be an ending, and hiragana are.
  return rows.map(({ start, end }) => text.slice(start, end)).filter((row) => [...row].length > 1 && !endings.test(row))
}

const endings = /^\p{Script=Hiragana}+$/u

const maxAsked = 20
const maxShown = 10
