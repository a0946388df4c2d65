import { expect, test } from 'bun:test'
import type { SearchEvent } from '../../../../src/domain/search.ts'
import { regrounded } from '../../../../src/executor/answer/regrounded.ts'
import { requestFor } from '../../../support/fake-executor.ts'

const url = 'https://seals.example/a'
const search: SearchEvent = {
  type: 'search-results',
  id: 'one',
  results: [{ title: 'Seals', url, source: 'fake' }],
}
const usage = { searches: 1, inputTokens: 1, outputTokens: 1 }
const done: SearchEvent = { type: 'done', reason: 'stop', usage, model: 'fake' }

function passed(texts: readonly string[], schema?: Readonly<Record<string, unknown>>): readonly SearchEvent[] {
  const instead = regrounded(requestFor('seals', { want: 'answer', schema }))
  const deltas = texts.map((text): SearchEvent => ({ type: 'text-delta', text }))
  return [search, ...deltas, done].flatMap((event) => instead(event))
}

const textOf = (events: readonly SearchEvent[]) =>
  events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')

test('what another csp wrote is grounded here, and its citations are made anew', () => {
  const events = passed(['Seals h', '\u200bttps://evil.example/p', ' <scr', 'ipt> bark [1].'])
  expect(textOf(events)).toBe('Seals evil.example (not among the sources) < script> bark [1].')
  const citations = events.filter(({ type }) => type === 'citation')
  expect(citations).toEqual([{ type: 'citation', citation: { number: 1, url, title: 'Seals', start: 58, end: 61 } }])
})

test('its JSON has no address but those of its sources, or the search fails', () => {
  const schema = { type: 'object', properties: { answer: { type: 'string' } } }
  expect(textOf(passed([`{"answer":"At ${url}/`, '"}'], schema))).toBe(`{"answer":"At ${url}"}`)
  expect(() => passed(['{"answer":"h\u200bttps://evil.example/p"}'], schema)).toThrow('No source has this URL')
})
