import { isCommon, languageOfWords } from '@csp/language/words'
import { datesIn, type WrittenDate } from './dates.ts'
import type { Figure } from './figure.ts'
import { type SpelledShare, spelledShares } from './language/fractions.ts'
import { roughly } from './language/numbers.ts'
import { isFalling } from './language/opposites.ts'
import { type Quantity, quantityOf } from './quantities.ts'
import { quotationsIn, quotedParts } from './quotes.ts'
import { type Scan, scan } from './scan.ts'

/** A sentence as it is looked for. */
export interface SoughtClaim {
  /** The words that say something, by their stems. */
  readonly terms: readonly string[]
  /** Which of them are names or begin like one. */
  readonly names: ReadonlySet<string>
  readonly quantities: readonly Quantity[]
  /** Two numbers that belong together, as in `3–1`. */
  readonly scores: readonly (readonly [Quantity, Quantity])[]
  /** Whether something fell or was lost: the page may have it as a number below zero. */
  readonly isFalling: boolean
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
  const shares = [...spelledShares(text)].filter(({ isSure }) => isSure).slice(0, maxFigures)
  const names = new Set<string>()
  const terms = new Set<string>()
  found.stems.forEach((stem, at) => {
    if (isCommon(found.words[at] ?? '')) return
    // The page may have it in digits.
    if (isWithin(shares, { start: found.starts[at] ?? 0, end: found.ends[at] ?? 0 })) return
    terms.add(stem)
    if (/^\p{Lu}/u.test(text.slice(found.starts[at], found.ends[at]))) names.add(stem)
  })
  const quotations = quotationsIn(text).map((quotation) => ({
    text: quotation.text,
    rows: quotedParts(quotation.text).map((part) => scan(part).words),
    share: (quotation.end - quotation.start) / text.length,
  }))
  const quantities = quantitiesIn(found, shares, dates, language ?? usual)
  return {
    terms: [...terms],
    names,
    quantities,
    scores: scoresIn(text, quantities),
    isFalling: found.words.some(isFalling),
    dates,
    quotations,
    scan: found,
    language,
  }
}

type Extent = Pick<Figure, 'start' | 'end'>

function isWithin(extents: readonly Extent[], { start, end }: Extent): boolean {
  return extents.some((one) => start >= one.start && end <= one.end)
}

/** The numbers that are no part of a date, and mean more than the article "a". */
function quantitiesIn(
  { text, figures }: Scan,
  shares: readonly SpelledShare[],
  dates: readonly WrittenDate[],
  language: string | undefined,
): readonly Quantity[] {
  const quantities: Quantity[] = []
  for (const figure of figures.slice(0, maxFigures).toReversed()) {
    if (isWithin(shares, figure)) continue
    if (dates.some((date) => isInDate(figure, date)) || (figure.isSpelled && figure.values[0]?.value === 1)) continue
    const before = text.slice(Math.max(0, figure.start - maxBefore), figure.start)
    const isSure = figure.isSure && !isInFraction(text, figure)
    // Raised digits in an answer are no note.
    const values = figure.power === undefined ? figure.values : figure.values.slice(figure.values.length / 2)
    const sought = { ...figure, ...(about.test(before) ? roughly({ values }) : { values }), isSure }
    quantities.unshift(quantityOf(text, sought, quantities[0], language))
  }
  // "16 below zero" is one.
  const numbers = quantities.filter(({ figure }, place) => figure.start >= (quantities[place - 1]?.end ?? 0))
  return [...numbers, ...shares.map((share) => shareQuantity(text, share))]
}

/** Within a point, or five where it is said to be rounded; a page may have it as a fraction of one, too. */
function shareQuantity(text: string, { percent, start, end }: SpelledShare): Quantity {
  const isRough = about.test(text.slice(Math.max(0, start - maxBefore), start))
  const values = [
    { value: percent, step: isRough ? 10 : 2 },
    { value: percent / 100, step: 0.02 },
  ]
  const figure = { at: -1, start, end, digitsEnd: end, values, isSpelled: true, isSure: true }
  return { figure, units: [{ kind: 'percent', factor: 1 }], isNegative: false, bound: undefined, start, end }
}

function scoresIn(text: string, quantities: readonly Quantity[]): SoughtClaim['scores'] {
  return quantities.flatMap((first, place) => {
    const second = quantities[place + 1]
    if (!second || !isScorePart(first) || !isScorePart(second)) return []
    return scoreMark.test(text.slice(first.figure.end, second.figure.start)) ? [[first, second] as const] : []
  })
}

function isScorePart({ figure: { values, isSpelled } }: Quantity): boolean {
  const [one] = values
  return !isSpelled && values.length === 1 && one !== undefined && Number.isInteger(one.value) && one.value < 1000
}

const scoreMark = /^\s?(?:[-‐-―~〜～:：比]|票?对|対|대|to|zu|a|à)\s?$/u

export function isInDate({ start, end }: Figure, date: WrittenDate): boolean {
  return start >= date.start && end <= date.end
}

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
    'около|почти|более|свыше|примерно|около|prawie|ponad|yaklaşık|約|约|近|接近|超过|약|حوالي|نحو|أكثر من|लगभग|करीब|ประมาณ',
  ].join('|')})\s?[$€£¥]?\s?$`,
  'i',
)
const maxBefore = 24
/** A sentence with more is a table. */
const maxFigures = 100
