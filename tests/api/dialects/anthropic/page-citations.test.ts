import { describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import fc from 'fast-check'
import { PageCitations, SentenceBuffer } from '../../../../src/api/dialects/anthropic/page-citations.ts'
import { createApp } from '../../../../src/app.ts'
import type { SearchEvent } from '../../../../src/domain/search.ts'
import { fakePageReader } from '../../../support/fake-page-reader.ts'
import { scriptedExecutor } from '../../../support/scripted-executor.ts'

const seals = `# Harbour seals

Harbour seals dive for [seven minutes](https://seals.example/dive) on average. The longest dive on record took 35 minutes!

They rest on sandbanks at low tide, often in groups of 20 or more animals.`
const page = { title: 'Seals', text: seals }
const find = (sentence: string) => new PageCitations([page], 0).find(sentence)?.cited_text

describe('a sentence cites', () => {
  test.each([
    [
      'At low tide the animals rest on sandbanks, in groups of 20.',
      'They rest on sandbanks at low tide, often in groups of 20 or more animals.',
    ],
    ['The longest dive on record took 35 minutes.', 'The longest dive on record took 35 minutes!'],
    [
      '**Harbour seals dive for seven minutes, on average**',
      'Harbour seals dive for [seven minutes](https://seals.example/dive) on average.',
    ],
  ])('the place of a page that says the same: %s', (sentence, cited) => {
    expect(find(sentence)).toBe(cited)
  })

  test.each([
    ['has other numbers', 'The longest dive on record took 45 minutes.'],
    ['says something else', 'Grey seals are larger than their relatives and live in the Baltic Sea.'],
    ['has few words', 'Seals dive.'],
    [
      'shares the words of its subject only',
      'Harbour seals weigh more than people believe, and eat herring, cod and squid.',
    ],
    ['is empty', ''],
  ])('nothing where it %s', (_, sentence) => {
    expect(find(sentence)).toBeUndefined()
  })

  test('the page that has it, counted behind the documents before it', () => {
    const pages = [{ title: null, text: 'Nothing of this kind is told here at all.' }, page]
    expect(new PageCitations(pages, 3).find('The longest dive on record took 35 minutes.')).toEqual({
      type: 'char_location',
      cited_text: 'The longest dive on record took 35 minutes!',
      document_index: 4,
      document_title: 'Seals',
      start_char_index: seals.indexOf('The longest'),
      end_char_index: seals.indexOf('!') + 1,
      file_id: null,
    })
  })

  test('words of the page and no others, whatever page and sentence are', () => {
    const text = fc
      .array(
        fc.constantFrom(
          'harbour',
          'seals',
          'resting',
          'quietly',
          '35',
          '. ',
          '! ',
          '\n',
          '](',
          '海豹在沙洲上休息。',
          'a',
        ),
      )
      .map((words) => words.join(' '))
    fc.assert(
      fc.property(text, text, (content, sentence) => {
        const cited = new PageCitations([{ title: null, text: content }], 0).find(sentence)
        if (!cited) return
        expect(cited.cited_text).toBe(content.slice(cited.start_char_index, cited.end_char_index))
        expect(cited.cited_text.trim()).not.toBe('')
      }),
    )
  })

  test('soon, also on a page without any end of a sentence', () => {
    const long = new PageCitations(
      [
        { title: null, text: 'harbour seals '.repeat(3000) },
        { title: null, text: '.a'.repeat(20_000) },
      ],
      0,
    )
    expect(long.find('Harbour seals dive where herring gather.')).toBeUndefined()
  })
})

test('a text is divided into sentences, and none of it is lost, however it comes', () => {
  const text = 'Seals dive (for 3.5 minutes). "They rest!" Then?\n\n- A list\n- Another one\n海豹休息。海豹'
  const all = new SentenceBuffer()
  expect([...all.push(text), all.flush()]).toEqual([
    'Seals dive (for 3.5 minutes). ',
    '"They rest!" ',
    'Then?\n\n',
    '- A list\n',
    '- Another one\n',
    '海豹休息。',
    '海豹',
  ])
  fc.assert(
    fc.property(fc.array(fc.string({ unit: fc.constantFrom('a', '.', ' ', '\n', '。', '"') })), (pieces) => {
      const buffer = new SentenceBuffer()
      expect([...pieces.flatMap((piece) => buffer.push(piece)), buffer.flush()].join('')).toBe(pieces.join(''))
    }),
  )
})

describe('the server tool web_fetch with citations, by the client of the vendor', () => {
  const url = 'https://seals.example/'
  const answer = ['In short: they dive. The longest di', 've on record took 35 minutes. ', 'Herring is another matter.']
  const told: readonly SearchEvent[] = [
    ...answer.map((text) => ({ type: 'text-delta' as const, text })),
    { type: 'done', reason: 'stop', usage: { searches: 0, inputTokens: 9, outputTokens: 4 }, model: 'claude-x' },
  ]
  const pages = fakePageReader({ [url]: { content: seals, title: 'Seals' } })
  const app = createApp({ executor: scriptedExecutor(told), version: '1', pages })
  const client = new Anthropic({
    apiKey: 'local',
    authToken: null,
    baseURL: 'http://127.0.0.1:9',
    maxRetries: 0,
    fetch: async (input, init) => app.fetch(new Request(input, init)),
  })
  const ask = (enabled: boolean, before: readonly Anthropic.ContentBlockParam[] = []) => ({
    model: 'sonnet',
    max_tokens: 1024,
    messages: [
      { role: 'user' as const, content: [...before, { type: 'text' as const, text: `How long do they dive? ${url}` }] },
    ],
    tools: [{ type: 'web_fetch_20250910' as const, name: 'web_fetch' as const, citations: { enabled } }],
  })
  const expectCited = (content: readonly Anthropic.ContentBlock[], index: number): void => {
    expect(content[1]).toMatchObject({
      content: { content: { source: { data: seals }, citations: { enabled: true } } },
    })
    const texts = content.slice(2)
    expect(texts).toMatchObject([
      { text: 'In short: they dive. ' },
      {
        text: 'The longest dive on record took 35 minutes. ',
        citations: [
          { type: 'char_location', cited_text: 'The longest dive on record took 35 minutes!', document_index: index },
        ],
      },
      { text: 'Herring is another matter.' },
    ])
    expect(texts.map((block) => ('citations' in block ? (block.citations?.length ?? 0) : 0))).toEqual([0, 1, 0])
  }

  test('has them in a whole reply, behind the documents of the user', async () => {
    expectCited((await client.messages.create(ask(true))).content, 0)
    const document = {
      type: 'document' as const,
      source: { type: 'text' as const, media_type: 'text/plain' as const, data: 'Notes.' },
    }
    expectCited((await client.messages.create(ask(true, [document]))).content, 1)
  })

  test('has them in a stream', async () => {
    expectCited((await client.messages.stream(ask(true)).finalMessage()).content, 0)
  })

  test('has none where they are not asked for', async () => {
    const { content } = await client.messages.create(ask(false))
    expect(content.slice(2)).toMatchObject([{ text: answer.join('') }])
    expect(content[1]).toMatchObject({ content: { content: { citations: null } } })
  })
})
