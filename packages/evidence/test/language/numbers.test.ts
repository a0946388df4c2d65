import { describe, expect, test } from 'bun:test'
import {
  afternoon,
  decade,
  exactly,
  readDigits,
  roughly,
  scaleAtStart,
  scaled,
  together,
} from '../../src/language/numbers.ts'

const valuesOf = (reading: ReturnType<typeof scaled>) => reading?.values.map(({ value }) => value)

describe('digits with marks', () => {
  test.each([
    ['1234', [[1234, 1]]],
    ['1 234', [[1234, 0]]],
    ["1'234", [[1234, 0]]],
    [
      '1,234',
      [
        [1.234, 0],
        [1234, 1],
      ],
    ],
    [
      '1.234',
      [
        [1.234, 0],
        [1234, 1],
      ],
    ],
    ['1,000', [[1000, 1]]],
    [
      '12,34,567',
      [
        [1234.567, 0],
        [1_234_567, 1],
      ],
    ],
    ['1.234.567,89', [[1_234_567.89, 0.01]]],
    ['1,234,567.8', [[1_234_567.8, 0.1]]],
    ['3.14', [[3.14, 0.01]]],
    ['5.5.5', []],
    ['1.234.56', []],
    [
      '10:30',
      [
        [10.3, 0],
        [22.3, 0],
      ],
    ],
    [
      '9:05',
      [
        [9.05, 0],
        [21.05, 0],
      ],
    ],
  ])('%s', (text, readings) => {
    expect(readDigits(text).values.map(({ value, step }) => [value, step])).toEqual(readings)
  })

  test('of a year that is cut to two', () => {
    expect(valuesOf(readDigits('20', '19'))).toEqual([20, 1920])
    expect(valuesOf(readDigits('2020', '19'))).toEqual([2020])
  })
})

describe('a word behind a number', () => {
  test.each([
    ['million', 3, [3e6]],
    ['billion', 3, [3e9, 3e12]],
    ['dozen', 2, [24]],
    ['lakh', 2, [2e5]],
    ['crore', 2, [2e7]],
    ['万', 5, [5e4]],
    ['億', 5, [5e8]],
    ['兆', 5, [5e12]],
    ['百', 5, [500]],
    ['千', 5, [5000]],
    ['หมื่น', 5, [5e4]],
    ['แสน', 5, [5e5]],
    ['m', 5, [5, 5e6]],
    ['k', 5, [5, 5000]],
  ])('%s', (word, value, values) => expect(valuesOf(scaled(exactly(value), word, false))).toEqual(values))

  test('is a unit, too, unless the number is money', () => {
    expect(valuesOf(scaled(exactly(5), 'm', true))).toEqual([5e6])
    expect(scaled(exactly(5), 'seals', false)).toBeUndefined()
    expect(scaled(readDigits('5'), 'billion', false)?.unit).toBe(1e9)
    expect(scaled(readDigits('1.2'), 'million', false)?.values).toEqual([{ value: 1.2e6, step: 1e5 }])
  })

  test.each([
    ['万人', '万'],
    ['兆ドル', '兆'],
    ['兆瓦', ''],
    ['人', ''],
  ])('at the start of %s is %j', (run, word) => expect(scaleAtStart(run)).toBe(word))
})

test('two parts are one number if the second is less than the unit of the first', () => {
  const trillion = scaled(exactly(1), '兆', false) ?? exactly()
  expect(together(trillion, scaled(exactly(2000), '億', false) ?? exactly())).toEqual({
    values: [{ value: 1.2e12, step: 0 }],
    unit: 1e8,
  })
  expect(together(trillion, exactly(1e12))).toBeUndefined()
  expect(together(exactly(1), exactly(2))).toBeUndefined()
  expect(together({ values: [], unit: 100 }, exactly(2))).toBeUndefined()
})

test('a decade is of the last century, unless it says otherwise', () => {
  expect(valuesOf(decade(exactly(90)))).toEqual([90, 1990])
  expect(valuesOf(decade(exactly(1890)))).toEqual([1890])
  expect(valuesOf(decade(exactly(100)))).toEqual([100])
  expect(valuesOf(decade(exactly(95)))).toEqual([95])
})

test('an hour of the afternoon is counted from midnight, too, but for noon', () => {
  expect(valuesOf(afternoon(exactly(6)))).toEqual([6, 18])
  expect(valuesOf(afternoon(exactly(11)))).toEqual([11, 23])
  expect(valuesOf(afternoon(exactly(12)))).toEqual([12])
})

test.each([
  [9000, 900],
  [9100, 200],
  [8967, 2],
  [8970, 20],
  [3.14, 0.314],
  [20, 2],
  [7, 1],
  [500_000, 50_000],
])('about %d may be off by %d', (value, step) => {
  expect(roughly(readDigits(String(value))).values[0]?.step).toBeCloseTo(step, 9)
})
