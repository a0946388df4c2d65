import { expect, test } from 'bun:test'
import { SearchError } from '../../../../src/domain/error.ts'
import { collectBatches, type ListBatch } from '../../../../src/executor/backends/http/list-api.ts'
import { failureOf } from '../../../support/failure-of.ts'
import { requestFor } from '../../../support/fake-executor.ts'

const now = () => new Date('2026-11-20T10:00:00Z')
const row = { title: 'Bees', url: 'https://bees.example/', source: 'fake' }

/** The first batch has a row; the second one fails, after this. */
function batchesThen(before: () => void): (batch: number) => Promise<ListBatch> {
  return async (batch) => {
    if (batch === 1) return { results: [row], hasMore: true }
    before()
    throw new SearchError('unavailable', 'It broke.')
  }
}

test('a batch that fails ends the list with the rows of the batches before it', async () => {
  const { signal } = new AbortController()
  const ask = batchesThen(() => {})
  expect(await collectBatches(requestFor('q', { limit: 5 }), [1, 2, 3], ask, now, signal)).toEqual({
    rows: [row],
    asked: 2,
  })
})

test('a caller who leaves while a further batch is fetched gets no rows of the batches before it', async () => {
  const leaving = new AbortController()
  const ask = batchesThen(() => leaving.abort())
  const collected = collectBatches(requestFor('q', { limit: 5 }), [1, 2, 3], ask, now, leaving.signal)
  expect((await failureOf(collected)).message).toBe('It broke.')
})
