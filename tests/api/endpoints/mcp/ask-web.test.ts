import { expect, test } from 'bun:test'
import type { Evidence } from '@csp/evidence/evidence'
import { mcpAskWeb } from '../../../../src/api/endpoints/mcp/ask-web.ts'
import type { Answer } from '../../../../src/domain/search.ts'

const answerOf = (parts: Partial<Answer>): Answer => ({
  ...{ text: 'Bees hum [2].', searches: [], citations: [], toolCalls: [], reason: 'stop', model: 'm' },
  usage: { searches: 1, inputTokens: 1, outputTokens: 1 },
  ...parts,
})
const results = [
  { title: 'A', url: 'https://a.example/', source: 'fake', snippet: 'Bees.' },
  {
    title: 'B\nC',
    url: 'https://b.example/',
    source: 'fake',
    publishedAt: '2026-03-01',
    seenAt: '2026-03-02T10:00:00Z',
  },
]
const searches = [{ id: 's', query: 'bees', results }]
const structured = [
  { number: 1, title: 'A', url: 'https://a.example/', snippet: 'Bees.', cited: false },
  {
    ...{ number: 2, title: 'B\nC', url: 'https://b.example/', published_date: '2026-03-01' },
    ...{ seen_at: '2026-03-02T10:00:00Z', cited: false },
  },
]
const [a, b] = ['[1] A\nhttps://a.example/', '[2] B C (2026-03-01) [from memory, seen 2026-03-02]\nhttps://b.example/']

test('an answer names the sources that it cites, or all where it cites none', () => {
  const input = { question: 'Bees?', effort: undefined, conversation: undefined }
  expect(mcpAskWeb.format(answerOf({ searches }), input)).toEqual({
    structured: { answer: 'Bees hum [2].', sources: structured },
    text: `Bees hum [2].\n\nSources:\n${a}\n${b}`,
  })
  const citations = [{ number: 2, start: 0, end: 1 }] as unknown as Answer['citations']
  const cited = mcpAskWeb.format(answerOf({ searches, citations }), input)
  expect(cited.text).toBe(`Bees hum [2].\n\nSources:\n${b}`)
  expect(cited.structured['sources']).toEqual(structured.map((one) => ({ ...one, cited: one.number === 2 })))
  expect(mcpAskWeb.format(answerOf({}), input).text).toBe('Bees hum [2].')
})

test('an answer says what has to be checked of it, the plainest reason of each sentence', () => {
  const sentence = (text: string, parts: Partial<Evidence> = {}): Evidence => ({
    ...{ sentence: text, start: 0, end: 1, verdict: 'found', score: 1, sources: [1] },
    ...parts,
  })
  const doubt = { kind: 'opposite', said: 'loud', page: 'quiet' } as const
  const evidence = [
    sentence('Fine.', { passage: { text: 'Fine.', source: 1 } as unknown as Evidence['passage'] }),
    sentence('Figures.', {
      missing: [
        { kind: 'number', text: '7' },
        { kind: 'date', text: 'May' },
      ] as unknown as Evidence['missing'],
      doubt: doubt as Evidence['doubt'],
    }),
    sentence('Doubt.', { doubt: doubt as Evidence['doubt'], judge: { says: 'contradicted' } }),
    sentence('Denied.', { judge: { says: 'not-said', words: 'x' }, verdict: 'not-found' }),
    sentence('Judged well.', { judge: { says: 'supported' } }),
    sentence('Nowhere.', { verdict: 'not-found', score: 0 }),
    sentence('Unread.', { verdict: 'not-read', score: 0 }),
  ]
  const { structured: found, text } = mcpAskWeb.format(
    answerOf({ evidence }),
    mcpAskWeb.schema.parse({ question: 'x' }),
  )
  expect(text.split('\n').slice(2)).toEqual([
    'Check before use:',
    '- on none of the pages that it cites: the number 7, date May: Figures.',
    '- “loud”, where the page has “quiet”: Doubt.',
    '- not all of it is said, as the judge says: x: Denied.',
    '- not found on the pages that it cites: Nowhere.',
  ])
  expect((found['evidence'] as readonly object[]).slice(0, 2)).toEqual([
    { sentence: 'Fine.', verdict: 'found', score: 1, sources: [1], passage: 'Fine.' },
    {
      ...{ sentence: 'Figures.', verdict: 'found', score: 1, sources: [1], missing: ['7', 'May'] },
      doubt: '“loud”, where the page has “quiet”',
    },
  ])
})

test('a question is asked with its lines and its conversation', () => {
  const conversation = [{ role: 'User', content: 'a\nb\x07' }]
  const input = mcpAskWeb.schema.parse({ question: ' Why\nnot? ', conversation })
  expect(mcpAskWeb.parse(input)).toEqual({
    ...{
      query: 'Why\nnot?',
      history: [{ role: 'user', text: 'a\nb ' }],
      want: 'answer',
      effort: 'standard',
      filters: {},
    },
  })
  expect(mcpAskWeb.schema.safeParse({ question: 'x', conversation: Array(100).fill(conversation[0]) }).success).toBe(
    true,
  )
  expect(mcpAskWeb.schema.safeParse({ question: 'x', conversation: Array(101).fill(conversation[0]) }).success).toBe(
    false,
  )
})
