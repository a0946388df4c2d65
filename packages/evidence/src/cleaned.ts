import { asciiDigit, foreignDigits } from '@csp/language/digits'
import { firstPlace } from '@csp/lib/text'

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
    text: text.replace(replaced, asAscii).replace(hanDate, asDigits),
    place: (index) => index + firstPlace(removed, (before) => before > index),
  }
}

const notAscii = /[^\0-\x7f]/
const unseen = /[\p{DI}\ufff9-\ufffb]+/gu
const replaced = new RegExp(String.raw`[\uff01-\uff5e\u066b\u066c\u2080-\u2089${foreignDigits}]|[^\S\n ]`, 'g')

/** Years, months and days in letters: `二〇二五年三月十八日`. */
const hanDate = /[〇零一二三四五六七八九]{4}(?=\s?年)|[一二三四五六七八九十]{1,3}(?=[月日])/g
const hanDigits = '〇一二三四五六七八九'

/** Digits in the length of the letters: spaces stand before fewer of them, and more of them leave the letters as they are (`十月`). */
function asDigits(letters: string): string {
  const plain = letters.replace(/零/g, '〇')
  const digits = plain.includes('十') ? plain.replace(/^十/, '一十').replace(/十(.)/, '$1').replace(/十$/, '〇') : plain
  const written = [...digits].map((letter) => hanDigits.indexOf(letter)).join('')
  return written.length <= letters.length ? written.padStart(letters.length) : letters
}

function asAscii(char: string): string {
  const code = char.charCodeAt(0)
  if (code >= 0x2080 && code <= 0x2089) return String(code - 0x2080)
  if (code === 0x66b) return '.'
  if (code === 0x66c) return ','
  if (code >= 0xff01 && code <= 0xff5e) return String.fromCharCode(code - 0xfee0)
  const digit = asciiDigit(char)
  return digit === char ? ' ' : digit
}
