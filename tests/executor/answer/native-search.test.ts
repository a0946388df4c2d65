import { expect, test } from 'bun:test'
import { SearchError } from '../../../src/domain/error.ts'
import { nativeCitations, nativeRow, RefusedPlaces } from '../../../src/executor/answer/native-search.ts'

const page = { url: 'https://a.example/', title: 'A', pageAge: undefined }
const now = new Date('2026-03-15T02:00:00Z')

test.each([
  ['3 hours ago', '2026-03-14'],
  ['1 hour ago', '2026-03-15'],
  [' 2 DAYS ago ', '2026-03-13'],
  ['2 weeks ago', undefined],
  ['April 30, 2025', '2025-04-30'],
  [undefined, undefined],
])('the age %p of a page is the date %p', (pageAge, publishedAt) => {
  const row = nativeRow({ ...page, pageAge }, 'messages', now, 'They dive.')
  expect(row).toMatchObject({ title: 'A', snippet: 'They dive.', source: 'messages' })
  expect(row.publishedAt).toBe(publishedAt as string)
  expect(nativeRow(page, 'messages', now).snippet).toBeUndefined()
})

test('what is cited of a page is short, however long the API says it was', () => {
  const [cited] = nativeCitations([{ url: page.url, cited_text: 'Seals dive for an hour. '.repeat(5000) }])
  expect(cited?.words).toStartWith('Seals dive for an hour. ')
  expect(cited?.words.length).toBeLessThanOrEqual(1000)
})

test('a place that the API refuses is left out from then on, and others are not', () => {
  const places = new RefusedPlaces()
  const refusal = (cause: string) => new SearchError('invalid-request', 'No.', { cause })
  const country = refusal('tools.0.web_search_20250305: Country code SG is not supported.')
  const other = refusal('tools.0.web_search_20250305.user_location.timezone: Invalid time zone')
  expect(places.note({}, country)).toBe(false)
  expect(places.note({ country: 'SG' }, refusal('messages: too few'))).toBe(false)
  expect(places.has({ country: 'SG' })).toBe(false)
  expect(places.note({ country: 'SG', city: 'Singapore' }, country)).toBe(true)
  expect(places.has({ country: 'SG' })).toBe(true)
  expect(places.note({ country: 'DE', timezone: 'Europe/Berlin' }, other)).toBe(true)
  expect(places.has({ country: 'DE', timezone: 'Europe/Berlin' })).toBe(true)
  expect([places.has({ country: 'DE' }), places.has({})]).toEqual([false, false])
})
