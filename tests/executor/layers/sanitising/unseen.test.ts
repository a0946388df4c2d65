import { expect, test } from 'bun:test'
import { CleanText, cleanWritten } from '@csp/lib/text'
import fc from 'fast-check'
import { collect } from '../../../../src/domain/answer.ts'
import type { SearchEvent } from '../../../../src/domain/search.ts'
import { sanitised } from '../../../../src/executor/layers/sanitising/sanitised.ts'
import { fakeExecutor, requestFor } from '../../../support/fake-executor.ts'

const { signal } = new AbortController()

test.each([
  ['zero-width letters', 'a\u200bb\u2060c\u2063', 'abc'],
  ['a byte order mark', '\ufeffabc', 'abc'],
  ['variation selectors behind letters', 'a\ufe0fb\u{e0101}c\ufe00', 'abc'],
  ['a second variation selector', '❤\ufe0f\ufe0f\ufe01', '❤\ufe0f'],
  ['nothing of an emoji', '👩\u200d🚀 ❤\ufe0f 1\ufe0f\u20e3', '👩\u200d🚀 ❤\ufe0f 1\ufe0f\u20e3'],
  ['nothing of scripts that need joiners', 'می\u200cخواهم', 'می\u200cخواهم'],
  ['nothing of an ideograph with its glyph', '葛\u{e0100}', '葛\u{e0100}'],
  ['nothing of a soft hyphen beside an umlaut', 'Fu\u00df\u00adball', 'Fu\u00df\u00adball'],
  [
    'soft hyphens, joiners and marks of direction between ASCII',
    'h\u00adt\u200dt\u200cp\u200e:\u061c/\u034f/',
    'http://',
  ],
  ['the third of a row', 'é\u200d\u200c\u200d\u200cé', 'é\u200d\u200cé'],
  ['a glyph that a digit cannot have', '1\ufe0f.', '1.'],
])('written text loses %s, wherever it is cut', (_, text, seen) => {
  expect(cleanWritten(text)).toBe(seen)
  for (let at = 1; at < text.length; at++) {
    const pieces = new CleanText()
    expect(pieces.push(text.slice(0, at)) + pieces.push(text.slice(at)) + pieces.end()).toBe(seen)
  }
})

test('a citation points to the same words after unseen letters were removed before it', async () => {
  const text = 'a\u200b\u200bb [1] c\ufeff [2]'
  const url = 'https://a.example/'
  const citation = (number: number): SearchEvent => {
    const start = text.indexOf(`[${number}]`)
    return { type: 'citation', citation: { number, url, title: 'A', start, end: start + 3 } }
  }
  const executor = sanitised(
    fakeExecutor(async function* () {
      yield { type: 'search-start', id: 's', query: 'q' }
      yield { type: 'search-results', id: 's', results: [{ title: 'A', url, source: 'fake' }] }
      yield { type: 'text-delta', text }
      yield citation(1)
      yield citation(2)
      yield { type: 'done', reason: 'stop', usage: { searches: 1, inputTokens: 0, outputTokens: 0 }, model: 'm' }
    }),
  )
  const answer = await collect(executor.search(requestFor('q', { want: 'answer' }), { signal }))
  expect(answer.text).toBe('ab [1] c [2]')
  expect(answer.citations.map(({ start, end }) => answer.text.slice(start, end))).toEqual(['[1]', '[2]'])
})

test('cleaning a clean text changes nothing, and places count what was removed', () => {
  const letters = fc.constantFrom(
    'a',
    ' ',
    'é',
    '葛',
    '❤',
    '1',
    '\ufe0f',
    '\u{e0100}',
    '\u200d',
    '\u00ad',
    '\u200b',
    '\u{e0041}',
  )
  fc.assert(
    fc.property(fc.array(letters), (units) => {
      const text = units.join('')
      const cleaner = new CleanText()
      const clean = cleaner.push(text) + cleaner.end()
      expect(cleanWritten(clean)).toBe(clean)
      expect(cleaner.place(text.length)).toBe(clean.length)
    }),
  )
})
