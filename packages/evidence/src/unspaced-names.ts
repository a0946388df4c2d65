import { spacelessLetters } from '@csp/language/words'
import type { Pieces } from '@csp/lib/pieces'

/**
 * How names can be told where words have no spaces and no capital letters: a row of katakana, Chinese letters around a `·`, a
 * Latin word.
 */
type Kind = 'katakana' | 'dotted' | 'latin'

interface Run {
  readonly kind: Kind
  readonly run: string
  readonly index: number
}

/** The runs of a text that may be names, in order. */
export function* runsIn(text: string): Generator<Run> {
  for (const { 0: run, 1: katakana, 2: latin, index } of text.matchAll(pattern))
    yield { kind: katakana ? 'katakana' : latin ? 'latin' : 'dotted', run, index }
}

/** Beside digits katakana are a unit, or a sign. */
const pattern = new RegExp(
  [
    String.raw`(?<![\d方万億兆千百\p{Script=Katakana}ー])([\p{Script=Katakana}ー]{3,40})(?![\d\p{Script=Katakana}ー])`,
    String.raw`((?<=[${spacelessLetters}])[A-Z][A-Za-z]{2,40}|(?<![A-Za-z\d])[A-Z][A-Za-z]{2,40}(?=[${spacelessLetters}]))(?![\d])`,
    String.raw`\p{Script=Han}{1,3}[·•‧]\p{Script=Han}{1,3}`,
  ].join('|'),
  'gu',
)

/** The runs of a page, and what it shows as a name. */
export class UnspacedNames {
  readonly #runs: Readonly<Record<Kind, Set<string>>> = { katakana: new Set(), dotted: new Set(), latin: new Set() }
  /** The letters around katakana. */
  readonly #places = new Set<string>()
  #katakana: string | undefined
  /** What is a link, a heading, bold or quoted. */
  readonly #marked = new Set<string>()
  /** The text without the marks. */
  #plain = '';

  *reading(text: string): Pieces<void> {
    let count = 0
    if (isUnspaced.test(text)) {
      const parts: string[] = []
      for (let from = 0; from < text.length; from += partLength) {
        const part = text.slice(from, from + partLength)
        for (const { 1: letters = '' } of part.matchAll(marks)) this.#marked.add(letters)
        parts.push(part.replace(markup, ''))
        yield
      }
      this.#plain = parts.join('')
    }
    for (const { kind, run, index } of runsIn(text)) {
      this.#runs[kind].add(keyOf(kind, run))
      if (kind === 'katakana') this.#places.add(placeOf(text, index, run))
      if (++count % pieceLength === 0) yield
    }
  }

  hasKind(kind: Kind): boolean {
    return this.#runs[kind].size > 0
  }

  /** Whether the page has another row of katakana between the same letters: most of them are words, no names. */
  isReplaced(text: string, { run, index }: Run): boolean {
    return this.#places.has(placeOf(text, index, run))
  }

  /** Whether the page shows letters as a link, a heading, bold or quoted. */
  isMarked(letters: string): boolean {
    return this.#marked.has(letters)
  }

  /** What stands between some letters; where none are before it, at the beginning of a sentence. */
  between(before: string, behind: string): readonly string[] {
    const found = new Set<string>()
    const text = this.#plain
    const letters = before === '' ? behind : before
    if (letters.length < 2 || behind.length < 2) return []
    let at = text.indexOf(letters)
    for (let asked = 0; at >= 0 && asked < maxPlaces; asked++, at = text.indexOf(letters, at + 1)) {
      const from = before === '' ? Math.max(0, at - maxName) : at + before.length
      const part = before === '' ? text.slice(from, at) : text.slice(from, from + maxName + behind.length)
      const end = before === '' ? part.length : part.indexOf(behind)
      const start = before === '' ? startOf(part, from) : 0
      if (end > start && start >= 0 && onlyLetters.test(part.slice(start, end))) found.add(part.slice(start, end))
    }
    return [...found]
  }

  /** Whether the page has a run, or one that it is a part of, in a usual form. */
  has(kind: Kind, run: string): boolean {
    const key = keyOf(kind, run)
    if (this.#runs[kind].has(key)) return true
    if (kind !== 'katakana') return false
    this.#katakana ??= [...this.#runs.katakana].join(' ')
    if (this.#katakana.includes(key)) return true
    for (let from = 0; from + 3 <= key.length; from++)
      for (let to = from + 3; to <= key.length; to++) if (this.#runs.katakana.has(key.slice(from, to))) return true
    return false
  }
}

const pieceLength = 2048
/** In characters. */
const partLength = 20_000
const maxPlaces = 200
const maxName = 14
const isUnspaced = new RegExp(`[${spacelessLetters}\\p{Script=Hangul}]`, 'u')
const marks = /(?<=\[|\*\*|^#{1,6} |[「『《“‘])([\p{L}\p{M}ー·・]{2,14})(?=\]|\*\*|\n|[」』》”’])/gmu
const markup = /\]\([^()\s]{0,2000}\)|[[\]*_#`]/g
const onlyLetters = /^[\p{L}\p{M}ー·・]+$/u

/** Where a sentence begins in letters that end before a place; -1 where it begins before them. */
function startOf(part: string, from: number): number {
  const at = Math.max(
    part.lastIndexOf('。'),
    part.lastIndexOf('\n'),
    part.lastIndexOf('！'),
    part.lastIndexOf('？'),
    part.lastIndexOf(' '),
  )
  return at < 0 && from > 0 ? -1 : at + 1
}

/** The letter before a run and the two behind it. Where a sentence begins is one place. */
function placeOf(text: string, index: number, run: string): string {
  const before = text.charAt(index - 1)
  return `${/\p{L}/u.test(before) ? before : '^'} ${text.slice(index + run.length, index + run.length + 2)}`
}

/** Where a name begins and ends is not clear in Chinese: the letters beside the mark tell it. Long vowels are written or not. */
function keyOf(kind: Kind, run: string): string {
  if (kind === 'latin') return run.toLowerCase()
  if (kind === 'katakana') return run.replaceAll('ー', '')
  const at = run.search(/[·•‧]/)
  return `${run.slice(at - 1, at)}·${run.slice(at + 1, at + 2)}`
}
