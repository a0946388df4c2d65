/** The value of a numeral that is no digit of a row: `⁹⁹`, `⑨⑨`, `½`, `Ⅻ`, `XCIX`. */
export function numeralValue(text: string): number | undefined {
  const plain = text.normalize('NFKC').replace(/[()]/g, '')
  const [, top, bottom] = /^(\d{1,3})⁄(\d{1,3})$/.exec(plain) ?? []
  if (top !== undefined) return Number(top) / Number(bottom)
  return /^\d{1,15}$/.test(plain) ? Number(plain) : romanValue(plain)
}

/** Numerals other than digits and words, in the notation of a regular expression. */
export const numeralSigns = String.raw`[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]{1,15}|[\u2460-\u249b\u24ea\u24f5-\u24ff\u2776-\u2793\u3251-\u325f\u32b1-\u32bf]{1,12}|[\u00bc-\u00be\u2150-\u215e]|[\u2160-\u217f]{1,12}`

export function isRaised(numeral: string): boolean {
  return /^[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]/.test(numeral)
}

/** In capital letters, as it is written. */
export function romanValue(text: string): number | undefined {
  if (!/^(?=[IVXLCDM])M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})$/.test(text)) return undefined
  const values = [...text].map((letter) => romanDigits[letter] ?? 0)
  return values.reduce((sum, value, place) => sum + (value < (values[place + 1] ?? 0) ? -value : value), 0)
}

const romanDigits: Readonly<Record<string, number>> = { I: 1, V: 5, X: 10, L: 50, C: 100, D: 500, M: 1000 }

/** Numbers of Chinese, Japanese and Korean letters in a run of letters: `九十九`, `一千二百万`, `一九九八`, `열두`, `삼백`. */
export function* lettersAsNumbers(
  run: string,
): Generator<{ readonly value: number; readonly start: number; readonly end: number }> {
  for (const { 0: letters, index: start } of run.matchAll(hanNumber)) {
    const value = sumOf(letters, hanDigits)
    if (value !== undefined) yield { value, start, end: start + letters.length }
  }
  for (const { 0: letter, index: start } of run.matchAll(hanDigit))
    yield { value: hanDigits[letter] ?? 0, start, end: start + 1 }
  const [native = ''] = nativeKorean.exec(run) ?? []
  const [, tens = '', ones = ''] = nativeKorean.exec(run) ?? []
  if (native.length > 1)
    yield { value: (koreanTens[tens] ?? 0) + (koreanOnes[ones] ?? 0), start: 0, end: native.length }
  const [sino = ''] = sinoKorean.exec(run) ?? []
  const value = /[십백]/.test(sino) ? sumOf(sino, hangulDigits) : undefined
  if (value !== undefined) yield { value, start: 0, end: sino.length }
}

/** Digits in a row are places; with tens and hundreds they are a sum, and ten thousands count what is before them. */
function sumOf(letters: string, digits: Readonly<Record<string, number>>): number | undefined {
  const values = [...letters].map((letter) => digits[letter] ?? 0)
  if (values.every((value) => value < 10)) return values.length >= 3 ? Number(values.join('')) : undefined
  let [all, part, digit] = [0, 0, 0]
  for (const value of values) {
    if (value < 10) digit = value
    else if (value < 1e4) {
      part += (digit || 1) * value
      digit = 0
    } else {
      all += (part + digit || 1) * value
      part = 0
      digit = 0
    }
  }
  return all + part + digit
}

const hanDigits: Readonly<Record<string, number>> = {
  ...{
    〇: 0,
    零: 0,
    一: 1,
    二: 2,
    两: 2,
    兩: 2,
    三: 3,
    四: 4,
    五: 5,
    六: 6,
    七: 7,
    八: 8,
    九: 9,
    十: 10,
    百: 100,
    千: 1000,
  },
  ...{ 万: 1e4, 萬: 1e4, 亿: 1e8, 億: 1e8 },
}
const hangulDigits: Readonly<Record<string, number>> = {
  ...{ 일: 1, 이: 2, 삼: 3, 사: 4, 오: 5, 육: 6, 칠: 7, 팔: 8, 구: 9, 십: 10, 백: 100, 천: 1000, 만: 1e4, 억: 1e8 },
}
const koreanOnes: Readonly<Record<string, number>> = {
  ...{ 한: 1, 하나: 1, 두: 2, 둘: 2, 세: 3, 셋: 3, 네: 4, 넷: 4, 다섯: 5, 여섯: 6, 일곱: 7, 여덟: 8, 아홉: 9 },
}
const koreanTens: Readonly<Record<string, number>> = {
  ...{ 열: 10, 스물: 20, 스무: 20, 서른: 30, 마흔: 40, 쉰: 50, 예순: 60, 일흔: 70, 여든: 80, 아흔: 90 },
}
/** One alone before what is counted. */
const hanDigit =
  /(?<![〇零一二两兩三四五六七八九十百千万萬亿億])[二两兩三四五六七八九十](?=[条個个件人名天次座辆台家种位张层岁倍枚本冊匹頭軒社校])/g
/** At least two letters: one alone is a part of many words. */
const hanNumber = /[〇零一二两兩三四五六七八九十百千万萬亿億]{2,20}/g
const nativeKorean = new RegExp(`^(${Object.keys(koreanTens).join('|')})?(${Object.keys(koreanOnes).join('|')})?$`)
const sinoKorean = /^[일이삼사오육칠팔구십백천만억]{2,16}/
