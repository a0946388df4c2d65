import type { Pieces } from '@csp/lib/pieces'
import { firstPlace } from '@csp/lib/text'
import type { Figure } from './figure.ts'
import { spelledShares } from './language/fractions.ts'
import { kindsOfDollars, type Unit } from './language/units.ts'
import { type Bound, dateKind, type Quantity, quantityOf } from './quantities.ts'
import type { Scan } from './scan.ts'

/** The numbers of a page by what they measure, so that an amount is found in any unit of its kind. */
export class QuantityIndex {
  /** Two numbers that stand close together, the smaller one first. */
  readonly #scores = new Set<string>()
  /** By kind and bound. */
  readonly #values = new Map<string, Amounts>()

  static *reading(
    { text, figures, sentences, sentenceStarts }: Scan,
    days: ReadonlySet<unknown>,
    years: readonly number[],
    language: string | undefined,
  ): Pieces<QuantityIndex> {
    const index = new QuantityIndex()
    const lists = new Map<string, { readonly values: number[]; readonly sentences: number[] }>()
    const add = (kind: string, value: number, sentence: number): void => {
      const list = lists.get(kind) ?? { values: [], sentences: [] }
      if (list.values.length === 0) lists.set(kind, list)
      list.values.push(value)
      list.sentences.push(sentence)
    }
    for (const year of years) add(keyOf(anyNumber, undefined), year, -1)
    let next: Quantity | undefined
    for (const [count, figure] of figures.toReversed().entries()) {
      if (count % figuresAtOnce === 0) yield
      const sentence = sentences[figure.at] ?? -1
      if (days.has(figure)) {
        for (const { value } of figure.values) add(dateKind, value, sentence)
        continue
      }
      if (next && next.figure.start - figure.end <= maxBetween) index.#scores.add(scoreOf(figure, next.figure))
      next = quantityOf(text, figure, next, language)
      for (const { kind, value } of readingsOf(next)) add(keyOf(kind, next.bound), value, sentence)
    }
    let shares = 0
    for (const { percent, start } of spelledShares(text)) {
      const sentence = firstPlace(sentenceStarts, (begin) => begin > start) - 1
      for (const key of ['percent', inUnit]) add(keyOf(key, undefined), percent, sentence)
      if (++shares % figuresAtOnce === 0) yield
    }
    for (const [key, list] of lists) {
      index.#values.set(key, { ...list, ascending: Float64Array.from(list.values).sort() })
      yield
    }
    return index
  }

  /** Whether an amount stands here, or one that it may be rounded from. `anySign`: a word says which way it goes. */
  has(quantity: Quantity, anySign = false): boolean {
    return this.#isThere(quantity, anySign, (kind, low, high, bound) => this.#anyWithin(kind, low, high, bound))
  }

  hasScore(first: Quantity, second: Quantity): boolean {
    return this.#scores.has(scoreOf(first.figure, second.figure))
  }

  /** Whether a number stands here, whatever it measures and whichever sign it has. */
  hasNumber({ figure }: Quantity): boolean {
    return figure.values.some(({ value, step }) => {
      const tolerance = toleranceOf(value, step)
      return [value, -value].some((one) => this.#anyWithin(anyNumber, one - tolerance, one + tolerance))
    })
  }

  /** The first sentences that have an amount. */
  sentencesWith(quantity: Quantity, maxPlaces: number): readonly number[] {
    const found: number[] = []
    this.#isThere(quantity, true, (kind, low, high, bound) => {
      for (const key of keysOf(kind, bound)) {
        const known = this.#values.get(key)
        if (!known || !hasWithin(known, low, high)) continue
        // They were read from the end.
        for (let at = known.values.length - 1; at >= 0 && found.length < maxPlaces; at--) {
          const [value = 0, sentence = -1] = [known.values[at], known.sentences[at]]
          if (sentence >= 0 && value >= low && value <= high) found.push(sentence)
        }
      }
      return found.length > 0
    })
    return [...new Set(found)]
  }

  #isThere(
    quantity: Quantity,
    anySign: boolean,
    isWithin: (kind: string, low: number, high: number, bound: Bound | undefined) => boolean,
  ): boolean {
    const { units, bound } = quantity
    const within = ({ kind, value, tolerance }: Reading) =>
      isWithin(kind, value - tolerance, value + tolerance, bound) ||
      (anySign && isWithin(kind, -value - tolerance, -value + tolerance, bound))
    const readings = readingsOf(quantity)
    if (units.length === 0) return readings.filter(({ kind }) => kind === anyNumber).some(within)
    if (readings.some((one) => one.kind !== anyNumber && one.kind !== inUnit && within(one))) return true
    // A number in a table may have its unit elsewhere; not where the page gives it with another one.
    const raw = readings.filter(({ kind }) => kind === inUnit)
    return (
      raw.some((one) => within({ ...one, kind: bare })) &&
      !raw.some(({ value, tolerance }) =>
        [value, -value].some((other) => isWithin(inUnit, other - tolerance, other + tolerance, undefined)),
      )
    )
  }

  #anyWithin(kind: string, low: number, high: number, bound?: Bound): boolean {
    return keysOf(kind, bound).some((key) => hasWithin(this.#values.get(key), low, high))
  }
}

interface Amounts {
  readonly values: readonly number[]
  /** Where each stands. */
  readonly sentences: readonly number[]
  readonly ascending: Float64Array
}

function hasWithin(amounts: Amounts | undefined, low: number, high: number): boolean {
  const { ascending = [] } = amounts ?? {}
  const next = ascending[firstPlace(ascending, (known) => known >= low)]
  return next !== undefined && next <= high
}

interface Reading {
  readonly kind: string
  /** In the first unit of the kind, with its sign. */
  readonly value: number
  readonly tolerance: number
}

/** Numbers of any kind; those without a unit, and those with one as they are written. */
const anyNumber = 'any'
const bare = 'bare'
const inUnit = 'unit'
/** Behind the kind of an amount that is a share of something. */
const shared = ' shared'
const figuresAtOnce = 512
/** In characters, between the numbers of a score. */
const maxBetween = 32
/** Two is no rounded one and a half. */
const maxRounding = 0.12

/** What an amount may be, in the first unit of each kind. */
function readingsOf({ figure, units, isNegative }: Quantity): readonly Reading[] {
  const sign = isNegative ? -1 : 1
  return figure.values.flatMap(({ value, step }) => {
    const tolerance = toleranceOf(value, step)
    const raw = { value: sign * value, tolerance }
    const measured = units.flatMap((unit) => readingsIn(unit, sign * value, tolerance))
    return [{ kind: anyNumber, ...raw }, { kind: units.length === 0 ? bare : inUnit, ...raw }, ...measured]
  })
}

function scoreOf(first: Figure, second: Figure): string {
  const numbers = [first, second].map(({ values }) => values[0]?.value ?? 0)
  return `${Math.min(...numbers)} ${Math.max(...numbers)}`
}

function toleranceOf(value: number, step: number): number {
  return Math.abs(value) * 1e-9 + Math.min(step / 2, Math.abs(value) * maxRounding)
}

/** A share also as the amount that is shared. */
function readingsIn({ per, ...unit }: Unit, value: number, tolerance: number): readonly Reading[] {
  const amounts = inFirstUnits(unit, value, tolerance)
  if (!per) return amounts
  return amounts.flatMap((one) => [
    { kind: `${one.kind}/${per.kind}`, value: one.value / per.factor, tolerance: one.tolerance / per.factor },
    { ...one, kind: one.kind + shared },
  ])
}

function inFirstUnits({ kind, factor }: Unit, value: number, tolerance: number): readonly Reading[] {
  const temperature = (degrees: number, factor = 1) => [
    { kind: 'temperature', value: degrees, tolerance: tolerance * factor },
    // A difference of two temperatures.
    { kind: 'warmth', value: value * factor, tolerance: tolerance * factor },
  ]
  if (kind === 'temperature') return temperature(value)
  if (kind === 'fahrenheit') return temperature((value - 32) / 1.8, 1 / 1.8)
  if (kind === 'kelvin') return temperature(value - 273.15)
  if (kind === 'degrees')
    return [...temperature(value), ...temperature((value - 32) / 1.8, 1 / 1.8), { kind: 'angle', value, tolerance }]
  if (kind === 'money:$') return dollars.map((one) => ({ kind: one, value, tolerance }))
  return [{ kind, value: value * factor, tolerance: tolerance * factor + Math.abs(value * factor) * 1e-6 }]
}

const dollars = kindsOfDollars()

/**
 * The lists in which a number may be that is the least, the most or neither. A page may leave out of what an amount is a
 * share, or say it elsewhere, and so may a claim; two shares are compared as shares.
 */
function keysOf(kind: string, bound: Bound | undefined): readonly string[] {
  const bounds = bound === undefined ? ([undefined, 'min', 'max'] as const) : ([undefined, bound] as const)
  const kinds = kind.endsWith(shared) ? [kind.slice(0, -shared.length)] : [kind, kind + shared]
  return kinds.flatMap((one) => bounds.map((its) => keyOf(one, its)))
}

function keyOf(kind: string, bound: Bound | undefined): string {
  return bound === undefined ? kind : `${kind} ${bound}`
}
