import { describe, expect, spyOn, test } from 'bun:test'
import { examplePage } from '../../../../src/api/serve/example.ts'
import { collect } from '../../../../src/domain/answer.ts'
import { SearchError } from '../../../../src/domain/error.ts'
import type { Page } from '../../../../src/domain/page.ts'
import type { SearchEvent, SearchRequest } from '../../../../src/domain/search.ts'
import type { SearchTrace } from '../../../../src/executor/executor.ts'
import type { CheckedOptions } from '../../../../src/executor/layers/evidence/checked.ts'
import { languages } from '../../../evidence/languages.ts'
import { citedAnswer, pageUrl, textOver } from '../../../support/cited-answer.ts'
import { fakeExecutor, plays, requestFor, type Step } from '../../../support/fake-executor.ts'
import { checkedOver, draftedReceipts, pagesOver } from '../../../support/over-pages.ts'

const { right = [], wrong = [], page: pageText = '' } = languages['en'] ?? {}
const [first = '', second = ''] = right
const [wrongFigure = ''] = wrong[0] ?? []
const rows = [{ title: 'en', url: pageUrl('en'), source: 'scripted' }]
const found: readonly SearchEvent[] = [
  { type: 'search-start', id: 's1', query: 'what' },
  { type: 'search-results', id: 's1', results: rows },
]
const oneWrong: readonly SearchEvent[] = [
  ...found,
  ...textOver(rows, [
    [first, 1],
    [wrongFigure, 1],
  ]),
]
const over = (...sentences: readonly string[]) =>
  textOver(
    rows,
    sentences.map((sentence) => [sentence, 1] as const),
  )

interface Asked extends CheckedOptions {
  readonly again?: readonly Step[] | undefined
  readonly events?: readonly Step[] | undefined
  readonly request?: Partial<SearchRequest> | undefined
}

/** Answers with one wrong figure, or with other events, and writes what it is given where a draft is to be written anew. */
function repairing({ again = over(first, second), events = oneWrong, request = {}, ...options }: Asked = {}) {
  const inner = fakeExecutor(plays((one) => (one.draft ? again : events)))
  const { drafts, receipts } = draftedReceipts()
  const notes: string[] = []
  const trace = { note: (message: string) => notes.push(message) } as unknown as SearchTrace
  const executor = checkedOver(inner, { mode: 'repair', receipts, ...options })
  const page = async (url: string): Promise<Page | undefined> =>
    url === pageUrl('en') ? { ...examplePage(url), title: undefined, content: pageText } : undefined
  const pages = pagesOver(rows, page)
  const context = { signal: new AbortController().signal, pages, trace }
  const search = () => executor.search(requestFor('what', { want: 'answer', effort: 'standard', ...request }), context)
  return { inner, notes, drafts, search }
}

const textIn = (events: readonly SearchEvent[]) =>
  events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')

describe('an answer that is to be repaired', () => {
  test('is written anew once, over the words of its pages, and the better version is given', async () => {
    const { inner, search, drafts, notes } = repairing()
    const answer = await collect(search())
    expect(answer.text).toBe(textIn(over(first, second)))
    expect(answer.evidence?.map(({ verdict }) => verdict)).toEqual(['found', 'found'])
    expect(answer.searches).toMatchObject([{ results: rows }])
    expect(answer.usage).toEqual({ searches: 2, inputTokens: 200, outputTokens: 40 })
    expect(inner.requests).toHaveLength(2)
    expect(inner.requests[1]).toMatchObject({
      draft: { text: textIn(oneWrong), doubts: [{ sentence: wrongFigure, missing: ['15,000'] }] },
      sources: [{ url: pageUrl('en'), snippet: expect.stringContaining('12,000 panels') }],
    })
    expect(await Promise.all(drafts)).toMatchObject([
      {
        answer: answer.text,
        repair: { first: { found: 1, partly: 1 }, second: { found: 2, partly: 0 }, isTaken: true },
      },
    ])
    expect(notes.at(-1)).toContain('the second of')
  })

  test('gives out no text before it is checked, and then the text that is given alone', async () => {
    const events = await Array.fromAsync(repairing().search())
    expect(events.map(({ type }) => type)).toEqual([
      ...['search-start', 'search-results', 'text-delta', 'citation', 'citation', 'done'],
    ] as never)
    expect(textIn(events)).toBe(textIn(over(first, second)))
  })

  test.each([
    ['as many doubts', over(first, wrongFigure)],
    ['less that is found', over('Nothing was found in the sources.')],
    ['nothing at all', [over(first).at(-1)] as readonly Step[]],
    [
      'a page that cannot be read',
      textOver(
        [...rows, { title: 'w', url: pageUrl('walled') }],
        [
          [first, 1],
          [second, 2],
        ],
      ),
    ],
    ['a failure', [new SearchError('rate-limited', 'The plan is used up.')]],
  ])('stands as it was where the second version has %s', async (_, again) => {
    const { inner, search } = repairing({ again })
    const answer = await collect(search())
    expect(answer.text).toBe(textIn(oneWrong))
    expect(answer.evidence?.map(({ verdict }) => verdict)).toEqual(['found', 'partly'])
    expect(inner.requests).toHaveLength(2)
  })

  test('that cites nothing any more is better than one that no page bears out', async () => {
    const events = [...found, ...over(wrongFigure)]
    const answer = await collect(
      repairing({
        events,
        again: over().toSpliced(0, 0, { type: 'text-delta', text: 'The sources do not say.' }),
      }).search(),
    )
    expect(answer).toMatchObject({ text: 'The sources do not say.' })
  })

  const usage = { searches: 1, inputTokens: 1, outputTokens: 1 }
  const called: readonly SearchEvent[] = [
    ...oneWrong.slice(0, -1),
    { type: 'tool-call-start', id: 'c1', name: 'f' },
    { type: 'done', reason: 'tool-calls', usage, model: 'm' },
  ]
  const others: readonly (readonly [string, Asked])[] = [
    ['nothing is in doubt', { events: [...found, ...over(first)] }],
    ['it calls a function of the caller', { events: called }],
    ['it was cut', { events: [...oneWrong.slice(0, -1), { type: 'done', reason: 'length', usage, model: 'm' }] }],
    [
      'it consists of excerpts',
      { events: [...oneWrong.slice(0, -1), { type: 'done', reason: 'stop', usage, model: 'm', isDegraded: true }] },
    ],
    ['the caller wants a report', { request: { evidence: 'report' } }],
    [
      'another csp has checked it',
      { events: [...oneWrong.slice(0, -1), { type: 'done', reason: 'stop', usage, model: 'm', evidence: [] }] },
    ],
    ['there is too little time', { timeoutMs: 1000 }],
    [
      'there is too little time left',
      { events: [...found, () => Bun.sleep(200), ...oneWrong.slice(found.length)], timeoutMs: 1600 },
    ],
  ]
  test.each(others)('is not written again where %s', async (_, asked) => {
    const { inner, search } = repairing(asked)
    const events = await Array.fromAsync(search())
    expect(inner.requests).toHaveLength(1)
    const given = (asked.events ?? oneWrong).filter((step): step is SearchEvent => 'type' in step)
    expect(textIn(events)).toBe(textIn(given))
  })

  test('is written again where there is time for what the first writing took, however long csp runs', async () => {
    const now = performance.now.bind(performance)
    const clock = spyOn(performance, 'now').mockImplementation(() => now() + 1e7)
    try {
      const { inner, search } = repairing({ timeoutMs: 60_000 })
      await collect(search())
      expect(inner.requests).toHaveLength(2)
    } finally {
      clock.mockRestore()
    }
  })

  test('says in the debug log that there was too little time', async () => {
    const { search, notes } = repairing({ timeoutMs: 1000 })
    await collect(search())
    expect(notes.at(-1)).toStartWith('No repair')
  })

  test('where a caller asks for it alone', async () => {
    const { inner, search } = repairing({ mode: 'report', request: { evidence: 'repair' } })
    expect((await collect(search())).evidence?.map(({ verdict }) => verdict)).toEqual(['found', 'found'])
    expect(inner.requests).toHaveLength(2)
  })

  test('of five sentences of citedAnswer has those named that are in doubt', async () => {
    const { inner, search } = repairing({ events: citedAnswer('en') })
    await collect(search())
    expect(inner.requests[1]?.draft?.doubts).toHaveLength(2)
  })
})
