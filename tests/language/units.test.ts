import { describe, expect, test } from 'bun:test'
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

describe.each(['en', 'de', 'fr', 'es', 'pt', 'ru', 'ar', 'zh', 'ja', 'ko'])('in %s', (language) => {
  test.each(Object.entries(known))('%s has the names that CLDR gives it', (unit, [kind, factor]) => {
    const format = new Intl.NumberFormat(language, {
      ...{ style: 'unit', unit, unitDisplay: 'long', numberingSystem: 'latn' },
    } as const)
    // Arabic writes one and two of a thing without a number.
    const unread = [1, 2, 5, 11, 100, 1.5].filter((count) => {
      const text = format.format(count)
      const number = /\d[\d.,٫]*/.exec(text)
      const units = number ? unitBehind(text, number.index + number[0].length)?.units : undefined
      const isThere = units?.some((one) => one.kind === kind && Math.abs(one.factor / factor - 1) < 1e-6)
      return number !== null && !isThere && !/^(?:摂氏|華氏|섭씨|화씨)/.test(text) && !/액량/.test(text)
    })
    expect(unread).toEqual([])
  })
})

test.each([
  ['5 mg', 'mass', 0.001],
  ['5 µg', 'mass', 1e-6],
  ['4,5 MW', 'power', 1e6],
  ['7.5 GWh', 'energy', 3.6e12],
  ['82 Kilowattstunden', 'energy', 3.6e6],
  ['3 km²', 'area', 1e6],
  ['3 kilómetros cuadrados', 'area', 1e6],
  ['24 Kubikmeter', 'volume', 1],
  ['90 km/h', 'speed', 1 / 3.6],
  ['284제곱킬로미터이고', 'area', 1e6],
  ['60 m', 'length', 1],
  ['3 kilowatt hours', 'energy', 3.6e6],
  ['5 км', 'length', 1000],
  ['5 кВт', 'power', 1000],
])('%s is read', (text, kind, factor) => {
  const at = /^[\d.,]+/.exec(text)?.[0].length ?? 0
  const units = unitBehind(text, at)?.units ?? []
  expect(units.some((one) => one.kind === kind && Math.abs(one.factor / factor - 1) < 1e-6)).toBe(true)
})

describe('a unit takes its own letters and no more:', () => {
  test.each([
    ['5 mg per 100 ml here', 'mg per 100 ml', 'mass/volume'],
    ['5 litres of milk', 'litres', 'volume'],
    ['5 of kilos', 'kilos', 'mass'],
    ['5 Swiss francs a head', 'Swiss francs', 'money:CHF'],
    ['5-metre pole', 'metre', 'length'],
    ['5 kWh a month', 'kWh a month', 'energy/months'],
    ['5 percentage points up', 'percentage points', 'points'],
    ['5 %-Punkte mehr', '%-Punkte', 'points'],
    ['5 square kilometres of', 'square kilometres', 'area'],
    ['5 km2, 6', 'km2', 'area'],
    ['5 km 2020', 'km', 'length'],
    ['3 kilowatt hours a', 'kilowatt hours', 'energy'],
    ['4 kg per 1,000 km', 'kg per 1,000 km', 'mass/length'],
    ['300 dollars in the year 2020', 'dollars', 'money:$'],
    ['5 nautical miles off', 'nautical miles', 'length'],
    ['5 litres a year 2020', 'litres', 'volume'],
    ['5 nautical miles 海', 'nautical miles', 'length'],
    ['2 Mio. Euro', 'Euro', 'money:EUR'],
    ['2 Mrd. US-Dollar', 'US-Dollar', 'money:USD'],
  ])('%s', (text, written, measure) => {
    const at = /^\d+(?: Mio| Mrd)?/.exec(text)?.[0].length ?? 0
    const unit = unitBehind(text, at)
    expect(text.slice(unit?.start, unit?.end)).toBe(written)
    expect(unit?.units.map(({ kind, per }) => (per ? `${kind}/${per.kind}` : kind))).toContain(measure)
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
  ])('none in %s', (text) => {
    expect(unitBehind(text, 1)).toBeUndefined()
  })

  test('nothing but a length has a square', () => expect(unitBehind('5 square kilos', 1)?.units).toEqual([]))

  test.each([
    ['US$ 5', 'US$', 'money:USD'],
    ['costs €5', '€', 'money:EUR'],
    ['a Fr. 5', 'Fr.', 'money:CHF'],
    ['$-5', '$', 'money:$'],
    ['USD −5', 'USD', 'money:USD'],
    ['NOK\u00a05', 'NOK', 'money:kr'],
    ['Rs5', 'Rs', 'money:INR'],
  ])('%s', (text, written, kind) => {
    const unit = currencyBefore(text, text.indexOf('5'))
    expect(text.slice(unit?.start, unit?.end)).toBe(written)
    expect(unit?.units.map((one) => one.kind)).toContain(kind)
  })

  test('each code of a currency goes before an amount', () => {
    const money = currencyCodes().map((code) => currencyBefore(`${code}5`, code.length)?.units[0]?.kind)
    expect(money).toContain('money:NZD')
    expect(money.filter((kind) => !kind?.startsWith('money'))).toEqual([])
    expect(currencyCodes().filter((code) => !/^(?:[A-Z]{3}|Rs)$/.test(code))).toEqual([])
  })

  test.each(['ABC 5', 'XUSD 5', 'kg 5'])('no currency in %s', (text) => {
    expect(currencyBefore(text, text.indexOf('5'))).toBeUndefined()
  })
})
