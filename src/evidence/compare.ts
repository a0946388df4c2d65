import type { Missing } from '../domain/evidence.ts'
import { exactly, roughly } from '../language/numbers.ts'
import { isCommon, languageOfWords } from '../language/words.ts'
import { datesIn, type WrittenDate } from './dates.ts'
import type { PageIndex } from './page-index.ts'
import { hasRow, quotationsIn, quotedParts } from './quotes.ts'
import { type Figure, type Scan, scan } from './scan.ts'

/** A sentence as it is looked for. */
export interface SoughtClaim {
  /** The words that say something, by their stems. */
  readonly terms: readonly string[]
  /** Which of them are names or begin like one. */
  readonly names: ReadonlySet<string>
  readonly figures: readonly Figure[]
  readonly dates: readonly WrittenDate[]
  readonly quotations: readonly {
    readonly text: string
    readonly rows: readonly (readonly string[])[]
    readonly share: number
  }[]
  readonly scan: Scan
  readonly language: string | undefined
}

/** Reads a sentence. `given`: the language of the text that it is from. `usual`: in which it is, where nothing tells. */
export function readClaim(text: string, given?: string, usual?: string): SoughtClaim {
  const found = scan(text)
  const language = given ?? languageOfWords(found.words)
  const dates = datesIn(found, language ?? usual).slice(0, maxFigures)
  const names = new Set<string>()
  const terms = new Set<string>()
  found.stems.forEach((stem, at) => {
    if (isCommon(found.words[at] ?? '')) return
    terms.add(stem)
    if (/^\p{Lu}/u.test(text.slice(found.starts[at], found.ends[at]))) names.add(stem)
  })
  const quotations = quotationsIn(text).map((quotation) => ({
    text: quotation.text,
    rows: quotedParts(quotation.text).map((part) => scan(part).words),
    share: (quotation.end - quotation.start) / text.length,
  }))
  const figures = found.figures
    .slice(0, maxFigures)
    .filter(
      (figure) => !dates.some((date) => isWithin(figure, date)) && !(figure.isSpelled && figure.values[0]?.value === 1),
    )
    .map((figure) => {
      const before = text.slice(Math.max(0, figure.start - 24), figure.start)
      const isSpelled = figure.isSpelled || isInFraction(text, figure)
      return { ...figure, ...(about.test(before) && roughly(figure)), isSpelled }
    })
  return {
    terms: [...terms],
    names,
    figures,
    dates,
    quotations,
    scan: found,
    language,
  }
}

function isWithin({ start, end }: Figure, date: WrittenDate): boolean {
  return start >= date.start && end <= date.end
}

/** How much of a sentence some pages have. */
export interface Compared {
  /** From 0 to 1. */
  readonly score: number
  readonly missing: readonly Missing[]
  /** How much of the sentence is the words that it quotes and no page has, from 0 to 1. */
  readonly misquoted: number
  /** The page that has most of it, and where: with its figures, if any page has them. */
  readonly best: { readonly page: PageIndex; readonly start: number; readonly end: number } | undefined
  /** Whether something of it is there that languages share: a number, a date or, where it has none, most of its names. */
  readonly isSignFound: boolean
  /** Whether it has several numbers or a whole date, each of which is there: then the words are others at most. */
  readonly hasSigns: boolean
}

export function compare(claim: SoughtClaim, pages: readonly PageIndex[], isOver: () => boolean): Compared {
  const { terms, names, figures } = claim
  const hasFigure = (figure: Figure) => pages.some((page) => page.hasNumber(figure))
  const hasYear = (year: number) => pages.some((page) => page.hasNumber(exactly(year)))
  const hasEachDate = (date: WrittenDate) =>
    pages.some(({ dates }) => dates.has(date, hasYear)) ||
    // A date that can be read in two ways needs one of them.
    claim.dates.some(
      (other) => other !== date && other.start === date.start && pages.some(({ dates }) => dates.has(other, hasYear)),
    )
  const share = (found: number, all: number) => (all === 0 ? 1 : found / all)
  const spans = pages.map((page) => ({ page, ...page.bestSpan(terms, isOver) }))
  const inDates = claim.scan.figures.filter((figure) => claim.dates.some((date) => isWithin(figure, date)))
  const best = spans
    .map(({ page, has, ...span }) => ({ page, has, ...page.placeToShow([...figures, ...inDates], terms, span) }))
    .toSorted((a, b) => b.figures - a.figures || b.has.length - a.has.length)[0]
  const foundNumbers = figures.filter(hasFigure)
  const foundDates = claim.dates.filter(hasEachDate)
  const numbers = figures.length + claim.dates.length
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
      0.5 * share(foundNumbers.length + foundDates.length, numbers) +
      0.5 * share(foundNames.length, nameList.length)) /
    3.5
  const missing: Missing[] = [
    ...figures
      .filter((figure) => !figure.isSpelled && !hasFigure(figure))
      .map(({ start, end }) => ({ kind: 'number' as const, text: claim.scan.text.slice(start, end) })),
    ...claim.dates
      .filter(
        (date, place) => !hasEachDate(date) && claim.dates.findIndex(({ start }) => start === date.start) === place,
      )
      .map(({ start, end }) => ({ kind: 'date' as const, text: claim.scan.text.slice(start, end) })),
    ...misquotes.map(({ text }) => ({ kind: 'quotation' as const, text })),
  ]
  const wholeDates = foundDates.filter(({ day, year }) => day !== undefined && year !== undefined).length
  return {
    score,
    missing,
    misquoted: sum(misquotes.map(({ share }) => share)),
    best: best && best.has.length > 0 ? best : undefined,
    isSignFound:
      numbers > 0
        ? foundNumbers.length + foundDates.length > 0
        : nameList.length > 0 && foundNames.length >= nameList.length / 2,
    hasSigns: missing.length === 0 && foundNumbers.length + 2 * wholeDates >= 2 && score >= minWithSigns,
  }
}

const minWithSigns = 0.4
/** Whether a figure is a part of `2/3`: a page may have the fraction in words. */
function isInFraction(text: string, { start, end }: Figure): boolean {
  return (
    end === start + 1 &&
    (/^\/\d(?![\d/])/.test(text.slice(end, end + 3)) ||
      /(?<![\d/])\d\/$/.test(text.slice(Math.max(0, start - 3), start)))
  )
}

/** What stands before a number that is rounded. */
const about = new RegExp(
  String.raw`(?:${[
    'about|around|roughly|approximately|approx\\.?|nearly|almost|over|under|some|circa|ca\\.?|(?:more|less|fewer) than|at least|up to',
    'rund|etwa|fast|knapp|ungefähr|gut|über|mehr als|mindestens|environ|près de|presque|plus de|quelque',
    'unos|unas|casi|cerca de|más de|aproximadamente|quasi|oltre|più di|quase|mais de|ongeveer|bijna|ruim|meer dan',
    'около|почти|более|свыше|примерно|około|prawie|ponad|yaklaşık|約|约|近|超过|약|حوالي|نحو|أكثر من|लगभग|करीब|ประมาณ',
  ].join('|')})\s?[$€£¥]?\s?$`,
  'i',
)
/** A sentence with more is a table. */
const maxFigures = 100

function sum(numbers: readonly number[]): number {
  let all = 0
  for (const number of numbers) all += number
  return all
}
