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

test('what another csp quotes goes with the marker that it stands behind', () => {
  const other = {
    type: 'search-results',
    id: 'two',
    results: [{ title: 'Ice', url: `${url}b`, source: 'fake' }],
  } as const
  const cites = (number: number, quote?: string): SearchEvent => ({
    type: 'citation',
    citation: { number, url: 'https://evil.example/', title: 'x', start: 0, end: 3, quote },
  })
  const text = (said: string): SearchEvent => ({ type: 'text-delta', text: said })
  const instead = regrounded(requestFor('seals', { want: 'answer' }))
  const events = [
    // Whole texts come before what is told of them; in pieces, a marker comes when it is told, or with what follows it.
    ...[search, other, text('Seals bark [1]. They dive [2]. '), cites(1, 'One.'), cites(2, 'Two.')],
    ...[text('They sleep [2]'), cites(2, 'Three.'), text(' and eat [1]['), cites(1, 'Four.')],
    ...[text('2]'), cites(2, 'Five.'), text(' ever [1]'), done],
  ].flatMap((event) => instead(event))
  expect(textOf(events)).toBe('Seals bark [1]. They dive [2]. They sleep [2] and eat [1][2] ever [1]')
  const citations = events.flatMap((event) => (event.type === 'citation' ? [event.citation] : []))
  expect(citations.map((one) => [one.number, one.url, one.quote])).toEqual([
    [1, url, undefined],
    [2, `${url}b`, undefined],
    [2, `${url}b`, 'Three.'],
    [1, url, 'Four.'],
    [2, `${url}b`, 'Five.'],
    [1, url, undefined],
  ])
})

test('its JSON has no address but those of its sources, or the search fails', () => {
  const schema = { type: 'object', properties: { answer: { type: 'string' } } }
  expect(textOf(passed([`{"answer":"At ${url}/`, '"}'], schema))).toBe(`{"answer":"At ${url}"}`)
  expect(() => passed(['{"answer":"h\u200bttps://evil.example/p"}'], schema)).toThrow('No source has this URL')
})
