import { expect, test } from 'bun:test'
import { collect } from '../../../src/domain/answer.ts'
import type { SearchEvent } from '../../../src/domain/search.ts'
import { answerSchema, readWireEvent } from '../../../src/executor/wire/schemas.ts'
import { done } from '../../support/fake-executor.ts'

const row = {
  title: 'Bees',
  url: 'https://bees.example/',
  snippet: 'They hum.',
  passages: ['They fly.'],
  source: 'home',
}
const found: SearchEvent = { type: 'search-results', id: 'one', results: [row] }

test('the passages of a row come through between two csps, and through the cache', async () => {
  expect(readWireEvent(JSON.parse(JSON.stringify(found)))).toEqual(found)
  async function* events() {
    yield* [{ type: 'search-start', id: 'one', query: 'bees' }, found, done] satisfies SearchEvent[]
  }
  const answer = await collect(events())
  expect(answerSchema.parse(JSON.parse(JSON.stringify(answer)))).toEqual(answer)
})

test.each([0.87, undefined])('a score of %p comes through between two csps', (score) => {
  const scored: SearchEvent = { ...found, results: [{ ...row, score }] }
  expect(readWireEvent(JSON.parse(JSON.stringify(scored)))).toEqual(scored)
})

test.each([null, 'high', -1, 1e308])('a score of %p leaves its row', (score) => {
  expect(readWireEvent({ ...found, results: [{ ...row, score }] })).toEqual(found)
})

test('words that come late come through, and what nobody can read of them leaves the answer whole', () => {
  const late = [{ title: 'T', url: 'https://a.example/', snippet: 'S', source: 'fake' }]
  expect(readWireEvent({ ...done, late })).toEqual({ ...done, late })
  expect(readWireEvent({ ...done, late: [{ url: 'javascript:x' }] })).toEqual({ ...done, late: undefined })
})

test('word that pages are read comes through, and is no part of the answer', async () => {
  const reading: SearchEvent = { type: 'reading', pages: 3 }
  expect(readWireEvent(JSON.parse(JSON.stringify(reading)))).toEqual(reading)
  const over: SearchEvent = { ...reading, maxMs: 2500, unread: [{ site: 'a.example', code: 'timeout' }] }
  expect(readWireEvent(JSON.parse(JSON.stringify(over)))).toEqual(over)
  expect(readWireEvent({ ...over, unread: [{ site: 'a.example', code: 'who-knows' }] })).toEqual({
    ...over,
    unread: undefined,
  })
  expect(readWireEvent({ type: 'reading', pages: 'all' })).toBeUndefined()
  async function* events(more: readonly SearchEvent[]) {
    yield* [{ type: 'search-start', id: 'one', query: 'bees' }, ...more, found, done] satisfies SearchEvent[]
  }
  expect(await collect(events([reading]))).toEqual(await collect(events([])))
})

test.each([[[]], [[5]], ['They fly.'], [Array.from({ length: 101 }, String)]])(
  'passages of another form are refused: %#',
  (passages) => {
    expect(readWireEvent({ ...found, results: [{ ...row, passages }] })).toBeUndefined()
  },
)
