/** Both ends of an interval. */
export interface Interval {
  readonly low: number
  readonly high: number
}

/** A share with its 95 % interval. */
export interface Share extends Interval {
  readonly hits: number
  readonly of: number
  /** 0 to 1. */
  readonly share: number
}

/** The 97.5 % point of the normal distribution. */
const z = 1.959964

/** A share with Wilson's score interval, which holds for few trials and for shares near 0 and 1. */
export function shareOf(values: readonly boolean[]): Share | undefined {
  const of = values.length
  if (of === 0) return undefined
  const hits = values.filter(Boolean).length
  const { low, high } = wilson(hits, of)
  return { hits, of, share: hits / of, low, high }
}

function wilson(hits: number, of: number): Interval {
  const share = hits / of
  const middle = share + (z * z) / (2 * of)
  const spread = z * Math.sqrt((share * (1 - share)) / of + (z * z) / (4 * of * of))
  const scale = 1 + (z * z) / of
  return { low: Math.max(0, (middle - spread) / scale), high: Math.min(1, (middle + spread) / scale) }
}

/** The difference of two shares over the same questions. */
export interface Difference extends Interval {
  /** -1 to 1: how much more often the second one hit. */
  readonly difference: number
  readonly of: number
  /** Questions that only the first one hit, and only the second one. */
  readonly onlyFirst: number
  readonly onlySecond: number
}

/**
 * The difference second − first of paired outcomes, with Newcombe's hybrid score interval for paired proportions
 * (method 10 of Newcombe 1998, Statistics in Medicine 17:2635).
 */
export function pairedDifference(
  pairs: readonly (readonly [first: boolean, second: boolean])[],
): Difference | undefined {
  const of = pairs.length
  if (of === 0) return undefined
  const count = (first: boolean, second: boolean) => pairs.filter(([a, b]) => a === first && b === second).length
  const [both, onlySecond, onlyFirst, neither] = [
    count(true, true),
    count(false, true),
    count(true, false),
    count(false, false),
  ]
  const one = both + onlySecond
  const other = both + onlyFirst
  const difference = (one - other) / of
  const a = wilson(one, of)
  const b = wilson(other, of)
  const correlation = phi(both, onlySecond, onlyFirst, neither)
  const arm = (x: number, y: number) => Math.sqrt(Math.max(0, x * x - 2 * correlation * x * y + y * y))
  return {
    difference,
    of,
    onlyFirst,
    onlySecond,
    low: Math.max(-1, difference - arm(one / of - a.low, b.high - other / of)),
    high: Math.min(1, difference + arm(a.high - one / of, other / of - b.low)),
  }
}

/** The correlation of paired outcomes, with Newcombe's correction of a positive one. */
function phi(both: number, onlySecond: number, onlyFirst: number, neither: number): number {
  const product = (both + onlySecond) * (onlyFirst + neither) * (both + onlyFirst) * (onlySecond + neither)
  if (product === 0) return 0
  const raw = both * neither - onlySecond * onlyFirst
  const of = both + onlySecond + onlyFirst + neither
  return (raw > 0 ? Math.max(0, raw - of / 2) : raw) / Math.sqrt(product)
}

/** The arithmetic mean; `undefined` of none. */
export function mean(values: readonly number[]): number | undefined {
  return values.length > 0 ? values.reduce((sum, value) => sum + value, 0) / values.length : undefined
}
