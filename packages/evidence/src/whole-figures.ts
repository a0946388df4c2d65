import { foldedWord } from '@csp/language/words'
import type { Pieces } from '@csp/lib/pieces'
import type { Figure } from './figure.ts'
import { type NumberReading, scaled, together } from './language/numbers.ts'
import { spelledTogether } from './language/spelled-numbers.ts'

/** Numbers of several parts are one. Works in pieces: a page may be nothing but numbers. */
export function* wholeFigures(figures: readonly Figure[], text: string): Pieces<readonly Figure[]> {
  const parts = yield* joinedParts(figures, text)
  const whole: Figure[] = []
  for (const [at, figure] of parts.entries()) {
    whole.push(withHalf(figure, parts[at + 1], text))
    if ((at + 1) % figuresAtOnce === 0) yield
  }
  return whole
}

function* joinedParts(figures: readonly Figure[], text: string): Pieces<readonly Figure[]> {
  const whole: Figure[] = []
  for (const [at, figure] of figures.entries()) {
    if ((at + 1) % figuresAtOnce === 0) yield
    const last = whole.at(-1)
    const sum = last && sumOf(last, figure, text)
    if (!last || !sum) {
      // It has had its part in a number, or is money.
      if (last && isCent(last, text)) whole.pop()
      whole.push(figure)
      continue
    }
    const isSure = figure.isSpelled || figure.isSure
    whole[whole.length - 1] = { ...figure, ...sum, start: last.start, isSure, digitsEnd: figure.end }
  }
  const last = whole.at(-1)
  if (last && isCent(last, text)) whole.pop()
  return whole
}

/** Two parts that stand side by side as one number, if they are one. */
function sumOf(last: Figure, figure: Figure, text: string): NumberReading | undefined {
  const between = text.slice(last.end, figure.start)
  if (last.isSpelled && figure.isSpelled && joined.test(between) && (!isCent(last, text) || between.length < 2)) {
    const word = foldedWord(text.slice(figure.start, figure.digitsEnd))
    return spelledTogether(last, figure, word) ?? together(last, figure)
  }
  const isNext = between === '' || (between === ' ' && figure.unit !== undefined)
  return isNext && !figure.isSpelled ? together(last, figure) : undefined
}

/** A number with the half behind it, and the word behind that. */
function withHalf(figure: Figure, next: Figure | undefined, text: string): Figure {
  const half = andHalf.exec(text.slice(figure.end, figure.end + maxHalf))
  if (!half) return figure
  const { unit = 1 } = figure
  // "A million and a half" is half a million more, "a hundred and a half" is not.
  const one = unit >= 1e6 ? unit : 1
  const values = figure.values.flatMap((read) => [read, { value: read.value + one / 2, step: 0 }])
  const end = figure.end + half[0].length
  // "Two and a half million": the word behind it counts for both.
  const [behind = '', word = ''] = /^\s(\p{L}{1,16})(?!\p{L})/u.exec(text.slice(end, end + maxWord)) ?? []
  const isNumber = (next?.start ?? 0) === end + 1
  const larger = isNumber ? undefined : scaled({ values }, foldedWord(word), false)
  return { ...figure, values, end, ...(larger && { ...larger, end: end + behind.length }) }
}

/** Numbers that are read before yielding: about a millisecond. */
const figuresAtOnce = 500

/** A hundred in French, if it is a part of a number; else money. */
const isCent = ({ start, end }: Figure, text: string) => end - start === 4 && /^cent$/i.test(text.slice(start, end))

const maxHalf = 14
const maxWord = 18
const andHalf = /^(?:\s(?:and a half|et demie?|y medi[oa]|e mei[oa]|с половиной)(?!\p{L})|半|\s?반(?!\p{L}))/u

/** Between the words of a number. */
const joined = /^(?:[-\u2010\u2011 ]| ?,? (?:and|und|y|e|et|и) |)$/

/** A number with what stands behind it: `42²`, `9.4 × 10¹²`, `10^9`, `10<sup>9</sup>`, `10**9`, `1.5e6`. */
export function withPower(
  { values }: NumberReading,
  text: string,
  end: number,
): (Partial<Figure> & { readonly end: number }) | undefined {
  const behind = text.slice(end, end + maxPower)
  const [times = '', ofTen, plain] = scientific.exec(behind) ?? []
  if (times !== '') {
    const factor = 10 ** exponentOf(ofTen ?? plain ?? '')
    return {
      values: values.map(({ value, step }) => ({ value: value * factor, step: step * factor })),
      end: end + times.length,
    }
  }
  const [raised = ''] = raisedSign.exec(behind) ?? []
  const power = raised === '' ? 0 : exponentOf(raised)
  const [base] = values
  // What is written with a sign, or below zero, is no note.
  const isTen = base?.value === 10 && values.length === 1 && (/[\^*]/.test(raised) || power < 0)
  if (isTen && power !== 0 && Math.abs(power) <= maxExponent) {
    return { values: [{ value: 10 ** power, step: 0 }], end: end + raised.length }
  }
  if (power < 2 || power > maxExponent) return undefined
  const own = values.map(({ value }) => ({ value: value ** power, step: 0 }))
  return { values: [...values, ...own], power, end: end + raised.length }
}

function exponentOf(raised: string): number {
  return Number(/-?\d+(?=\D*$)/.exec(raised.normalize('NFKC').replace(/[−⁻]/g, '-'))?.[0] ?? 0)
}

const maxPower = 28
const maxExponent = 30
const raisedBy = String.raw`(?:\\?\^|\*\*)[({]?[-−]?\d{1,2}(?!\d)[)}]?|<sup>\s?[-−]?\d{1,2}\s?</sup>|⁻?[⁰¹²³⁴-⁹]{1,2}`
const raisedSign = new RegExp(`^(?:${raisedBy})`)
const scientific = new RegExp(String.raw`^(?:\s?[×x·*]\s?10(${raisedBy})|[eE]([+-]?\d{1,2})(?![\p{L}\d]))`, 'u')
