import { foldedWord } from '@csp/language/words'
import type { NumberReading } from './numbers.ts'

/** A number that is one word, folded: up to twenty, tens, hundreds that are words of their own, ordinals up to twelve. */
export function spelledNumber(folded: string): number | undefined {
  return numbers.get(folded) ?? ordinals.get(folded) ?? (compound.test(folded) ? compoundNumber(folded) : undefined)
}

/** Whether such a word means its number and nothing else: no ordinal, nothing loose as `one` and `two`, no word of another language. */
export function isSurelyNumber(folded: string, value: number): boolean {
  return (value === 0 || value > 2) && !ordinals.has(folded) && !ambiguous.has(folded)
}

/** The number that an article stands for: one, or a half. `undefined` for any other word. */
export function articleCount(word: string): number | undefined {
  const written = word.toLowerCase()
  if (halves.has(written)) return 0.5
  return articles.has(written) ? 1 : undefined
}

/**
 * What an article counts before the word that says how large a number is: one in `a hundred` and `eine Million`, a half in
 * `half a million`. "A quarter of a million" has no such number, and "two and a half million" has another one.
 */
export function countedByArticle(usual: number, text: string, start: number, end: number): number | undefined {
  const before = text.slice(Math.max(0, start - maxBefore), start)
  const count = halfBefore.test(before) ? 0.5 : usual
  const isLarge = (count === 1 ? large : largeOrDozen).test(text.slice(end, end + maxBehind))
  return isLarge && !partBefore.test(before) ? count : undefined
}

const articles = new Set('a an ein eine einen einer een'.split(' '))
const halves = new Set('half halbe halben halbes medio media meio meia mezzo demi'.split(' '))
const halfBefore = /(?<!\p{L})half $/iu
const partBefore =
  /(?:half|quarters?|thirds?|fifths?|tenths?) of $|(?:viertel|drittel|fünftel|zehntel) $|(?<!\p{L})(?:and an?|et|y|e) $/iu
const large =
  /^[ -](?:hundred|hundert|honderd|thousand|tausend|duizend|milli?[oó]n|milh[aã]o|milione|miljoen|billion|milliarde?|miljard|trillion)(?!\p{L})/iu
const largeOrDozen = new RegExp(`${large.source}|^[ -](?:dozen|dutzend|docena|dúzia|dozzina|dozijn)(?!\\p{L})`, 'iu')
/** In characters. */
const maxBefore = 12
const maxBehind = 12

/** German numbers are one word: `zweiundsechzig`, `dreihundertzehn`, `viertausendzweihundert`. */
function compoundNumber(folded: string): number | undefined {
  let [whole, part, rest] = [0, 0, folded]
  while (rest !== '') {
    const [found = ''] = parts.exec(rest) ?? []
    if (found === '') return undefined
    rest = rest.slice(found.length)
    const value = numbers.get(found)
    if (found === 'hundert') part = Math.max(part, 1) * 100
    else if (found === 'tausend') [whole, part] = [Math.max(part, 1) * 1000, 0]
    else if (value !== undefined || found === 'ein') part += value ?? 1
  }
  return whole + part || undefined
}

const compound = /^(?=.{8,90}$).*(?:und|hundert|tausend)/

/** A number of several words: `twenty-five`, `seven hundred and fifty thousand`, `quatre-vingt-dix`, `خمسة وسبعين`. */
export function spelledTogether(first: NumberReading, second: NumberReading, word: string): NumberReading | undefined {
  const [large, all] = [first.values[0]?.value ?? 0, second.values[0]?.value ?? 0]
  const unit = second.unit ?? 1
  const small = all / unit
  const isTeen = large % 100 === 10 && small >= 7 && small <= 9
  const isScore = large % 100 === 4 && small === 20 && /^vingts?$/.test(word)
  const isArabic =
    large % 100 > 0 && large % 100 < 10 && (word.startsWith('عشر') || (word.startsWith('و') && small >= 20))
  const sum = isScore ? large + 76 : large + small
  // The second one is as large as it is by a word that counts for both: `twenty-five thousand`.
  const counts = unit > large
  const room = roomBehind(first, large)
  const fits = isScore || isTeen || (isArabic && small < 100) || (small > 0 && (counts ? small : all) < room)
  if (!fits) return undefined
  return {
    values: [{ value: isScore ? sum : counts ? sum * unit : large + all, step: 0 }],
    unit: second.unit,
  }
}

/** Below which a number is that follows a larger one. */
function roomBehind({ unit }: NumberReading, value: number): number {
  if (value % 1000 === 0 && value >= 1000) return unit ?? 1000
  if (value % 100 === 0 && value >= 100) return 100
  // Sixty and eighty count on to nineteen in French.
  const tens = value % 100
  return tens === 60 || tens === 80 ? 20 : tens >= 20 && tens % 10 === 0 ? 10 : 0
}

const cardinals = `zero cero ноль нуль صفر|one eins un une uno una um uma один одна واحد واحدة احد احدى|
two zwei deux dos due dois duas twee два две двух اثنان اثنين اثنتان اثنتين اثنتا اثنا اثني|three drei trois tres tre drie три трех ثلاثة ثلاث|
four vier quatre cuatro quattro quatro четыре четырех اربعة اربع|five funf cinq cinco cinque vijf пять пяти خمسة خمس|
six sechs seis sei zes шесть шести ستة ست|seven sieben sept siete sete sette zeven семь семи سبعة سبع|
eight acht huit ocho oito otto восемь восьми ثمانية ثماني ثمان|nine neun neuf nueve nove negen девять девяти تسعة تسع|
ten zehn dix diez dez dieci tien десять десяти عشرة عشر|eleven elf onze once undici одиннадцать|
twelve zwolf douze doce dodici doze twaalf двенадцать двенадцати дюжины dozen dutzend douzaine docena duzia дюжина|
thirteen dreizehn treize trece treze tredici dertien тринадцать|
fourteen vierzehn quatorze catorce catorze quattordici veertien четырнадцать|
fifteen funfzehn quinze quince quindici vijftien пятнадцать|
sixteen sechzehn seize dieciseis dezesseis dezasseis sedici zestien шестнадцать|
seventeen siebzehn diecisiete dezessete dezassete diciassette zeventien семнадцать|
eighteen achtzehn dieciocho dezoito diciotto achttien восемнадцать|
nineteen neunzehn diecinueve dezenove dezanove diciannove negentien девятнадцать`
const tens = `twenty zwanzig vingt vingts veinte vinte venti twintig двадцать двадцати عشرون عشرين|
thirty dreissig trente treinta trinta trenta dertig тридцать тридцати ثلاثون ثلاثين|
forty fourty vierzig quarante cuarenta quarenta quaranta veertig сорок сорока اربعون اربعين|
fifty funfzig cinquante cincuenta cinquenta cinquanta vijftig пятьдесят пятидесяти خمسون خمسين|
sixty sechzig soixante sesenta sessenta sessanta zestig шестьдесят шестидесяти ستون ستين|
seventy siebzig septante setenta settanta zeventig семьдесят سبعون سبعين|
eighty achtzig huitante octante ochenta oitenta ottanta tachtig восемьдесят ثمانون ثمانين|
ninety neunzig nonante noventa novanta negentig девяносто تسعون تسعين`
const hundreds = `ciento cento сто مئة مائة|doscientos doscientas duzentos duzentas двести مئتان مئتين مائتان مائتين|
trescientos trescientas trezentos trezentas триста ثلاثمئة ثلاثمائة|
cuatrocientos cuatrocientas quatrocentos quatrocentas четыреста اربعمئة اربعمائة|
quinientos quinientas quinhentos quinhentas пятьсот خمسمئة خمسمائة|
seiscientos seiscientas seiscentos seiscentas шестьсот ستمئة ستمائة|
setecientos setecientas setecentos setecentas семьсот سبعمئة سبعمائة|
ochocientos ochocientas oitocentos oitocentas восемьсот ثمانمئة ثمانمائة|
novecientos novecientas novecentos novecentas девятьсот تسعمئة تسعمائة`
const others: readonly (readonly [string, number])[] = [
  ['cien', 100],
  ['cent', 100],
  ['cem', 100],
  ['mil', 1000],
  ['mille', 1000],
  ['тысяча', 1000],
  ['الف', 1000],
  ['veintiuno', 21],
  ['veintiun', 21],
  ['veintidos', 22],
  ['veintitres', 23],
  ['veinticuatro', 24],
  ['veinticinco', 25],
  ['veintiseis', 26],
  ['veintisiete', 27],
  ['veintiocho', 28],
  ['veintinueve', 29],
  ['الفان', 2000],
  ['الفين', 2000],
  ['مليونان', 2e6],
  ['مليونين', 2e6],
  ['مليوني', 2e6],
]

const numbers = new Map<string, number>([
  ...listed(cardinals, (place) => place),
  ...listed(tens, (place) => (place + 2) * 10),
  ...listed(hundreds, (place) => (place + 1) * 100),
  ...others,
])
// "And" is a letter of the word behind it.
for (const [word, value] of [...numbers]) if (/^\p{Script=Arabic}/u.test(word)) numbers.set(`و${word}`, value)

const ordinals = new Map(
  listed(
    `first erste ersten premier premiere primer primero primera|second zweite zweiten deuxieme segundo segunda|
third dritte dritten troisieme tercer tercero tercera|fourth vierte vierten quatrieme|fifth funfte funften cinquieme quinto|
sixth sechste sechsten sixieme sexto|seventh siebte siebten septieme|eighth achte achten huitieme|ninth neunte neunten neuvieme noveno|
tenth zehnte zehnten dixieme decimo|eleventh elfte elften onzieme|twelfth zwolfte zwolften douzieme`,
    (place) => place + 1,
  ),
)

/** Words of other languages, and months. */
const ambiguous = new Set(
  'once due sei sept elf tre tres nove cent cento tien onze quince vier cem mil mille тысяча الف'.split(' '),
)

function listed(text: string, worth: (place: number) => number): (readonly [string, number])[] {
  return text.split('|').flatMap((names, place) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => [foldedWord(name), worth(place)] as const),
  )
}

const german = [...numbers.keys()].filter((word) =>
  /^(?:eins|zwei|drei|vier|funf|sechs|sieben|acht|neun|zehn|elf|zwolf)$|(?:zehn|zig|ssig)$/.test(word),
)
/** The longest first. */
const parts = new RegExp(
  `^(?:${[...german, 'hundert', 'tausend', 'und', 'ein'].toSorted((a, b) => b.length - a.length).join('|')})`,
)
