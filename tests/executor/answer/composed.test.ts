import { describe, expect, test } from 'bun:test'
import { collect } from '../../../src/domain/answer.ts'
import { SearchError, type SearchErrorCode } from '../../../src/domain/error.ts'
import type { SearchEvent, SearchRequest, SearchResult } from '../../../src/domain/search.ts'
import { composed } from '../../../src/executor/answer/composed.ts'
import type { Executor } from '../../../src/executor/executor.ts'
import { overPages, PageExcerpts } from '../../../src/executor/layers/excerpts/excerpted.ts'
import { queued } from '../../../src/executor/layers/resilience/queued.ts'
import { expectEventOrder } from '../../contract/event-order.ts'
import { executorContract } from '../../contract/executor.ts'
import { failureOf } from '../../support/failure-of.ts'
import { answers, done, fails, fakeExecutor, hangs, requestFor, type Script } from '../../support/fake-executor.ts'
import { fakePageReader } from '../../support/fake-page-reader.ts'

const scripts = { succeed: answers, hang: hangs, fail: fails('unavailable') } as const

for (const [name, writer] of [
  ['without a writer', undefined],
  ['with a writer', writes()],
] as const) {
  executorContract(`composed(), ${name},`, {
    failure: 'unavailable',
    factory: (behaviour) => {
      const inner = lister(scripts[behaviour])
      return {
        executor: composed(inner, { writers: writer ? [writer] : [] }),
        running: () => inner.running,
        started: () => inner.requests.length,
        begun: () => inner.begun(),
      }
    },
  })
}

type Writer = Pick<Executor, 'name' | 'search' | 'prepare'>

/** Only finds pages. */
const lister = (script?: Script) =>
  Object.assign(fakeExecutor(script), { supports: ({ want }: SearchRequest) => want === 'results' })

const ask = (rest = {}) => requestFor('seals', { want: 'answer', ...rest })
const live = () => ({ signal: new AbortController().signal })
const listOf = (executor: Pick<Executor, 'search'>, rest = {}) => Array.fromAsync(executor.search(ask(rest), live()))

describe('an answer with a writer', () => {
  test('is its text over the pages found, and costs what both cost', async () => {
    const inner = lister()
    const events = await listOf(composed(inner, { writers: [writes()] }))
    expectEventOrder(events)
    const answer = await collect(each(events))
    expect(answer.text).toBe('Seals: 2 pages [2]')
    expect(answer.citations[0]).toMatchObject({ number: 2, url: 'https://example.com/seals/more' })
    expect(answer.usage).toEqual({ searches: 1, inputTokens: 13, outputTokens: 25 })
    expect(answer.model).toBe('writer-1')
    expect(inner.requests[0]).toMatchObject({ want: 'results', history: [] })
  })

  test('is written over passages of the pages, where those may be read', async () => {
    const seen: (readonly SearchResult[])[] = []
    const writer: Writer = {
      name: 'writer',
      search: (request, context) => {
        seen.push(request.sources ?? [])
        return writes().search(request, context)
      },
    }
    const reader = fakePageReader({ 'https://example.com/seals/more': 'Seals sleep in the water.' })
    const over = (source: 'pages' | 'lines') =>
      overPages(new PageExcerpts({ reader, source }))(composed(lister(), { writers: [writer] }))
    const events = await listOf(over('pages'))
    expectEventOrder(events)
    const { searches } = await collect(each(events))
    expect(searches[0]?.results).toMatchObject([{ snippet: 'seals' }, { snippet: 'Seals sleep in the water.' }])
    expect(seen).toEqual([searches[0]?.results ?? []])
    // How long pages are waited for, which has come, and which have not.
    const rest = events.filter(({ type }) => type !== 'reading')
    expect(events.length - rest.length).toBe(3)
    expect(await listOf(over('lines'))).toHaveLength(rest.length)
    expect(seen[1]?.map(({ snippet }) => snippet)).toEqual(['seals', undefined])
  })

  test('hands the whole request to the writer, and the filters to the search', async () => {
    const inner = lister()
    const seen: unknown[] = []
    const writer: Writer = {
      name: 'writer',
      search: ({ sources: _, ...request }, context) => {
        seen.push(request)
        return writes().search(requestFor('seals', { ...request, sources: [] }), context)
      },
    }
    const rest = { filters: { country: 'DE' }, instructions: 'Rhyme.', history: [{ role: 'user', text: 'Hi' }] }
    await listOf(composed(inner, { writers: [writer] }), rest)
    expect(seen).toEqual([ask(rest)])
    expect(inner.requests[0]).toMatchObject({ filters: { country: 'DE' } })
    expect(inner.requests[0]).not.toHaveProperty('instructions')
  })

  test.each([
    [undefined, 15],
    [18, 18],
  ])('with a count of %j, names it to the search, and is over %d pages at most', async (limit, most) => {
    const rows = Array.from({ length: 30 }, (_, place) => ({
      title: '',
      url: `https://s${place}.example/`,
      source: 'a',
    }))
    const inner = lister(async function* () {
      yield { type: 'search-results', id: 'a', results: rows }
      yield done
    })
    const { searches } = await collect(composed(inner, { writers: [writes()] }).search(ask({ limit }), live()))
    expect(inner.requests[0]?.limit).toBe(limit)
    expect(searches.flatMap(({ results }) => results.map(({ url }) => url))).toEqual(
      rows.slice(0, most).map(({ url }) => url),
    )
  })
})

describe('an answer of excerpts', () => {
  test('says what it is, and cites each page', async () => {
    const events = await listOf(composed(lister()))
    expectEventOrder(events)
    const { text, citations, model, isDegraded } = await collect(each(events))
    expect(isDegraded, 'where there is no writer, none is waited for').toBeFalsy()
    expect(text).toBe(
      'No model could write an answer just now. These are excerpts of the pages that the search found:\n\n' +
        '- About seals: seals [1]\n- More on seals [2]',
    )
    expect(citations.map(({ number }) => number)).toEqual([1, 2])
    expect(model).toBe('fake-1')
  })

  test('has no address, marker or bracket of a page in it', async () => {
    const hostile = found([
      {
        title: 'See [7] www.evil.example',
        url: 'https://a.example/',
        snippet: 'Go to https://b.example/x [1] now',
        source: 'x',
      },
    ])
    const { text } = await collect(composed(hostile).search(ask(), live()))
    expect(text).toEndWith('- See 7: Go to 1 now [1]')
  })

  test('ends before a stop sequence', async () => {
    const { text, citations } = await collect(each(await listOf(composed(lister()), { stop: ['More'] })))
    expect(text).toEndWith('- About seals: seals [1]\n- ')
    expect(citations).toHaveLength(1)
  })

  test('is written over the pages of a request that has some, without a search', async () => {
    const inner = found([])
    const sources = [{ title: 'Known', url: 'https://known.example/', snippet: 'Words.', source: 'fake' }]
    const answer = await collect(composed(inner, { writers: [writes()] }).search({ ...ask(), sources }, live()))
    expect(answer).toMatchObject({ citations: [{ number: 1, url: 'https://known.example/' }], usage: { searches: 0 } })
    expect(answer.searches.flatMap(({ results }) => results)).toEqual(sources)
    const bare = await collect(
      composed(inner, { writers: [breaks('unavailable', 0)] }).search({ ...ask(), sources }, live()),
    )
    expect(bare).toMatchObject({ isDegraded: true, text: expect.stringContaining('Known: Words.') })
  })

  test('says so when nothing was found, and asks no writer', async () => {
    const writer: Writer = {
      name: 'writer',
      search() {
        throw new Error('It was asked.')
      },
    }
    const { text } = await collect(composed(found([]), { writers: [writer] }).search(ask(), live()))
    expect(text).toBe('The web search found no pages for this question.')
  })

  test.each(['signed-out', 'rate-limited', 'unavailable', 'timeout', 'busy'] as const)(
    'stands in for a writer that fails with %s',
    async (code) => {
      const { text, isDegraded } = await collect(
        composed(lister(), { writers: [breaks(code, 0)] }).search(ask(), live()),
      )
      expect(text).toStartWith('No model could write')
      expect(isDegraded).toBe(true)
    },
  )
})

describe('a failure of the writer passes', () => {
  test.each(['invalid-request', 'failed', 'ungrounded'] as const)('when it is %s', async (code) => {
    expect((await failureOf(listOf(composed(lister(), { writers: [breaks(code, 0)] })))).code).toBe(code)
  })

  test('after its first word', async () => {
    expect((await failureOf(listOf(composed(lister(), { writers: [breaks('unavailable', 1)] })))).code).toBe(
      'unavailable',
    )
  })

  test('when excerpts would not do', async () => {
    const rest = { schema: { type: 'object' } }
    expect((await failureOf(listOf(composed(lister(), { writers: [breaks('unavailable', 0)] }), rest))).code).toBe(
      'unavailable',
    )
  })
})

describe('what a writer makes ready', () => {
  const nothing = found([])
  const endings = [
    ['a text', lister(), writes(), undefined],
    ['an empty list', nothing, writes(), undefined],
    ['a list that fails', lister(fails('unavailable')), writes(), 'unavailable'],
    ['a writer that fails', lister(), breaks('failed', 0), 'failed'],
    ['a writer that breaks off', lister(), breaks('failed', 1), 'failed'],
    ['excerpts', lister(), breaks('rate-limited', 0), undefined],
  ] as const

  test.each(endings)('is given back after %s', async (_, inner, writer, code) => {
    const ready = { made: 0, left: 0 }
    const executor = composed(inner, { writers: [{ ...writer, prepare: preparing(ready) }] })
    const outcome = await listOf(executor).then(
      () => undefined,
      (error) => error.code,
    )
    expect(outcome).toBe(code)
    expect(ready).toEqual({ made: 1, left: 0 })
  })

  test('is given back when the caller leaves, during the list and during the text', async () => {
    const pause: Writer = {
      name: 'writer',
      async *search() {
        yield { type: 'text-delta', text: 'One' }
        yield { type: 'text-delta', text: ' two' }
      },
    }
    for (const [inner, writer] of [
      [lister(hangs), writes()],
      [lister(), pause],
    ] as const) {
      const ready = { made: 0, left: 0 }
      const leave = new AbortController()
      const executor = composed(inner, { writers: [{ ...writer, prepare: preparing(ready) }] })
      const events = executor.search(ask(), { signal: leave.signal })[Symbol.asyncIterator]()
      const first = events.next()
      if (writer === pause) {
        while ((await events.next()).value?.type !== 'text-delta');
        await events.return?.()
      } else {
        await inner.begun()
        leave.abort()
        await first.catch(() => {})
      }
      expect(ready).toEqual({ made: 1, left: 0 })
    }
  })

  test('is that of the next writer where the first would refuse', async () => {
    const ready = { made: 0, left: 0 }
    const refuses: Writer = { ...breaks('rate-limited', 0), prepare: refusing }
    const { text } = await collect(
      composed(lister(), { writers: [refuses, { ...writes(), prepare: preparing(ready) }] }).search(ask(), live()),
    )
    expect(text).toStartWith('Seals: 2 pages')
    expect(ready).toEqual({ made: 1, left: 0 })
  })

  test('fails before the list is paid for where the lister is the writer, or nothing could stand in', async () => {
    const own = Object.assign(fakeExecutor(), { answers: async () => false, prepare: refusing })
    expect((await failureOf(listOf(composed(own, { writers: [own] })))).code).toBe('rate-limited')
    expect(own.requests).toEqual([])
    const other = lister()
    const writers = [{ ...writes(), prepare: refusing }]
    expect((await failureOf(listOf(composed(other, { writers }), { schema: { type: 'object' } }))).code).toBe(
      'rate-limited',
    )
    expect(other.requests).toEqual([])
    expect(await collect(each(await listOf(composed(other, { writers })))).then(({ text }) => text)).toContain(
      '2 pages',
    )
  })
})

describe('a backend that lists and writes', () => {
  const both = (code: SearchErrorCode) => {
    const fake = fakeExecutor(async function* (request) {
      if (request.sources) throw new SearchError(code, 'The writing fails.')
      yield* answers(request)
    })
    return Object.assign(fake, { answers: async () => false })
  }

  test('is asked for a list, then for a text over its rows', async () => {
    const own = Object.assign(fakeExecutor(), { answers: async () => false })
    const { text, usage } = await collect(composed(own, { writers: [own] }).search(ask(), live()))
    expect(text).toBe('This is seals [1].')
    expect(own.requests.map(({ want, sources }) => [want, sources?.length])).toEqual([
      ['results', undefined],
      ['answer', 2],
    ])
    expect(usage.searches).toBe(2)
  })

  test('gives excerpts where its own writing has met a limit', async () => {
    const own = both('rate-limited')
    const { text, isDegraded } = await collect(composed(own, { writers: [own] }).search(ask(), live()))
    expect([text.slice(0, 14), isDegraded]).toEqual(['No model could', true])
  })

  test.each(['unavailable', 'failed', 'signed-out', 'timeout'] as const)(
    'fails as its own writing does: %s',
    async (code) => {
      const own = both(code)
      expect((await failureOf(listOf(composed(own, { writers: [own] })))).code).toBe(code)
      const { text } = await collect(composed(own, { writers: [own, writes()] }).search(ask(), live()))
      expect(text, 'where no other writer stands behind it').toStartWith('Seals: 2 pages')
    },
  )

  const silently: Script = async function* (request) {
    for await (const event of answers(request))
      if (event.type !== 'text-delta' && event.type !== 'citation') yield event
  }

  test('has an answer without a word written over the pages that it found', async () => {
    const silent = fakeExecutor(silently)
    const events = await listOf(composed(silent, { writers: [writes()] }))
    expectEventOrder(events)
    const { text, searches } = await collect(each(events))
    expect([text, searches.length]).toEqual(['Seals: 2 pages [2]', 1])
  })

  test('that leaves its answer to a list is named once, before everything else', async () => {
    const script: Script = async function* (request) {
      yield { type: 'backend', name: 'claude' }
      if (request.want === 'results') yield* answers(request)
      else yield { ...done, usage: { searches: 0, inputTokens: 0, outputTokens: 0 } }
    }
    const events = await listOf(composed(fakeExecutor(script), { writers: [writes()] }))
    expectEventOrder(events)
    expect(events[0]).toEqual({ type: 'backend', name: 'claude' })
    expect((await collect(each(events))).text).toBe('Seals: 2 pages [2]')
  })

  test('whose answer has no word gives its place back before it writes, where it has only one', async () => {
    const script: Script = (request, signal) =>
      request.sources ? writes().search(request, { signal }) : silently(request, signal)
    const own = queued({ concurrency: 1, startsPerSecond: 0 })(fakeExecutor(script))
    const { text } = await collect(composed(own, { writers: [own] }).search(ask(), live()))
    expect(text).toBe('Seals: 2 pages [2]')
  }, 3000)
})

describe('supports', () => {
  const tools = [{ name: 'f', parameters: {} }]
  const cases = [
    ['results', requestFor('q'), true, true],
    ['an answer', ask(), true, true],
    ['text', requestFor('q', { want: 'text' }), false, false],
    ['a schema', ask({ schema: {} }), true, false],
    ['tools', ask({ tools }), true, false],
    ['tools that may not be called', ask({ tools, toolChoice: 'none' }), true, true],
    ['a continuation', ask({ continuation: [{ role: 'tool', text: '1', callId: 'a' }] }), true, false],
  ] as const

  test.each(cases)('%s', async (_, request, withWriter, without) => {
    expect(composed(lister(), { writers: [writes()] }).supports?.(request)).toBe(withWriter)
    const bare = composed(lister())
    expect(bare.supports?.(request)).toBe(without)
    if (without || request.want !== 'answer') return
    expect((await failureOf(Array.fromAsync(bare.search(request, live())))).code).toBe('invalid-request')
  })
})

const preparing = (ready: { made: number; left: number }) => async () => {
  ready.made++
  ready.left++
  let isOver = false
  return {
    release() {
      if (!isOver) ready.left--
      isOver = true
    },
  }
}

async function refusing(): Promise<never> {
  throw new SearchError('rate-limited', 'Over.')
}

/** A writer that tells how many pages it got, and cites the last. */
function writes(): Writer {
  return {
    name: 'writer',
    async *search({ query, sources = [] }) {
      yield { type: 'search-start', id: 'sources', query }
      yield { type: 'search-results', id: 'sources', results: sources }
      const text = `${query.charAt(0).toUpperCase()}${query.slice(1)}: ${sources.length} pages `
      yield { type: 'text-delta', text }
      yield { type: 'text-delta', text: `[${sources.length}]` }
      const { url, title } = sources.at(-1) ?? { url: '', title: '' }
      const place = { start: text.length, end: text.length + 3 }
      yield { type: 'citation', citation: { number: sources.length, url, title, ...place } }
      const usage = { searches: 0, inputTokens: 3, outputTokens: 5 }
      yield { type: 'done', reason: 'stop', usage, model: 'writer-1' }
    },
  }
}

/** A writer that fails after so many words. */
function breaks(code: SearchErrorCode, words: number): Writer {
  return {
    name: 'writer',
    async *search() {
      for (let word = 0; word < words; word++) yield { type: 'text-delta', text: 'word ' }
      throw new SearchError(code, 'The writer fails.')
    },
  }
}

function found(results: readonly SearchResult[]): Executor {
  return lister(async function* ({ query }) {
    yield { type: 'search-start', id: 'one', query }
    yield { type: 'search-results', id: 'one', results }
    yield { type: 'done', reason: 'stop', usage: { searches: 1, inputTokens: 0, outputTokens: 0 }, model: 'fake-1' }
  })
}

async function* each(events: Iterable<SearchEvent>): AsyncGenerator<SearchEvent> {
  yield* events
}
