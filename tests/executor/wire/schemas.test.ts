import { expect, test } from 'bun:test'
import type { Evidence } from '@csp/evidence/evidence'
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

test('what is no event is malformed, and an event of another type is unknown, whatever fields it has', () => {
  for (const value of [null, undefined, 5, 'done', [], {}, { type: 5 }, { type: 'text-delta', text: 5 }])
    expect(readWireEvent(value)).toBeUndefined()
  expect(readWireEvent({ type: 'text-delta', text: 'They hum.', more: 1 })).toEqual({
    type: 'text-delta',
    text: 'They hum.',
  })
  expect(readWireEvent({ type: 'weather', text: 'Fine.' })).toBe('unknown')
})

test.each([
  ['the name of a backend', 200, (name: string) => ({ type: 'backend', name })],
  ['the reason of a cache', 100, (reason: string) => ({ type: 'cache', status: 'hit', ageSeconds: 1, reason })],
  ['the id of a search', 1000, (id: string) => ({ type: 'search-start', id, query: 'q' })],
  ['the model of a search', 200, (model: string) => ({ type: 'search-start', id: 'i', query: 'q', model })],
])('%s has %i characters at most', (_, length, event) => {
  expect(readWireEvent(event('x'.repeat(length)))).toEqual(event('x'.repeat(length)) as SearchEvent)
  expect(readWireEvent(event('x'.repeat(length + 1)))).toBeUndefined()
})

test('an answer has evidence of a thousand sentences at most, and late rows of a thousand pages', () => {
  const sentence = { sentence: 'They hum.', start: 0, end: 9, verdict: 'found', score: 1, sources: [1] }
  const read = (evidence: number, late: number) => {
    const event = readWireEvent({ ...done, evidence: Array(evidence).fill(sentence), late: Array(late).fill(row) })
    return typeof event === 'object' && event.type === 'done' && [event.evidence?.length, event.late?.length]
  }
  expect([read(1000, 1000), read(1001, 1001)]).toEqual([
    [1000, 1000],
    [undefined, undefined],
  ])
})

test('what a newer csp says of a sentence leaves what is known of it', () => {
  const sentence = { sentence: 'A.', start: 0, end: 2, verdict: 'partly', score: 0.5, sources: [1] } as const
  const missing = [{ kind: 'name', text: 'Vercel' } as const]
  const known: Evidence = { ...sentence, missing, unseen: ['loud'] }
  const newer = {
    ...sentence,
    unseen: ['loud'],
    missing: [{ kind: 'place', text: 'Oslo' }, ...missing],
    doubt: { kind: 'tone', said: 'a', page: 'b' },
    reason: 'too-loud',
  }
  expect(readWireEvent({ ...done, evidence: [newer] })).toEqual({ ...done, evidence: [known] })
  const answer = {
    ...{ text: '', searches: [], citations: [], toolCalls: [], usage: done.usage, model: 'm' },
    reason: 'stop',
  }
  expect(answerSchema.parse({ ...answer, evidence: [newer] }).evidence).toEqual([known])
  expect(answerSchema.parse({ ...answer, evidence: [{ ...sentence, verdict: 'maybe' }] }).evidence).toBeUndefined()
})
