import type { Figure } from './figure.ts'
import { currencyBefore, perBehind, type Unit, unitBehind, unitsPer } from './language/units.ts'

/** Whether a number is the least or the most that something is. */
export type Bound = 'min' | 'max'

/** A number with what stands around it. */
export interface Quantity {
  readonly figure: Figure
  /** The units that it may have. Empty: none is known. */
  readonly units: readonly Unit[]
  readonly isNegative: boolean
  readonly bound: Bound | undefined
  /** With its sign and unit. */
  readonly start: number
  readonly end: number
}

/** Reads a number of a cleaned text. `next`: the one behind it, whose unit it has in `5–10 %`. */
export function quantityOf(text: string, read: Figure, next?: Quantity, language?: string): Quantity {
  const before = text.slice(Math.max(0, read.start - maxBefore), read.start)
  const written = unitOf(text, read)
  const figure = written ? { ...read, values: valuesIn(language, text, read) } : read
  const isRange =
    !written && next && next.figure.start - figure.end <= 8 && range.test(text.slice(figure.end, next.figure.start))
  const behind = text.slice(written?.end ?? figure.end, (written?.end ?? figure.end) + maxBehind)
  const { kind, start: introducedAt } = introduction(before)
  const signedAt = kind === 'minus' ? introducedAt : signAt(before)
  // All that is looked for behind a number begins with a letter.
  const hasWords = wordBehind.test(behind)
  const negative = hasWords ? below.exec(behind) : null
  return {
    figure,
    units: written?.units ?? (isRange ? next.units : []),
    isNegative: signedAt < before.length || negative !== null,
    bound: kind === 'min' || kind === 'max' ? kind : hasWords ? boundBehind(behind) : undefined,
    start: Math.min(written?.start ?? figure.start, figure.start - (before.length - signedAt)),
    end: Math.max(written?.end ?? 0, figure.end) + (negative?.[0].length ?? 0),
  }
}

/** Where the sign begins that makes a number negative; the end where there is none. */
function signAt(before: string): number {
  const sign = minusSign.exec(before.slice(-2))
  const at = before.length - (sign?.[0].length ?? 0)
  return sign && (sign[1] === '−' || signPlace.test(before.slice(Math.max(0, at - 3), at))) ? at : before.length
}

/** Which of its values a number has whose mark groups its digits in this language: `3.600` in German. */
function valuesIn(language: string | undefined, text: string, { values, start, digitsEnd }: Figure): Figure['values'] {
  const mark = eitherMark.exec(text.slice(start, digitsEnd))?.[1]
  if (language === undefined || mark === undefined || (mark === ',') !== withPoint.has(language)) return values
  // Each is read with its decimals first.
  return values.filter((_, at) => at % 2 === 1)
}

/** Digits with a mark that may stand before decimals or group them. */
const eitherMark = /^\d{1,3}([.,])(?:\d{2,3}\1)*(?!000)\d{3}$/

/** Languages whose decimals stand behind a point. */
const withPoint = new Set(['en', 'zh', 'ko', 'th', 'he', 'hi', 'ar'])

function unitOf(text: string, figure: Figure): { units: readonly Unit[]; start: number; end: number } | undefined {
  const { start, end, digitsEnd, values } = figure
  const money = currencyBefore(text, start)
  if (money) {
    const per = perBehind(text, end)
    return per ? { units: unitsPer(money.units, per.units), start: money.start, end: per.end } : money
  }
  // Letters right before it belong to a name: `A4`, `Q3`.
  if (/\p{Script=Latin}/u.test(text.charAt(start - 1))) return undefined
  const percent = /百分之\s?$/.exec(text.slice(Math.max(0, start - 5), start))
  if (percent) return { units: [{ kind: 'percent', factor: 1 }], start: start - percent[0].length, end }
  const isYear = values.length === 1 && Number.isInteger(values[0]?.value) && isYearNumber(values[0]?.value ?? 0)
  const found = unitBehind(text, end) ?? (digitsEnd < end ? unitBehind(text, digitsEnd) : undefined)
  if (!found) return undefined
  const units = found.units
    .flatMap((unit) => unitIn(unit, text, start) ?? [])
    .filter(({ kind }) => kind !== 'months' || !isYear)
  return units.length > 0 ? { units, start, end: found.end } : undefined
}

/** A unit that words before the number make plain: `摄氏12度`, `时速100公里`. */
function unitIn(unit: Unit, text: string, start: number): Unit | undefined {
  const before = text.slice(Math.max(0, start - 4), start)
  if (unit.kind === 'degrees' && /[摄摂攝]氏|섭씨/.test(before)) return { kind: 'temperature', factor: 1 }
  if (unit.kind === 'degrees' && /[华華]氏|화씨/.test(before)) return { kind: 'fahrenheit', factor: 1 }
  return unit
}

const isYearNumber = (value: number) => value >= 1000 && value < 3000

function boundBehind(behind: string): Bound | undefined {
  if (orMore.test(behind)) return 'min'
  if (orLess.test(behind)) return 'max'
  if (!notAscii.test(behind)) return undefined
  return orMoreUnspaced.test(behind) ? 'min' : orLessUnspaced.test(behind) ? 'max' : undefined
}

const notAscii = /[^\0-\x7f]/
const wordBehind = /^\s?\p{L}/u

/** In characters around a number. */
const maxBefore = 32
const maxBehind = 24
const range =
  /^\s?(?:[-‐-―~〜～]|to|and|or|bis|und|oder|à|et|ou|a|y|o|e|до|и|إلى|و|至|到|から|에서|[x×])\s?[-−–]?(?:[A-Z]{0,2}[$€£¥])?$/u
const minusSign = /([-−–])[$€£¥]?$/u
/** Before a sign that is no hyphen and no range: nothing, a space behind a word, or a letter of a script without spaces. */
const signPlace =
  /(?:^|[(:/|"“«]|(?<![\p{N}%°]\s?)\s|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}])$/u
const below =
  /^\s?(?:degrees?\s)?(?:below (?:zero|freezing)|unter null|bajo cero|sous zéro|sotto zero|abaixo de zero|negativ[oea]s?|ниже нуля|мороза|تحت الصفر)/iu

/** How a number is introduced: phrases of at most three words, and what a text without spaces ends with. */
const phrases = new Map<string, Bound | 'minus' | 'none'>()
const endings: (readonly [string, Bound | 'minus' | 'none'])[] = []
for (const [kind, text] of [
  [
    'min',
    `at least|more than|over|above|exceeding|no less than|no fewer than|not less than|minimum of|at minimum|mindestens|über|mehr als|wenigstens|
    au moins|plus de|minimum|al menos|por lo menos|como mínimo|más de|pelo menos|ao menos|no mínimo|mais de|almeno|più di|не менее|не меньше|
    более|больше|свыше|минимум|أكثر من|ما لا يقل عن|لا يقل عن|لا تقل عن|至少|超过|超過|多于|不少于|最少|少なくとも|少なくても|적어도|최소|최소한`,
  ],
  [
    'max',
    `at most|up to|less than|fewer than|under|below|no more than|not more than|maximum of|höchstens|maximal|bis zu|weniger als|unter|au plus|
    au maximum|jusqu’à|jusqu'à|moins de|como máximo|a lo sumo|menos de|no máximo|meno di|al massimo|не более|не больше|менее|меньше|максимум|
    أقل من|لا يزيد عن|لا تزيد عن|最多|不到|不超过|少于|至多|多くとも|多くても|最大|최대|많아야|많아도|기껏해야`,
  ],
  ['minus', 'minus|moins|menos|meno|минус|ناقص|سالب|マイナス|零下|氷点下|영하|마이너스|负'],
] as const) {
  for (const phrase of text.split('|').map((one) => one.trim())) {
    if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(phrase))
      endings.push([phrase, kind])
    else phrases.set(phrase, kind)
  }
}
endings.sort(([one], [other]) => other.length - one.length)

/** What the words right before a number say of it, and where they begin. The longest phrase counts. */
function introduction(before: string): { readonly kind: Bound | 'minus' | 'none'; readonly start: number } {
  let end = before.length
  while (end > 0 && /[\s$€£¥₹₩]/.test(before.charAt(end - 1))) end--
  const nothing = { kind: 'none', start: before.length } as const
  if (end === 0 || /[\d.,;:()]/.test(before.charAt(end - 1))) return nothing
  if (before.charCodeAt(end - 1) > 0x2fff) {
    // "At most there are 15" has a verb between.
    const tail = before.slice(0, end).replace(/[有为為是达達]$/, '')
    const found = endings.find(([phrase]) => tail.endsWith(phrase))
    return found ? { kind: found[1], start: tail.length - found[0].length } : nothing
  }
  let [kind, start, at]: [Bound | 'minus' | 'none', number, number] = ['none', before.length, end]
  for (let count = 0; count < 4 && at > 0; count++) {
    at = before.lastIndexOf(' ', at - 1)
    const found = phrases.get(before.slice(at + 1, end).toLowerCase())
    if (found !== undefined) [kind, start] = [found, at + 1]
  }
  return { kind, start }
}

const orMore = /^\s?(?:or more|and more|oder mehr|ou plus|o más|ou mais|и более|على الأقل)/iu
const orLess = /^\s?(?:or less|or fewer|oder weniger|ou moins|o menos|ou menos|и менее|على الأكثر)/iu
const orMoreUnspaced = /^\p{L}{0,4}?\s?(?:以上|이상|を超え|を上回|を越え|가 넘|이 넘|넘)/u
const orLessUnspaced = /^\p{L}{0,4}?\s?(?:以下|以内|未満|を下回|이하|미만)/u

/** A number of which nothing else is known. */
export function plainQuantity(value: number): Quantity {
  const places = { at: 0, start: 0, end: 0, digitsEnd: 0 }
  return quantityAs({ values: [{ value, step: 0 }], ...places, isSpelled: false, isSure: true }, [])
}

/** A number in a date. */
export function dateQuantity(figure: Figure): Quantity {
  return quantityAs(figure, [{ kind: dateKind, factor: 1 }])
}

export const dateKind = 'date'

function quantityAs(figure: Figure, units: readonly Unit[]): Quantity {
  return { figure, units, isNegative: false, bound: undefined, start: figure.start, end: figure.end }
}
