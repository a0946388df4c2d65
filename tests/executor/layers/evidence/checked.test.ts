import { describe, expect, test } from 'bun:test'
import { examplePage } from '../../../../src/api/serve/example.ts'
import { AnswerFold, collect, replay } from '../../../../src/domain/answer.ts'
import type { Page } from '../../../../src/domain/page.ts'
import type { SearchRequest } from '../../../../src/domain/search.ts'
import type { SourcePages } from '../../../../src/executor/executor.ts'
import { checked } from '../../../../src/executor/layers/evidence/checked.ts'
import { readWireEvent } from '../../../../src/executor/wire/schemas.ts'
import { executorContract } from '../../../contract/executor.ts'
import { languages } from '../../../evidence/languages.ts'
import { citedAnswer, expectedVerdicts, pageUrl } from '../../../support/cited-answer.ts'
import { fails, fakeExecutor, hangs, plays, requestFor, type Script } from '../../../support/fake-executor.ts'

const answers: Script = async function* ({ query }) {
  for (const event of citedAnswer('en')) yield event.type === 'search-start' ? { ...event, query } : event
}

executorContract('checked', {
  failure: 'rate-limited',
  factory: (behaviour) => {
    const scripts = { succeed: answers, hang: hangs, fail: fails('rate-limited') }
    const fake = fakeExecutor(scripts[behaviour])
    return { executor: checked(fake), running: () => fake.running, begun: () => fake.begun() }
  },
})

function sourcePages(source: SourcePages['source'] = 'pages') {
  const asked: string[] = []
  const pages: SourcePages = {
    source,
    async *fill(rows) {
      yield* []
      return { rows, isComplete: true, isEnough: true }
    },
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
  const executor = checked(fakeExecutor(plays(citedAnswer(language))))
  const signal = new AbortController().signal
  const answer = collect(executor.search(requestFor('what', { want: 'answer', ...rest }), { signal, pages }))
  return { answer, asked }
}

describe('a checked answer', () => {
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
    const executor = checked(fakeExecutor(plays(citedAnswer('en'))))
    const context = { signal: new AbortController().signal, pages: stuck }
    const { evidence } = await collect(executor.search(requestFor('what', { want: 'answer' }), context))
    expect(new Set(evidence?.map(({ verdict }) => verdict))).toEqual(new Set(['not-read']))
  })

  test('keeps what another csp has found, and waits for no page of its own', async () => {
    const found = [{ sentence: 'A.', start: 0, end: 2, verdict: 'found', score: 1, sources: [1] }] as const
    const events = citedAnswer('en').map((event) => (event.type === 'done' ? { ...event, evidence: found } : event))
    const { pages } = sourcePages()
    const stuck: SourcePages = { ...pages, page: () => new Promise(() => {}) }
    const executor = checked(fakeExecutor(plays(events)))
    const context = { signal: new AbortController().signal, pages: stuck }
    const { evidence } = await collect(executor.search(requestFor('what', { want: 'answer' }), context))
    expect(evidence).toEqual(found)
  })
})
