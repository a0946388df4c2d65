import { expect, test } from 'bun:test'
import { nativeCitations, nativeRow } from '../../../src/executor/answer/native-search.ts'

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
