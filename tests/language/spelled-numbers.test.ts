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

/** What counts together, and what does not. */
const several: readonly (readonly [string, readonly number[]])[] = [
  ['soixante-dix-neuf', [79]],
  ['soixante-dix-sept', [77]],
  ['dix-sept', [17]],
  ['dix-six', [10, 6]],
  ['quatre-vingt-un', [81]],
  ['quatre-vingt-dix', [90]],
  ['quatre-vingt-dix-neuf mille', [99_000]],
  ['one hundred and one', [101]],
  ['one hundred ninety-nine', [199]],
  ['two hundred thousand', [200_000]],
  ['one thousand and one', [1001]],
  ['two thousand and twenty-four', [2024]],
  ['one million two hundred thousand', [1_200_000]],
  ['two million five', [2_000_005]],
  ['ninety thousand', [90_000]],
  ['nineteen hundred', [1900]],
  ['deux cent quatre vingt', [280]],
  ['cent quatre', [104]],
  ['خمسة وعشرون', [25]],
  ['خمسة عشر', [15]],
  ['عشرة وعشرون', [10, 20]],
  ['مئة وخمسة وعشرون', [125]],
  ['مئة وخمسة عشر', [115]],
  ['ألف ومئتان', [1200]],
  ['twenty ten', [20, 10]],
  ['ten five', [10, 5]],
  ['ten seven', [17]],
  ['nineteen one', [19, 1]],
  ['thirty forty', [30, 40]],
  ['thirty nine', [39]],
  ['thirty ten', [30, 10]],
  ['eighty twenty', [80, 20]],
  ['four twenty', [4, 20]],
  ['one thousand nine hundred', [1900]],
  ['one thousand nine hundred and ninety-nine', [1999]],
  ['twenty zero', [20, 0]],
  ['five hundred thousand two hundred', [500_200]],
  ['cinq cents mille', [500_000]],
  ['trois cent mille deux cents', [300_200]],
]

test.each(several)('%s has the numbers %j', (text, values) => {
  expect(scan(text).figures.map((figure) => figure.values[0]?.value)).toEqual([...values])
})
