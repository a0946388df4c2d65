import {
  attribute,
  type LabelKind,
  labelKind,
  markerNumbers,
  readAngle,
  readBracket,
  readDestination,
} from './links.ts'
import type { SourceIndex } from './source-index.ts'
import type { Reading, TextInput } from './text-input.ts'
import { readBareUrl } from './urls.ts'

/**
 * A piece of text that must be rewritten, and the index after it. `numbers` are the sources that it names, if any.
 */
export type Token = { readonly end: number } & (
  | { readonly type: 'marker' | 'url' | 'group'; readonly numbers: readonly number[] }
  | { readonly type: 'link'; readonly numbers: readonly number[]; readonly label: string; readonly kind: LabelKind }
  | { readonly type: 'anchor'; readonly numbers: readonly number[] }
  | { readonly type: 'anchor-end' | 'endless' }
  | { readonly type: 'words'; readonly label: string }
  /** A tag that only formats, and what says the same in plain text. */
  | { readonly type: 'tag'; readonly text: '' | ' ' | '^' }
)

/** Reads the token at an index; `undefined` when it is plain text. */
export function* readToken(input: TextInput, from: number, sources: SourceIndex): Reading<Token | undefined> {
  switch (input.char(from)) {
    case '[':
      return (yield* readSquare(input, from, sources)) ?? (yield* readGroup(input, from, ']', sources))
    case '(':
      return yield* readGroup(input, from, ')', sources)
    case '【':
      return yield* readLenticular(input, from, sources)
    case '<':
      return yield* readTag(input, from, sources)
    case '!':
      return yield* readImage(input, from)
    default:
      return yield* readUrl(input, from, sources)
  }
}

/** A URL in running text. Text that touches it, as in Chinese, is not part of it, unless a source has that URL. */
export function* readUrl(input: TextInput, from: number, sources: SourceIndex): Reading<Token | undefined> {
  const found = yield* readBareUrl(input, from)
  if (!found) return undefined
  const { url, end, endless } = found
  if (endless) return { type: 'endless', end }
  const whole = sources.numberOf(url)
  if (whole !== undefined) return { type: 'url', numbers: [whole], end }
  const start = url.slice(0, indexOf(url, /[',;*]|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]/u))
  const part = sources.numberOf(start)
  if (part !== undefined) return { type: 'url', numbers: [part], end: from + start.length }
  const glued = /[',;*]+https?:|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]/iu
  return { type: 'url', numbers: [], end: from + indexOf(url, glued) }
}

/** `[label](url)`, `[1, 2]` or `[label][1]`. */
function* readSquare(input: TextInput, from: number, sources: SourceIndex): Reading<Token | undefined> {
  const label = yield* readBracket(input, from)
  if (label === undefined) return undefined
  const after = from + label.length + 2
  const destination = yield* readDestination(input, after)
  if (destination) return { ...linkTo(destination.url, label, sources), end: destination.end }
  const numbers = markerNumbers(label, sources.count)
  if (numbers) return { type: 'marker', numbers, end: after }
  if (!/\p{L}/u.test(label) || input.char(after) !== '[' || /[\p{L}\p{N}]/u.test(input.char(from - 1))) return undefined
  const reference = yield* readBracket(input, after)
  const named = reference === undefined ? undefined : markerNumbers(reference, sources.count)
  if (reference === undefined || named === undefined) return undefined
  return { type: 'link', numbers: named, label, kind: 'words', end: after + reference.length + 2 }
}

function* readLenticular(input: TextInput, from: number, sources: SourceIndex): Reading<Token | undefined> {
  for (let index = from + 1; index < from + 100; index++) {
    const char = yield* input.wait(index)
    if (char === '' || char === '\n' || char === '【') return undefined
    if (char !== '】') continue
    const numbers = markerNumbers(input.slice(from + 1, index), sources.count)
    return numbers && { type: 'marker', numbers, end: index + 1 }
  }
  return undefined
}

function* readImage(input: TextInput, from: number): Reading<Token | undefined> {
  if ((yield* input.wait(from + 1)) !== '[') return undefined
  const label = yield* readBracket(input, from + 1)
  const destination = label === undefined ? undefined : yield* readDestination(input, from + label.length + 3)
  return destination && { type: 'words', label: label ?? '', end: destination.end }
}

function* readTag(input: TextInput, from: number, sources: SourceIndex): Reading<Token | undefined> {
  const tag = yield* readAngle(input, from)
  if (!tag) return (yield* readFormatting(input, from)) ?? (yield* readMailbox(input, from))
  const { text, end } = tag
  if (text.startsWith('/')) return { type: 'anchor-end', end }
  if (/^img\s/i.test(text)) return { type: 'words', label: attribute('alt', text) ?? '', end }
  if (/^a\s/i.test(text)) return { type: 'anchor', numbers: numbersOf(attribute('href', text) ?? '', sources), end }
  if (/\s/.test(text)) return undefined
  if (/^mailto:/i.test(text)) return { type: 'words', label: text.slice('mailto:'.length), end }
  return { type: 'url', numbers: numbersOf(text, sources), end }
}

/** Reads a tag such as `<b>` or `<br/>`, without attributes. */
function* readFormatting(input: TextInput, from: number): Reading<Token | undefined> {
  for (let end = from + 1; end - from < maxTagLength; end++) {
    const char = yield* input.wait(end)
    if (char === '>') {
      const [, close, name = ''] = /^<(\/?)([a-z]+) ?\/?$/i.exec(input.slice(from, end)) ?? []
      if (!formatting.has(name.toLowerCase())) return undefined
      if (/^(?:br|p|div)$/i.test(name)) return { type: 'tag', text: ' ', end: end + 1 }
      const isPower = !close && /^sup$/i.test(name) && (yield* input.wait(end + 1)) !== '['
      return { type: 'tag', text: isPower ? '^' : '', end: end + 1 }
    }
    if (!/^[a-z/ ]$/i.test(char)) return undefined
  }
  return undefined
}

/** Reads `<somebody@example.com>`. */
function* readMailbox(input: TextInput, from: number): Reading<Token | undefined> {
  for (let end = from + 1; end - from < maxMailboxLength; end++) {
    const char = yield* input.wait(end)
    const label = input.slice(from + 1, end)
    if (char === '>') return /^[^@]+@[^@]+$/.test(label) ? { type: 'words', label, end: end + 1 } : undefined
    if (!/^[\w.%+@-]$/.test(char)) return undefined
  }
  return undefined
}

const formatting = new Set([
  ...['b', 'strong', 'i', 'em', 'u', 's', 'del', 'ins', 'mark', 'small', 'sub', 'sup', 'kbd', 'code', 'span', 'center'],
  ...['br', 'p', 'div'],
])
const maxTagLength = 12
const maxMailboxLength = 100

/** Brackets with nothing but references: `([Title](url))`, `(source: https://…, https://…)`, `[https://…]`. */
function* readGroup(input: TextInput, from: number, close: string, sources: SourceIndex): Reading<Token | undefined> {
  const numbers: number[] = []
  let changed = false
  let index = yield* endOfIntroduction(input, from + 1)
  for (;;) {
    index = yield* endOfSeparators(input, index)
    const char = yield* input.wait(index)
    if (char === close) return changed ? { type: 'group', numbers, end: index + 1 } : undefined
    const item = /[[<hwf]/i.test(char) ? yield* readItem(input, index, sources) : undefined
    if (!item) return undefined
    changed ||= item.type !== 'marker'
    numbers.push(...item.numbers)
    index = item.end
  }
}

/** A reference that markers can replace. Words of the sentence, and titles of no source, must stay. */
function* readItem(input: TextInput, from: number, sources: SourceIndex) {
  const reader = input.char(from) === '[' ? readSquare : input.char(from) === '<' ? readTag : readUrl
  const token = yield* reader(input, from, sources)
  if (token?.type === 'marker' || token?.type === 'url') return token
  return token?.type === 'link' && token.kind !== 'words' ? token : undefined
}

function* endOfIntroduction(input: TextInput, from: number): Reading<number> {
  let end = from
  while (end - from < maxIntroductionLength && /^\p{L}$/u.test(yield* input.wait(end))) end++
  if (!/^(?:see|sources?|via|from|ref|link|quelle)$/i.test(input.slice(from, end))) return from
  return (yield* input.wait(end)) === ':' ? end + 1 : end
}

function* endOfSeparators(input: TextInput, from: number): Reading<number> {
  let end = from
  while (end - from < maxSeparatorLength && /^[ \t,;&|]$/.test(yield* input.wait(end))) end++
  return end
}

const maxIntroductionLength = 8
const maxSeparatorLength = 8

function linkTo(url: string, label: string, sources: SourceIndex) {
  const numbers = numbersOf(url, sources)
  const title = numbers[0] === undefined ? undefined : sources.at(numbers[0])?.title
  return { type: 'link', numbers, label, kind: labelKind(label, url, title) } as const
}

function numbersOf(url: string, sources: SourceIndex): readonly number[] {
  const number = sources.numberOf(url)
  return number === undefined ? [] : [number]
}

function indexOf(text: string, pattern: RegExp): number {
  const index = text.search(pattern)
  return index < 0 ? text.length : index
}

/** What may begin a token or, at the end of the text so far, a URL. */
export const proseStart = /[[(<`\\【!hwfs]/i
export const proseStop =
  /[[(<`\\【\n/?#]|!(?:$|\[)|h(?:$|t(?:$|t(?:$|p)))|w(?:$|w(?:$|w(?:$|\.)))|f(?:$|t(?:$|p(?:$|:))|i(?:$|l(?:$|e(?:$|:))))|s(?:$|m(?:$|b(?:$|:)))/gi
export const codeStop =
  /\n|\\(?:$|\\)|h(?:$|t(?:$|t(?:$|p)))|w(?:$|w(?:$|w(?:$|\.)))|f(?:$|t(?:$|p(?:$|:))|i(?:$|l(?:$|e(?:$|:))))|s(?:$|m(?:$|b(?:$|:)))/gi
