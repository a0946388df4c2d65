import { expect, test } from 'bun:test'
import { type Quantity, quantityOf } from '../../src/evidence/quantities.ts'
import { scan } from '../../src/evidence/scan.ts'
import type { Unit } from '../../src/language/units.ts'

/** Each line: the language, a text, and its amounts: whether each is one, its bound, values with steps, units and words. */
const cases = `
en | six cents | 600 or 6 money:EUR*0.01 or money:USD*0.01 = six cents
fr | six cents | 600 or 6 money:EUR*0.01 or money:USD*0.01 = six cents
fr | deux cents | perhaps 200 money:EUR*0.01 or money:USD*0.01 = deux cents
fr | deux cents euros | perhaps 200 money:EUR*1 = deux cents euros
en | 5 cents | 5±1 money:EUR*0.01 or money:USD*0.01 = 5 cents
en | 12 cents | 12±1 money:EUR*0.01 or money:USD*0.01 = 12 cents
fr | trois mille deux cents | 3200 = trois mille deux cents
en | $6 million | 6000000±1000000 money:$*1 = $6 million
en | 6 m | 6±1 or 6000000±1000000 length*1 = 6 m
en | € 6 m | 6000000±1000000 money:EUR*1 = € 6 m
en | 6 p.m. | 6±1 or 18 = 6 p
en | 6 pm, 6 pmx | 6±1 or 18 = 6 pm; 6±1 = 6
en | the 1990s | 1990 time*1 = 1990s
de | die 1990er | 1990 = 1990er
en | 1990 s | 1990±1 time*1 = 1990 s
en | 2019–20 | 2019±1 = 2019; 20 or 2020 = 20
en | 2019-20 and 2019/20 | 2019±1 = 2019; 20 or 2020 = 20; 2019±1 = 2019; 20 or 2020 = 20
en | 2019 20 | 2019±1 = 2019; 20±1 = 20
en | 3019-20 | 3019±1 = 3019; 20±1 = 20
zh | 三十二人 | 32 people*1 = 三十二人
zh | 共三十二人，三 | 32 people*1 = 三十二人
zh | 3億2000万 | 320000000±10000 = 3億2000万
zh | 32万5千 | 325000±1000 = 32万5千
ja | 午後3時 | 3±1 or 15 = 3
ja | 午後 3時 | 3±1 or 15 = 3
ja | 午前3時 | 3±1 = 3
ko | 오후 3시 | 3±1 or 15 = 3
en | 2½ | 2.5 = 2½
en | 2 ½ | 2.5 = 2 ½
en | 2  ½ | 2±1 = 2; perhaps 0.5 = ½
en | two ½ | perhaps 2 = two; perhaps 0.5 = ½
en | ½ | perhaps 0.5 = ½
en | Ⅳ and ① | 4 = Ⅳ; 1 = ①
en | x² and 5² | 5±1 or 25 = 5²
en | 5 km² | 5±1 area*1000000 = 5 km²
en | chapter II, chapter XII | perhaps 2 = II; 12 = XII
en | 42^3 | 42±1 or 74088 = 42^3
en | 9.4 × 10¹² m | 9400000000000±100000000000 or 9400000000000000000±100000000000000000 length*1 = 9.4 × 10¹² m
en | 1.5e6 | 1500000±100000 = 1.5e6
en | two and a half | perhaps 2 or 2.5 = two and a half
en | twenty-one and three hundred and five | 21 = twenty-one; 305 = three hundred and five
en | 5–10 % | 5±1 percent*1 = 5; 10±1 percent*1 = 10 %
en | 5 to 10 km | 5±1 length*1000 = 5; 10±1 length*1000 = 10 km
en | 5 km and 10 m | 5±1 length*1000 = 5 km; 10±1 or 10000000±1000000 length*1 = 10 m
en | 5 ,                 10 km | 5±1 = 5; 10±1 length*1000 = 10 km
zh | 百分之五 | none
zh | 百分之 12 | 12±1 percent*1 = 百分之 12
zh | 摄氏12度 | 12±1 temperature*1 = 12度
zh | 华氏 12度 | 12±1 fahrenheit*1 = 12度
ko | 섭씨 12도 | 12±1 temperature*1 = 12도
en | A4 and USD 5 and EUR5 | 5±1 money:USD*1 = USD 5
en | 999 m, 1000 m, 2999 m, 3000 m | 999±1 or 999000000±1000000 length*1 = 999 m; 1000±1 or 1000000000±1000000 length*1 = 1000 m; 2999±1 or 2999000000±1000000 length*1 = 2999 m; 3000±1 or 3000000000±1000000 length*1 = 3000 m
en | 999 months, 1000 months, 2020 months, 3000 months | 999±1 months*1 = 999 months; 1000±1 = 1000; 2020±1 = 2020; 3000±1 months*1 = 3000 months
en | −5 and -5 and minus 5 and a-5 | -5±1 = −5; -5±1 = -5; -5±1 = minus 5; 5±1 = 5
en | 5 degrees below zero | -5±1 degrees*1 = 5 degrees below zero; max 0 = zero
en | 5 below freezing | -5±1 = 5 below freezing
en | at least 5, at most 5, no less than 5 | min 5±1 = 5; max 5±1 = 5; min 5±1 = 5
en | at the very least 5 | 5±1 = 5
en | at least about the 5 | 5±1 = 5
en | 5 or more, 5 or less | min 5±1 = 5; max 5±1 = 5
zh | 5以上，5以下 | min 5±1 = 5; max 5±1 = 5
zh | 至少有5 | min 5±1 = 5
ja | 少なくとも5 | min 5±1 = 5
en | $5 a month | 5±1 money:$*1/months*1 = $5 a month
en | 60 mg/l | 60±1 mass*0.001/volume*0.001 = 60 mg/l
en | 80 km/h | 80±1 speed*0.277778 = 80 km/h
de | 3.600 km | 3600±1 length*1000 = 3.600 km
en | 3.600 km | 3.6 or 3600±1 length*1000 = 3.600 km
de | 3,6 km | 3.6±0.1 length*1000 = 3,6 km
en | 3,600 km | 3600±1 length*1000 = 3,600 km
en | $-5 and -$5 | 5±1 money:$*1 = $-5; -5±1 money:$*1 = -$5
en | 300 K and 86 °F | 300±1 or 300000±1000 kelvin*1 = 300 K; 86±1 fahrenheit*1 = 86 °F
en | one two 3 | perhaps 1 = one; perhaps 2 = two; 3±1 = 3
en | (5) | 5±1 = 5
en | 12:30 | 12.3 or 24.3 = 12:30
en | 1 234 567 | 1234567 = 1 234 567
en | 12,345.67 | 12345.67±0.01 = 12,345.67
`

const short = (value: number) => Number(value.toPrecision(9))
const unit = ({ kind, factor, per }: Unit): string =>
  `${kind}*${Number(factor.toPrecision(6))}${per ? `/${per.kind}*${Number(per.factor.toPrecision(6))}` : ''}`

function shown(text: string, { figure, units, isNegative, bound, start, end }: Quantity): string {
  const values = figure.values.map(
    ({ value, step }) => `${isNegative ? '-' : ''}${short(value)}${step ? `±${step}` : ''}`,
  )
  const said = [figure.isSure ? '' : 'perhaps', bound ?? '', values.join(' or '), units.map(unit).join(' or ')]
  return `${said.filter((part) => part !== '').join(' ')} = ${text.slice(start, end)}`
}

test.each(
  cases
    .trim()
    .split('\n')
    .map((line) => line.split(' | ')),
)('in %s, the amounts of "%s" are: %s', (language, text = '', expected = '') => {
  const amounts: Quantity[] = []
  for (const figure of scan(text).figures.toReversed()) amounts.unshift(quantityOf(text, figure, amounts[0], language))
  expect(amounts.map((amount) => shown(text, amount)).join('; ') || 'none').toBe(expected)
})
