import { expect, test } from 'bun:test'
import { AnswerFold, collect, replay, sourcesOf, totalUsage } from '../../src/domain/answer.ts'
import type { Answer, SearchEvent } from '../../src/domain/search.ts'

test('a page that two searches found is one source, as the first search described it', () => {
  const page = { title: 'Bees', url: 'https://bees.example/', snippet: 'They hum.', source: 'first' }
  const again = { ...page, title: 'More bees', snippet: 'They sting.', source: 'second' }
  const wasps = { title: 'Wasps', url: 'https://wasps.example/', source: 'second' }
  const searches = [
    { id: '1', query: 'bees', results: [page] },
    { id: '2', query: 'wasps', results: [again, wasps] },
  ]
  expect(sourcesOf(searches)).toEqual([page, wasps])
})

const usage = { searches: 2, inputTokens: 30, outputTokens: 4 }
const bees = { title: 'Bees', url: 'https://bees.example/', source: 'fake' }
const wasps = { title: 'Wasps', url: 'https://wasps.example/', source: 'fake', snippet: 'They sting.' }
const citation = {
  start: 0,
  end: 5,
  text: 'Bees.',
  url: bees.url,
  title: bees.title,
} as unknown as Answer['citations'][number]
const sentence = { sentence: 'Bees.', start: 0, end: 5, verdict: 'found', score: 1, sources: [1] } as const
const answer: Answer = {
  text: 'Bees hum.',
  searches: [
    { id: '1', query: 'bees', results: [bees] },
    { id: '2', query: 'wasps', results: [] },
  ],
  citations: [citation],
  toolCalls: [
    { id: 'a', name: 'count', arguments: '{"of":"bees"}' },
    { id: 'b', name: 'stop', arguments: '' },
  ],
  reason: 'stop',
  usage,
  model: 'claude-x',
} as Answer
const more = {
  backend: 'claude',
  stopSequence: '',
  isDegraded: true,
  evidence: [sentence],
  receipt: { id: 'id', owner: 'phone' },
}

const from = async function* (events: Iterable<SearchEvent>) {
  yield* events
}

test('an answer that is unfolded into events and folded again is the same', async () => {
  for (const whole of [
    answer,
    { ...answer, ...more },
    { ...answer, text: '', searches: [], citations: [], toolCalls: [] },
  ])
    expect(JSON.stringify(await collect(from(replay(whole))))).toBe(JSON.stringify(whole))
  expect([...replay(answer)].map(({ type }) => type).join(' ')).toBe(
    'search-start search-results search-start search-results text-delta citation tool-call-start tool-call-delta tool-call-start done',
  )
  expect([...replay({ ...answer, ...more })].at(0)).toEqual({ type: 'backend', name: 'claude' })
})

test('the text and the arguments of a call come in pieces, and what only a reader of the stream needs is left out', async () => {
  const events: readonly SearchEvent[] = [
    { type: 'cache', status: 'miss' } as unknown as SearchEvent,
    { type: 'search-results', id: '9', results: [wasps] },
    { type: 'text-delta', text: 'Bees ' },
    { type: 'tool-call-start', id: 'a', name: 'count' },
    { type: 'tool-call-delta', id: 'a', arguments: '{"of":' },
    { type: 'tool-call-delta', id: 'other', arguments: 'lost' },
    { type: 'text-delta', text: 'hum.' },
    { type: 'tool-call-delta', id: 'a', arguments: '1}' },
    { type: 'done', reason: 'stop', usage, model: 'claude-x' } as SearchEvent,
  ]
  expect(await collect(from(events))).toMatchObject({
    text: 'Bees hum.',
    searches: [{ id: '9', query: '', results: [wasps] }],
    toolCalls: [{ id: 'a', name: 'count', arguments: '{"of":1}' }],
  })
})

test('a row without words gets those that came later, under the address of its page', async () => {
  const fold = new AnswerFold()
  const cold = { ...wasps, url: 'https://ants.example/', snippet: undefined }
  fold.add({ type: 'search-results', id: '1', results: [bees, wasps, cold] })
  const late = [
    { ...bees, snippet: 'They hum.' },
    { ...wasps, snippet: 'Later.' },
  ]
  fold.add({ type: 'done', reason: 'stop', usage, model: 'x', late } as SearchEvent)
  expect(fold.finish().searches[0]?.results).toEqual([{ ...bees, snippet: 'They hum.' }, wasps, cold])
})

test('a stream without an end has failed', async () => {
  const ended = collect(from([{ type: 'text-delta', text: 'Bees' }]))
  expect(await ended.catch((error: unknown) => error)).toMatchObject({
    code: 'failed',
    message: 'The search ended without a result.',
  })
})

test('usage is added up, each kind by itself', () => {
  expect(totalUsage([usage, { searches: 1, inputTokens: 1, outputTokens: 1 }])).toEqual({
    searches: 3,
    inputTokens: 31,
    outputTokens: 5,
  })
  expect(totalUsage([])).toEqual({ searches: 0, inputTokens: 0, outputTokens: 0 })
})
