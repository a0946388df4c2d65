import { SourceIndex } from '@csp/grounding/source-index'
import { isAddress } from '@csp/lib/addresses'
import { cleanWritten } from '@csp/lib/text'
import type { SearchEvent, SearchResult } from '../../../domain/search.ts'
import type { AnswerText } from '../answer-text.ts'
import { AddressNames, jsonAddressesIn } from './addresses.ts'
import type { JsonShape } from './shape.ts'

/** JSON that must fit a schema: it is sent whole, or not at all. */
export class JsonAnswer implements AnswerText {
  readonly #shape: JsonShape
  readonly #sources: SourceIndex | undefined
  #text = ''
  #found: FoundJson | undefined

  /** `claimsSources`: every URL in it must be that of a source. */
  constructor(shape: JsonShape, claimsSources: boolean) {
    this.#shape = shape
    this.#sources = claimsSources ? new SourceIndex() : undefined
  }

  addSources(results: readonly SearchResult[]): void {
    this.#sources?.add(results)
  }

  push(text: string): Iterable<SearchEvent> {
    this.#text += text
    this.#found = undefined
    return []
  }

  problems(): readonly string[] {
    this.#found ??= this.#read()
    return this.#found.problems
  }

  *end(): Iterable<SearchEvent> {
    this.#found ??= this.#read()
    const { value, problems } = this.#found
    if (problems.length === 0) yield { type: 'text-delta', text: JSON.stringify(value) }
  }

  /** The first value in the text that fits; otherwise the largest, which is the likeliest, and its problems. */
  #read(): FoundJson {
    let worst = { size: 0, problems: ['There is no whole JSON value in it.'] as readonly string[] }
    for (const found of findJson(this.#text)) {
      const { value, problems } = groundJson(found, this.#sources, this.#shape.addressNames)
      const all = [...problems, ...this.#shape.problems(value)]
      if (all.length === 0) return { value, problems: [] }
      const size = JSON.stringify(value).length
      if (size > worst.size) worst = { size, problems: all }
    }
    return worst
  }
}

/** The value that fits, or why none does. */
interface FoundJson {
  readonly value?: unknown
  readonly problems: readonly string[]
}

/** A grounded JSON value, and what is wrong with it, a line each. */
interface GroundedJson {
  readonly value: unknown
  readonly problems: readonly string[]
}

/**
 * Grounds every string of a JSON value in the sources, after it was cleaned: a source's URL is spelled as the source spells it, any other is a
 * problem, and so is whatever else a program would take for an address. Markers such as `[2]` behind a statement are
 * removed. Without sources the strings stay unchanged.
 */
export function groundJson(
  value: unknown,
  sources: SourceIndex | undefined,
  names: AddressNames = new AddressNames(),
): GroundedJson {
  const problems = new Set<string>()
  const reject = (url: string) => problems.add(`No source has this URL: ${url.slice(0, 300)}`)
  const text = (raw: string, isNamed: boolean): string => {
    const plain = cleanWritten(raw)
    if (!sources || plain.trim() === '') return plain
    if (isNamed || isAddress(plain)) {
      const known = sourceUrl(plain, sources, 0)
      if (known !== undefined) return known
      if (isNamed || !startsWithUrl.test(plain)) reject(plain)
      if (isNamed) return plain
    }
    const bare = withoutMarkers(plain, sources)
    for (const { written, read } of jsonAddressesIn(bare)) {
      const isForeign = isAddress(read) && sources.numberOf(read) === undefined
      if (isForeign && !startsWithUrl.test(written)) reject(written)
    }
    return bare.replace(anyUrl, (url) => {
      const known = sourceUrl(url, sources)
      if (known === undefined) reject(url)
      return known ?? url
    })
  }
  const ground = (part: unknown, isNamed: boolean, depth: number): unknown => {
    if (typeof part === 'string') return text(part, isNamed)
    if (typeof part !== 'object' || part === null) return part
    if (depth === maxDepth) {
      problems.add(`It has more than ${maxDepth} levels.`)
      return null
    }
    if (Array.isArray(part)) return part.map((inner) => ground(inner, isNamed, depth + 1))
    return Object.fromEntries(
      Object.entries(part).map(([key, inner]) => [text(key, false), ground(inner, names.has(key), depth + 1)]),
    )
  }
  return { value: ground(value, names.ofRoot, 0), problems: [...problems] }
}

/** How deep lists and objects may nest: what checks and writes them calls itself for each. */
const maxDepth = 200

/** A string that begins with a URL is read like any text with URLs. */
const startsWithUrl = /^(?:https?|ftp):\/\/[^\s/]/i
const anyUrl = /(?:(?:https?|ftp):\/\/|\bwww\.)[^\s<>"`]+/gi

/** Trailing punctuation in the match, up to `maxTrailing` characters, stays behind the URL. */
function sourceUrl(found: string, sources: SourceIndex, maxTrailing = 20): string | undefined {
  // Each try reads the whole URL again.
  for (let end = found.length; end >= found.length - maxTrailing; end--) {
    const source = sources.at(sources.numberOf(found.slice(0, end)) ?? 0)
    if (source) return source.url + found.slice(end)
    if (!/[.,;:!?)\]}'’”»*_]/.test(found.charAt(end - 1))) return undefined
  }
  return undefined
}

/** `word[1]` may be code: a marker follows a space, a full stop or another marker. */
function withoutMarkers(text: string, sources: SourceIndex): string {
  return text.replace(/(?:\s|(?<=[.!?。”"')\]]))\[(\d{1,3})\]/g, (marker, digits: string) =>
    sources.at(Number(digits)) ? '' : marker,
  )
}

/**
 * The JSON values in a text, the likeliest first: the whole text, the content of code fences, and every object or array
 * in running text.
 */
export function* findJson(text: string): Generator<unknown, void, undefined> {
  const whole = parse(text)
  if (whole) return yield whole.value
  for (const inner of fencedParts(text)) {
    const fenced = parse(inner)
    if (fenced) yield fenced.value
  }
  let from = nextStart(text, 0)
  // A text may have a thousand open brackets: the tries are bounded, and so is what they read together.
  let unread = Math.max(minRead, 4 * text.length)
  for (let tries = 0; from >= 0 && tries < maxTries && unread > 0; tries++) {
    const end = endOf(text, from)
    const found = end < 0 ? undefined : parse(text.slice(from, end))
    if (found) yield found.value
    unread -= (end < 0 ? text.length : end) - from
    from = nextStart(text, found ? end : from + 1)
  }
}

const maxTries = 100
/** In characters: all tries of a text of 10,000. */
const minRead = 1_000_000

/** What stands between a code fence and the next one, without the language. Not a regular expression: it must be linear. */
function fencedParts(text: string): readonly string[] {
  const between = text.split('```', 2 * maxTries).slice(1, -1)
  return between.filter((_, index) => index % 2 === 0).map((part) => part.replace(/^[a-z]+/i, ''))
}

function nextStart(text: string, from: number): number {
  const brackets = /[[{]/g
  brackets.lastIndex = from
  return brackets.exec(text)?.index ?? -1
}

/** The index after the bracket that closes the one at `from`; -1 when none does. */
function endOf(text: string, from: number): number {
  let depth = 0
  let quoted = false
  for (let index = from; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (quoted) {
      if (code === signs.backslash) index++
      else if (code === signs.quote) quoted = false
    } else if (code === signs.quote) quoted = true
    else if (code === signs.brace || code === signs.bracket) depth++
    else if ((code === signs.endBrace || code === signs.endBracket) && --depth === 0) return index + 1
  }
  return -1
}

/** As codes: a text that is not Latin would make a string of each letter that is compared. */
const signs = { quote: 0x22, bracket: 0x5b, backslash: 0x5c, endBracket: 0x5d, brace: 0x7b, endBrace: 0x7d }

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}
