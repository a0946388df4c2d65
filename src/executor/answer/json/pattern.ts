/** How many steps a backtracking search with a pattern takes at most: `factor × length ** degree` of the text. */
export interface PatternCost {
  readonly factor: number
  readonly degree: number
}

/**
 * A bound on the work of a valid regular expression (flag `u`) on any text, from the number of ways in which it can
 * match at one place: alternatives add up, what follows one another multiplies, and an unlimited repetition can end at
 * each character. `undefined`: no such bound is known, as for repeated groups that can match in several ways,
 * lookarounds and backreferences.
 */
export function patternCost(source: string): PatternCost | undefined {
  if (source.length > maxPatternLength) return undefined
  try {
    const { ways, startsAtOnce } = new Reader(source).alternatives()
    const factor = ways.factor * Math.max(1, source.length)
    const degree = ways.degree + (startsAtOnce ? 0 : 1)
    return Number.isFinite(factor) && factor <= maxFactor && degree <= maxDegree ? { factor, degree } : undefined
  } catch (error) {
    if (error instanceof Unbounded) return undefined
    throw error
  }
}

const maxPatternLength = 2000
const maxFactor = 1_000_000
const maxDegree = 3

class Unbounded extends Error {}

interface Part {
  readonly ways: PatternCost
  /** Whether each match begins with `^`, so that the search is tried at one place only. */
  readonly startsAtOnce: boolean
}

const one: PatternCost = { factor: 1, degree: 0 }

/** Reads a pattern that `RegExp` has accepted. */
class Reader {
  readonly #source: string
  #at = 0

  constructor(source: string) {
    this.#source = source
  }

  /** Up to the end, or to the bracket that closes the group. */
  alternatives(): Part {
    let { ways, startsAtOnce } = this.#sequence()
    while (this.#skip('|')) {
      const next = this.#sequence()
      ways = { factor: ways.factor + next.ways.factor, degree: Math.max(ways.degree, next.ways.degree) }
      startsAtOnce &&= next.startsAtOnce
    }
    return { ways, startsAtOnce }
  }

  #sequence(): Part {
    let { factor, degree } = one
    let startsAtOnce = false
    for (let index = 0; this.#at < this.#source.length && !'|)'.includes(this.#char); index++) {
      const part = this.#term()
      if (index === 0) startsAtOnce = part.startsAtOnce
      factor *= part.ways.factor
      degree += part.ways.degree
    }
    return { ways: { factor, degree }, startsAtOnce }
  }

  #term(): Part {
    const part = this.#atom()
    const counts = this.#quantifier()
    if (!counts) return part
    const [least, most] = counts
    return { ways: repeated(part.ways, least, most), startsAtOnce: part.startsAtOnce && least > 0 }
  }

  #atom(): Part {
    const char = this.#char
    this.#at++
    if (char === '(') return this.#group()
    if (char === '[') this.#endOfClass()
    else if (char === '\\') this.#escape()
    return { ways: one, startsAtOnce: char === '^' }
  }

  #group(): Part {
    const kind = /^\?(?:<?[=!]|<[^>]*>|:|[a-z-]*:)?/.exec(this.#source.slice(this.#at, this.#at + 200))?.[0] ?? ''
    if (/[=!]$/.test(kind)) throw new Unbounded()
    this.#at += kind.length
    const inner = this.alternatives()
    this.#at++
    return inner
  }

  #endOfClass(): void {
    for (; this.#char !== ']' && this.#at < this.#source.length; this.#at++) if (this.#char === '\\') this.#at++
    this.#at++
  }

  #escape(): void {
    if (/[k1-9]/.test(this.#char)) throw new Unbounded()
    const long = /^(?:u\{[^}]*\}|[pP]\{[^}]*\}|u[0-9a-fA-F]{4}|x..|c.)/.exec(
      this.#source.slice(this.#at, this.#at + 100),
    )
    this.#at += long ? long[0].length : 1
  }

  #quantifier(): readonly [number, number] | undefined {
    const found = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(this.#source.slice(this.#at, this.#at + 40))
    if (!found) return undefined
    this.#at += found[0].length
    const [sign, least = '', comma, most] = found
    if (least === '') return sign.startsWith('?') ? [0, 1] : [sign.startsWith('+') ? 1 : 0, Number.POSITIVE_INFINITY]
    return [Number(least), comma ? Number(most || Number.POSITIVE_INFINITY) : Number(least)]
  }

  get #char(): string {
    return this.#source.charAt(this.#at)
  }

  #skip(char: string): boolean {
    if (this.#char !== char) return false
    this.#at++
    return true
  }
}

/** The ways in which something matches that may come this often in a row. */
function repeated({ factor, degree }: PatternCost, least: number, most: number): PatternCost {
  const isSingle = factor === 1 && degree === 0
  // Each repetition takes one character or more, or the engine ends it.
  if (isSingle)
    return most === Number.POSITIVE_INFINITY ? { factor: 1, degree: 1 } : { factor: most - least + 1, degree: 0 }
  if (most === Number.POSITIVE_INFINITY || (degree > 0 && most > 1) || most > 64) throw new Unbounded()
  let sum = 0
  for (let times = least; times <= most; times++) sum += factor ** times
  return { factor: sum, degree: most === 0 ? 0 : degree }
}
