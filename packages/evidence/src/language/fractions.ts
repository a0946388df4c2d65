/** A share in words, in percent: `two thirds of`, `ein Viertel der`, `1 in 4`. */
export interface SpelledShare {
  readonly percent: number
  readonly start: number
  readonly end: number
  /** Whether it is said of what: a third may be an ordinal too, and a quarter a time or a part of a town. */
  readonly isSure: boolean
}

const counts = new Map<string, number>()
for (const [count, words] of [
  [1, 'a an one ein eine einem einer un une uno una um uma одна одну'],
  [2, 'two zwei deux dos dois duas две'],
  [3, 'three drei trois tres três три'],
  [4, 'four vier quatre cuatro quatro четыре'],
] as const)
  for (const word of words.split(' ')) counts.set(word, count)

const parts = new Map<string, number>()
for (const [part, words] of [
  [2, 'half halves hälfte moitié mitad metade половина половину половины'],
  [3, 'third thirds drittel dritteln tiers tercio tercios terço terços треть трети'],
  [4, 'quarter quarters viertel vierteln quart quarts cuarto cuartos quarto quartos четверть четверти'],
  [5, 'fifth fifths fünftel fünfteln quinto quintos пятая пятой'],
] as const)
  for (const word of words.split(' ')) parts.set(word, part)

const spelled = new RegExp(
  String.raw`(?<!\p{L})(?:(${[...counts.keys()].join('|')})[ -])?(${[...parts.keys()].join('|')})(?!\p{L})( (?:of|der|des|aller|von|de|des|du|del|dos|das|do|da|всех)(?!\p{L}))?`,
  'giu',
)

const number = `[1-9]|${[...counts.keys()].join('|')}|five|fünf|cinq|cinco|пять`
const outOf = new RegExp(
  String.raw`(?<![\p{L}\d/])(${number})(?:/| in | out of | von | sur | de cada | em cada | из )(${number})(?![\p{L}\d/])`,
  'giu',
)
const numberOf = (word: string) => Number(word) || (counts.get(word.toLowerCase()) ?? 5)

/** Takes linear time. */
export function* spelledShares(text: string): Generator<SpelledShare, void, undefined> {
  for (const { 0: whole, index: start, 1: count = '', 2: word = '', 3: of = '' } of text.matchAll(spelled)) {
    const part = parts.get(word.toLowerCase()) ?? 1
    const percent = (100 * (counts.get(count.toLowerCase()) ?? 1)) / part
    const isSure = of !== '' && (count !== '' || part === 2) && percent < 100
    yield { percent, start, end: start + whole.length - of.length, isSure }
  }
  for (const { 0: whole, index: start, 1: count = '', 2: all = '' } of text.matchAll(outOf))
    yield { percent: (100 * numberOf(count)) / numberOf(all), start, end: start + whole.length, isSure: false }
}
