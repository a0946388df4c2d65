import { describe, expect, test } from 'bun:test'
import { deferred } from '@csp/lib/deferred'
import { HostPace } from '@csp/page-reader/layers/host-pace'
import { createPageStack } from '@csp/page-reader/layers/stack'
import { PageError } from '@csp/page-reader/page-error'
import type { PageContext, PageReader } from '@csp/page-reader/page-reader'
import type { WholePageReader } from '@csp/page-reader/whole-page'
import { createMemoryStorage } from 'ocache'
import { abortError } from '../../../../src/domain/abort.ts'
import { collect } from '../../../../src/domain/answer.ts'
import type { SearchRequest } from '../../../../src/domain/search.ts'
import type { SearchContext } from '../../../../src/executor/executor.ts'
import {
  type ExcerptedOptions,
  excerpted,
  overPages,
  PageExcerpts,
} from '../../../../src/executor/layers/excerpts/excerpted.ts'
import { createStack } from '../../../../src/executor/layers/stack.ts'
import { failureOf } from '../../../support/failure-of.ts'
import { done, fakeExecutor, requestFor, type Script } from '../../../support/fake-executor.ts'
import { fakePageReader } from '../../../support/fake-page-reader.ts'

const words = 'Bees live in a hive of wax.'
const urls = Array.from({ length: 10 }, (_, at) => `https://site-${at}.example/bees`)
const quick = { all: 5, most: 5 }
const slow = { all: 60_000, most: 60_000 }

/** Ten pages, with lines where they are asked for, as a model finds them. */
const tenPages: Script = async function* ({ query, excerpts }) {
  const line = excerpts === 'lines' && { snippet: 'A line.' }
  const results = urls.map((url) => ({ title: 'Bees', url, source: 'fake', publishedAt: '2026-03-04', ...line }))
  yield { type: 'search-start', id: 'one', query, model: 'haiku' }
  yield { type: 'search-results', id: 'one', results }
  yield done
}

/** Holds pages back until they are let go, but for the first `missing`, which do not exist. */
function busyReader(missing = 0) {
  const gate = deferred<void>()
  const inner = fakePageReader(Object.fromEntries(urls.slice(missing).map((url) => [url, words])))
  const state = { begun: 0, stopped: 0 }
  const reader: PageReader = {
    ...inner,
    async read(request, context: PageContext) {
      state.begun++
      const aborted = deferred<never>()
      context.signal.addEventListener('abort', () => {
        state.stopped++
        aborted.reject(new PageError('cancelled', 'Stopped.'))
      })
      if (urls.indexOf(request.url) >= missing) await Promise.race([gate.promise, aborted.promise])
      return inner.read(request, context)
    },
  }
  return { reader, state, release: () => gate.resolve() }
}

function listsOver(reader: PageReader, options: Partial<ExcerptedOptions> = {}) {
  const fake = fakeExecutor(tenPages)
  const executor = excerpted(new PageExcerpts({ reader, source: 'auto', waitMs: quick, ...options }))(fake)
  const search = (rest: Partial<SearchRequest> = {}, context: Partial<SearchContext> = {}) =>
    collect(executor.search(requestFor('bees', rest), { signal: new AbortController().signal, ...context }))
  return { search, asked: () => fake.requests.map(({ excerpts }) => excerpts) }
}

const snippets = ({ searches }: Awaited<ReturnType<typeof collect>>) =>
  searches.flatMap(({ results }) => results.map(({ snippet }) => snippet))

describe('a list whose pages are late', () => {
  test('is one search: its rows have their titles and dates, and it says that more is to come', async () => {
    const { search, asked } = listsOver(busyReader().reader)
    const answer = await search()
    expect(asked()).toEqual(['none'])
    expect(answer.searches[0]?.results).toEqual(
      urls.map((url) => ({ title: 'Bees', url, source: 'fake', publishedAt: '2026-03-04' })),
    )
    expect(answer.isDegraded).toBe(true)
  })

  test('has the words of the last time, where memory has them', async () => {
    const seen = { title: 'Old', source: 'memory', snippet: 'Bees lived in a tree.', seenAt: '2026-06-01T00:00:00Z' }
    const excerpts = async () => new Map(urls.map((url) => [url, { ...seen, url }]))
    const { search, asked } = listsOver(busyReader().reader, { memory: { memory: { excerpts }, scope: 'all' } })
    expect(snippets(await search())).toEqual(urls.map(() => 'Bees lived in a tree.'))
    expect(asked()).toEqual(['none'])
  })

  test.each([
    [2, 'one search'],
    [7, 'one search'],
    [8, 'a second search, for lines'],
  ] as const)('of which %i do not exist is %s', async (missing, expected) => {
    const { search, asked } = listsOver(busyReader(missing).reader)
    await search()
    expect(asked()).toEqual(expected === 'one search' ? ['none'] : ['none', 'lines'])
  })

  test('has lines where none of its pages can be read', async () => {
    const { search, asked } = listsOver(fakePageReader({}))
    expect(snippets(await search())).toEqual(urls.map(() => 'A line.'))
    expect(asked()).toEqual(['none', 'lines'])
  })

  test.each([
    ['those whose site has not been asked yet', 'turn', 1],
    ['those that csp has yet to look at, with those of many lists', 'reader', 6],
  ] as const)(
    'waits no longer, once it has some, for %s',
    async (_, awaited, lists) => {
      const inner = fakePageReader(Object.fromEntries(urls.slice(0, 4).map((url) => [url, words])))
      const reader: PageReader = {
        ...inner,
        async read(request, context) {
          if (urls.indexOf(request.url) < 4) return inner.read(request, context)
          context.onWait?.(awaited)
          return new Promise<never>(() => {})
        },
      }
      const { search } = listsOver(reader, { waitMs: { all: 50, most: 60_000 } })
      for (const answer of await Promise.all(Array.from({ length: lists }, () => search()))) {
        expect(snippets(answer).filter(Boolean)).toHaveLength(4)
      }
    },
    20_000,
  )

  test('is one search in a research, too', async () => {
    const { search, asked } = listsOver(busyReader().reader)
    expect(await search({ research: 'medium' })).toMatchObject({ isDegraded: true })
    expect(asked()).toEqual(['none'])
  })

  test('is one search however many ask, of which all get the same, and its pages are there for the next', async () => {
    const { reader, state, release } = busyReader()
    const fake = fakeExecutor(tenPages)
    const waitMs = { ...quick }
    const executor = createStack([fake], {
      cache: { storage: createMemoryStorage(), ttlSeconds: 60 },
      excerpts: { reader, source: 'auto', waitMs },
      paging: { ttlSeconds: 60 },
    })
    const ask = () => collect(executor.search(requestFor('bees'), { signal: new AbortController().signal }))
    const answers = await Promise.all(Array.from({ length: 5 }, ask))
    expect(new Set(answers.map((answer) => JSON.stringify(answer.searches))).size).toBe(1)
    expect([fake.requests.length, state.begun]).toEqual([1, 10])
    release()
    Object.assign(waitMs, slow)
    expect(snippets(await ask())).toEqual(urls.map(() => words))
    expect(fake.requests).toHaveLength(1)
    await executor.close()
  })
})

describe('pages that nobody waits for any more', () => {
  test('are given up, unless another list waits for them', async () => {
    const { reader, state, release } = busyReader()
    const whole: WholePageReader = {
      async read(request, context) {
        const { content, ...page } = await reader.read(request, context)
        return { ...page, contents: { markdown: content, text: content, html: content } }
      },
      close: reader.close,
    }
    const pace = new HostPace({ perSecond: 0, burst: 1 })
    const stack = createPageStack(whole, { cache: { ttlSeconds: 0 }, queue: { pace } })
    const { search } = listsOver(stack, { waitMs: slow })
    const [first, second] = [new AbortController(), new AbortController()]
    const failure = failureOf(search({ query: 'bees one' }, { signal: first.signal }))
    const answer = search({ query: 'bees' }, { signal: second.signal })
    while (state.begun < 10) await Bun.sleep(0)
    await Bun.sleep(0)
    first.abort()
    expect((await failure).code).toBe('cancelled')
    expect(state.stopped).toBe(0)
    release()
    expect(snippets(await answer)).toEqual(urls.map(() => words))
    expect(state.begun).toBe(10)
  })

  test('are given up when the reader of an answer leaves while it is written', async () => {
    const { reader, state } = busyReader()
    const caller = new AbortController()
    const executor = overPages(new PageExcerpts({ reader, source: 'pages', waitMs: { ...quick, some: 5 } }))({
      ...fakeExecutor(),
      async *search(request, { pages }) {
        const rows = urls.map((url) => ({ title: 'Bees', url, source: 'fake' }))
        if (pages) yield* pages.fill(rows, request)
        yield { type: 'text-delta', text: 'Bees' }
        if (caller.signal.aborted) throw abortError(caller.signal)
      },
    })
    const events = executor.search(requestFor('bees', { want: 'answer' }), { signal: caller.signal })
    const read = async () => {
      for await (const { type } of events) if (type === 'text-delta') caller.abort()
    }
    await failureOf(read())
    expect(state.stopped).toBe(10)
  })
})
