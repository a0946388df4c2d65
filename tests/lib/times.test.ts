import { describe, expect, test } from 'bun:test'
import { fromNow, momentOf, spanOf, utcMomentOf, withMoments } from '../../src/lib/times.ts'

describe('times', () => {
  const now = Date.parse('2026-03-01T12:00:00Z')
  const at = (seconds: number) => new Date(now + seconds * 1000).toISOString()

  test.each([
    [0.9, '0 s'],
    [59, '59 s'],
    [60, '1 min'],
    [3599, '59 min'],
    [3600, '1 h'],
    [3660, '1 h 1 min'],
    [86_399, '23 h 59 min'],
    [86_400, '1 d'],
    [90_000, '1 d 1 h'],
  ])('%d seconds are %s', (seconds, words) => expect(spanOf(seconds)).toBe(words))

  test.each([
    [0, 'now'],
    [0.9, 'now'],
    [1, 'in 1 s'],
    [-1, '1 s ago'],
    [-7200, '2 h ago'],
  ])('from now on %d seconds are %s', (seconds, words) => expect(fromNow(at(seconds), now)).toBe(words))

  test('have their date unless it is today, and what is no time stays', () => {
    expect(utcMomentOf(at(3600), now)).toBe('13:00 UTC (in 1 h)')
    expect(utcMomentOf(at(43_200), now)).toBe('2026-03-02 00:00 UTC (in 12 h)')
    expect(momentOf(at(3600), now)).toMatch(/^(?:2026-03-0[12] )?\d\d:\d\d \(in 1 h\)$/)
    expect(momentOf(at(40 * 86_400), now)).toMatch(/^2026-04-\d\d \d\d:\d\d \(in 40 d\)$/)
    for (const none of ['', 'soon'])
      expect([fromNow(none), momentOf(none), utcMomentOf(none)]).toEqual(['', none, none])
    expect(withMoments(`until ${at(60)} or 2026-03-01`, now)).toBe(`until ${momentOf(at(60), now)} or 2026-03-01`)
  })
})
