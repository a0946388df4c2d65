import type { NumberReading } from './language/numbers.ts'

/** A number of a text. */
export interface Figure extends NumberReading {
  /** The place of its digits among the words. */
  readonly at: number
  readonly start: number
  readonly end: number
  readonly isSpelled: boolean
  /** Whether it stands for its value and nothing else: most digits do, `one` and ordinals do not. */
  readonly isSure: boolean
  /** Behind the digits alone, where a word or sign behind them may be a unit or say how large it is. */
  readonly digitsEnd: number
  /** Raised digits behind it are an exponent, or name a note. */
  readonly power?: number | undefined
}
