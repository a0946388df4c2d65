import { firstPlace } from '../lib/text.ts'

/** A text as it is compared: without letters that nobody sees, digits and wide letters as ASCII has them. */
export interface CleanedText {
  readonly text: string
  /** The place in the text as it was given. */
  place(index: number): number
}

/** Takes linear time. What is replaced keeps its length, so that only what is removed moves a place. */
export function cleanedText(given: string): CleanedText {
  if (!notAscii.test(given)) return { text: given, place: (index) => index }
  const removed: number[] = []
  let text = ''
  let at = 0
  for (const { 0: run, index } of given.matchAll(unseen)) {
    text += given.slice(at, index)
    at = index + run.length
    for (let unit = index; unit < at; unit++) removed.push(unit - removed.length)
  }
  text += given.slice(at)
  return {
    text: text.replace(replaced, asAscii),
    place: (index) => index + firstPlace(removed, (before) => before > index),
  }
}

const notAscii = /[^\0-\x7f]/
const unseen = /[\p{DI}\ufff9-\ufffb]+/gu
/** Of Arabic, the scripts of India, Thai, Lao, Tibetan, Burmese and Khmer. */
const zeros = [
  ...[0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66],
  ...[0xe50, 0xed0, 0xf20, 0x1040, 0x17e0],
]
const digits = zeros.map((zero) => `${String.fromCharCode(zero)}-${String.fromCharCode(zero + 9)}`).join('')
const replaced = new RegExp(String.raw`[\uff01-\uff5e\u066b\u066c\u2080-\u2089${digits}]|[^\S\n ]`, 'g')

function asAscii(char: string): string {
  const code = char.charCodeAt(0)
  if (code >= 0x2080 && code <= 0x2089) return String(code - 0x2080)
  if (code === 0x66b) return '.'
  if (code === 0x66c) return ','
  if (code >= 0xff01 && code <= 0xff5e) return String.fromCharCode(code - 0xfee0)
  const zero = zeros.find((start) => code >= start && code < start + 10)
  return zero === undefined ? ' ' : String(code - zero)
}
