import { expect, test } from 'bun:test'
import type { Unit } from '../src/language/units.ts'
import { type Quantity, quantityOf } from '../src/quantities.ts'
import { scan } from '../src/scan.ts'

/** Each line: the language, a text, and its amounts: whether each is one, its bound, values with steps, units and words. */
const cases = `
en | six cents | 600 or 6 money:EUR*0.01 or money:USD*0.01 = six cents
fr | six cents | 600 or 6 money:EUR*0.01 or money:USD*0.01 = six cents
fr | deux cents | 200 money:EUR*0.01 or money:USD*0.01 = deux cents
fr | deux cents euros | 200 money:EUR*1 = deux cents euros
en | 5 cents | 5±1 money:EUR*0.01 or money:USD*0.01 = 5 cents
en | USD5.50, EUR1,200, Rs500 and EURO5 | 5.5±0.01 money:USD*1 = USD5.50; 1200±1 money:EUR*1 = EUR1,200; 500±1 money:INR*1 = Rs500
en | NZD5.50, SGD 5, NZ$5, S$ 5, 5 Singapore dollars, XUSD5, EU5 | 5.5±0.01 money:NZD*1 = NZD5.50; 5±1 money:SGD*1 = SGD 5; 5±1 money:NZD*1 = NZ$5; 5±1 money:SGD*1 = S$ 5; 5±1 money:SGD*1 = 5 Singapore dollars
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
en | A4 and USD 5 and EUR5 | 5±1 money:USD*1 = USD 5; 5±1 money:EUR*1 = EUR5
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
en | 5,000 m, 5,000 K, 3,600 m, 3,600 million, 3.600 m | 5000±1 or 5000000000±1000000 length*1 = 5,000 m; 5000±1 or 5000000±1000 kelvin*1 = 5,000 K; 3600±1 or 3600000000±1000000 length*1 = 3,600 m; 3600000 or 3600000000±1000000 = 3,600 million; 3.6 or 3600±1 or 3600000 or 3600000000±1000000 length*1 = 3.600 m
de | 3.600 m, 3.14², 3,14², 5.000 m | 3600±1 or 3600000000±1000000 length*1 = 3.600 m; 3.14±0.01 or 9.8596 = 3.14²; 3.14±0.01 or 9.8596 = 3,14²; 5000±1 or 5000000000±1000000 length*1 = 5.000 m
de | 3,6 km | 3.6±0.1 length*1000 = 3,6 km
en | 3,600 km | 3600±1 length*1000 = 3,600 km
en | $-5 and -$5 | 5±1 money:$*1 = $-5; -5±1 money:$*1 = -$5
en | 300 K and 86 °F | 300±1 or 300000±1000 kelvin*1 = 300 K; 86±1 fahrenheit*1 = 86 °F
en | one two 3 | perhaps 1 = one; perhaps 2 = two; 3±1 = 3
en | (5) | 5±1 = 5
en | 12:30 | 12.3 or 24.3 = 12:30
en | 1 234 567 | 1234567 = 1 234 567
en | 12,345.67 | 12345.67±0.01 = 12,345.67
en | five hundred thousand, eleven hundred, one hundred one thousand | 500000 = five hundred thousand; 1100 = eleven hundred; 101000 = one hundred one thousand
en | twenty thousand and five, twenty twenty, five five, ten hundred | 20005 = twenty thousand and five; 20 = twenty; 20 = twenty; 5 = five; 5 = five; 1000 = ten hundred
fr | quatre-vingts, quatre-vingt-dix-sept, cent quatre vingt | 80 = quatre-vingts; 97 = quatre-vingt-dix-sept; 180 = cent quatre vingt
fr | soixante et onze, soixante-dix, mille deux cents, deux cent mille | 71 = soixante et onze; 70 = soixante-dix; 1200 = mille deux cents; 200000 money:EUR*0.01 or money:USD*0.01 = deux cent mille
ar | مئة وأربعة عشر | 114 = مئة وأربعة عشر
ar | خمسة وعشرون، ثلاثة عشر | 25 = خمسة وعشرون; 13 = ثلاثة عشر
ar | مئة وخمسة وعشرون | 125 = مئة وخمسة وعشرون
de | einundzwanzig, zweihundertfünf, dreitausend, eine Million | 21 = einundzwanzig; 205 = zweihundertfünf; 3000 = dreitausend; perhaps 1000000 = eine Million
es | treinta y uno, doscientos cinco | 31 = treinta y uno; 205 = doscientos cinco
ru | двадцать пять, сто двадцать тысяч | 25 = двадцать пять; 120000 = сто двадцать тысяч
zh | 二〇二四，一百零五，三千二百万 | 2024 = 二〇二四; 105 = 一百零五; 32000000 = 三千二百万
zh | 十，百，两，二人，五五 | perhaps 2 people*1 = 二人
ko | 스물다섯, 열두, 이백삼십, 삼천오백 | 25 = 스물다섯; 12 = 열두; 230 = 이백삼십; 3500 = 삼천오백
ko | 만 오천, 마흔 명, 십, 백, 오백 | 40 people*1 = 마흔 명; 500 = 오백
en | LIV, CDXL, MCMXC, DLV, XLII, I, V, IL | 54 = LIV; 440 = CDXL; 1990 = MCMXC; 555 = DLV; 42 = XLII
en | 3 nm, 4 nautical miles, 5 days, 2 atm | 3±1 length*1e-9 or length*1e-9 or length*1852 = 3 nm; 4±1 length*1852 = 4 nautical miles; 5±1 time*86400 = 5 days; 2±1 pressure*101325 = 2 atm
ja | 三割, 3割 | 3±1 percent*10 = 3割
en | 7 kWh, 7 Wh, 3 MWh, 9 gigawatts | 7±1 energy*3600000 = 7 kWh; 7±1 energy*3600 = 7 Wh; 3±1 energy*3600000000 = 3 MWh; 9±1 power*1000000000 = 9 gigawatts
en | 12 km per hour, 5 m per second, 5 kg per day | 12±1 speed*0.277778 = 12 km per hour; 5±1 or 5000000±1000000 speed*1 = 5 m per second; perhaps 2 = second; 5±1 mass*1000/time*86400 = 5 kg per day
en | 5 USD/kWh, 5 Australian dollars, 5 US dollars, 4 litres per 100 km | 5±1 money:USD*1/energy*3600000 = 5 USD/kWh; 5±1 money:AUD*1 = 5 Australian dollars; 5±1 money:USD*1 = 5 US dollars; 4±1 volume*0.001/length*100000 = 4 litres per 100 km; 100±1 length*1000 = 100 km
en | 5 square km, 5 cubic metres, 5 km 300, 5-km, 5 milliseconds, 5 kilo | 5±1 area*1000000 = 5 square km; 5±1 volume*1 = 5 cubic metres; 5±1 length*1000 = 5 km; 300±1 = 300; 5±1 length*1000 = 5-km; 5±1 time*0.001 = 5 milliseconds; 5±1 mass*1000 = 5 kilo
en | 2^30, 2^31, 10⁻³, 3 × 10^-3, 5 x 10^(6), 2^1 | 2±1 or 1073741820 = 2^30; 2±1 = 2; 31±1 = 31; 0.001 = 10⁻³; 0.003±0.001 = 3 × 10^-3; 5000000±1000000 = 5 x 10^(6); 2±1 = 2; 1±1 = 1
en | 3 and a half, two and a half million | 3±1 or 3.5 = 3 and a half; perhaps 2000000 or 2500000 = two and a half million
en | one million, two million, two dozen, two m, two and a half dozen | perhaps 1000000 = one million; 2000000 = two million; 24 = two dozen; perhaps 2 or 2000000 length*1 = two m; perhaps 2 or 2.5 = two and a half; 12 = dozen
en | a hundred and four, a hundred km, a hundred, 3 and a half m | 104 = a hundred and four; perhaps 100 length*1000 = a hundred km; perhaps 100 = a hundred; 3±1 or 3.5 or 3000000±1000000 or 3500000 = 3 and a half m
en | 5.5.5, 192.168.1.1, 1,2,3 and 5.5 | none = 5.5.5; none = 192.168.1.1; none = 1,2,3; 5.5±0.1 = 5.5
fr | 3 et demie | 3±1 or 3.5 = 3 et demie
zh | 3半, 3个半 | 3±1 or 3.5 = 3半; 3±1 = 3
ko | 3반 | 3±1 or 3.5 = 3반
en | 5 –  10 %, 5    to 10 % | 5±1 = 5; 10±1 percent*1 = 10 %; 5±1 = 5; 10±1 percent*1 = 10 %
en | At Least 5, AT MOST 5, no more than about 5, more than 5 km, up to $5 | min 5±1 = 5; max 5±1 = 5; 5±1 = 5; min 5±1 length*1000 = 5 km; max 5±1 money:$*1 = $5
en | (more than) 5, (more than 5), not less than 5 km, less than -5 | 5±1 = 5; 5±1 = 5; min 5±1 length*1000 = 5 km; -5±1 = -5
de | mehr als 5, mindestens 5, bis zu 5 | min 5±1 = 5; min 5±1 = 5; max 5±1 = 5
en | 5 degrees Celsius below zero, 12 or more of them | -5±1 temperature*1 = 5 degrees Celsius below zero; max 0 = zero; min 12±1 = 12
ja | 5以上の, 5を超え, 5未満 | min 5±1 = 5; min 5±1 = 5; max 5±1 = 5
ko | 5명 이상, 최소 5, 5 미만 | min 5±1 people*1 = 5명; min 5±1 = 5; max 5±1 = 5
zh | 超过5, 共有超过5, 零下5, 负5 | min 5±1 = 5; min 5±1 = 5; -5±1 = 零下5; -5±1 = 负5
`

const short = (value: number) => Number(value.toPrecision(9))
const unit = ({ kind, factor, per }: Unit): string =>
  `${kind}*${Number(factor.toPrecision(6))}${per ? `/${per.kind}*${Number(per.factor.toPrecision(6))}` : ''}`

function shown(text: string, { figure, units, isNegative, bound, start, end }: Quantity): string {
  const values = figure.values.map(
    ({ value, step }) => `${isNegative ? '-' : ''}${short(value)}${step ? `±${step}` : ''}`,
  )
  const said = [
    figure.isSure ? '' : 'perhaps',
    bound ?? '',
    values.join(' or ') || 'none',
    units.map(unit).join(' or '),
  ]
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
