import { expect, test } from 'bun:test'
import { scan } from '../../src/evidence/scan.ts'

/** By the rules of each language; in the ones that are not here numbers have no words of their own (zh, ja: letters). */
const spelled: readonly (readonly [string, number])[] = [
  ['zero', 0],
  ['sixteen', 16],
  ['ninety-nine', 99],
  ['a dozen', 12],
  ['two dozen', 24],
  ['two thousand four hundred and eighteen', 2418],
  ['seven hundred and fifty thousand', 750_000],
  ['one million', 1e6],
  ['neunundneunzig', 99],
  ['zweitausendvierhundertachtzehn', 2418],
  ['siebenhundertfünfzigtausend', 750_000],
  ['soixante-dix-huit', 78],
  ['quatre-vingt-dix-neuf', 99],
  ['deux mille quatre cent dix-huit', 2418],
  ['sept cent cinquante mille', 750_000],
  ['noventa y nueve', 99],
  ['dos mil cuatrocientos dieciocho', 2418],
  ['veintidós', 22],
  ['noventa e nove', 99],
  ['setecentos e cinquenta mil', 750_000],
  ['девяносто девять', 99],
  ['две тысячи четыреста восемнадцать', 2418],
  ['تسعة وتسعون', 99],
  ['اثنا عشر', 12],
  ['سبعمائة وخمسون ألفا', 750_000],
  ['九十九', 99],
  ['两千四百一十八', 2418],
  ['一九九八', 1998],
  ['百八十二万', 1_820_000],
  ['열두', 12],
  ['스물다섯', 25],
  ['구십구', 99],
  ['⁹⁹', 99],
  ['⑨⑨', 99],
  ['XCIX', 99],
  ['42²', 1764],
  ['9.4 × 10⁶', 9_400_000],
  ['1.5e6', 1_500_000],
  ['2½', 2.5],
  ['two and a half', 2.5],
]

test.each(spelled)('%s is one number, %d', (text, value) => {
  const { figures } = scan(text)
  expect(figures).toHaveLength(1)
  expect(figures[0]?.values.map((one) => one.value)).toContain(value)
})
