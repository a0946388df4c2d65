import { endOfRun } from './code.ts'
import type { Reading, TextInput } from './text-input.ts'
import { closingPunctuation, domain, endOfUrl, isUrlCharacter, maxUrlLength } from './urls.ts'

/** The path of an address without a scheme, and the index after it. */
interface Path {
  readonly text: string
  readonly end: number
  readonly endless: boolean
}

/** The host that a text ends with, when a path that follows makes an address of it; `''` for other words. */
export function hostAtEnd(text: string): string {
  let from = text.length
  while (from > 0 && /[\w.:-]/.test(text.charAt(from - 1))) from--
  const word = text.slice(from).toLowerCase()
  return /[/@\\\p{L}\p{N}]/u.test(text.charAt(from - 1)) || !host.test(word) ? '' : word.replace(/^www\./, '')
}

/** Reads the path at its first character. `undefined`: there is none, or a name (`Booking.com/Expedia`). */
export function* readPath(input: TextInput, from: number): Reading<Path | undefined> {
  const { end, endless } = yield* endOfUrl(input, from, from + 1)
  const text = input.slice(from, end)
  return text.length < 2 || /^\/\p{Lu}[\p{L}\p{N}.]*$/u.test(text) ? undefined : { text, end, endless }
}

/** A path to a share, such as `\\host\share\x.png`. */
interface Share {
  /** The backslashes that it begins with. */
  readonly slashes: string
  /** A name of the Internet; `''` for one of the reader's own network, and for what may be a formula. */
  readonly host: string
  readonly end: number
}

/** Reads the path to a share at a backslash, behind a text. `a\\b`, `C:\\x` and `\\d+\w` are none. */
export function* readShare(input: TextInput, from: number, before: string): Reading<Share | undefined> {
  const start = yield* endOfRun(input, from, '\\', maxSlashes)
  const [early = ''] = /\\*$/.exec(before) ?? []
  if (early.length + start - from < 2 || !mayPrecede.test(before.slice(0, before.length - early.length)))
    return undefined
  let hostEnd = start
  while (hostEnd - start < maxHostLength && /^[\w.@-]$/.test(yield* input.wait(hostEnd))) hostEnd++
  const share = yield* endOfRun(input, hostEnd, '\\', 2)
  if (hostEnd === start || share === hostEnd) return undefined
  let end = share
  for (; end - from < maxUrlLength; end++) {
    const char = yield* input.wait(end)
    if (char !== '\\' && !isUrlCharacter(char)) break
  }
  while (end > share && closingPunctuation.includes(input.char(end - 1))) end--
  const name = input.slice(start, hostEnd).replace(/@.*/s, '').toLowerCase()
  const slashes = input.slice(from, start)
  if (end > share && internetName.test(name)) return { slashes, host: name, end }
  const isLocal = /^[a-z][\w-]+$/.test(name) && /^[a-z][\w$-]/i.test(input.slice(share, end))
  return isLocal ? { slashes, host: '', end: start } : undefined
}

/** More names than programs make a link of by themselves: readers take these for addresses too. */
const host = new RegExp(
  String.raw`^[a-z\d-]+(?:\.[a-z\d-]+)*(?:${domain}|\.(?:blog|cloud|example|link|news|online|site|store|tech|wiki|xyz))(?::\d{1,5})?$`,
)
const internetName = /^[\w-]+(?:\.[\w-]+)*\.(?:[a-z]{2,63}|\d{1,3})$/
const mayPrecede = /(?:^|[^\p{L}\p{N}_:)\]}/]|\b(?:file|smb):)$/iu
const maxHostLength = 255
const maxSlashes = 8
