import { describe, expect, test } from 'bun:test'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import { monthNumber } from '../src/months.ts'

describe('the month of a name', () => {
  test('is found as its language writes it, with that language and, in the usual ones, without', () => {
    const usual = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'tr', 'ru', 'el', 'he', 'hi', 'bn']
    const language = fc.constantFrom(...usual, 'cs', 'fi', 'sv')
    fc.assert(
      fc.property(language, fc.integer({ min: 1, max: 12 }), fc.boolean(), (written, month, hasDay) => {
        const style = {
          month: 'long',
          ...(hasDay && ({ day: 'numeric' } as const)),
          calendar: 'gregory',
          timeZone: 'UTC',
        } as const
        const parts = new Intl.DateTimeFormat(written, style).formatToParts(Date.UTC(2001, month - 1, 9))
        const name = parts.find(({ type }) => type === 'month')?.value ?? ''
        expect(monthNumber(name, written)).toBe(month)
        // Turkish has a dot on the capital of `i`, Greek no accent on its capitals.
        expect(monthNumber(`${name.toLocaleUpperCase(written)}.`, written)).toBe(month)
        // A name that two of these languages have means the same month in both.
        if (usual.includes(written)) expect(monthNumber(name)).toBe(month)
      }),
      { numRuns: runs(200) },
    )
  })

  test('is found in another case where the language or the script is known', () => {
    expect(monthNumber('марте')).toBe(3)
    expect(monthNumber('marcu', 'pl')).toBe(3)
    expect(monthNumber('maju', 'pl')).toBe(5)
    expect(monthNumber('janvārī', 'lv')).toBe(1)
    expect(['июне', 'мартами', 'мартовск', 'марок', 'сенат'].map((name) => monthNumber(name))).toEqual([
      6,
      3,
      ...[undefined, undefined, undefined],
    ])
    expect(monthNumber('březnu', 'cs')).toBe(3)
    // Of the languages in Latin letters none is known to be meant.
    expect(monthNumber('marcu')).toBeUndefined()
    expect(monthNumber('marchy', 'en')).toBeUndefined()
  })

  test('is not found for a short name that is a word of another language, but with its own', () => {
    const names = ['out', 'set', 'ago', 'tem', 'oca', 'mart', 'dez']
    const months = (language: string) => names.map((name) => monthNumber(name, language))
    expect(months('')).toEqual([...Array.from({ length: 5 }, () => undefined), 3, 12])
    expect(months('en')).toEqual([...Array.from({ length: 6 }, () => undefined), 12])
    expect(months('pt')).toEqual([10, 9, 8, ...Array.from({ length: 3 }, () => undefined), 12])
    expect(months('tr')).toEqual([undefined, undefined, undefined, 7, 1, 3, 12])
  })

  test.each(['', 'mar', 'monday', 'x'.repeat(100_000)])('is not guessed: %.10s', (name) => {
    expect([undefined, 3]).toContain(monthNumber(name))
    expect(monthNumber(`${name}xyz`)).toBeUndefined()
  })

  test.each([
    ['sept', 9],
    ['Sept.', 9],
    ['мае', 5],
  ])('is found for %s, which Intl does not have', (name, month) => expect(monthNumber(name)).toBe(month))
})
