import { ordinalValue } from '@csp/language/ordinals'
import { isCommon, stemOf } from '@csp/language/words'
import type { Doubt } from './evidence.ts'
import type { Scan } from './scan.ts'

/**
 * The second of something in one sentence, where the other one has only the third of it. "The first part appeared in May,
 * the second in June" has the second part, too.
 */
export function otherOrdinal(said: Scan, page: Scan, language: string | undefined): Doubt | undefined {
  const [own, its] = [ordinalsIn(said, language), ordinalsIn(page, language)]
  const saidStems = new Set(said.stems.map(stemOf))
  /** What stands behind it is not what is counted. */
  const isBare = ({ what, isAlone }: Ordinal) =>
    isAlone || (saidStems.has(what) && own.every((one) => one.what !== what))
  for (const { value, what, text } of own) {
    const there = its.filter((one) => one.what === what && what !== '')
    const [other] = there
    const isThere = there.some((one) => one.value === value) || its.some((one) => one.value === value && isBare(one))
    if (other && !isThere) return { kind: 'opposite', said: text, page: other.text }
  }
  return undefined
}

interface Ordinal {
  readonly value: number
  /** The stem of what is counted, or its first letter in scripts without spaces. */
  readonly what: string
  /** No word of its own stands there. */
  readonly isAlone: boolean
  readonly text: string
}

function ordinalsIn({ text, words, stems }: Scan, language = 'en'): readonly Ordinal[] {
  const found: Ordinal[] = [...text.matchAll(unspacedOrdinal)].map(([whole, han, hangul, what = '']) => ({
    value: han ? Math.max(digits.indexOf(han), 0) || Number(han) : korean.indexOf(hangul ?? ''),
    what,
    isAlone: false,
    text: whole.slice(0, -what.length).trim(),
  }))
  for (const [at, word] of words.entries()) {
    const value = ordinalValue(word, language)
    // In Arabic it stands behind what it counts.
    const beside = language === 'ar' ? at - 1 : at + 1
    const isAlone = stems[beside] === undefined || isCommon(words[beside] ?? '') || /^\d/.test(words[beside] ?? '')
    if (value !== undefined) found.push({ value, what: stemOf(stems[beside] ?? ''), isAlone, text: word })
  }
  return found
}

const digits = '〇一二三四五六七八九十'
const korean = ['', '첫', '두', '세', '네', '다섯', '여섯', '일곱', '여덟', '아홉', '열']
const unspacedOrdinal =
  /(?:第([一二三四五六七八九十]|\d{1,3})|(?<![가-힣])(첫|두|세|네|다섯|여섯|일곱|여덟|아홉|열)\s?번째\s?)(\p{L}{1,2})/gu
