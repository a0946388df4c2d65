import { describe, expect, spyOn, test } from 'bun:test'
import type { Evidence } from '@csp/evidence/evidence'
import { finished } from '@csp/lib/pieces'
import type { Page } from '@csp/page-reader/page'
import { examplePage } from '../../../../src/api/serve/example.ts'
import { accountOf } from '../../../../src/domain/account.ts'
import { collect } from '../../../../src/domain/answer.ts'
import type { Answer, SearchEvent, SearchResult } from '../../../../src/domain/search.ts'
import { checked, PageWait } from '../../../../src/executor/layers/evidence/checked.ts'
import { CitedPages } from '../../../../src/executor/layers/evidence/cited-pages.ts'
import { guardingEvidence } from '../../../../src/executor/layers/evidence/guarded-evidence.ts'
import { ownReceipts } from '../../../../src/executor/layers/evidence/own-receipts.ts'
import { citedAnswer } from '../../../support/cited-answer.ts'
import { fakeExecutor, plays, requestFor } from '../../../support/fake-executor.ts'
import { pagesOver } from '../../../support/over-pages.ts'

const url = 'https://a.example/'
const other = 'https://b.example/'
const sentence = 'The bridge over the Aar was opened in 1932.'

/** Pages of these texts, each read once its promise settles. */
function citedPages(texts: Readonly<Record<string, string | Promise<string>>>) {
  const asked: string[] = []
  const page = async (address: string): Promise<Page | undefined> => {
    asked.push(address)
    const content = await texts[address]
    return content === undefined
      ? undefined
      : { ...examplePage(address), title: undefined, content, publishedAt: '1932-05-06' }
  }
  const pages = pagesOver([], page)
  const quoteOf = (cited: CitedPages, address: string, text = `${sentence} [1]`) =>
    cited.quote(text, { number: 1, url: address, title: 'T', start: text.length - 3, end: text.length })
  return { cited: new CitedPages(pages), asked, quoteOf }
}

const answerOver = (results: readonly SearchResult[], rest: Partial<Answer> = {}): Answer => ({
  ...{ text: `${sentence} [1]`, model: 'm', backend: 'scripted', reason: 'stop', toolCalls: [], isDegraded: false },
  citations: [{ number: 1, url, title: 'T', start: sentence.length + 1, end: sentence.length + 4 }],
  searches: [{ id: 's', query: 'q', results }],
  usage: { searches: 1, inputTokens: 1, outputTokens: 1 },
  ...rest,
})

describe('the pages of an answer', () => {
  test('are read once each when they are cited', async () => {
    const { cited, asked } = citedPages({ [url]: sentence })
    cited.read(url)
    cited.read(url)
    cited.read(other)
    await cited.settled(1000)
    expect(asked).toEqual([url, other])
    const [checked] = await cited.evidenceOf(answerOver([]))
    expect(checked).toMatchObject({ sentence, verdict: 'found', sources: [1] })
  })

  test('are compared once they are there, and not before', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const { cited, quoteOf } = citedPages({ [url]: promise })
    cited.read(url)
    await cited.settled(1)
    expect(await quoteOf(cited, url)).toBeUndefined()
    const [before] = await cited.evidenceOf(answerOver([]))
    expect(before).toMatchObject({ verdict: 'not-read', reason: 'unreadable' })
    resolve(sentence)
    await cited.settled(1000)
    expect(await quoteOf(cited, url)).toBe(sentence)
    expect(await quoteOf(cited, url, `Nothing ${'of it '.repeat(20)}[1]`)).toBeUndefined()
    expect(await quoteOf(cited, other)).toBeUndefined()
  })

  test('are quoted if they were known before, up to 400,000 characters of them, or are cited, up to a million', async () => {
    const lengths = [199_950, 200_001, 50, 50, 199_950, 200_000, 200_000, 200_000]
    const texts = lengths.map((length) => `${sentence}\n`.padEnd(length, ' '))
    const urls = texts.map((_, at) => `https://${at}.example/`)
    const { cited, quoteOf } = citedPages(Object.fromEntries(urls.map((each, at) => [each, texts[at] ?? ''])))
    const quoted = async (some: readonly string[]) => {
      await cited.settled(5000)
      return (await Promise.all(some.map((each) => quoteOf(cited, each)))).map((quote) => quote !== undefined)
    }
    const known = urls.slice(0, 4)
    for (const each of known) {
      cited.prepare(each)
      await Bun.sleep(0) // each is known in the next turn
    }
    cited.read(urls[0] ?? '')
    expect(await quoted(known)).toEqual([true, true, true, false])
    for (const each of urls) {
      cited.read(each)
      await Bun.sleep(0)
    }
    expect(await quoted(urls)).toEqual([true, true, true, true, true, true, true, false])
  })

  test('are said to come in time, late, or not at all, however long csp runs', async () => {
    const now = performance.now.bind(performance)
    using _ = spyOn(performance, 'now').mockImplementation(() => now() + 1e7)
    const late = Promise.withResolvers<string>()
    const { cited } = citedPages({ [url]: late.promise })
    expect(await cited.comeWithin(1)).toBeUndefined()
    cited.read(other)
    expect(await cited.comeWithin(1000)).toBeUndefined()
    cited.read(url)
    expect(await cited.comeWithin(1)).toBeFalse()
    late.resolve(sentence)
    expect(await cited.comeWithin(60_000)).toBeTrue()
  })

  test('have a quotation sought in the last 1,500 characters before its marker', async () => {
    const words = (of: string, count: number) => Array.from({ length: count }, (_, at) => `${of}${at}`).join(' ')
    const [many, few, gap] = [words('alder', 150), words('birch', 40), ', '.repeat(590)]
    const far = citedPages({ [url]: `${many}.\n\n${words('cedar', 500)}.\n\n${few}.` })
    far.cited.read(url)
    await far.cited.settled(1000)
    const [near, whole] = await Promise.all(
      [`${many} ${gap} ${few} [1]`, `${many} ${few} [1]`].map((text) => far.quoteOf(far.cited, url, text)),
    )
    expect(near).toContain('birch0')
    expect(near).not.toContain('alder0')
    expect(whole).toContain('alder')
  })

  test('stand in the receipt by their numbers, with what was read of them', async () => {
    const late = Promise.withResolvers<string>()
    const { cited } = citedPages({ [url]: late.promise })
    cited.read(url)
    setTimeout(() => late.resolve(sentence), 10)
    using settled = spyOn(cited, 'settled')
    const results: readonly SearchResult[] = [
      { title: 'A', url, snippet: 'It opened.', passages: ['In 1932.'], source: 'x' },
      { title: 'B', url: other, publishedAt: '2026-01-02', source: 'x' },
    ]
    const draft = (research?: 'low') =>
      cited.receiptOf(requestFor('When?', { effort: 'fast', ...(research && { research }) }), answerOver(results), [])
    expect(await draft()).toEqual({
      ...{ question: 'When?', model: 'm', strategy: 'fast', backend: 'scripted', answer: `${sentence} [1]` },
      sentences: [],
      sources: [
        { number: 1, url, title: 'A', date: '1932-05-06', passages: ['It opened.', 'In 1932.'], text: sentence },
        { number: 2, url: other, title: 'B', date: '2026-01-02', passages: [], text: undefined },
      ],
    })
    expect((await draft('low')).strategy).toBe('research')
    expect(settled.mock.calls).toEqual([[6000], [6000]])
  })
})

describe('an answer waits for pages', () => {
  const wait = async (waits: PageWait, come: boolean | undefined | Promise<boolean>) => {
    const asked: number[] = []
    const comeWithin = async (waitMs: number) => {
      asked.push(waitMs)
      return come
    }
    const waitMs = waits.begin({ comeWithin })
    await Bun.sleep(0)
    expect(asked).toEqual([800])
    return waitMs
  }

  test('until those of another one do not come in time, and again once some do', async () => {
    const waits = new PageWait(800)
    expect(await wait(waits, false)).toBe(800)
    expect(await wait(waits, undefined)).toBe(100)
    expect(await wait(waits, true)).toBe(100)
    expect(await wait(waits, undefined)).toBe(800)
    expect(await wait(waits, true)).toBe(800)
  })

  test('or not the first time, where it shall be fast', async () => {
    const waits = new PageWait(800, true)
    expect(await wait(waits, true)).toBe(100)
    expect(await wait(waits, true)).toBe(800)
  })

  test('for 800 ms, a fast one for 300', async () => {
    using come = spyOn(CitedPages.prototype, 'comeWithin')
    const executor = checked()(fakeExecutor(plays(citedAnswer('en'))))
    for (const effort of ['standard', 'fast'] as const)
      await collect(
        executor.search(requestFor('what', { want: 'answer', effort }), {
          signal: new AbortController().signal,
          pages: pagesOver([], async () => undefined),
        }),
      )
    expect(come.mock.calls).toEqual([[800], [300]])
  })

  test('whatever an older one learns behind a newer one', async () => {
    const waits = new PageWait(800)
    const older = Promise.withResolvers<boolean>()
    await wait(waits, older.promise)
    await wait(waits, true)
    older.resolve(false)
    await Bun.sleep(0)
    expect(await wait(waits, true)).toBe(800)
  })
})

test('evidence leaves without what a reader would follow or draw, and with all that it has', () => {
  const bad = 'It **is** <b>so</b> ![x](https://evil.example/p).'
  const plain = 'It **is** < b>so< /b> ![x] (https://. ).'
  const passage = (text: string) => ({ text, source: 1, place: 0 })
  const full = (text: string): Evidence => ({
    ...base(),
    sentence: text,
    passage: passage(text),
    passages: [passage(text), passage(text)],
    missing: [{ kind: 'quotation', text }],
    unseen: [text],
    doubt: { kind: 'opposite', said: text, page: text },
    judge: { says: 'supported', model: 'm', words: text },
  })
  expect(finished(guardingEvidence([full(bad), base(), { ...base(), judge: { problem: 'timeout' } }]))).toEqual([
    full(plain),
    base(),
    { ...base(), judge: { problem: 'timeout' } },
  ])
})

function base(): Evidence {
  return { sentence: 'A.', start: 0, end: 2, verdict: 'partly', score: 0.5, sources: [1] }
}

test('a shared answer has its receipt for the caller that it was written for alone', async () => {
  const usage = { searches: 1, inputTokens: 1, outputTokens: 1 }
  const bare = { type: 'done', reason: 'stop', usage, model: 'm' } as const
  const text = { type: 'text-delta', text: 'It is so.' } as const
  const kept = { ...bare, receipt: { id: 'r', owner: accountOf('phone') } }
  const eventsFor = (caller: string, last: SearchEvent) =>
    Array.fromAsync(
      ownReceipts(fakeExecutor(plays([text, last]))).search(requestFor('q'), {
        signal: new AbortController().signal,
        caller,
      }),
    )
  expect(await eventsFor('phone', kept)).toEqual([text, kept])
  expect(await eventsFor('desk', kept)).toEqual([text, bare])
  expect(await eventsFor('desk', bare)).toEqual([text, bare])
})
