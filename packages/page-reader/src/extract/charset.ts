import { guessedCharset } from './charset-guess.ts'

/**
 * The text of a body: by its byte order mark, the type that the site sent, what the page says, and otherwise UTF-8. Bytes
 * that are surely something else count for more than what was said.
 */
export function decodeText(body: Uint8Array, contentType: string): string {
  const marked = markOf(body)
  if (marked) return new TextDecoder(marked).decode(body)
  const utf8 = new Utf8(body)
  for (const decoder of [ofType(body, contentType), ofPage(body, maxHead)]) {
    if (decoder?.encoding === 'windows-1252' && utf8.isSure) return utf8.text
    if (decoder && decoder.encoding !== 'utf-8') return decoder.decode(body)
    if (decoder && utf8.isMost) return utf8.text
  }
  if (utf8.isMost) return utf8.text
  // Old pages without a word about their encoding are nearly all of the last one.
  const late = ofPage(body, maxLateHead)
  const other = late && late.encoding !== 'utf-8' ? late : undefined
  return (other ?? new TextDecoder(guessedCharset(body) ?? 'windows-1252')).decode(body)
}

/** What a body says as UTF-8. */
class Utf8 {
  readonly text: string
  /** Whether it is nothing else: all of it is well-formed, and more than ASCII. */
  readonly isSure: boolean
  /** Whether it is well-formed where it is more than ASCII, a few bytes aside that got into it. */
  readonly isMost: boolean

  constructor(body: Uint8Array) {
    this.text = new TextDecoder().decode(body)
    const isDamaged = this.text.includes('\ufffd')
    this.isSure = !isDamaged && /[\x80-\uffff]/.test(this.text)
    this.isMost = !isDamaged || countOf(this.text, /\ufffd/g) <= countOf(this.text, /[\x80-\ufffc]+/g)
  }
}

function countOf(text: string, sign: RegExp): number {
  let count = 0
  for (const _ of text.matchAll(sign)) count++
  return count
}

function markOf([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return undefined
}

/** The decoder that the type of a body names. */
function ofType(body: Uint8Array, contentType: string): TextDecoder | undefined {
  const decoder = decoderFor(charsetIn(contentType))
  // Each sign of a tag would have a NUL.
  return isUtf16(decoder) && !body.subarray(0, 4096).includes(0) ? undefined : decoder
}

/** The decoder that the beginning of a page names. */
function ofPage(body: Uint8Array, bytes: number): TextDecoder | undefined {
  const head = new TextDecoder('windows-1252').decode(body.subarray(0, bytes))
  const said = /<meta[^>]{1,300}charset[^>]{0,300}>|<\?xml[^>]{1,300}encoding[^>]{0,300}>/i.exec(head)?.[0] ?? ''
  const decoder = decoderFor(charsetIn(said))
  // The word can be read, so it is not in UTF-16.
  return isUtf16(decoder) ? undefined : decoder
}

/** In `text/html; charset=x`, `<meta charset="x">` and `<?xml encoding="x"?>`. */
function charsetIn(text: string): string | undefined {
  return /(?:charset|encoding)\s{0,20}=\s{0,20}["']?([\w-]{2,40})/i.exec(text)?.[1]
}

/** In bytes. Where browsers look at first. */
const maxHead = 1024
/** Where scripts and styles stand before the word. */
const maxLateHead = 200_000

function isUtf16(decoder: TextDecoder | undefined): boolean {
  return decoder?.encoding.startsWith('utf-16') ?? false
}

function decoderFor(label: string | undefined): TextDecoder | undefined {
  try {
    return label === undefined ? undefined : new TextDecoder(label)
  } catch {
    return undefined
  }
}
