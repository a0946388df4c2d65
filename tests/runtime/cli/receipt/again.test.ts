import { expect, test } from 'bun:test'
import { sha256 } from '@csp/lib/bytes'
import { PageError } from '@csp/page-reader/page-error'
import { examplePage } from '../../../../src/api/serve/example.ts'
import type { Receipt } from '../../../../src/domain/receipt.ts'
import type { Answer } from '../../../../src/domain/search.ts'
import { receiptOfAnswer } from '../../../../src/runtime/cli/receipt/of-answer.ts'
import { readAgain } from '../../../../src/runtime/cli/receipt/receipt.ts'
import { requestFor } from '../../../support/fake-executor.ts'

test('a page with the same words is the same, though a cited passage is not found on it', async () => {
  const url = 'https://a.example/park'
  const [content, passage] = ['The park has lakes.', { text: 'Herons nest there.', place: 0, source: 1 }]
  const receipt = {
    sources: [{ number: 1, url, title: 'Park', hash: await sha256(content), passages: [] }],
    sentences: [
      { sentence: 'Herons nest there.', start: 0, end: 18, verdict: 'found', score: 1, sources: [1], passage },
    ],
  } as unknown as Receipt
  const statesOf = async (text: string) =>
    (await readAgain(receipt, async () => ({ ...examplePage(url), content: text }))).map(({ state, gone }) => [
      state,
      gone,
    ])
  expect(await statesOf(content)).toEqual([['same', []]])
  expect(await statesOf(`${content} And more.`)).toEqual([['changed', ['Herons nest there.']]])
})

test('only pages that were cited or read are read again, each passage is named once, and its own page has it', async () => {
  const source = (number: number, hash?: string) => ({
    number,
    url: `https://a.example/${number}`,
    title: '',
    hash,
    passages: [],
  })
  const sentence = (place: number, at: number, text: string) => ({
    ...{
      sentence: text,
      start: 0,
      end: 1,
      verdict: 'found',
      score: 1,
      sources: [place],
      passage: { text, place: at, source: place },
    },
  })
  const sentences = [
    sentence(1, 0, 'Herons nest there.'),
    sentence(1, 0, 'Herons nest there.'),
    sentence(2, 0, 'Bees sleep.'),
  ]
  const receipt = { sources: [source(1), source(2), source(3), source(4, 'x')], sentences } as unknown as Receipt
  const read = async (url: string) => {
    if (url.endsWith('4')) throw new PageError('not-found', 'It is gone.')
    return { ...examplePage(url), content: url.endsWith('2') ? 'Bees sleep.' : 'Nothing of it.' }
  }
  expect(await readAgain(receipt, read)).toEqual([
    { number: 1, url: 'https://a.example/1', state: 'changed', gone: ['Herons nest there.'] },
    { number: 2, url: 'https://a.example/2', state: 'same', gone: [] },
    { number: 4, url: 'https://a.example/4', state: 'unreachable', gone: [], error: 'It is gone.' },
  ])
  const failing = (error: Error) => readAgain(receipt, () => Promise.reject(error))
  await expect(failing(new PageError('cancelled', 'Stopped.'))).rejects.toThrow('Stopped.')
  await expect(failing(new TypeError('a fault'))).rejects.toThrow('a fault')
})

test('the receipt of an answer has what is known of it here', () => {
  const createdAt = new Date('2026-01-02T03:04:05Z')
  const page = { title: 'A', url: 'https://a.example/', source: 'fake' }
  const results = [
    { ...page, snippet: 'First', passages: ['Second'], publishedAt: '2026-01-01' },
    { ...page, url: 'https://b.example/' },
  ]
  const answer = {
    ...{ model: 'm', backend: 'claude', text: 'It is so [1].', citations: [] },
    searches: [{ id: 'one', query: 'q', results }],
  } as unknown as Answer
  const of = (more: object, request = {}) =>
    receiptOfAnswer({ ...answer, ...more }, requestFor('q?', request), { createdAt })
  expect(of({})).toEqual({
    ...{ id: 'not known here', time: '2026-01-02T03:04:05.000Z', question: 'q?', model: 'm', backend: 'claude' },
    ...{ strategy: 'fast', answer: 'It is so [1].', sentences: [] },
    sources: [
      { number: 1, url: 'https://a.example/', title: 'A', date: '2026-01-01', passages: ['First', 'Second'] },
      { number: 2, url: 'https://b.example/', title: 'A', date: undefined, passages: [] },
    ],
  })
  expect(of({ receipt: { id: 'r', owner: 'o' } }, { research: 'low' })).toMatchObject({ id: 'r', strategy: 'research' })
})
