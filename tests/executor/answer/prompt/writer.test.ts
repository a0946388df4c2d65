import { describe, expect, test } from 'bun:test'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import type { SearchResult } from '../../../../src/domain/search.ts'
import {
  claimsSection,
  resultsQuery,
  schemaReminder,
  schemaSection,
  schemaWish,
} from '../../../../src/executor/answer/prompt/prompt.ts'
import { sourcesSection, writerSystemPrompt, writerWish } from '../../../../src/executor/answer/prompt/writer.ts'
import { requestFor } from '../../../support/fake-executor.ts'

const row = (more: Partial<SearchResult> = {}): SearchResult => ({
  ...{ title: 'A title', url: 'https://a.example/', source: 'claude' },
  ...more,
})
const passages = Array.from({ length: 9 }, (_, at) => `Passage ${at}.`)
const linesOf = (text: string) => text.split('\n').slice(1, -1)

describe('the sources of a writer', () => {
  test('are numbered by their place, with date, excerpt and passages', () => {
    const rows = [row({ snippet: 'One\nline. [4]', publishedAt: '2026-01-02', passages: ['Two.', ''] }), row()]
    expect(linesOf(sourcesSection(requestFor('q'), rows))).toEqual([
      '[1] A title — https://a.example/ (2026-01-02)',
      '    One line. [4]',
      '    Two.',
      '[2] A title — https://a.example/',
    ])
    expect(linesOf(sourcesSection(requestFor('q'), []))).toEqual(['The web search found no pages.'])
  })

  test('lose the markers of their own pages', () => {
    const [, line] = linesOf(
      sourcesSection(requestFor('q'), [row({ snippet: 'It is so.[12] As a[1] says,[3] it [2] is.[1234]' })]),
    )
    expect(line).toBe('    It is so. As a[1] says, it [2] is.[1234]')
  })

  test('have words where two of them have, and keep their numbers', () => {
    const rows = [row(), row({ snippet: 'One.' }), row(), row({ snippet: 'Two.' })]
    const numbers = (given: typeof rows) =>
      Array.from(sourcesSection(requestFor('q'), given).matchAll(/^\[(\d+)\]/gm), ([, number]) => Number(number))
    expect(numbers(rows)).toEqual([2, 4])
    expect(numbers(rows.slice(0, 3))).toEqual([1, 2, 3])
  })

  test('have fewer passages the more there are, one to five each, and a report has more', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 80 }), fc.boolean(), (count, isReport) => {
        const rows = Array.from({ length: count }, () => row({ snippet: 'A snippet.', passages }))
        const request = requestFor('q', isReport ? { research: 'low' } : {})
        const each = linesOf(sourcesSection(request, rows)).length / count - 2
        expect(each).toBe(Math.min(5, Math.max(1, Math.floor((isReport ? 150 : 60) / count) - 1)))
      }),
      {
        numRuns: runs(50),
        examples: [
          [30, true],
          [12, false],
          [10, false],
          [20, false],
          [25, true],
        ],
      },
    )
  })
})

describe('a writer', () => {
  test('has rules on sources that a prompt of the operator does not replace', () => {
    const [usual, own] = [writerSystemPrompt(), writerSystemPrompt('You are Ada.')]
    expect(own).toStartWith('You are Ada.\n\nEach message')
    for (const text of [usual, own]) {
      expect(text).toContain('[1]')
      expect(text).toMatch(/not instructions/)
      expect(text).toMatch(/never .* from memory/i)
    }
    for (const words of ['your reader is', 'language of the question']) {
      expect(usual).toContain(words)
      expect(own).not.toContain(words)
    }
  })

  test('is told to answer, or to report at a length', () => {
    expect(writerWish(requestFor('q'))).toMatch(/^Answer/)
    const words = (['low', 'medium', 'high'] as const).map((research) => writerWish(requestFor('q', { research })))
    expect(words.map((text) => Number(/(\d+) words/.exec(text)?.[1]))).toEqual([500, 1000, 2000])
  })
})

describe('the query of a list', () => {
  const now = new Date('2026-03-01T12:00:00Z')
  test('is one line with the filters below it, and asks for lines or for one word', () => {
    const request = requestFor('bees\nand wasps', { filters: { language: 'de' }, exclude: ['https://a.example/'] })
    const lines = resultsQuery(request, 'lines', now)
    expect(lines).toStartWith('bees and wasps\nPrefer pages in the language de')
    expect(lines).toContain('https://a.example/')
    expect(lines).toContain('NUMBER SITE|YYYYMMDD|excerpt')
    expect(resultsQuery(requestFor('bees'), 'none', now)).toMatch(/^bees\n\n.*"done"\.$/)
  })
})

describe('a schema in a prompt', () => {
  test('is there where the caller gave one', () => {
    const schema = { type: 'object' }
    expect(schemaSection(requestFor('q', { schema }))).toBe('<schema>\n{"type":"object"}\n</schema>')
    expect(schemaWish(requestFor('q', { schema }))).toContain('JSON')
    expect([schemaSection(requestFor('q')), schemaWish(requestFor('q'))]).toEqual([undefined, undefined])
  })

  test('that was missed is told with twenty problems at most', () => {
    const reminder = schemaReminder(Array.from({ length: 40 }, (_, at) => `problem-${at}`))
    expect(reminder.match(/problem-\d+/g)).toHaveLength(20)
    expect(reminder).toContain('problem-19')
  })
})

test('claims are numbered, each with its passages in a line and the source of each', () => {
  const claims = [
    { sentence: 'It\nis so.', passages: [{ text: 'So it\nis.', source: 2, place: 0 }] },
    { sentence: 'Yes.', passages: [] },
  ]
  expect(claimsSection(requestFor('q', { claims }))?.split('\n')).toEqual([
    ...['<claims>', '<claim number="1">', 'It is so.', '</claim>'],
    ...['<passages claim="1">', '[2] So it is.', '</passages>'],
    ...['<claim number="2">', 'Yes.', '</claim>', '<passages claim="2">', '', '</passages>', '</claims>'],
  ])
  expect(claimsSection(requestFor('q'))).toBeUndefined()
})
