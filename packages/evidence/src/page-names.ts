import { isCommon } from '@csp/language/words'
import type { Pieces } from '@csp/lib/pieces'
import type { Scan } from './scan.ts'
import { UnspacedNames } from './unspaced-names.ts'

/** The names of a page: in which forms its words stand there, and what stands beside words with capital letters. */
export class PageNames {
  readonly #scan: Scan
  /** Distinct words by their first letters. */
  readonly #byStart = new Map<string, string[]>()
  readonly #words = new Set<string>()
  /** Words with a capital letter, and what stands before and behind each of them as a part of one name. */
  readonly #before = new Map<string, Set<string>>()
  readonly #behind = new Map<string, Set<string>>()
  /** Capital words as they are written without accents or with them: `muller` for `Mueller`. */
  readonly #plain = new Set<string>()
  /** Capital words that do not begin a sentence. */
  readonly #sure = new Set<string>()
  readonly #scripts = new Set<Script>()
  readonly runs = new UnspacedNames()
  #joined: string | undefined
  readonly #host: string
  readonly #known = new Map<string, boolean>()

  static *reading(found: Scan, host: string): Pieces<PageNames> {
    const names = new PageNames(found, host)
    const { words, sentences } = found
    let from = 0
    for (let at = 1; at <= words.length; at++) {
      if (at % pieceLength === 0) yield
      if (at < words.length && sentences[at] === sentences[from]) continue
      names.#addSentence(from, at)
      from = at
    }
    yield* names.runs.reading(found.text)
    return names
  }

  private constructor(found: Scan, host: string) {
    this.#scan = found
    this.#host = host.toLowerCase()
  }

  #addSentence(from: number, to: number): void {
    const { words } = this.#scan
    const capitals: number[] = []
    for (let at = from; at < to; at++) {
      const word = words[at] ?? ''
      if (this.isCapital(at)) {
        capitals.push(at)
        this.#plain.add(plainWord(word))
        this.#scripts.add(scriptOf(word))
        if (at > from) this.#sure.add(word)
      }
      if (this.#words.has(word)) continue
      this.#words.add(word)
      const start = word.slice(0, startLength)
      const same = this.#byStart.get(start)
      if (same) same.push(word)
      else this.#byStart.set(start, [word])
    }
    // In a headline every word has one.
    const isHeadline = to - from > 3 && capitals.length > (to - from) * maxCapitals
    if (!isHeadline) for (const at of capitals) if (capitals.includes(at - 1)) this.#addNeighbours(at)
  }

  #addNeighbours(at: number): void {
    const { words } = this.#scan
    const [one, other] = [words[at - 1] ?? '', words[at] ?? '']
    if (!isOneName(this.#scan, at) || one.length < 2 || other.length < 2) return
    add(this.#before, other, one)
    add(this.#behind, one, other)
  }

  isCapital(at: number): boolean {
    const code = this.#scan.text.charCodeAt(this.#scan.starts[at] ?? 0)
    return code < 0x80 ? code >= 65 && code <= 90 : /^\p{Lu}/u.test(this.#scan.text.charAt(this.#scan.starts[at] ?? 0))
  }

  /** Whether the page has words with capital letters in a script. */
  hasScript(script: Script): boolean {
    return this.#scripts.has(script)
  }

  /** Whether a folded word stands on the page as it is. */
  hasWord(word: string): boolean {
    return this.#words.has(word)
  }

  /** Whether a word begins like this one: `französisch` and `Frankreich`. */
  hasStart(word: string): boolean {
    return this.#byStart.has(word.slice(0, startLength))
  }

  /** Whether a folded word stands there with a capital letter, perhaps only as the first of a sentence. */
  hasCapital(word: string): boolean {
    return this.#plain.has(plainWord(word))
  }

  /** Whether one of some names, and not a part of `own`, stands before or behind some letters. */
  hasNameBeside(before: string, behind: string, names: ReadonlySet<string>, own: string): boolean {
    const { text } = this.#scan
    const isOther = (name: string) => names.has(name) && !own.includes(name)
    const lengths = Array.from({ length: maxBesideLetters - 1 }, (_, at) => at + 2)
    return (
      placesOf(text, behind).some((at) =>
        lengths.some((length) => isOther(text.slice(Math.max(0, at - length), at))),
      ) ||
      placesOf(text, before).some((at) =>
        lengths.some((length) => isOther(text.slice(at + before.length, at + before.length + length))),
      )
    )
  }

  /** Whether the page has some letters. */
  hasLetters(letters: string): boolean {
    return this.#scan.text.includes(letters)
  }

  /** Whether a word with a capital letter stands there within a sentence, and never with a small one. */
  isName(word: string): boolean {
    return this.#sure.has(word) && !isCommon(word)
  }

  /** Whether a folded word is on the page in any form: with another ending, split, joined, as initials, misspelt. */
  has(word: string): boolean {
    const known = this.#known.get(word)
    if (known !== undefined) return known
    const has = this.#words.has(word) || this.runs.has('latin', word) || this.#hasForm(word)
    if (this.#known.size < maxKnown) this.#known.set(word, has)
    return has
  }

  /** Whether a folded word is on the page with another ending, or as the beginning of a longer one. */
  hasStartOf(word: string): boolean {
    for (const other of this.#byStart.get(word.slice(0, startLength)) ?? [])
      if (isForm(word, other, false) || (word.length >= 4 && other.startsWith(word))) return true
    return false
  }

  #hasForm(word: string): boolean {
    if (this.#plain.has(plainWord(word))) return true
    const isInflected = /^\p{Script=Cyrillic}/u.test(word)
    for (const other of this.#byStart.get(word.slice(0, startLength)) ?? [])
      if (isForm(word, other, isInflected)) return true
    if (word.length >= 3 && this.#isOfHost(word)) return true
    if (word.length < 4) return false
    this.#joined ??= [...this.#words].join(' ')
    if (this.#joined.includes(word)) return true
    for (let at = 2; at <= word.length - 2; at++)
      if (this.#behind.get(word.slice(0, at))?.has(word.slice(at))) return true
    if (word.length < 5) return false
    for (const other of this.#plain) if (isOneOff(word, other)) return true
    return false
  }

  /** Whether words in a row begin with the letters of a word; those that say nothing by themselves may be left out. */
  hasInitials(word: string): boolean {
    if (word.length > maxInitials) return false
    const { words } = this.#scan
    // Two or three letters begin small words on any page.
    const isIn = (at: number, letter: number) =>
      words[at]?.charCodeAt(0) === word.charCodeAt(letter) && (word.length > 3 || this.isCapital(at))
    for (let from = 0; from < words.length; from++) {
      let letters = 0
      for (let at = from; letters < word.length && at < from + 2 * word.length; at++) {
        const next = words[at] ?? ''
        if (isIn(at, letters)) letters++
        else if (letters === 0 || !isCommon(next)) break
      }
      if (letters === word.length) return true
    }
    return false
  }

  #isOfHost(word: string): boolean {
    return (
      this.#host.includes(word) || this.#host.split(/[.-]/).some((part) => part.length >= 4 && word.startsWith(part))
    )
  }

  /** The words with capital letters that stand before or behind a word as a part of the same name. */
  beside(word: string, side: 'before' | 'behind'): Iterable<string> {
    return (side === 'before' ? this.#before : this.#behind).get(word) ?? []
  }

  /** Words with a capital letter, or any, that stand alone between the same words. */
  *between(left: readonly string[], right: readonly string[], isAny = false): Generator<string> {
    const { words } = this.#scan
    for (let at = left.length; at + right.length < words.length; at++) {
      if (!left.every((word, place) => words[at - left.length + place] === word)) continue
      if (!right.every((word, place) => words[at + 1 + place] === word)) continue
      if (isAny || this.isCapital(at)) yield words[at] ?? ''
    }
  }
}

/** In words: about a millisecond. */
const pieceLength = 2048
const startLength = 3
const maxCapitals = 0.6
/** Of words that are shortened to their first letters. */
const maxInitials = 6
const maxKnown = 1000
/** Beside one word. */
const maxBeside = 12

const maxBesideLetters = 8
const maxPlaces = 50

/** Where some letters stand; not all of many places. */
function placesOf(text: string, letters: string): readonly number[] {
  const places: number[] = []
  if (letters.trim().length < 2) return places
  for (let at = text.indexOf(letters); at >= 0 && places.length < maxPlaces; at = text.indexOf(letters, at + 1))
    places.push(at)
  return places
}

function add(map: Map<string, Set<string>>, key: string, word: string): void {
  const known = map.get(key)
  if (!known) map.set(key, new Set([word]))
  else if (known.size < maxBeside) known.add(word)
}

/** Whether a word and the one before belong to one name, by what stands between. */
export function isOneName({ text, starts, ends, sentences }: Scan, at: number): boolean {
  const between = text.slice(ends[at - 1], starts[at])
  return sentences[at] === sentences[at - 1] && /^(?:[ \u2010\u2011-]|\. ?)$/.test(between)
}

type Script = 'Latin' | 'Cyrillic' | 'Greek' | 'other'

/** The script of a word, by its first letter. */
export function scriptOf(word: string): Script {
  if (/^[a-z]/i.test(word)) return 'Latin'
  return scripts.find(([, pattern]) => pattern.test(word))?.[0] ?? 'other'
}

const scripts = [
  ['Latin', /^\p{Script=Latin}/u],
  ['Cyrillic', /^\p{Script=Cyrillic}/u],
  ['Greek', /^\p{Script=Greek}/u],
] as const

/** `ue` is another way to write `ü`, which is folded to `u`. */
function plainWord(word: string): string {
  return word.replace(/([aou])e/g, '$1')
}

/** Whether two folded words may be forms of one: endings of people, cases, plurals. */
function isForm(one: string, other: string, isInflected: boolean): boolean {
  let same = 0
  while (same < one.length && one[same] === other[same]) same++
  const [short, long] = [Math.min(one.length, other.length) - same, Math.max(one.length, other.length) - same]
  if (isInflected) return same >= 3 && short <= 2 && long <= 4
  if (same < 4) return same === 3 && short === 0 && long === 1 && /s$/.test(one.length > other.length ? one : other)
  return short <= 1 && long <= 4
}

/** Whether one letter was left out, put in or replaced, or two changed places. */
function isOneOff(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1) return false
  let from = 0
  while (from < one.length && one[from] === other[from]) from++
  let [end, otherEnd] = [one.length, other.length]
  while (end > from && otherEnd > from && one[end - 1] === other[otherEnd - 1]) {
    end--
    otherEnd--
  }
  const [left, otherLeft] = [end - from, otherEnd - from]
  if (left <= 1 && otherLeft <= 1) return true
  return left === 2 && otherLeft === 2 && one[from] === other[from + 1] && one[from + 1] === other[from]
}
