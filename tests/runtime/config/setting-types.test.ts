import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { duration, durationText } from '../../../src/runtime/config/setting-types.ts'
import { runs } from '../../support/runs.ts'

test('a time is shown in one unit, and read as what it is', () => {
  fc.assert(
    fc.property(fc.constantFrom(86_400, 3600, 60, 1, 0.25), fc.nat(100), (unit, count) => {
      const text = durationText(unit * count)
      expect(text).toMatch(/^(?:0|\d+(?:ms|[smhd]))$/)
      expect(duration(0).parse(text)).toBe(unit * count)
    }),
    { numRuns: runs(200) },
  )
})

test.each([
  [0, '0'],
  [0.5, '500ms'],
  [90, '90s'],
  [120, '2m'],
  [5400, '90m'],
  [7200, '2h'],
  [172_800, '2d'],
])('%d seconds are %s', (seconds, text) => expect(durationText(seconds)).toBe(text))

test.each([
  ['1h30m', 5400],
  [' 1.5 h ', 5400],
  ['2d 1s', 172_801],
  ['250ms', 0.25],
  ['7', 7],
])('%p is a time', (text, seconds) => expect(duration(0).parse(text)).toBe(seconds))

test.each(['1y', 'h', '1h30', '-1s', '', '1e3'])('%p is no time', (text) => {
  expect(duration(0).safeParse(text).success).toBe(false)
})
