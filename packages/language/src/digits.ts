/** The zeros of scripts whose ten digits stand in a row: Arabic, of India, Thai, Lao, Tibetan, Burmese, Khmer, full width. */
const zeros = [
  ...[0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66],
  ...[0xe50, 0xed0, 0xf20, 0x1040, 0x17e0, 0xff10],
]

/** All these digits, to be put into the brackets of a regular expression. */
export const foreignDigits = zeros
  .map((zero) => `${String.fromCharCode(zero)}-${String.fromCharCode(zero + 9)}`)
  .join('')

/** A digit of such a script as ASCII has it; any other character as it is. */
export function asciiDigit(char: string): string {
  const code = char.charCodeAt(0)
  const zero = zeros.find((start) => code >= start && code < start + 10)
  return zero === undefined ? char : String(code - zero)
}

/** A text with the digits of ASCII alone. No place moves. */
export function withAsciiDigits(text: string): string {
  return text.replace(allForeignDigits, asciiDigit)
}

const allForeignDigits = new RegExp(`[${foreignDigits}]`, 'g')
