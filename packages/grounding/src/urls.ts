import { hostSchemes, scriptSchemes } from '@csp/lib/addresses'
import { parseUrl } from '@csp/lib/url'
import type { Reading, TextInput } from './text-input.ts'

/** How a URL in running text begins. */
const urlPrefixes = ['https://', 'http://', 'ftp://', 'file://', 'smb://', 'www.'] as const

/** A longer URL is not read: it cannot be a source. In characters. */
export const maxUrlLength = 2500

/** A URL without the punctuation behind it, and the index after it. `endless`: longer than `maxUrlLength`. */
interface BareUrl {
  readonly url: string
  readonly end: number
  readonly endless: boolean
}

/** Reads the URL at an index. `undefined` when there is none, as for a bare `https://`. */
export function* readBareUrl(input: TextInput, from: number): Reading<BareUrl | undefined> {
  const start = from + (yield* prefixLength(input, from))
  if (start === from) return undefined
  const { end, endless } = yield* endOfUrl(input, from, yield* hostInBrackets(input, start))
  return end > start ? { url: input.slice(from, end), end, endless } : undefined
}

/** Reads the rest of a URL from an index on. */
export function* endOfUrl(input: TextInput, from: number, start: number): Reading<Pick<BareUrl, 'end' | 'endless'>> {
  let end = start
  for (let depth = 0; end - from <= maxUrlLength; end++) {
    const char = input.char(end) || (yield* input.wait(end))
    if (!isUrlCharacter(char)) break
    if (char === '(') depth++
    else if (char === ')' && --depth < 0) break
  }
  const endless = end - from > maxUrlLength
  while (!endless && end > start && closingPunctuation.includes(input.char(end - 1))) end--
  return { end, endless }
}

export function* skipUrl(input: TextInput): Reading<void> {
  while (isUrlCharacter(yield* input.wait(input.at))) input.at++
}

/** Whether a URL can contain a character. Square brackets do not count: they are usually a marker. */
export function isUrlCharacter(char: string): boolean {
  return char !== '' && !/[\s<>"`|\\[\]^—–、。，；：！？（）【】「」『』《》〈〉“”‘’«»…]/.test(char)
}

/** Characters that, at the end, belong to the sentence rather than the URL. */
export const closingPunctuation = ".,;:!?}'*_~"

function* prefixLength(input: TextInput, from: number): Reading<number> {
  for (const prefix of urlPrefixes) if (yield* input.startsWith(prefix, from)) return prefix.length
  return 0
}

/** `[::1]`, the only place where a URL contains square brackets. */
function* hostInBrackets(input: TextInput, start: number): Reading<number> {
  if ((yield* input.wait(start)) !== '[') return start
  for (let index = start + 1; index < start + 50; index++) {
    const char = yield* input.wait(index)
    if (char === ']') return index + 1
    if (!/[\da-f:.]/i.test(char)) break
  }
  return start
}

/** The name of a URL's site, without `www.`; `''` where it has none that is plain and short. */
export function siteOf(text: string): string {
  const url = text
    .slice(0, maxUrlLength)
    .replace(/^[<\s*_`]+/, '')
    .replace(/[>\s*_`]{1,20}$/, '')
  const { protocol, host = '' } = parseUrl(/^www\./i.test(url) ? `https://${url}` : url) ?? {}
  const name = host.toLowerCase().replace(/^www\./, '')
  return /^(?:https?|ftp|file|smb):$/.test(protocol ?? '') && siteName.test(name) ? name : ''
}

const siteName = /^(?!www\.)(?=.{1,64}$)[a-z\d-]+(?:\.[a-z\d-]+)*(?::\d+)?$/

/**
 * The last check of the output: no URL passes. Readers remove URLs before; this catches those that removing something
 * else creates, as in `htt[9]ps://…`. What programs make a link of without a scheme (`//host`, `name.com/path`) gets a
 * space, outside of code. Text may come in any pieces.
 */
export class UrlGuard {
  /** The text as a reader sees it, of which the end counts. */
  #seen = ''
  /** Behind a slash. */
  #atSlash = false
  /** Behind a prefix such as `https://`. */
  #open = false
  /** Behind `name.com/`. */
  #atPath = false

  /** Whether the text ends with the beginning of a URL, such as `https://`. */
  get isOpen(): boolean {
    return this.#open
  }

  /** The kind of scheme that the text ends with, if it acts where a client renders it: in a diagram or a formula. */
  get activeScheme(): 'host' | 'script' | 'none' {
    const [, scheme] = endsWithScheme.exec(this.#tail()) ?? []
    if (scheme === undefined) return 'none'
    return hostSchemes.some((name) => name === scheme) ? 'host' : 'script'
  }

  /** Whether the text ends with a backslash and letters: an entity may go on with the name of a command. */
  get isInCommand(): boolean {
    return /\\[a-z]*$/.test(this.#tail())
  }

  /** Whether the text ends with the `url` of a style, in which a backslash stands for nothing. */
  get isAtStyleUrl(): boolean {
    return /(?:^|[^a-z])\\?u\\?r\\?l$/.test(this.#tail())
  }

  pass(text: string, isCode = false): string {
    if (!this.#open && !this.#atPath && this.#isPlain(text)) {
      this.#remember(text)
      return text
    }
    let safe = ''
    for (const char of text) safe += this.passAs(char, char, isCode)
    return safe
  }

  /** Passes text that a reader sees as another character, or does not see at all: `&colon;`, the backslash of `\\:`. */
  passAs(text: string, seen: string, isCode = false): string {
    if (seen === '') return text
    if (this.#open && isUrlCharacter(seen) && seen !== ')') return closingPunctuation.includes(seen) ? text : ''
    const space = !isCode && this.#needsSpace(seen) ? ' ' : ''
    this.#remember(space + seen)
    const tail = mayEnd.test(seen) ? this.#tail() : ''
    this.#open = tail !== '' && urlPrefixes.some((prefix) => tail.endsWith(prefix))
    this.#atPath = !/\s/.test(seen) && !this.#open && ((this.#atPath && space === '') || hostAndSlash.test(tail))
    return space + text
  }

  /** Whether no URL begins in a text, and none that begins before it reaches into it. */
  #isPlain(text: string): boolean {
    if (this.#atSlash) return text === ''
    return !mayEnd.test(text) || !suspect.test(this.#tail() + text)
  }

  #needsSpace(char: string): boolean {
    if (/[ \t\n]/.test(char)) return false
    if (this.#open) return true // programs differ in what they take for a part of a host
    if (/\s/.test(char)) return false
    // Before a bracket too: behind it, the space would stand within a marker.
    if (this.#atPath) return char === '[' || (isUrlCharacter(char) && !`${closingPunctuation}()`.includes(char))
    return char !== '/' && this.#atSlash && this.#tail().endsWith('//')
  }

  #remember(text: string): void {
    if (text === '') return
    this.#seen += text
    this.#atSlash = text.endsWith('/')
    if (this.#seen.length > maxSeenLength) this.#tail()
  }

  /** The end of the text, in lower case. Cutting takes longer than remembering, and is done only where it matters. */
  #tail(): string {
    this.#seen = this.#seen.slice(-maxTailLength).toLowerCase()
    return this.#seen
  }
}

/** The domains that programs make a link of without a scheme: those of countries, and the oldest others. */
export const domain = String.raw`\.(?:com|net|org|edu|gov|biz|info|pro|web|name|shop|xxx|aero|asia|coop|museum|app|dev|рф|xn--[\w-]+|a[c-gil-oq-uwxz]|b[abd-jm-oq-twyz]|c[acdf-ik-oru-z]|d[ejkmoz]|e[cegr-u]|f[ijkmor]|g[abd-ilmnp-uwy]|h[kmnrtu]|i[delmnoq-t]|j[emop]|k[eghimnprwyz]|l[abcikr-vy]|m[ac-eghk-z]|n[ace-gilopruz]|om|p[ae-hk-nrstwy]|qa|r[eosuw]|s[a-eg-or-vxyz]|t[cdf-hj-prtvwz]|u[agksyz]|v[aceginu]|w[fs]|y[et]|z[amw])`
const hostAndSlash = new RegExp(String.raw`[^\s.]${domain}(?::\d{1,5})?[/?#]$`, 'iu')
const suspect = new RegExp(String.raw`(?:https?|ftp|file|smb):\/\/|www\.|\/\/|${domain}(?::\d{1,5})?[/?#]`, 'iu')
const endsWithScheme = new RegExp(`(?:^|[^a-z\\d])(${[...hostSchemes, ...scriptSchemes].join('|')})$`)
/** Quick: what is suspect ends with one of these. */
const mayEnd = /[/?#]|(?:^|w)\./i
const maxTailLength = 80
const maxSeenLength = 1000
