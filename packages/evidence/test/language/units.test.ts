import { expect, test } from 'bun:test'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import { currencyBefore, currencyCodes, unitBehind } from '../../src/language/units.ts'

/** How many of the first unit of its kind CLDR's units are. Those that a number counts otherwise: fluid ounces, Scandinavian miles. */
const known: Readonly<Record<string, readonly [kind: string, factor: number]>> = {
  ...{ acre: ['area', 4046.8564], bit: ['data', 1], byte: ['data', 8], celsius: ['temperature', 1] },
  ...{ centimeter: ['length', 0.01], degree: ['degrees', 1], fahrenheit: ['fahrenheit', 1], foot: ['length', 0.3048] },
  ...{
    gigabit: ['data', 1e9],
    gigabyte: ['data', 8e9],
    gram: ['mass', 1],
    hectare: ['area', 1e4],
    hour: ['time', 3600],
  },
  ...{ inch: ['length', 0.0254], kilobit: ['data', 1000], kilobyte: ['data', 8000], kilogram: ['mass', 1000] },
  ...{ kilometer: ['length', 1000], liter: ['volume', 0.001], megabit: ['data', 1e6], megabyte: ['data', 8e6] },
  ...{ meter: ['length', 1], microsecond: ['time', 1e-6], mile: ['length', 1609.344], milliliter: ['volume', 1e-6] },
  ...{ millimeter: ['length', 0.001], millisecond: ['time', 0.001], minute: ['time', 60], month: ['months', 1] },
  ...{ nanosecond: ['time', 1e-9], ounce: ['mass', 28.349523], percent: ['percent', 1], petabyte: ['data', 8e15] },
  ...{ pound: ['mass', 453.59237], second: ['time', 1], terabit: ['data', 1e12], terabyte: ['data', 8e12] },
  ...{ yard: ['length', 0.9144], year: ['months', 12], week: ['time', 604_800] },
}

test.each(['en', 'de', 'fr', 'es', 'pt', 'ru', 'ar', 'zh', 'ja', 'ko'])(
  'in %s units have the names of CLDR',
  (language) => {
    const unread = Object.entries(known).flatMap(([unit, [kind, factor]]) => {
      const style = { style: 'unit', unit, unitDisplay: 'long', numberingSystem: 'latn' } as const
      const format = new Intl.NumberFormat(language, style)
      return [1, 2, 5, 11, 100, 1.5].flatMap((count) => {
        const text = format.format(count)
        const number = /\d[\d.,٫]*/.exec(text)
        // Arabic writes one and two of a thing without a number; some languages name the scale of a temperature first.
        if (number === null || /^(?:摂氏|華氏|섭씨|화씨)|액량/.test(text)) return []
        const units = unitBehind(text, number.index + number[0].length)?.units
        return units?.some((one) => one.kind === kind && isNear(one.factor, factor)) ? [] : [text]
      })
    })
    expect(unread).toEqual([])
  },
)

/** A text, the unit in it as it is written, what that measures, and how many of the first unit of its kind it is. */
const written: readonly [text: string, unit: string, measure: string, factor: number][] = [
  ['5 mg', 'mg', 'mass', 0.001],
  ['5 µg', 'µg', 'mass', 1e-6],
  ['4,5 MW', 'MW', 'power', 1e6],
  ['7.5 GWh', 'GWh', 'energy', 3.6e12],
  ['82 Kilowattstunden', 'Kilowattstunden', 'energy', 3.6e6],
  ['3 kilowatt hours a', 'kilowatt hours', 'energy', 3.6e6],
  ['3 km²', 'km²', 'area', 1e6],
  ['5 km2, 6', 'km2', 'area', 1e6],
  ['5 km 2020', 'km', 'length', 1000],
  ['5 square kilometres of', 'square kilometres', 'area', 1e6],
  ['3 kilómetros cuadrados', 'kilómetros cuadrados', 'area', 1e6],
  ['24 Kubikmeter', 'Kubikmeter', 'volume', 1],
  ['284제곱킬로미터이고', '제곱킬로미터', 'area', 1e6],
  ['32 psi', 'psi', 'pressure', 6894.757],
  ['60 m', 'm', 'length', 1],
  ['5-metre pole', 'metre', 'length', 1],
  ['5 км', 'км', 'length', 1000],
  ['5 кВт', 'кВт', 'power', 1000],
  ['5 nautical miles 海', 'nautical miles', 'length', 1852],
  ['5 of kilos', 'kilos', 'mass', 1000],
  ['90 km/h', 'km/h', 'speed', 1 / 3.6],
  ['5 litres a year 2020', 'litres', 'volume', 0.001],
  ['5 mg per 100 ml here', 'mg per 100 ml', 'mass/volume', 0.001],
  ['5 kWh a month', 'kWh a month', 'energy/months', 3.6e6],
  ['4 kg per 1,000 km', 'kg per 1,000 km', 'mass/length', 1000],
  ['5 percentage points up', 'percentage points', 'points', 1],
  ['5 %-Punkte mehr', '%-Punkte', 'points', 1],
  ['5 Swiss francs a head', 'Swiss francs', 'money:CHF', 1],
  ['300 dollars in the year 2020', 'dollars', 'money:$', 1],
  ['2 Mio. Euro', 'Euro', 'money:EUR', 1],
  ['2 Mrd. US-Dollar', 'US-Dollar', 'money:USD', 1],
]

test.each(written)('of %s the unit is %s, which measures %s', (text, unit, measure, factor) => {
  const found = unitBehind(text, numberEnd(text))
  expect(text.slice(found?.start, found?.end)).toBe(unit)
  const one = found?.units.find(({ kind, per }) => (per ? `${kind}/${per.kind}` : kind) === measure)
  expect(one && isNear(one.factor, factor)).toBe(true)
})

test('a unit is the same whatever number is before it and whatever text is behind it', () => {
  const rows = written.filter(([text, unit]) => /^\d+ /.test(text) && text.endsWith(unit))
  const tails = fc.constantFrom('', ',', '.', ')', ' –', '; 7', '\n', ' and so on', ' „')
  const property = fc.property(fc.constantFrom(...rows), fc.nat(), tails, ([text, unit], count, tail) => {
    const other = `${count} ${unit}${tail}`
    const found = unitBehind(other, numberEnd(other))
    expect(other.slice(found?.start, found?.end)).toBe(unit)
    expect(found?.units).toEqual(unitBehind(text, numberEnd(text))?.units)
  })
  fc.assert(property, { numRuns: runs(2000) })
})

test.each([
  '5 of milk',
  '5 per week',
  '5. Euro',
  '5 seals',
  '5 small metres',
  '5 kilopounds',
  '5 kft',
  '5 кW',
  '5 mega',
])('there is no unit in %s', (text) => expect(unitBehind(text, 1)).toBeUndefined())

test('nothing but a length has a square', () => expect(unitBehind('5 square kilos', 1)?.units).toEqual([]))

test.each([
  ['US$ 5', 'US$', 'money:USD'],
  ['costs €5', '€', 'money:EUR'],
  ['a Fr. 5', 'Fr.', 'money:CHF'],
  ['$-5', '$', 'money:$'],
  ['USD −5', 'USD', 'money:USD'],
  ['NOK\u00a05', 'NOK', 'money:kr'],
  ['Rs5', 'Rs', 'money:INR'],
  ['ABC 5', undefined, undefined],
  ['XUSD 5', undefined, undefined],
  ['kg 5', undefined, undefined],
])('the currency before the amount of %s is %s', (text, sign, kind) => {
  const unit = currencyBefore(text, text.indexOf('5'))
  expect(unit && text.slice(unit.start, unit.end)).toBe(sign)
  if (kind) expect(unit?.units.map((one) => one.kind)).toContain(kind)
})

test('each code of a currency goes before an amount', () => {
  const money = currencyCodes().map((code) => currencyBefore(`${code}5`, code.length)?.units[0]?.kind)
  expect(money).toContain('money:NZD')
  expect(money.filter((kind) => !kind?.startsWith('money'))).toEqual([])
  expect(currencyCodes().filter((code) => !/^(?:[A-Z]{3}|Rs)$/.test(code))).toEqual([])
})

function numberEnd(text: string): number {
  return /^\d[\d.,]*(?: Mio| Mrd)?/.exec(text)?.[0].length ?? 0
}

function isNear(one: number, other: number): boolean {
  return Math.abs(one / other - 1) < 1e-6
}
