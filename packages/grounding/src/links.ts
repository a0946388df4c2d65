import { normaliseUrl } from '@csp/lib/url'
import type { Reading, TextInput } from './text-input.ts'
import { maxUrlLength } from './urls.ts'

/** The destination of a link, and the index after it. */
export interface Destination {
  readonly url: string
  readonly end: number
}

/** A start or end tag, or an autolink: the text between `<` and `>`, and the index after it. */
export interface Angle {
  readonly text: string
  readonly end: number
}

/**
 * Reads the text between the square bracket at an index and the one that closes it, however deep brackets nest. Returns
 * `undefined` after 300 characters and at an empty line.
 */
export function* readBracket(input: TextInput, from: number): Reading<string | undefined> {
  const { brackets } = input
  brackets.begin(from)
  for (;;) {
    const end = brackets.endOf(from)
    if (end !== undefined) return end <= from + maxLabelLength ? input.slice(from + 1, end) : undefined
    if (brackets.until > from + maxLabelLength) return undefined
    const char = input.char(brackets.until) || (yield* input.wait(brackets.until))
    if (char === '') return undefined
    brackets.read(char)
  }
}

/**
 * Reads `(url "title")` from its parenthesis on. Returns `undefined` at the end of the line, after 2,500 characters, and
 * where the words cannot be an address, as in `[1](see below)`.
 */
export function* readDestination(input: TextInput, from: number): Reading<Destination | undefined> {
  if ((yield* input.wait(from)) !== '(') return undefined
  let depth = 0
  let quoted = false
  for (let index = from; index <= from + maxUrlLength; index++) {
    const char = input.char(index) || (yield* input.wait(index))
    if (char === '' || char === '\n') return undefined
    if (char === '"' && (quoted || /\s/.test(input.char(index - 1)))) quoted = !quoted
    else if (char === '(' && !quoted && ++depth > maxParenthesisDepth) return undefined
    else if (char === ')' && !quoted && --depth === 0) {
      const url = address(input.slice(from + 1, index).trim())
      return url === undefined ? undefined : { url, end: index + 1 }
    }
  }
  return undefined
}

/** Reads an autolink, an `<a …>`, an `</a>` or an `<img …>` from its bracket on; `undefined` for other tags. */
export function* readAngle(input: TextInput, from: number): Reading<Angle | undefined> {
  if (!(yield* isAngle(input, from + 1))) return undefined
  for (let index = from + 1; index <= from + maxUrlLength; index++) {
    const char = input.char(index) || (yield* input.wait(index))
    if (char === '' || char === '\n' || char === '<') return undefined
    if (char === '>') return { text: input.slice(from + 1, index), end: index + 1 }
  }
  return undefined
}

/** The value of an attribute of a tag. */
export function attribute(name: 'href' | 'alt', tag: string): string | undefined {
  const match = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"']+))`, 'i').exec(tag)
  return match?.[1] ?? match?.[2] ?? match?.[3]
}

const maxLabelLength = 300
const maxParenthesisDepth = 8
const angles = ['http://', 'https://', 'www.', 'ftp:', 'file:', 'smb:', 'data:', 'javascript:', 'vbscript:', 'mailto:']
const tags = ['a ', 'img ', '/a>']

function* isAngle(input: TextInput, from: number): Reading<boolean> {
  if (!/^[a-z/]$/i.test(yield* input.wait(from))) return false
  for (const start of [...angles, ...tags]) if (yield* input.startsWith(start, from)) return true
  return false
}

/** The URL without a title. Spaces stay in what begins like a URL: models forget to escape them. */
function address(text: string): string | undefined {
  const bracketed = /^<([^<>]*)>/.exec(text)?.[1]
  const space = text.search(/\s/)
  const titled = space > 0 && /["'(]/.test(text.slice(space).trimStart().charAt(0))
  const url = bracketed ?? (titled ? text.slice(0, space) : text)
  const scheme = /^[a-z][a-z\d+.-]*:/i.test(url)
  if (!scheme && (/\s/.test(url) || !/[/.#?]/.test(url))) return undefined
  return url.replace(/\\([!-/:-@[-`{-~])/g, '$1')
}

/** The kind of a link's label: the page's title, a pointer to it, or words of the sentence. */
export type LabelKind = 'title' | 'number' | 'address' | 'pointer' | 'words'

/** Classifies a label by its URL, and by the title of the page if that is known. */
export function labelKind(label: string, url: string, title: string | undefined): LabelKind {
  const bare = label.replace(/^[\s*_`]+/, '').replace(/[\s*_`]+$/, '')
  if (/^[[【(]?\^?\d{1,3}[\])】]?$/.test(bare)) return 'number'
  if (/^(?:https?:\/\/|www\.)\S*$/i.test(bare)) return 'address'
  if (/^(?:source|sources|link|quelle|ref|reference)$/i.test(bare)) return 'pointer'
  if (bare.includes('.') && sameHost(bare, url)) return 'pointer'
  return title !== undefined && isTitle(words(bare), words(title)) ? 'title' : 'words'
}

function sameHost(label: string, url: string): boolean {
  const [host] = normaliseUrl(url)?.split(/[/?]/) ?? []
  return host !== undefined && normaliseUrl(label) === host
}

/** A label also counts as a title when one contains the other: `Reuters` in `Markets - Reuters`. */
function isTitle(label: string, title: string): boolean {
  return label !== '  ' && title !== '  ' && (title.includes(label) || label.includes(title))
}

/** Surrounded by spaces, so that only whole words match. */
function words(text: string): string {
  return ` ${
    text
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.join(' ') ?? ''
  } `
}

/**
 * Parses the text between a marker's brackets: `1`, `^1`, `1, 2`, `1-3`, `1†source`. Returns the numbers that name one
 * of `count` sources, in order; none when the marker names no source. `undefined` when it is not a marker but text, such
 * as a year, a zero or a wide range.
 */
export function markerNumbers(text: string, count: number): number[] | undefined {
  if (text.length > maxMarkerLength) return undefined
  const numbers: number[] = []
  for (const item of text.replace(/†.*/s, '').split(/[,;]/)) {
    const match = /^\s*\^?([1-9]\d*)(?:\s*[-–]\s*\^?([1-9]\d*))?\s*$/.exec(item)
    if (!match) return undefined
    const first = Number(match[1])
    const last = Number(match[2] ?? match[1])
    if (last < first || last - first > maxRangeWidth || (last > count && last >= 1000)) return undefined
    for (let number = first; number <= Math.min(last, count); number++) numbers.push(number)
  }
  return numbers
}

const maxMarkerLength = 100
const maxRangeWidth = 20
