import { foldedWord } from '@csp/language/words'

/** The values that a number may have: `1.000` is one or a thousand, `10:30` may be in the evening. */
export interface NumberReading {
  readonly values: readonly NumberValue[]
  /** The worth of the last word behind it that says how large it is. */
  readonly unit?: number | undefined
}

interface NumberValue {
  readonly value: number
  /** The worth of its last place, where that may be rounded; 0 where it stands for itself. */
  readonly step: number
}

/** A number that stands for itself. */
export function exactly(...values: readonly number[]): NumberReading {
  return { values: values.map((value) => ({ value, step: 0 })) }
}

/** Reads digits with their marks: `1,000`, `1.000,50`, `1'000`, `1 000`, `10:30`. `century`: of a year cut to two digits. */
export function readDigits(text: string, century?: string): NumberReading {
  if (century !== undefined && text.length === 2) return exactly(Number(text), Number(century + text))
  const plain = text.replace(/[\s'’]/g, '')
  const [, hours, minutes] = /^(\d{1,2}):(\d{2})$/.exec(plain) ?? []
  if (hours !== undefined) {
    const time = Number(hours) + Number(minutes) / 100
    return exactly(time, time + 12)
  }
  const marks = new Set(plain.match(/[.,]/g))
  if (marks.size === 0) return { values: [{ value: Number(plain), step: plain === text ? 1 : 0 }] }
  const last = Math.max(plain.lastIndexOf('.'), plain.lastIndexOf(','))
  const [whole, decimals] = [plain.slice(0, last).replace(/[.,:]/g, ''), plain.slice(last + 1)]
  const isGrouped = marks.size === 1 && grouped.test(plain)
  // The parts of a version, of an address or of a list are no amount.
  if (!isGrouped && marks.size === 1 && plain.indexOf([...marks][0] ?? '') < last) return { values: [] }
  const value = Number(`${whole}.${decimals}`)
  // Hardly anybody writes three zeros behind a point.
  const grouping = { value: Number(plain.replace(/[.,]/g, '')), step: 1 }
  return isGrouped
    ? { values: [...(decimals === '000' ? [] : exactly(value).values), grouping] }
    : { values: [{ value, step: 10 ** -decimals.length }] }
}

/** By thousands, or as in India. */
const grouped = /^\d{1,3}(?:[.,]\d{2,3})*[.,]\d{3}$/

/**
 * A reading with the word behind it: `3 million`, `1.2bn`, `5万`. Some may be a unit as well, such as `m`, unless the number
 * is an amount of money.
 */
export function scaled({ values }: NumberReading, word: string, isMoney: boolean): NumberReading | undefined {
  const factors = scales.get(word)
  if (factors === undefined) return undefined
  const larger = values.flatMap(({ value, step }) =>
    factors.map((factor) => ({ value: value * factor, step: step * factor })),
  )
  return units.has(word) && !isMoney
    ? { values: [...values, ...larger] }
    : { values: larger, unit: Math.min(...factors) }
}

/** A number of two parts, the second of which counts less than the first: `1兆2000億`, `3 crore 20 lakh`. */
export function together(first: NumberReading, second: NumberReading): NumberReading | undefined {
  const { unit = 0, values } = first
  const [large] = values
  const sums = second.values.flatMap(({ value, step }) =>
    large && value < unit ? [{ value: large.value + value, step }] : [],
  )
  return sums.length > 0 ? { values: sums, unit: second.unit ?? 1 } : undefined
}

/** The decade that `90s` and `90er` mean. */
export function decade({ values }: NumberReading): NumberReading {
  return exactly(...values.flatMap(({ value }) => (value < 100 && value % 10 === 0 ? [value, value + 1900] : [value])))
}

/** About as large as it says: `nearly 9,000` for 8,967. Within a twentieth, and one of its last place that is not 0. */
export function roughly({ values, unit }: NumberReading): NumberReading {
  const stepOf = ({ value, step }: NumberValue) => {
    let place = Math.max(step, 1)
    while (place < value && value % (place * 10) === 0) place *= 10
    return Math.max(step, 2 * Math.min(place, value / 20))
  }
  return { values: values.map((one) => ({ ...one, step: stepOf(one) })), unit }
}

/** In the afternoon, as `6 p.m.` says. */
export function afternoon({ values }: NumberReading): NumberReading {
  return { values: values.flatMap((one) => (one.value < 12 ? [one, { value: one.value + 12, step: 0 }] : [one])) }
}

/** The word at the beginning of a run of letters without spaces that says how large the number before it is. */
export function scaleAtStart(run: string): string {
  // Mega is the same sign in Chinese.
  if (/^兆[瓦字比赫]/.test(run)) return ''
  return spacelessScales.find((word) => run.startsWith(word)) ?? ''
}

/** Also metres, millimetres, kelvin. */
const units = new Set(['m', 'mm', 'k'])
const spacelessScales = [
  '百',
  '백',
  '千',
  '천',
  '万',
  '萬',
  '만',
  '亿',
  '億',
  '억',
  '兆',
  '조',
  'พัน',
  'หมื่น',
  'แสน',
  'ล้าน',
]

const scales = new Map<string, readonly number[]>(
  (
    [
      [[12], 'dozen dutzend'],
      [[100], 'hundred hundert cien cent cents 百 백'],
      [
        [1e3],
        `k thousand thousands tausend tsd mille mil mila mii tys tysiąc tysiące tysięcy tisíc tusen tusind tuhat tuhatta ezer duizend bin
        nghìn ngàn ribu тыс тысяч тысячи тысяча тисяч тисячі тисяча χιλιάδες ألف ألفا آلاف هزار אלף हज़ार हजार হাজার 千 천 พัน`,
      ],
      [
        [1e6],
        `m mn mm mio mln million millions millionen millones millon milion miliona miliony milionow milionu milioane milioni milione
        miljon miljoner miljoen milj millioner miljoona miljoonaa millió milhoes milhao milyon triệu juta млн миллион миллиона миллионов
        мільйон мільйони мільйонів εκατομμύρια εκατομμύριο εκατ مليون ملايين مليونا میلیون מיליון ล้าน`,
      ],
      [[1e9, 1e12], 'bn b billion billions billionen billones billon bilhoes bilhao biljoen'],
      [
        [1e9],
        `mrd md mds milliard milliards milliarden milliarde milliarder miliardi miliardo miliard miliarda miliardy miliardów miliarde miljard
        miljarder miljardi miljardia milliárd mld mlrd milyar miliar tỷ tỉ млрд миллиард миллиарда миллиардов мільярд мільярди мільярдів
        δισεκατομμύρια δισ مليار مليارات بليون میلیارد מיליארד अरब`,
      ],
      [[1e12], 'tn trn trillion trillions trilyon triliun bio трлн триллион триллиона триллионов تريليون ترليون 兆 조'],
      [[1e5], 'lakh lakhs लाख লাখ লক্ষ แสน'],
      [[1e7], 'crore crores करोड़ কোটি'],
      [[1e4], '万 萬 만 หมื่น'],
      [[1e8], '亿 億 억'],
    ] as const
  ).flatMap(([factors, words]) =>
    words.split(/\s+/).flatMap((word) => [word, foldedWord(word)].map((form) => [form, factors] as const)),
  ),
)
