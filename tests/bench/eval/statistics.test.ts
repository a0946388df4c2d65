import { expect, test } from 'bun:test'
import { pairedDifference, shareOf } from '../../../bench/eval/statistics.ts'

const outcomes = (hits: number, of: number) => Array.from({ length: of }, (_, index) => index < hits)

test("a share has Wilson's interval", () => {
  // Newcombe 1998, Statistics in Medicine 17:857, table I, method 3.
  const published = [
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ] as const
  for (const [hits, of, low, high] of published) {
    const share = shareOf(outcomes(hits, of))
    expect(share).toMatchObject({ hits, of, share: hits / of })
    expect(share?.low).toBeCloseTo(low, 4)
    expect(share?.high).toBeCloseTo(high, 4)
  }
  expect(shareOf([])).toBeUndefined()
})

const pairs = (both: number, onlySecond: number, onlyFirst: number, neither: number) =>
  [
    ...Array.from({ length: both }, () => [true, true] as const),
    ...Array.from({ length: onlySecond }, () => [false, true] as const),
    ...Array.from({ length: onlyFirst }, () => [true, false] as const),
    ...Array.from({ length: neither }, () => [false, false] as const),
  ] as const

test("a paired difference has Newcombe's interval", () => {
  // Newcombe 1998, Statistics in Medicine 17:2635, table III, method 10.
  const published = [
    [36, 12, 2, 0, 0.0569, 0.3404],
    [36, 14, 0, 0, 0.1528, 0.4167],
    // By a second program for the same method, which has the two above.
    [20, 7, 3, 10, -0.058, 0.2501],
    [43, 1, 4, 12, -0.1339, 0.0314],
    [5, 9, 8, 2, -0.2759, 0.3496],
  ] as const
  for (const [both, onlySecond, onlyFirst, neither, low, high] of published) {
    const found = pairedDifference(pairs(both, onlySecond, onlyFirst, neither))
    expect(found).toMatchObject({ onlyFirst, onlySecond, of: both + onlySecond + onlyFirst + neither })
    expect(found?.low).toBeCloseTo(low, 3)
    expect(found?.high).toBeCloseTo(high, 3)
  }
  expect(pairedDifference([])).toBeUndefined()
})

test('equal outcomes differ by nothing, and the interval holds 0', () => {
  expect(pairedDifference(pairs(3, 0, 0, 2))).toMatchObject({ difference: 0, onlyFirst: 0, onlySecond: 0 })
})
