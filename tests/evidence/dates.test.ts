import { expect, test } from 'bun:test'
import { readingDates } from '../../src/evidence/dates.ts'
import { scan } from '../../src/evidence/scan.ts'

test.each([
  ['in digits', '2024-05-03 '],
  ['with two readings', '4/5/2026 '],
  ['with a named month', '3 May 2024, '],
  ['of Japanese', '2024年5月3日 '],
])('a page that is nothing but dates %s is read in pieces', (_, date) => {
  const reading = readingDates(scan(date.repeat(5000)), 'en')
  let pieces = 0
  for (;;) {
    const { done, value } = reading.next()
    if (done) return expect([value.length >= 5000, pieces >= 10]).toEqual([true, true])
    pieces++
  }
})
