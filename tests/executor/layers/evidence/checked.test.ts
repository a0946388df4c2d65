import { describe, expect, test } from 'bun:test'
import type { Page } from '@csp/page-reader/page'
import { eventually } from '@csp/testing/eventually'
import { quickTimers } from '@csp/testing/quick-timers'
import { languages } from '../../../../packages/evidence/test/languages.ts'
import { examplePage } from '../../../../src/api/serve/example.ts'
import { AnswerFold, collect, replay } from '../../../../src/domain/answer.ts'
import type { SearchEvent, SearchRequest } from '../../../../src/domain/search.ts'
import type { SourcePages } from '../../../../src/executor/executor.ts'
import { checked, keepingReceipts } from '../../../../src/executor/layers/evidence/checked.ts'
import { readWireEvent } from '../../../../src/executor/wire/schemas.ts'
import { executorContract } from '../../../contract/executor.ts'
import { citedAnswer, expectedVerdicts, pageUrl } from '../../../support/cited-answer.ts'
import { fails, fakeExecutor, hangs, plays, requestFor, type Script } from '../../../support/fake-executor.ts'
import { draftedReceipts } from '../../../support/over-pages.ts'

const answers: Script = async function* ({ query }) {
  for (const event of citedAnswer('en')) yield event.type === 'search-start' ? { ...event, query } : event
}

executorContract('checked', {
  failure: 'rate-limited',
  factory: (behaviour) => {
    const scripts = { succeed: answers, hang: hangs, fail: fails('rate-limited') }
    const fake = fakeExecutor(scripts[behaviour])
    return { executor: checked()(fake), running: () => fake.running, begun: () => fake.begun() }
  },
})

function sourcePages(source: SourcePages['source'] = 'pages') {
  const asked: string[] = []
  const pages: SourcePages = {
    source,
    async *fill(rows) {
      yield* []
      return { rows, late: 0, isEnough: true }
    },
    begin() {},
    known: () => undefined,
    async page(url): Promise<Page | undefined> {
      asked.push(url)
      const content = languages[new URL(url).hostname.split('.')[0] ?? '']?.page
      return content === undefined
        ? undefined
        : { ...examplePage(url), title: undefined, content, publishedAt: undefined }
    },
  }
  return { pages, asked }
}

function ask(language: string, rest: Partial<SearchRequest> = {}, source?: SourcePages['source']) {
  const { pages, asked } = sourcePages(source)
  const executor = checked()(fakeExecutor(plays(citedAnswer(language))))
  const signal = new AbortController().signal
  const answer = collect(executor.search(requestFor('what', { want: 'answer', ...rest }), { signal, pages }))
  return { answer, asked }
}

describe('a checked answer', () => {
  test('has so many quotations at most, however many markers there are', async () => {
    const url = pageUrl('en')
    const sentence = `${languages['en']?.page.split('. ')[0]} [1].\n`
    const citations = Array.from({ length: 450 }, (_, place) => {
      const end = (place + 1) * sentence.length - '.\n'.length
      return { type: 'citation', citation: { number: 1, url, title: 'x', start: end - '[1]'.length, end } } as const
    })
    const known = async () => ({ ...examplePage(url), content: languages['en']?.page ?? '' })
    const executor = checked()(
      fakeExecutor(async function* () {
        yield { type: 'search-start', id: 'one', query: 'q' }
        yield { type: 'search-results', id: 'one', results: [{ title: 'x', url, source: 'scripted' }] }
        await Bun.sleep(20) // the page is read meanwhile
        for (const citation of citations) {
          yield { type: 'text-delta', text: sentence }
          yield citation
        }
        yield { type: 'done', reason: 'stop', usage: { searches: 1, inputTokens: 1, outputTokens: 1 }, model: 'm' }
      }),
    )
    const { signal } = new AbortController()
    const pages = { ...sourcePages().pages, known }
    const answer = await collect(executor.search(requestFor('what', { want: 'answer' }), { signal, pages }))
    expect(answer.citations).toHaveLength(450)
    expect(answer.citations.filter(({ quote }) => quote !== undefined)).toHaveLength(400)
  })

  test.each(Object.keys(languages))('in %s has a verdict for each sentence', async (language) => {
    const { answer, asked } = ask(language)
    const { evidence, text } = await answer
    expect(evidence?.map(({ verdict }) => verdict)).toEqual(expectedVerdicts)
    for (const { sentence, start, end } of evidence ?? []) expect(text.slice(start, end)).toBe(sentence)
    expect(asked).toEqual([pageUrl(language), pageUrl('walled')])
  })

  test('goes to another csp and to the cache as it is, and another csp may say it in ways that are unknown here', async () => {
    const answer = await ask('en').answer
    const events = [...replay(answer)]
    const fold = new AnswerFold()
    for (const event of events) fold.add(event)
    expect(fold.finish()).toEqual(answer)
    expect(events.map((event) => readWireEvent(JSON.parse(JSON.stringify(event))))).toEqual(events)
    const [last] = events.slice(-1)
    expect(readWireEvent({ ...last, evidence: [{ verdict: 'perhaps' }] })).toMatchObject({
      type: 'done',
      reason: 'stop',
    })
  })

  test.each([
    ['a list', { want: 'results' }, 'pages'],
    ['plain inference', { want: 'text' }, 'pages'],
    ['JSON', { schema: {} }, 'pages'],
    ['an answer over lines of the model', {}, 'lines'],
  ] as const)('is not %s', async (_, rest, source) => {
    const { answer, asked } = ask('en', rest, source)
    expect({ evidence: (await answer).evidence, asked }).toEqual({ evidence: undefined, asked: [] })
  })

  test('waits for no page that does not come', async () => {
    const { pages } = sourcePages()
    const stuck: SourcePages = { ...pages, page: () => new Promise(() => {}) }
    const executor = checked()(fakeExecutor(plays(citedAnswer('en'))))
    const context = { signal: new AbortController().signal, pages: stuck }
    const { evidence } = await collect(executor.search(requestFor('what', { want: 'answer' }), context))
    expect(new Set(evidence?.map(({ verdict }) => verdict))).toEqual(new Set(['not-read']))
  })

  test('is not held by pages that do not come a second time, until some come in time again', async () => {
    using _ = quickTimers()
    const { pages } = sourcePages()
    let come: Promise<unknown> = new Promise(() => {})
    const slow: SourcePages = { ...pages, page: (url) => come.then(() => pages.page(url)) }
    const executor = checked()(fakeExecutor(plays(citedAnswer('en'))))
    const signal = new AbortController().signal
    const isChecked = async (rest: Partial<SearchRequest> = {}) => {
      const request = requestFor('what', { want: 'answer', effort: 'fast', ...rest })
      const { evidence = [] } = await collect(executor.search(request, { signal, pages: slow }))
      return evidence.some(({ verdict }) => verdict !== 'not-read')
    }
    expect(await isChecked()).toBeFalse()
    // The one whose pages are not waited for finds that they come again.
    const late = Promise.withResolvers<void>()
    come = late.promise
    expect(await isChecked()).toBeFalse()
    late.resolve()
    await eventually(isChecked)
    come = new Promise(() => {})
    expect(await isChecked()).toBeFalse()
    come = Bun.sleep(200)
  })

  test.each([
    ['fast', 'not-read', {}],
    ['standard', 'found', {}],
    // As on the sandbox.
    ['fast', 'found', { waitMs: 10_000 }],
  ] as const)(
    'of the effort %s waits for a page that comes a little later, or not: %s',
    async (effort, verdict, options) => {
      const { pages } = sourcePages()
      const late: SourcePages = { ...pages, page: (url) => Bun.sleep(220).then(() => pages.page(url)) }
      const executor = checked(options)(fakeExecutor(plays(citedAnswer('en'))))
      const context = { signal: new AbortController().signal, pages: late }
      const { evidence } = await collect(executor.search(requestFor('what', { want: 'answer', effort }), context))
      expect(evidence?.[0]?.verdict).toBe(verdict)
    },
  )

  test('lets others have a turn while much of it comes at once', async () => {
    let hadTurn = false
    setTimeout(() => {
      hadTurn = true
    })
    const many = async function* (): AsyncGenerator<SearchEvent> {
      const until = performance.now() + 5000
      while (!hadTurn && performance.now() < until) yield { type: 'text-delta', text: 'a' }
      expect(hadTurn).toBe(true)
      yield* citedAnswer('en').slice(-1)
    }
    const context = { signal: new AbortController().signal, pages: sourcePages().pages }
    await collect(checked()(fakeExecutor(many)).search(requestFor('what', { want: 'answer' }), context))
  })

  test('has each of ten long pages compared, and reads none for it that is not cited', async () => {
    const filler = 'Nothing of this has to do with what was asked, and nobody cites it.\n'.repeat(800)
    const [sentence = ''] = languages['en']?.right ?? []
    const rows = Array.from({ length: 12 }, (_, at) => ({ title: 'T', url: `https://${at}.example/`, source: 'x' }))
    const events: SearchEvent[] = [
      { type: 'search-start', id: 's1', query: 'what' },
      { type: 'search-results', id: 's1', results: rows },
    ]
    let end = 0
    for (const [at, { url, title }] of rows.slice(0, 10).entries()) {
      const marker = `[${at + 1}]`
      const text = `${sentence} ${marker} `
      const citation = {
        number: at + 1,
        url,
        title,
        start: end + text.length - marker.length - 1,
        end: end + text.length,
      }
      events.push({ type: 'text-delta', text }, { type: 'citation', citation })
      end += text.length
    }
    const usage = { searches: 1, inputTokens: 1, outputTokens: 1 }
    const asked: string[] = []
    const read = async (url: string): Promise<Page> => ({
      ...examplePage(url),
      content: `${filler}${languages['en']?.page}`,
    })
    const page = (url: string) => {
      asked.push(url)
      return read(url)
    }
    const known = (url: string) => (url === 'https://11.example/' ? undefined : read(url))
    const executor = checked()(fakeExecutor(plays([...events, { type: 'done', reason: 'stop', usage, model: 'm' }])))
    const context = { signal: new AbortController().signal, pages: { ...sourcePages().pages, known, page } }
    const { evidence } = await collect(executor.search(requestFor('what', { want: 'answer' }), context))
    expect(evidence?.map(({ verdict }) => verdict)).toEqual(Array.from({ length: 10 }, () => 'found'))
    expect(asked).toEqual(rows.slice(0, 10).map(({ url }) => url))
  })

  test('names with each marker what a page that was read before has of its sentence', async () => {
    const events = citedAnswer('en')
    const written = events.findIndex(({ type }) => type === 'text-delta')
    const { pages } = sourcePages()
    const context = { signal: new AbortController().signal, pages: { ...pages, known: pages.page } }
    // A model takes longer than that to begin.
    const steps = events.toSpliced(written, 0, (() => new Promise((resolve) => setTimeout(resolve))) as never)
    const { citations } = await collect(
      checked()(fakeExecutor(plays(steps))).search(requestFor('what', { want: 'answer' }), context),
    )
    expect(citations.map(({ quote }) => quote)).toEqual([
      expect.stringContaining('has nearly 12,000 panels'),
      expect.stringContaining('has nearly 12,000 panels'),
      undefined,
      undefined,
    ])
    const event = { type: 'citation', citation: citations[0] }
    expect(readWireEvent(JSON.parse(JSON.stringify(event)))).toEqual(event as never)
  })

  test('names what a page has where that page is cited once more, if nobody knew it before', async () => {
    const events = citedAnswer('en')
    const second = events.findLastIndex(({ type }, place) => type === 'text-delta' && place < events.length - 6)
    const steps = events.toSpliced(second, 0, (() => new Promise((resolve) => setTimeout(resolve, 20))) as never)
    const { pages } = sourcePages()
    const context = { signal: new AbortController().signal, pages }
    const { citations } = await collect(
      checked()(fakeExecutor(plays(steps))).search(requestFor('what', { want: 'answer' }), context),
    )
    expect(citations.map(({ quote }) => quote)).toEqual([
      undefined,
      expect.stringContaining('has nearly 12,000 panels'),
      undefined,
      undefined,
    ])
  })

  test('keeps what another csp has found, and waits for no page of its own', async () => {
    const found = [{ sentence: 'A.', start: 0, end: 2, verdict: 'found', score: 1, sources: [1] }] as const
    const events = citedAnswer('en').map((event) => (event.type === 'done' ? { ...event, evidence: found } : event))
    const { pages } = sourcePages()
    const stuck: SourcePages = { ...pages, page: () => new Promise(() => {}) }
    const executor = checked()(fakeExecutor(plays(events)))
    const context = { signal: new AbortController().signal, pages: stuck }
    const { evidence } = await collect(executor.search(requestFor('what', { want: 'answer' }), context))
    expect(evidence).toEqual(found)
  })
})

test('a remote csp hears in which way its answer is to be compared, unless it is the usual one', async () => {
  const asked = async (mode: 'report' | 'judge', evidence?: SearchRequest['evidence']) => {
    const inner = fakeExecutor(plays(citedAnswer('en')))
    const { signal } = new AbortController()
    const request = requestFor('what', { want: 'answer', ...(evidence && { evidence }) })
    await collect(checked({ mode })(inner).search(request, { signal, pages: sourcePages().pages }))
    return inner.requests[0]?.evidence
  }
  expect(await asked('report')).toBeUndefined()
  expect(await asked('judge')).toBe('judge')
  expect(await asked('judge', 'off')).toBe('off')
  expect(await asked('report', 'judge')).toBe('judge')
})

test('an answer leaves a receipt if it has a text and may be kept, and its end has just what there is', async () => {
  const url = pageUrl('en')
  const found: readonly SearchEvent[] = [
    { type: 'search-start', id: 'one', query: 'q' },
    { type: 'search-results', id: 'one', results: [{ title: 'x', url, source: 'fake' }] },
  ]
  const usage = { searches: 1, inputTokens: 1, outputTokens: 1 }
  const end: SearchEvent = { type: 'done', reason: 'stop', usage, model: 'm' }
  const stopped: SearchEvent = { ...end, stopSequence: 'END' }
  const receipt = { id: 'id', owner: '(local)' }
  for (const [text, last, cache, expected] of [
    ['Hello.', end, 'default', { ...end, receipt }],
    ['Hello.', stopped, 'default', { ...stopped, receipt }],
    ['Hello.', end, 'no-store', end],
    ['', end, 'default', end],
  ] as const) {
    const { receipts, drafts } = draftedReceipts()
    const events = [...found, ...(text ? [{ type: 'text-delta', text } as const] : []), last]
    const executor = checked({ receipts })(fakeExecutor(plays(events)))
    const { signal } = new AbortController()
    const context = { signal, cache, pages: sourcePages().pages }
    const given = await Array.fromAsync(executor.search(requestFor('what', { want: 'answer' }), context))
    const { evidence = [], ...done } = given.at(-1) as Extract<SearchEvent, { type: 'done' }>
    expect(done).toEqual(expected as never)
    if (text === '') expect(given.at(-1)).not.toHaveProperty('evidence')
    expect(drafts).toHaveLength('receipt' in expected ? 1 : 0)
    expect(evidence.every(({ sentence }) => sentence === 'Hello.')).toBe(true)
  }
})

test('receipts are written behind all else when csp closes, and health says what is wrong with them', async () => {
  const ended: string[] = []
  const late = (name: string, ms: number) => async () => {
    await Bun.sleep(ms)
    ended.push(name)
  }
  const receipts = { ...draftedReceipts().receipts, problem: 'The disk is full.', flush: late('receipts', 0) }
  const inner = { ...fakeExecutor(), close: late('backend', 5) }
  const executor = keepingReceipts(receipts)(inner)
  expect(await executor.health()).toEqual({ ...(await inner.health()), receipts: { problem: 'The disk is full.' } })
  await executor.close()
  expect(ended).toEqual(['backend', 'receipts'])
})
