import { isSpaceless } from '@csp/language/words'

/** Words in quotation marks. */
export interface Quotation {
  readonly text: string
  readonly start: number
  readonly end: number
}

/**
 * The quotations of a text that are somebody's words: three of them or more, not all with capital letters as in a title,
 * or six letters without spaces.
 */
export function quotationsIn(text: string): readonly Quotation[] {
  const found: Quotation[] = []
  for (const { 0: whole, index: start } of text.matchAll(quotation)) {
    const inner = whole.slice(1, -1)
    const words = inner.match(/[\p{L}\p{N}]+/gu) ?? []
    const small = words.filter((word) => /^\p{Ll}{4,}|^\p{Lo}/u.test(word))
    const isSaid = words.length >= 3 && small.length >= Math.min(2, words.length / 3)
    if (isSaid || (isSpaceless(inner) && words.join('').length >= 6))
      found.push({ text: inner.trim(), start, end: start + whole.length })
  }
  return found
}

/** Each style with its own end. A straight or single mark within a word is an apostrophe, or stands for inches. */
const quotation = new RegExp(
  [
    String.raw`(?<![\p{L}\p{N}])"[^"\n]{3,600}"(?![\p{L}\p{N}])`,
    String.raw`“[^“”\n]{3,600}”`,
    String.raw`„[^„“”"\n]{3,600}[“”"]`,
    String.raw`«[^«»\n]{3,600}»`,
    String.raw`»[^«»\n]{3,600}«`,
    String.raw`「[^「」\n]{3,600}」`,
    String.raw`『[^『』\n]{3,600}』`,
    String.raw`‚[^‚‘\n]{3,600}‘`,
    String.raw`‹[^‹›\n]{3,600}›`,
    String.raw`(?<![\p{L}\p{N}])‘(?:[^‘’\n]|(?<=\p{L})’(?=\p{L})){3,600}’(?!\p{L})`,
    String.raw`(?<![^\s(])'(?:[^'\n]|(?<=\p{L})'(?=\p{L})){3,600}'(?!\p{L})`,
  ].join('|'),
  'gu',
)

/** The parts of a quotation that a page must have as they stand: what is left out or put in between is marked. */
export function quotedParts(quotation: string): readonly string[] {
  return quotation.split(/\[[^\]]{0,100}\]|\(?\s?(?:\.{3}|…)\s?\)?/).filter((part) => /[\p{L}\p{N}]/u.test(part))
}

/** Whether some words stand in a row among others. */
export function hasRow(words: readonly string[], row: readonly string[]): boolean {
  return rowEnd(words, row) !== undefined
}

/** The end of the first such row. Takes linear time, whatever repeats (Knuth, Morris and Pratt). */
export function rowEnd(words: readonly string[], row: readonly string[]): number | undefined {
  /** For each place of the row: how many words that end there are also its beginning. */
  const borders: number[] = []
  const matchedWith = (word: string, matched: number): number => {
    let length = matched
    while (length > 0 && row[length] !== word) length = borders[length - 1] ?? 0
    return row[length] === word ? length + 1 : length
  }
  for (const [place, word] of row.entries()) borders.push(place === 0 ? 0 : matchedWith(word, borders[place - 1] ?? 0))
  let [matched, end] = [0, 0]
  for (; end < words.length && matched < row.length; end++) matched = matchedWith(words[end] ?? '', matched)
  return matched === row.length ? end : undefined
}
