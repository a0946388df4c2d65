import { describe, expect, test } from 'bun:test'
import { fromNow, momentOf, spanOf, timeOf, utcMomentOf, withMoments } from '../src/times.ts'

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

  test('are those of this machine', () => {
    const local = (...parts: [number, number, number, number]) => new Date(2026, ...parts).toISOString()
    expect([timeOf(local(0, 5, 7, 9)), timeOf(local(10, 15, 17, 19)), timeOf('soon')]).toEqual([
      '2026-01-05 07:09',
      '2026-11-15 17:19',
      'soon',
    ])
    const noon = Date.parse(local(0, 5, 12, 0))
    expect(momentOf(local(0, 5, 13, 0), noon)).toBe('13:00 (in 1 h)')
    expect(momentOf(local(0, 4, 13, 0), noon)).toBe('2026-01-04 13:00 (23 h ago)')
  })

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
