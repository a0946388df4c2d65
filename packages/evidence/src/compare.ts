import { isInDate, type SoughtClaim } from './claim.ts'
import type { WrittenDate } from './dates.ts'
import { doubtOf } from './doubts.ts'
import type { Doubt, Missing } from './evidence.ts'
import { missingNames } from './names.ts'
import type { PageIndex } from './page-index.ts'
import { dateQuantity, plainQuantity, type Quantity } from './quantities.ts'
import { hasRow } from './quotes.ts'
import { unseenWords } from './unseen.ts'

/** Sentences of a page, in its cleaned text. */
interface Place {
  readonly page: PageIndex
  readonly start: number
  readonly end: number
}

/** How much of a sentence some pages have. */
export interface Compared {
  /** From 0 to 1. */
  readonly score: number
  /** What names that no page has take from it. They never make a sentence \`not-found\`. */
  readonly unnamed: number
  readonly missing: readonly Missing[]
  readonly unseen: readonly string[]
  /** How much of the sentence is the words that it quotes and no page has, from 0 to 1. */
  readonly misquoted: number
  /** The page that has most of it, and where: with its figures, if any page has them. */
  readonly best: Place | undefined
  /** The place on each page that has the most of the sentence, if it has a good part of it. */
  readonly places: readonly Place[]
  /** Whether something of it is there that languages share: a number, a date or, where it has none, most of its names. */
  readonly isSignFound: boolean
  /** Whether it has several numbers or a whole date, each of which is there: then the words are others at most. */
  readonly hasSigns: boolean
  readonly doubt: Doubt | undefined
}

export function compare(claim: SoughtClaim, pages: readonly PageIndex[], isOver: () => boolean): Compared {
  const { terms, names, quantities } = claim
  const hasYear = (year: number) => pages.some((page) => page.quantities.hasNumber(plainQuantity(year)))
  const hasEachDate = (date: WrittenDate) =>
    pages.some(({ dates }) => dates.has(date, hasYear)) ||
    // A date that can be read in two ways needs one of them.
    claim.dates.some(
      (other) => other !== date && other.start === date.start && pages.some(({ dates }) => dates.has(other, hasYear)),
    )
  const share = (found: number, all: number) => (all === 0 ? 1 : found / all)
  const spans = pages.map((page) => ({ page, ...page.bestSpan(terms, isOver) }))
  const inDates = claim.scan.figures.filter((figure) => claim.dates.some((date) => isInDate(figure, date)))
  const shown = [...quantities, ...inDates.map(dateQuantity)]
  const places = spans
    .filter(({ has }) => has.length > 0)
    .map(({ page, has, ...span }) => ({ page, has, ...page.placeToShow(shown, terms, span) }))
  const best = places.toSorted((a, b) => b.figures - a.figures || b.has.length - a.has.length)[0]
  const isThere = new Set(quantities.filter((quantity) => hasQuantity(quantity, claim, pages)))
  for (const score of claim.scores) {
    if (!pages.some((page) => page.quantities.hasScore(...score))) isThere.delete(score[0])
    else for (const part of score) if (part.units.every(({ kind }) => kind === 'vehicles')) isThere.add(part)
  }
  const foundDates = claim.dates.filter(hasEachDate)
  const numbers = quantities.length + claim.dates.length
  const nameList = [...names]
  const foundNames = nameList.filter((name) => pages.some((page) => page.has(name)))
  const misquotes = claim.quotations.filter(
    ({ rows }) => !pages.some(({ words }) => rows.every((row) => hasRow(words, row))),
  )
  // Measured: words that weigh the more, the rarer they are, separate worse.
  const together = new Set(spans.flatMap(({ has }) => has)).size
  const inOne = Math.max(0, ...spans.map(({ inSentence }) => inSentence))
  const anywhere = terms.filter((term) => pages.some((page) => page.has(term))).length
  const score =
    (share(together, terms.length) +
      0.5 * share(inOne, terms.length) +
      share(anywhere, terms.length) +
      0.5 * share(isThere.size + foundDates.length, numbers) +
      0.5 * share(foundNames.length, nameList.length)) /
    3.5
  const missing: Missing[] = [
    ...quantities
      .filter((quantity) => isSure(quantity) && !isThere.has(quantity))
      .map((quantity) => ({ kind: 'number' as const, text: missingText(quantity, claim, pages) })),
    ...claim.dates
      .filter(
        (date, place) => !hasEachDate(date) && claim.dates.findIndex(({ start }) => start === date.start) === place,
      )
      .map(({ start, end }) => ({ kind: 'date' as const, text: claim.scan.text.slice(start, end) })),
    ...misquotes.map(({ text }) => ({ kind: 'quotation' as const, text })),
  ]
  const absent = missingNames(claim, pages)
  const allMissing = [...missing, ...absent.map((text) => ({ kind: 'name' as const, text }))]
  const wholeDates = foundDates.filter(({ day, year }) => day !== undefined && year !== undefined).length
  return {
    score,
    unnamed: Math.min(absent.length, maxUnnamed) * perName,
    missing: allMissing,
    unseen: unseenWords(claim, pages, allMissing),
    misquoted: sum(misquotes.map(({ share }) => share)),
    best,
    places: places.filter((place) => place === best || place.has.length >= terms.length * minShown),
    isSignFound:
      numbers > 0
        ? isThere.size + foundDates.length > 0
        : nameList.length > 0 && foundNames.length >= nameList.length / 2,
    doubt: doubtAbout(claim, pages),
    hasSigns: missing.length === 0 && isThere.size + 2 * wholeDates >= 2 && score >= minWithSigns,
  }
}

/** Whether the sentences that are most like it say something else. */
function doubtAbout({ scan: { text }, terms, language }: SoughtClaim, pages: readonly PageIndex[]): Doubt | undefined {
  if (text.length > maxDoubted) return undefined
  const likest = pages.flatMap((page) => page.likest(terms, maxLikest))
  const highest = Math.max(0, ...likest.map(({ shared }) => shared))
  if (highest < Math.min(2, terms.length) || highest < terms.length * minShared) return undefined
  return doubtOf(
    text,
    likest.filter(({ shared }) => shared === highest).map((one) => one.text),
    pages.find((page) => page.language !== undefined)?.language ?? language,
  )
}

/** Sentences of a page, and how many of the words they have. */
const maxLikest = 3
const minShared = 0.4
/** In characters: longer ones are lists. */
const maxDoubted = 1000

function hasQuantity(quantity: Quantity, { scan, isFalling }: SoughtClaim, pages: readonly PageIndex[]): boolean {
  const { figure, units } = quantity
  const anySign = isFalling && !units.some(({ kind }) => /^(?:temperature|fahrenheit|kelvin|degrees)$/.test(kind))
  if (pages.some(({ quantities }) => quantities.has(quantity, anySign))) return true
  // Capital letters may be an abbreviation as well, and a version is one word.
  const isWord =
    figure.values.length === 0 ||
    (figure.isSpelled && units.length === 0 && /^[IVXLCDM]+$/.test(scan.text.slice(figure.start, figure.end)))
  return isWord && pages.some((page) => page.has(scan.stems[figure.at] ?? ''))
}

/** Whether a number must be there: a word for one may mean something else, unless a unit is behind it. */
function isSure({ figure: { isSure, isSpelled, values }, units }: Quantity): boolean {
  return isSure || (isSpelled && units.length > 0 && (values[0]?.value ?? 0) > 2)
}

/** A number as the sentence has it; with sign and unit where a page has the number alone. */
function missingText(quantity: Quantity, { scan, scores }: SoughtClaim, pages: readonly PageIndex[]): string {
  const score = scores.find(([first]) => first === quantity)
  const isKnown = score !== undefined || pages.some(({ quantities }) => quantities.hasNumber(quantity))
  const { start, end } = isKnown ? quantity : quantity.figure
  return scan.text.slice(start, score?.[1].end ?? end)
}

const perName = 0.1
const maxUnnamed = 2
const minWithSigns = 0.4
/** The share of the words that a page has at a place which is shown for it. */
const minShown = 0.3

function sum(numbers: readonly number[]): number {
  let all = 0
  for (const number of numbers) all += number
  return all
}
