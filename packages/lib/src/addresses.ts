import { decodeHTMLStrict } from 'entities'
import { parseUrl } from './url.ts'

/** The addresses in a text, without the marks of the sentences around them. */
export function addressesIn(text: string): readonly string[] {
  // The text of a Markdown link may be an address itself.
  const found = text.replaceAll('](', ' ').match(/\bhttps?:\/\/[^\s<>"'`]+/gi) ?? []
  return [...new Set(found.map(withoutEnd))].filter((url) => parseUrl(url))
}

/** Without the marks of the sentence around an address, and without a bracket that it does not open itself. */
function withoutEnd(url: string): string {
  let end = url.length
  const counts = new Map<string, number>()
  for (const [letter] of url.matchAll(/[()[\]{}]/g)) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  for (; end > 0; end--) {
    const last = url.charAt(end - 1)
    const opening = brackets[last]
    const closing = counts.get(last) ?? 0
    const isOurs = opening !== undefined && (counts.get(opening) ?? 0) >= closing
    if (isOurs || !/[.,;:!?*_)\]}]/.test(last)) break
    counts.set(last, closing - 1)
  }
  return url.slice(0, end)
}

const brackets: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }

/**
 * The schemes that name another host, or run, where a client renders a text: in a diagram, a formula, a style. A browser
 * needs no slashes behind the first five: `https:evil.example` is that host.
 */
export const hostSchemes = ['https', 'http', 'ftp', 'wss', 'ws'] as const
export const scriptSchemes = ['javascript', 'vbscript', 'livescript', 'data'] as const

/**
 * Whether a string is an address anywhere: a scheme and `//`, `//` alone, or a scheme that programs act on. Browsers read
 * `\` as `/`, and pass over spaces, tabs and line breaks.
 */
export function isAddress(text: string): boolean {
  const plain = text.replace(/[\t\n\r]/g, '').replace(/^[\0- ]+/, '')
  return /^(?:[a-z][a-z\d+.-]*:)?[\\/]{2}[^\s\\/]/i.test(plain) || actingScheme.test(plain)
}

const otherSchemes =
  'blob|file|filesystem|about|view-source|jar|mailto|tel|sms|smsto|callto|facetime(?:-audio)?|sip|sips|xmpp|magnet|intent|itms-[a-z]+|ms-[a-z-]+|search-ms|skype|chrome(?:-extension)?|moz-extension'
const actingScheme = new RegExp(`^(?:${[...hostSchemes, ...scriptSchemes, otherSchemes].join('|')}):\\S`, 'i')

/**
 * What a browser passes over within an address, with the indentation of a fence in a list, and an escape of it. An escape of
 * a letter may stand for the letter.
 */
const gap = String.raw`(?:[\n\r] *|[\0-\t\v\f\x0e-\x1f\x7f-\x9f\u2000-\u200d\ufeff]|\\(?:[tnr]|0{0,5}[9ad] ?)?)`
const skipped = `${gap}{0,8}`
/** These call or write to somebody, start a program, or wrap an address. */
const callSchemes = [
  ...['mailto', 'tel', 'sms', 'smsto', 'callto', 'sip', 'sips', 'xmpp', 'skype', 'magnet'],
  ...['intent', 'blob', 'filesystem', 'view-source', 'jar'],
] as const
const spelled = (scheme: string) => [...scheme].join(skipped)
/** Not `data:[1, 2]`, which is no address but a list. */
const hiddenAddress = new RegExp(
  [
    `(?:(?<![a-z\\d])|(?<=\\\\[a-z]))(?:${hostSchemes.map(spelled).join('|')})${skipped}:${skipped}\\S`,
    `(?:(?<![a-z\\d])|(?<=\\\\[a-z]))(?:${scriptSchemes.map(spelled).join('|')})${skipped}:${skipped}[a-z;,/]`,
    `(?:(?<![a-z\\d])|(?<=\\\\[a-z]))(?:${callSchemes.map(spelled).join('|')})${skipped}:${skipped}[\\w+@/?#]`,
    `(?:(?<![a-z\\d])|(?<=\\\\[a-z]))${spelled('file')}${skipped}:${skipped}[/\\\\]`,
    // Slashes alone. Behind two, a space does not help: Chromium takes it for a part of the host.
    String.raw`\/${skipped}\/|(?:\/\\|\\[\\/])[^\s\\/]`,
    // Letters and signs by their number: nobody writes them so who has nothing to hide.
    String.raw`\\(?:x[0-7][\da-f]|u\{?0*[0-7][\da-f](?![\da-f])|0{0,4}[2-7][\da-f](?![\da-f])|1[0-7]{2}(?!\d))`,
    // Also in percents of percents, and in entities of entities: Mermaid reads them until nothing changes.
    '%(?:[46][1-9a-f]|[57][\\dac]|0[9ad]|2[5f]|3a)|[&#]amp;#?\\w{1,31};',
    // More than would be passed over.
    `${gap}{9}`,
  ].join('|'),
  'i',
)

/**
 * Whether a text in the language of a diagram or a chart may have the address of another host, however it is spelled: with
 * the escapes of JSON, YAML and CSS, entities, or percent encoding. When in doubt, yes.
 */
export function mayHideAddress(text: string): boolean {
  if (hiddenAddress.test(text)) return true
  // Mermaid writes `#58;` for `&#58;`.
  for (const [, mark = '', body = ''] of text.matchAll(/(&#?|#)(x?[\da-z]{1,31});/gi)) {
    const isNumber = mark === '&#' || (mark === '#' && /^x?\d/i.test(body))
    if (/^[\w:/\\.<%\t\n\r]/.test(decodeHTMLStrict(`&${isNumber ? '#' : ''}${body};`))) return true
  }
  return false
}
