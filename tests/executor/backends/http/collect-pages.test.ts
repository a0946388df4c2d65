import { expect, test } from 'bun:test'
import { SearchError } from '../../../../src/domain/error.ts'
import { collectPages, type ListPage } from '../../../../src/executor/backends/http/collect-pages.ts'
import { failureOf } from '../../../support/failure-of.ts'
import { requestFor } from '../../../support/fake-executor.ts'

const now = () => new Date('2026-11-20T10:00:00Z')
const row = { title: 'Bees', url: 'https://bees.example/', source: 'fake' }

/** The first page has a row; the second one fails, after this. */
function pagesThen(before: () => void): (page: number) => Promise<ListPage> {
  return async (page) => {
    if (page === 1) return { results: [row], hasMore: true }
    before()
    throw new SearchError('unavailable', 'It broke.')
  }
}

test('a page that fails ends the list with the rows of the pages before it', async () => {
  const { signal } = new AbortController()
  const ask = pagesThen(() => {})
  expect(await collectPages(requestFor('q', { limit: 5 }), [1, 2, 3], ask, now, signal)).toEqual({
    rows: [row],
    asked: 2,
  })
})

test('a caller who leaves while a further page is fetched gets no rows of the pages before it', async () => {
  const leaving = new AbortController()
  const ask = pagesThen(() => leaving.abort())
  const collected = collectPages(requestFor('q', { limit: 5 }), [1, 2, 3], ask, now, leaving.signal)
  expect((await failureOf(collected)).message).toBe('It broke.')
})
