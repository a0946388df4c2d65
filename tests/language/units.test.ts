import { describe, expect, test } from 'bun:test'
import { unitBehind } from '../../src/language/units.ts'

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
  ...{ yard: ['length', 0.9144], year: ['months', 12] },
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
])('%s is read', (text, kind, factor) => {
  const at = /^[\d.,]+/.exec(text)?.[0].length ?? 0
  const units = unitBehind(text, at)?.units ?? []
  expect(units.some((one) => one.kind === kind && Math.abs(one.factor / factor - 1) < 1e-6)).toBe(true)
})
