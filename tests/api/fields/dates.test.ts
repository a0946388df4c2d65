import { describe, expect, test } from 'bun:test'
import type { z } from 'zod'
import { Refusal } from '../../../src/api/exchange/refusal.ts'
import {
  calendarDate,
  freshnessField,
  isoDateField,
  publishedBetween,
  recentDays,
} from '../../../src/api/fields/dates.ts'
import { isAnyTime, timeField } from '../../../src/api/fields/google-time.ts'
import type { Freshness } from '../../../src/domain/search.ts'

/** The value of a field, or the message of why there is none. */
function read(field: z.ZodType, text: string): unknown {
  const { data, error } = field.safeParse(text)
  return error ? error.issues[0]?.message : data
}

test.each([
  [2026, 3, 1, '2026-03-01'],
  [2024, 2, 29, '2024-02-29'],
  [2026, 2, 29, undefined],
  [2026, 4, 31, undefined],
  [2026, 13, 1, undefined],
  [2026, 0, 1, undefined],
  [2026, 1, 0, undefined],
  [99, 1, 1, undefined],
])('the day %i-%i-%i is %p', (year, month, day, date) => {
  expect(calendarDate(year, month, day)).toBe(date as string)
})

test.each([
  ['2026-03-01', '2026-03-01'],
  [' 2026-03-01T10:00:00Z ', '2026-03-01'],
  ['2026-03-01 10:00', '2026-03-01'],
  ['2026-03-01x', undefined],
  ['2026-3-1', undefined],
  ['2026-02-30', undefined],
  ['', undefined],
])('the date %j is %p', (text, date) => {
  expect(read(isoDateField, text)).toBe(date ?? 'Input should be an existing date, as YYYY-MM-DD')
})

describe('how old a page may be', () => {
  const names: Readonly<Record<string, Freshness | undefined>> = { Day: 'day', any: undefined }
  const unknown = 'Input should be one of Day, any, YYYY-MM-DDtoYYYY-MM-DD'
  const [none, backwards] = [
    'Input should be a range of existing dates',
    'The end of the range should not be before its start',
  ]

  test.each([
    ['', {}],
    ['  ', {}],
    [' DAY ', { freshness: 'day' }],
    ['Any', { freshness: undefined }],
    ['2026-03-01to2026-03-02', { publishedAfter: '2026-03-01', publishedBefore: '2026-03-02' }],
    ['2026-03-01to2026-03-01', { publishedAfter: '2026-03-01', publishedBefore: '2026-03-01' }],
    ['2026-03-02to2026-03-01', backwards],
    ['2026-02-30to2026-03-01', none],
    ['2026-02-20to2026-02-30', none],
    ['2026-03-01to2026-03-02to2026-03-03', unknown],
    ['2026-03-01to', unknown],
    ['2026-03-01', unknown],
    ['2026-03-01..2026-03-02', unknown],
    ['hour', unknown],
  ])('is a name or a range: %j', (text, value) => {
    expect(read(freshnessField(names), text)).toEqual(value)
  })

  test.each([
    ['2026-03-01', { publishedAfter: '2026-03-01', publishedBefore: '2026-03-01' }],
    ['2026-03-01..2026-03-02', { publishedAfter: '2026-03-01', publishedBefore: '2026-03-02' }],
    ['2026-03-01..', 'Input should be one of Day, any, YYYY-MM-DD, YYYY-MM-DD..YYYY-MM-DD'],
  ])('may also be one day: %j', (text, value) => {
    expect(read(freshnessField(names, '..'), text)).toEqual(value)
  })
})

test('two dates are a filter, unless the second one is the earlier', () => {
  const [early, late] = ['2026-03-01', '2026-03-02']
  for (const [from, to] of [
    [early, late],
    [early, early],
    [undefined, early],
    [late, undefined],
  ])
    expect(publishedBetween(from, to, ['end'])).toEqual({ publishedAfter: from, publishedBefore: to })
  const wrong = () => publishedBetween(late, early, ['end'])
  expect(wrong).toThrow(Refusal)
  expect(wrong).toThrow('end: The end date should not be before the start date.')
})

test('a number of days is the shortest time that covers it', () => {
  const days = [1 / 24, 0.05, 1, 1.5, 7, 8, 31, 32, 366, 367]
  expect(days.map(recentDays)).toEqual([
    ...(['hour', 'day', 'day', 'week', 'week', 'month', 'month', 'year', 'year', undefined] as const),
  ])
})

describe("Google's time", () => {
  const [none, backwards, odd] = [
    'Input should have existing dates, as MM/DD/YYYY',
    'The end of the range should not be before its start',
    'Input should be a time such as qdr:d or qdr:w',
  ]

  test.each([
    ['qdr:h', { freshness: 'hour' }],
    ['qdr:h6', { freshness: 'day' }],
    ['qdr:d', { freshness: 'day' }],
    ['sbd:1, qdr:w', { freshness: 'week' }],
    ['qdr:m', { freshness: 'month' }],
    ['qdr:y', { freshness: 'year' }],
    ['qdr:y2', { freshness: undefined }],
    ['qdr:x', odd],
    ['qdr', odd],
    ['qdr:d12345', odd],
    ['cdr:1,cd_min:3/1/2026,cd_max:03/31/2026', { publishedAfter: '2026-03-01', publishedBefore: '2026-03-31' }],
    ['cdr:1,cd_min:3/1/2026,cd_max:3/1/2026', { publishedAfter: '2026-03-01', publishedBefore: '2026-03-01' }],
    ['cdr:1,cd_min:3/1/2026', { publishedAfter: '2026-03-01' }],
    ['cdr:1,cd_min:,cd_max:3/1/2026', { publishedBefore: '2026-03-01' }],
    ['cdr:1,cd_min:3/2/2026,cd_max:3/1/2026', backwards],
    ['cdr:1,cd_min:2/30/2026', none],
    ['cdr:1,cd_max:2026-03-01', none],
    ['sbd:1', {}],
    ['', {}],
  ])('%j', (text, value) => {
    expect(read(timeField, text)).toEqual(value)
  })

  test('is any time where nothing of it acts', () => {
    const day = '2026-03-01'
    expect(
      [{}, { freshness: 'day' }, { publishedAfter: day }, { publishedBefore: day }].map((time) =>
        isAnyTime(time as Parameters<typeof isAnyTime>[0]),
      ),
    ).toEqual([true, false, false, false])
  })
})
