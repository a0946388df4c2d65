import { expect, test } from 'bun:test'
import { DateIndex, datesIn, readingDates } from '../src/dates.ts'
import { scan } from '../src/scan.ts'

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
    if (done) return expect([value.length >= 5000, pieces >= 10, pieces <= 60]).toEqual([true, true, true])
    pieces++
  }
})

/** Each line: the language, a text, and its dates with their words. */
const cases = `
en | 2024-05-03 | 2024-5-3 = 2024-05-03
en | 2024/5/3. | 2024-5-3 = 2024/5/3
en | 2024.05.03 | 2024-5-3 = 2024.05.03
en | 2024-13-03 | none
en | 2024-00-03 | none
en | 2024-12-31 | 2024-12-31 = 2024-12-31
en | 2024-12-32 | none
en | 2024-05-00 | none
en | 12024-05-03 | none
en | 2024-05-03/4 | none
ja | 2024年5月3日 | 2024-5-3 = 2024年5月3日
ja | 2024年5月 | 2024-5-? = 2024年5月
ko | 2024년 5월 3일 | 2024-5-3 = 2024년 5월 3일
ja | 5月3日 | ?-5-3 = 5月3日
ja | 13月3日 | none
de | 3.5.2024 | 2024-5-3 = 3.5.2024; 2024-3-5 = 3.5.2024
en | 3/5/24 | 2024-5-3 = 3/5/24; 2024-3-5 = 3/5/24
en | 3-5-99 | 1999-5-3 = 3-5-99; 1999-3-5 = 3-5-99
en | 13/5/2024 | 2024-5-13 = 13/5/2024
en | 31/12/2024 | 2024-12-31 = 31/12/2024
en | 3/5/202 | none
en | 3.5/2024 | none
de | am 5.3. | ?-3-5 = 5.3.
de | (5.3.) | ?-3-5 = 5.3.
de | um 5.3. | none
de | am 5.3.2024 | 2024-3-5 = 5.3.2024; 2024-5-3 = 5.3.2024
de | am 5.3. 7 | none
en | 3 May 2024 | 2024-5-3 = 3 May 2024
en | May 3, 2024 | 2024-5-3 = May 3, 2024
en | May 3rd, 2024 | 2024-5-3 = May 3rd, 2024
en | the 3rd of May 2024 | 2024-5-3 = 3rd of May 2024
en | May 2024 | 2024-5-? = May 2024
en | 2024 May | 2024-5-? = 2024 May
en | May 32 | none
en | May 31 | ?-5-31 = May 31
en | May 0 | none
en | May 999 | none
en | May 1000 | 1000-5-? = May 1000
en | May 2999 | 2999-5-? = May 2999
en | May 3000 | none
en | 3 May | ?-5-3 = 3 May
en | 31 May | ?-5-31 = 31 May
en | 3 of the May 2024 | 2024-5-3 = 3 of the May 2024
en | 3 of the of May 2024 | 2024-5-? = May 2024
en | 3 May    2024 | ?-5-3 = 3 May
en | May 3 May 4 | ?-5-3 = May 3; ?-5-4 = May 4
en | 3 May 2024 4 June | 2024-5-3 = 3 May 2024; ?-6-4 = 4 June
en | may be 3 or 4 | none
es | 4 de mayo de 2026 | 2026-5-4 = 4 de mayo de 2026
fr | 1er mai 2026 | 2026-5-1 = 1er mai 2026
ru | 4 мая 2026 года | 2026-5-4 = 4 мая 2026
de | 4. Mai 2026 | 2026-5-4 = 4. Mai 2026
de | Mai 2026 4 | 2026-5-? = Mai 2026
en | three May 2024 | 2024-5-? = May 2024
en | 1999 May 12 | 1999-5-12 = 1999 May 12
en | May 12 1999 13 | 1999-5-12 = May 12 1999
en | 12 May 13 1999 | ?-5-12 = 12 May
en | 3/5/69 | 2069-5-3 = 3/5/69; 2069-3-5 = 3/5/69
en | 3/5/70 | 1970-5-3 = 3/5/70; 1970-3-5 = 3/5/70
en | May 3, May 4 and May 5 | ?-5-3 = May 3; ?-5-4 = May 4; ?-5-5 = May 5
en | 3 May, 4 May and 5 June 2024 | ?-5-3 = 3 May; ?-5-4 = 4 May; 2024-6-5 = 5 June 2024
en | 5 sept 2024 | 2024-9-5 = 5 sept 2024
en | Sept. 5 | ?-9-5 = Sept. 5
ru | 5 мае 2024 | 2024-5-5 = 5 мае 2024
ru | в мае 2024 | 2024-5-? = мае 2024
en | в мае 2024 | 2024-5-? = мае 2024
tr | 5 Mart 2024 | 2024-3-5 = 5 Mart 2024
en | 5 Mart 2024 | none
de | 5 Mart 2024 | none
en | 5 Septemb 2024 | none
en | 5 Augustus 2024 | 2024-8-5 = 5 Augustus 2024
pl | 5 maja 2024 | 2024-5-5 = 5 maja 2024
de | 5 Jan 2024 | 2024-1-5 = 5 Jan 2024
fr | 5 janv 2024 | 2024-1-5 = 5 janv 2024
en | May 31 1999 | 1999-5-31 = May 31 1999
en | May 12 999 | none
en | 3 May 3000 | ?-5-3 = 3 May
en | 3 May - 2024 | 2024-5-3 = 3 May - 2024
en | 3 - May 2024 | 2024-5-3 = 3 - May 2024
en | 3  -  May 2024 | 2024-5-? = May 2024
en | 2024-01-01 | 2024-1-1 = 2024-01-01
en | took out 5 and set 9, 3 ago, tem 4 | none
pt | 5 out 2024, 9 set, 3 ago | 2024-10-5 = 5 out 2024; ?-9-9 = 9 set; ?-8-3 = 3 ago
en | opened on 1 May, 32 May 2024 | ?-5-1 = 1 May; 2024-5-? = May 2024
en | 12 12 May | ?-5-12 = 12 May
`

test.each(
  cases
    .trim()
    .split('\n')
    .map((line) => line.split(' | ')),
)('in %s, the dates of "%s" are: %s', (language, text = '', expected = '') => {
  const dates = datesIn(scan(text), language).map(
    ({ year = '?', month, day = '?', start, end }) => `${year}-${month}-${day} = ${text.slice(start, end)}`,
  )
  expect(dates.join('; ') || 'none').toBe(expected)
})

test('a date of a page is found by as much of it as a sentence says, and one without a year where that stands elsewhere', () => {
  const page = new DateIndex()
  page.add({ year: 2024, month: 5, day: 3 })
  page.add({ month: 6, day: 4 })
  page.add({ year: 2025, month: 7 })
  page.add({ year: 2024, month: 5, day: 3 })
  const has = (year: number | undefined, month: number, day?: number) =>
    page.has({ year, month, day }, (other) => other === 2026)
  expect([has(2024, 5, 3), has(undefined, 5, 3), has(2024, 5), has(2025, 7)]).toEqual([true, true, true, true])
  expect([has(2026, 5, 3), has(2024, 5, 4), has(2024, 6, 3), has(2025, 7, 1), has(2026, 7)]).toEqual(
    Array.from({ length: 5 }, () => false),
  )
  expect([has(undefined, 6, 4), has(2026, 6, 4), has(2026, 6), has(2027, 6, 4), has(2026, 6, 5)]).toEqual([
    ...[true, true, true, false, false],
  ])
})
