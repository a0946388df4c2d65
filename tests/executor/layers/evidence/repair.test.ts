import { describe, expect, spyOn, test } from 'bun:test'
import { examplePage } from '../../../../src/api/serve/example.ts'
import { collect } from '../../../../src/domain/answer.ts'
import { SearchError } from '../../../../src/domain/error.ts'
import { countVerdicts, type Evidence } from '../../../../src/domain/evidence.ts'
import type { Page } from '../../../../src/domain/page.ts'
import type { Answer, SearchEvent, SearchRequest } from '../../../../src/domain/search.ts'
import type { SearchTrace } from '../../../../src/executor/executor.ts'
import type { CheckedOptions } from '../../../../src/executor/layers/evidence/checked.ts'
import { type CheckedAnswer, compareRepair, repairRequest } from '../../../../src/executor/layers/evidence/repair.ts'
import { languages } from '../../../evidence/languages.ts'
import { citedAnswer, pageUrl, textOver } from '../../../support/cited-answer.ts'
import { failureOf } from '../../../support/failure-of.ts'
import { fakeExecutor, plays, requestFor, type Step } from '../../../support/fake-executor.ts'
import { checkedOver, draftedReceipts, pagesOver } from '../../../support/over-pages.ts'
import { untilAborted } from '../../../support/scripted-executor.ts'

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
  readonly signal?: AbortSignal
  readonly again?: readonly Step[] | undefined
  readonly events?: readonly Step[] | undefined
  readonly request?: Partial<SearchRequest> | undefined
}

/** Answers with one wrong figure, or with other events, and writes what it is given where a draft is to be written anew. */
function repairing({ again = over(first, second), events = oneWrong, request = {}, signal, ...options }: Asked = {}) {
  const inner = fakeExecutor(plays((one) => (one.draft ? again : events)))
  const { drafts, receipts } = draftedReceipts()
  const notes: string[] = []
  const trace = { note: (message: string) => notes.push(message) } as unknown as SearchTrace
  const executor = checkedOver(inner, { mode: 'repair', receipts, ...options })
  const page = async (url: string): Promise<Page | undefined> =>
    url === pageUrl('en') ? { ...examplePage(url), title: undefined, content: pageText } : undefined
  const pages = pagesOver(rows, page)
  const context = { signal: signal ?? new AbortController().signal, pages, trace }
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
    expect(answer.citations.map(({ quote }) => quote)).toEqual([
      expect.stringContaining('12,000 panels'),
      expect.stringContaining('7.5 GWh'),
    ])
    expect(inner.requests).toHaveLength(2)
    expect(inner.calls[1]?.context.isWhole).toBe(true)
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
      const { inner, search } = repairing({ timeoutMs: 12_000 })
      await collect(search())
      expect(inner.requests).toHaveLength(2)
    } finally {
      clock.mockRestore()
    }
  })

  test('ends with its caller, without the first text', async () => {
    const leaving = new AbortController()
    const events: SearchEvent[] = []
    const failure = await failureOf(
      (async () => {
        const { search } = repairing({ again: [async () => leaving.abort(), untilAborted], signal: leaving.signal })
        for await (const event of search()) events.push(event)
      })(),
    )
    expect(failure.code).toBe('cancelled')
    expect(textIn(events)).toBe('')
  })

  test.each([
    ['END', undefined],
    [undefined, 'END'],
  ])('ends at the stop sequence of the version that is given: %p, then %p', async (before, after) => {
    const ending = (steps: readonly SearchEvent[], stopSequence: string | undefined) =>
      steps.map((event) => (event.type === 'done' ? { ...event, stopSequence } : event))
    const { search } = repairing({ events: ending(oneWrong, before), again: ending(over(first, second), after) })
    expect((await collect(search())).stopSequence).toBe(after as never)
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

describe('of two versions the second is given', () => {
  const good = { verdict: 'found' } as const
  const doubtful = { verdict: 'not-found' } as const
  const unread = { verdict: 'not-read' } as const
  const part = { verdict: 'partly' } as const
  type Sentence = Pick<Evidence, 'verdict'>
  const version = (evidence: readonly Sentence[], answer: Partial<Answer> = {}) =>
    ({ answer: { text: 'A.', reason: 'stop', ...answer }, evidence }) as unknown as CheckedAnswer

  test.each<[string, boolean, readonly Sentence[], readonly Sentence[], Partial<Answer>]>([
    ['has fewer doubts', true, [good, doubtful], [good, part], {}],
    ['has fewer sentences, one of them found', true, [good, doubtful, doubtful], [good], {}],
    ['has as many doubts', false, [good, doubtful], [good, doubtful], {}],
    ['has fewer that are found', false, [good, good, doubtful], [good, part, part], {}],
    ['has fewer without doubt', false, [good, part, doubtful], [good], {}],
    ['has as many that were not read', true, [good, doubtful, unread], [good, unread], {}],
    ['has more that were not read', false, [good, doubtful], [good, unread], {}],
    ['has no text', false, [doubtful], [], { text: ' \n' }],
    ['was cut', false, [good, doubtful], [good, good], { reason: 'length' }],
    ['consists of excerpts', false, [good, doubtful], [good, good], { isDegraded: true }],
  ])('or not where it %s: %p', (_, isTaken, before, after, answer) => {
    const repair = compareRepair(version(before), version(after, answer))
    expect(repair).toEqual({ first: countVerdicts(before), second: countVerdicts(after), isTaken })
  })
})

describe('the request that has an answer written again', () => {
  const evidence = (sentence: string, source: number, more: Partial<Evidence> = {}): Evidence => ({
    ...{ sentence, start: 0, end: 1, verdict: 'not-found', score: 0, sources: [source] },
    ...more,
  })
  const asked = requestFor('what', { tools: [{ name: 'f', parameters: {} }], toolChoice: 'auto', effort: 'fast' })
  const results = [
    { title: 'A', url: 'https://a.example/', snippet: 'Known.', passages: ['Known too.'], source: 'x' },
    { title: 'B', url: 'https://b.example/', snippet: 'Of B.', source: 'x' },
    { title: 'C', url: 'https://c.example/', source: 'x' },
  ]
  const answerWith = (found: readonly Evidence[], answer: Partial<Answer> = {}) => ({
    answer: {
      ...{ text: 'Text.', reason: 'stop', toolCalls: [], searches: [{ id: 's', query: 'q', results }], ...answer },
    } as unknown as Answer,
    evidence: found,
  })
  const textOf = (url: string) =>
    url === 'https://a.example/'
      ? 'The old tower has 120 steps and a bell. Trains leave every hour for the coast.'
      : undefined

  test('has the words of each page that bear on its doubtful sentences before those that were known', () => {
    const found = [
      evidence('The old tower has 130 steps.', 1, { missing: [{ kind: 'number', text: '130' }] }),
      evidence('Trains leave every day.', 2, { doubt: { kind: 'opposite', said: 'day', page: 'hour' } }),
      evidence('All is well.', 3, { verdict: 'found' }),
    ]
    const request = repairRequest(asked, answerWith(found), { textOf })
    expect(request).toMatchObject({
      ...{ query: 'what', effort: 'standard', evidence: 'off' },
      draft: {
        text: 'Text.',
        doubts: [
          { sentence: 'The old tower has 130 steps.', missing: ['130'] },
          { sentence: 'Trains leave every day.', missing: ['“day”, where the page has “hour”'] },
        ],
      },
    })
    expect(request).not.toHaveProperty('tools')
    expect(request).not.toHaveProperty('toolChoice')
    const [first, ...others] = request?.sources ?? []
    expect(first?.snippet).toContain('120 steps')
    expect(first?.passages?.slice(-2)).toEqual(['Known.', 'Known too.'])
    expect(others).toEqual(results.slice(1))
  })

  test('names twenty doubts at most, and is not made where there is none, or no whole answer', () => {
    const many = Array.from({ length: 30 }, (_, at) => evidence(`Sentence ${at}.`, 2))
    expect(repairRequest(asked, answerWith(many), { textOf })?.draft?.doubts).toHaveLength(20)
    for (const answer of [{ reason: 'length' }, { toolCalls: [{}] }, { isDegraded: true }] as Partial<Answer>[])
      expect(repairRequest(asked, answerWith(many, answer), { textOf })).toBeUndefined()
    expect(repairRequest(asked, answerWith([evidence('A.', 1, { verdict: 'partly' })]), { textOf })).toBeUndefined()
  })
})
