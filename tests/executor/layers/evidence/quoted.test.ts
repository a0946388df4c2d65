import { describe, expect, test } from 'bun:test'
import type { Page } from '@csp/page-reader/page'
import { examplePage } from '../../../../src/api/serve/example.ts'
import { collect } from '../../../../src/domain/answer.ts'
import type { SearchEvent, SearchRequest } from '../../../../src/domain/search.ts'
import type { SourcePages } from '../../../../src/executor/executor.ts'
import { checked } from '../../../../src/executor/layers/evidence/checked.ts'
import { fakeExecutor, plays, requestFor } from '../../../support/fake-executor.ts'
import { draftedReceipts, pagesOver } from '../../../support/over-pages.ts'

// Answers whose search itself says what it cites of each page.

const url = 'https://a.example/'
const other = 'https://b.example/'
const sentence = 'The bridge over the Aar was opened in 1932.'
const quote = 'The old bridge over the Aar was opened in 1932 by the canton.'

interface Cited {
  readonly text: string
  /** What is cited behind it: an address, and what the search quotes of it. */
  readonly by: readonly (readonly [url: string, quote?: string])[]
}

/** What a backend says that has cited so. */
function answerOf(...sentences: readonly Cited[]): readonly SearchEvent[] {
  const rows = [url, other].map((one) => ({ title: 'T', url: one, source: 'scripted' }))
  const events: SearchEvent[] = [
    { type: 'search-start', id: 's', query: 'q' },
    { type: 'search-results', id: 's', results: rows },
  ]
  let end = 0
  const say = (text: string) => {
    events.push({ type: 'text-delta', text })
    end += text.length
  }
  for (const { text, by } of sentences) {
    say(`${text} `)
    for (const [address, quoted] of by) {
      const number = address === url ? 1 : 2
      const start = end
      say(`[${number}]`)
      const citation = { number, url: address, title: 'T', start, end, ...(quoted && { quote: quoted }) }
      events.push({ type: 'citation', citation })
    }
    say(' ')
  }
  const usage = { searches: 1, inputTokens: 1, outputTokens: 1 }
  return [...events, { type: 'done', reason: 'stop', usage, model: 'm' }]
}

/** `texts`: of the pages that can be read. */
function check(
  sentences: readonly Cited[],
  texts: Readonly<Record<string, string>>,
  rest: Partial<SearchRequest> = {},
  source: SourcePages['source'] = 'pages',
) {
  const asked: string[] = []
  const page = async (address: string): Promise<Page | undefined> => {
    asked.push(address)
    const content = texts[address]
    return content === undefined ? undefined : { ...examplePage(address), title: undefined, content }
  }
  const { receipts, drafts } = draftedReceipts()
  const executor = checked({ receipts })(fakeExecutor(plays(answerOf(...sentences))))
  const context = { signal: new AbortController().signal, pages: { ...pagesOver([], page), source } }
  const answer = collect(executor.search(requestFor('what', { want: 'answer', ...rest }), context))
  return { answer, asked, drafts }
}

describe('a sentence on a page that could not be read', () => {
  test('is found where the search quotes it from there', async () => {
    const { evidence } = await check([{ text: sentence, by: [[url, quote]] }], {}).answer
    expect(evidence).toMatchObject([{ sentence, verdict: 'found', passage: { text: quote, source: 1, place: 0 } }])
  })

  test.each([
    ['another year', 'The bridge over the Aar was opened in 1936.'],
    ['the opposite', 'The bridge over the Aar was closed in 1932.'],
    ['a part of it', 'The bridge over the Aar is a work of stone.'],
    ['something else', 'Herons nest on the banks.'],
    ['another language', 'Die Brücke wurde 1932 eröffnet und führt über die Aare in die Altstadt.'],
  ])('is not read where the search quotes %s, which is shown', async (_, text) => {
    const { evidence } = await check([{ text: sentence, by: [[url, text]] }], {}).answer
    const shown = { text, source: 1, place: 0 }
    expect(evidence).toEqual([
      expect.objectContaining({ verdict: 'not-read', reason: 'unreadable', score: 0, passage: shown }),
    ])
    expect(evidence?.[0]).not.toHaveProperty('missing')
    expect(evidence?.[0]).not.toHaveProperty('doubt')
  })

  test('has the verdict that the example in the documentation of the API deserves: its quotation has no place of birth', async () => {
    const text =
      'Claude Elwood Shannon (April 30, 1916 – February 24, 2001) was an American mathematician, electrical engineer, computer scientist, cryptographer and i...'
    const verdictOf = async (said: string) =>
      (await check([{ text: said, by: [[url, text]] }], {}).answer).evidence?.map(({ verdict }) => verdict)
    expect(await verdictOf('Claude Shannon was born on April 30, 1916, in Petoskey, Michigan.')).toEqual(['not-read'])
    expect(await verdictOf('Claude Shannon was an American mathematician and cryptographer.')).toEqual(['found'])
    expect(await verdictOf('Claude Shannon (April 30, 1916 – February 24, 2001) was a mathematician.')).toEqual([
      'found',
    ])
    expect(await verdictOf('Claude Shannon (April 30, 1916 – February 24, 2007) was a mathematician.')).toEqual([
      'not-read',
    ])
  })

  test('shows what is quoted for it, not for another sentence, and of each page', async () => {
    const sentences = [
      { text: 'Herons sing at night.', by: [[url, 'Herons nest here.']] },
      {
        text: 'Seals sing in the morning.',
        by: [
          [url, 'Seals sleep.'],
          [other, 'Seals bark.'],
        ],
      },
    ] as const
    const { evidence = [] } = await check(sentences, {}).answer
    expect(evidence.map(({ passage }) => passage?.text)).toEqual(['Herons nest here.', 'Seals sleep.'])
    expect(evidence[1]?.passages?.map(({ text, source }) => [text, source])).toEqual([
      ['Seals sleep.', 1],
      ['Seals bark.', 2],
    ])
  })

  test('may be quoted from there in another sentence', async () => {
    const sentences = [
      { text: 'Herons sing at night.', by: [[url, 'Herons nest here.']] },
      { text: 'It is an old one.', by: [[url, quote]] },
      { text: sentence, by: [[url]] },
    ] as const
    const { evidence = [] } = await check(sentences, {}).answer
    expect(evidence.at(-1)?.verdict).toBe('found')
    // Where it stands on the page is unknown.
    expect(evidence.at(-1)?.passage).toEqual({ text: quote, source: 1, place: 0 })
  })
})

describe('a page that was read', () => {
  test.each([
    ['something else', 'Herons nest on the banks of the river in spring, and leave in autumn.', 'not-found'],
    ['another year', 'The bridge over the Aar was opened in 1936.', 'partly'],
  ] as const)('says %s, whatever the search quotes of it', async (_, text, verdict) => {
    const { evidence, citations } = await check([{ text: sentence, by: [[url, quote]] }], { [url]: text }).answer
    expect(evidence?.[0]?.verdict).toBe(verdict)
    expect(evidence?.[0]?.passage?.text).not.toBe(quote)
    expect(citations[0]?.quote).not.toBe(quote)
  })

  test('is compared by itself where a quotation of another one does not help', async () => {
    const by = [[url], [other, 'Herons nest on the banks.']] as const
    const { evidence } = await check([{ text: sentence, by }], { [url]: sentence }).answer
    expect(evidence).toMatchObject([{ verdict: 'found', passage: { source: 1 } }])
  })

  test('and a quotation of another one have a sentence together', async () => {
    const by = [[url], [other, quote]] as const
    const { evidence } = await check([{ text: sentence, by }], { [url]: 'Herons nest on the banks.' }).answer
    expect(evidence).toMatchObject([{ verdict: 'found', passage: { text: quote, source: 2 } }])
  })
})

describe('where no page is read', () => {
  test.each(['lines', 'none'] as const)(
    'a quotation counts all the same (%s), and leaves a receipt',
    async (source) => {
      const sentences = [
        { text: sentence, by: [[url, quote]] },
        { text: 'Herons nest there.', by: [[other]] },
      ] as const
      const { answer, asked, drafts } = check(sentences, { [url]: 'Nothing of it.' }, {}, source)
      const { evidence, receipt } = await answer
      expect(evidence?.map(({ verdict }) => verdict)).toEqual(['found', 'not-read'])
      expect([asked, receipt?.id]).toEqual([[], 'id'])
      expect((await drafts[0])?.sentences[0]?.passage?.text).toBe(quote)
    },
  )

  test('nothing is compared without one, or where evidence is off', async () => {
    const without = await check([{ text: sentence, by: [[url]] }], {}, {}, 'lines').answer
    const off = await check([{ text: sentence, by: [[url, quote]] }], {}, { evidence: 'off' }, 'lines').answer
    for (const { evidence, receipt } of [without, off]) expect([evidence, receipt]).toEqual([undefined, undefined])
    // As the search said it.
    expect(off.citations[0]?.quote).toBe(quote)
  })
})

test('a judge is not asked by quotations: what is not quoted is unknown', async () => {
  const inner = fakeExecutor(plays(answerOf({ text: sentence, by: [[url, 'The bridge is a work of stone.']] })))
  const context = { signal: new AbortController().signal, pages: pagesOver([], async () => undefined) }
  const { evidence } = await collect(
    checked({ mode: 'judge' })(inner).search(requestFor('what', { want: 'answer' }), context),
  )
  expect(evidence).toMatchObject([{ verdict: 'not-read', passage: { text: 'The bridge is a work of stone.' } }])
  expect(inner.calls).toHaveLength(1)
})
