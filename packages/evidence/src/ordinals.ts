import { ordinalValue } from '@csp/language/ordinals'
import { stemOf } from '@csp/language/words'
import type { Doubt } from './evidence.ts'
import type { Scan } from './scan.ts'

/** The second of something in one sentence, where the other one has only the third of it. */
export function otherOrdinal(said: Scan, page: Scan, language: string | undefined): Doubt | undefined {
  const [own, its] = [ordinalsIn(said, language), ordinalsIn(page, language)]
  for (const { value, what, text } of own) {
    const there = its.filter((one) => one.what === what)
    const [other] = there
    if (other && there.every((one) => one.value !== value)) return { kind: 'opposite', said: text, page: other.text }
  }
  return undefined
}

interface Ordinal {
  readonly value: number
  /** The stem of what is counted, or its first letter in scripts without spaces. */
  readonly what: string
  readonly text: string
}

function ordinalsIn({ text, words, stems }: Scan, language = 'en'): readonly Ordinal[] {
  const found: Ordinal[] = [...text.matchAll(unspacedOrdinal)].map(([whole, han, hangul, what = '']) => ({
    value: han ? Math.max(digits.indexOf(han), 0) || Number(han) : korean.indexOf(hangul ?? ''),
    what,
    text: whole.slice(0, -what.length).trim(),
  }))
  for (const [at, word] of words.entries()) {
    const value = ordinalValue(word, language)
    // In Arabic it stands behind what it counts.
    const what = stems[language === 'ar' ? at - 1 : at + 1]
    if (value !== undefined && what !== undefined) found.push({ value, what: stemOf(what), text: word })
  }
  return found
}

const digits = '〇一二三四五六七八九十'
const korean = ['', '첫', '두', '세', '네', '다섯', '여섯', '일곱', '여덟', '아홉', '열']
const unspacedOrdinal =
  /(?:第([一二三四五六七八九十]|\d{1,3})|(?<![가-힣])(첫|두|세|네|다섯|여섯|일곱|여덟|아홉|열)\s?번째\s?)(\p{L}{1,2})/gu
