import { describe, expect, test } from 'bun:test'
import { scan } from '../../src/scan.ts'

// Each language counts by its own rules, written here from its grammar, so that no word of a table can be wrong unseen.

interface Counting {
  readonly ones: string
  readonly teens: string
  readonly tens: string
  readonly hundreds: string
  readonly tensAnd: (tens: string, one: string, value: number) => string
  readonly hundredsAnd: string
}

const counted: Readonly<Record<string, Counting>> = {
  en: {
    ones: 'one two three four five six seven eight nine',
    teens: 'ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
    tens: 'twenty thirty forty fifty sixty seventy eighty ninety',
    hundreds:
      'one_hundred two_hundred three_hundred four_hundred five_hundred six_hundred seven_hundred eight_hundred nine_hundred',
    tensAnd: (tens, one) => `${tens}-${one}`,
    hundredsAnd: ' and ',
  },
  fr: {
    ones: 'un deux trois quatre cinq six sept huit neuf',
    teens: 'dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf',
    tens: 'vingt trente quarante cinquante soixante septante huitante nonante',
    hundreds: 'cent deux_cents trois_cents quatre_cents cinq_cents six_cents sept_cents huit_cents neuf_cents',
    tensAnd: (tens, one) => (one === 'un' ? `${tens} et un` : `${tens}-${one}`),
    hundredsAnd: ' ',
  },
  es: {
    ones: 'uno dos tres cuatro cinco seis siete ocho nueve',
    teens: 'diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve',
    tens: 'veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa',
    hundreds: 'ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos',
    tensAnd: (tens, one, value) =>
      value < 30
        ? ([
            '',
            'veintiuno',
            'veintidós',
            'veintitrés',
            'veinticuatro',
            'veinticinco',
            'veintiséis',
            'veintisiete',
            'veintiocho',
            'veintinueve',
          ][value - 20] ?? '')
        : `${tens} y ${one}`,
    hundredsAnd: ' ',
  },
  pt: {
    ones: 'um dois três quatro cinco seis sete oito nove',
    teens: 'dez onze doze treze catorze quinze dezesseis dezessete dezoito dezenove',
    tens: 'vinte trinta quarenta cinquenta sessenta setenta oitenta noventa',
    hundreds: 'cento duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos novecentos',
    tensAnd: (tens, one) => `${tens} e ${one}`,
    hundredsAnd: ' e ',
  },
  ru: {
    ones: 'один два три четыре пять шесть семь восемь девять',
    teens:
      'десять одиннадцать двенадцать тринадцать четырнадцать пятнадцать шестнадцать семнадцать восемнадцать девятнадцать',
    tens: 'двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто',
    hundreds: 'сто двести триста четыреста пятьсот шестьсот семьсот восемьсот девятьсот',
    tensAnd: (tens, one) => `${tens} ${one}`,
    hundredsAnd: ' ',
  },
  ar: {
    ones: 'واحد اثنان ثلاثة أربعة خمسة ستة سبعة ثمانية تسعة',
    teens: 'عشرة أحد_عشر اثنا_عشر ثلاثة_عشر أربعة_عشر خمسة_عشر ستة_عشر سبعة_عشر ثمانية_عشر تسعة_عشر',
    tens: 'عشرون ثلاثون أربعون خمسون ستون سبعون ثمانون تسعون',
    hundreds: 'مئة مئتان ثلاثمئة أربعمئة خمسمئة ستمئة سبعمئة ثمانمئة تسعمئة',
    tensAnd: (tens, one) => `${one} و${tens}`,
    hundredsAnd: ' و',
  },
}

function inWords(value: number, { ones, teens, tens, hundreds, tensAnd, hundredsAnd }: Counting): string {
  const word = (list: string, place: number) => (list.split(' ')[place] ?? '').replaceAll('_', ' ')
  const [hundred, rest] = [Math.floor(value / 100), value % 100]
  const small =
    rest < 10
      ? word(ones, rest - 1)
      : rest < 20
        ? word(teens, rest - 10)
        : rest % 10 === 0
          ? word(tens, rest / 10 - 2)
          : tensAnd(word(tens, Math.floor(rest / 10) - 2), word(ones, (rest % 10) - 1), rest)
  return [hundred > 0 ? word(hundreds, hundred - 1) : '', rest > 0 ? small : ''].filter(Boolean).join(hundredsAnd)
}

/** What a text counts to, by its one number. */
const readIn = (text: string) => scan(text).figures.map(({ values }) => values.map(({ value }) => value))

function germanWords(value: number): string {
  const ones =
    'null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn'
  const tens = 'zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig'.split(' ')
  const one = (place: number) => ones.split(' ')[place] ?? ''
  const below = (small: number) =>
    small < 20 ? one(small) : `${small % 10 > 0 ? `${one(small % 10)}und` : ''}${tens[Math.floor(small / 10) - 2]}`
  const [thousand, hundred, rest] = [Math.floor(value / 1000), Math.floor((value % 1000) / 100), value % 100]
  const last = rest === 1 ? 'eins' : rest > 0 ? below(rest) : ''
  return `${thousand > 0 ? `${below(thousand)}tausend` : ''}${hundred > 0 ? `${one(hundred)}hundert` : ''}${last}`
}

function chineseWords(value: number): string {
  const digits = [...'零一二三四五六七八九']
  const places = ['千', '百', '十', '']
  let written = ''
  let isGap = false
  for (const [at, place] of places.entries()) {
    const digit = Math.floor(value / 10 ** (3 - at)) % 10
    if (digit === 0) isGap ||= written !== ''
    else {
      written += `${isGap ? '零' : ''}${digits[digit]}${place}`
      isGap = false
    }
  }
  return written
}

const koreanWords = (value: number) => {
  const digits = ['', '', ...'이삼사오육칠팔구']
  return [...'천백십']
    .map((place, at) => [Math.floor(value / 10 ** (3 - at)) % 10, place] as const)
    .map(([digit, place]) => (digit > 0 ? `${digits[digit]}${place}` : ''))
    .join('')
    .concat(['', ...'일이삼사오육칠팔구'][value % 10] ?? '')
}

const nativeKorean = (value: number) =>
  `${['', '열', '스물', '서른', '마흔', '쉰', '예순', '일흔', '여든', '아흔'][Math.floor(value / 10)]}${['', '하나', '둘', '셋', '넷', '다섯', '여섯', '일곱', '여덟', '아홉'][value % 10]}`

/** By itself, it is money. */
const isCent = (text: string) => text === 'cent'

/** Every number up to a hundred, and some of each hundred. */
const upToThousand = Array.from({ length: 999 }, (_, at) => at + 1).filter(
  (value) => value <= 100 || value % 37 === 0 || value % 100 === 0,
)

describe.each(Object.entries(counted))('in %s', (language, counting) => {
  test('numbers in words are read up to a thousand', () => {
    const wrong = upToThousand.flatMap((value) => {
      const text = inWords(value, counting)
      const read = readIn(text)
      return isCent(text) || (read.length === 1 && read[0]?.includes(value)) ? [] : [[text, value, read]]
    })
    expect(wrong).toEqual([])
  })
  test('and their thousands', () => {
    const thousand = { en: 'thousand', fr: 'mille', es: 'mil', pt: 'mil', ru: 'тысяч', ar: 'ألف' }[language]
    const wrong = [12, 25, 40, 300, 518].flatMap((value) => {
      const text = `${inWords(value, counting)} ${thousand}`
      const read = readIn(text)
      return read.length === 1 && read[0]?.includes(value * 1000) ? [] : [[text, value, read]]
    })
    expect(wrong).toEqual([])
  })
})

/** Such a word is a part of others, or the name of a town, so that it is no number by itself. */
const isShort = (word: string) => /^[백천]$|^.?천.?$/.test(word)

test.each([
  ['German', germanWords, 13],
  ['Chinese', chineseWords, 11],
  ['Korean', koreanWords, 11],
])('%s numbers of one word are read up to ten thousand', (_, write, from) => {
  const wrong = Array.from({ length: 9999 }, (_, at) => at + 1)
    .filter(
      (value) => value >= from && !isShort(write(value)) && (value <= 120 || value % 97 === 0 || value % 1000 === 0),
    )
    .flatMap((value) => {
      const read = readIn(write(value))
      return read.length === 1 && read[0]?.includes(value) ? [] : [[write(value), value, read]]
    })
  expect(wrong).toEqual([])
})

test('Korean numbers that count things are read up to a hundred', () => {
  const wrong = Array.from({ length: 89 }, (_, at) => at + 11).flatMap((value) => {
    if (nativeKorean(value).length === 1) return []
    const read = readIn(nativeKorean(value))
    return read.length === 1 && read[0]?.includes(value) ? [] : [[nativeKorean(value), value, read]]
  })
  expect(wrong).toEqual([])
})

test.each([
  ['five cents', [5]],
  ['fifty cent', [50]],
  ['zehn Cent', [10]],
  ['six cents', [600, 6]],
  ['cinq cents', [500]],
  ['cent mille', [100_000]],
  ['deux mille cent onze', [2111]],
])('cents are money or hundreds: %s', (text, values) => expect(readIn(text)).toEqual([values]))

test.each(['a cent', 'per cent', 'pour cent'])('and no number: %s', (text) => expect(readIn(text)).toEqual([]))

test('what stands behind a cent that is money is a number of its own', () => {
  expect(readIn('one cent and five dollars')).toEqual([[1], [5]])
})
