/** What a number may mean. Several values: `1.000` is one or a thousand, `10:30` may be in the evening. */
export interface NumberReading {
  readonly values: readonly number[]
  /** The worth of its last place, where that may be rounded; 0 where it stands for itself. */
  readonly step: number
}

/** Reads digits with their marks: `1,000`, `1.000,50`, `1'000`, `1 000`, `10:30`. `century`: of a year cut to two digits. */
export function readDigits(text: string, century?: string): NumberReading {
  if (century !== undefined && text.length === 2) return { values: [Number(text), Number(century + text)], step: 0 }
  const plain = text.replace(/[\s'’]/g, '')
  const [, hours, minutes] = /^(\d{1,2}):(\d{2})$/.exec(plain) ?? []
  if (hours !== undefined) {
    const time = Number(hours) + Number(minutes) / 100
    return { values: [time, time + 12], step: 0 }
  }
  const marks = new Set(plain.match(/[.,:]/g))
  if (marks.size === 0) return { values: [Number(plain)], step: plain === text ? 1 : 0 }
  const last = Math.max(plain.lastIndexOf('.'), plain.lastIndexOf(','))
  const [whole, decimals] = [plain.slice(0, last).replace(/[.,:]/g, ''), plain.slice(last + 1)]
  const isGrouped = marks.size === 1 && grouped.test(plain)
  const values = [Number(`${whole}.${decimals}`), ...(isGrouped ? [Number(plain.replace(/[.,]/g, ''))] : [])]
  return { values, step: isGrouped ? 0 : 10 ** -decimals.length }
}

/** By thousands, or as in India. */
const grouped = /^\d{1,3}(?:[.,]\d{2,3})*[.,]\d{3}$/

/** A reading with the word behind it: `3 million`, `1.2bn`, `5万`. A letter such as `m` may be a unit as well. */
export function scaled({ values, step }: NumberReading, word: string): NumberReading | undefined {
  const factors = scales.get(word)
  if (factors === undefined) return undefined
  const larger = values.flatMap((value) => factors.map((factor) => value * factor))
  return { values: word.length === 1 ? [...values, ...larger] : larger, step: step * (factors[0] ?? 1) }
}

const scales = new Map<string, readonly number[]>(
  (
    [
      [[100], 'hundred hundert cien cent'],
      [[1e3], 'k thousand thousands tausend mille mil mila tys тыс тысяч тысячи 千'],
      [
        [1e6],
        `m mn mm mio million millions millionen millones millon milion miliony milionow milioni milione miljoen milhoes milhao
        milyon млн миллион миллиона миллионов мільйонів`,
      ],
      [[1e9, 1e12], 'bn b billion billions billionen billones billon bilhoes bilhao biljoen'],
      [
        [1e9],
        'mrd milliard milliards milliarden milliarde miliardi miliardo miljard mld milyar млрд миллиард миллиарда миллиардов',
      ],
      [[1e12], 'tn trn trillion trillions 兆'],
      [[1e5], 'lakh'],
      [[1e7], 'crore'],
      [[1e4], '万 萬 만'],
      [[1e8], '亿 億 억'],
    ] as const
  ).flatMap(([factors, words]) => words.split(/\s+/).map((word) => [word, factors] as const)),
)

/** A number up to twelve that is spelled out, folded, and its ordinal. Of the articles that mean one, only English has none. */
export function spelledNumber(folded: string): number | undefined {
  return spelled.get(folded)
}

const spelled = new Map<string, number>(
  `one first eins erste ersten premier premiere primer primero primera|
  two second zwei zweite zweiten deux deuxieme dos segundo segunda due dois duas twee два две|
  three third drei dritte dritten trois troisieme tres tercer tercero tercera tre drie три|
  four fourth vier vierte vierten quatre quatrieme cuatro cuarto quattro quatro четыре|
  five fifth funf funfte funften cinq cinquieme cinco quinto cinque vijf пять|
  six sixth sechs sechste sechsten sixieme seis sexto sei zes шесть|
  seven seventh sieben siebte siebten sept septieme siete septimo sette sete zeven семь|
  eight eighth acht achte achten huit huitieme ocho octavo otto oito восемь|
  nine ninth neun neunte neunten neuf neuvieme nueve noveno nove negen девять|
  ten tenth zehn zehnte zehnten dix dixieme diez decimo dieci dez tien десять|
  eleven eleventh elf elfte elften onze once undici одиннадцать|
  twelve twelfth zwolf zwolfte zwolften douze doce dodici doze twaalf двенадцать`
    .split('|')
    .flatMap((names, place) =>
      names
        .trim()
        .split(/\s+/)
        .map((name) => [name, place + 1] as const),
    ),
)
