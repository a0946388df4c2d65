import { describe, expect, spyOn, test } from 'bun:test'
import { attended } from '@csp/lib/attended'
import { deferred } from '@csp/lib/deferred'
import { PageError } from '@csp/page-reader/page-error'
import type { PageContext, PageReader } from '@csp/page-reader/page-reader'
import { createMemoryStorage } from 'ocache'
import { collect } from '../../../../src/domain/answer.ts'
import type { WantedExcerpts } from '../../../../src/domain/recall.ts'
import type { SearchEvent, SearchRequest, SearchResult } from '../../../../src/domain/search.ts'
import type {
  Executor,
  FilledRows,
  SearchContext,
  SearchTrace,
  SourcePages,
} from '../../../../src/executor/executor.ts'
import {
  type ExcerptedOptions,
  excerpted,
  overPages,
  PageExcerpts,
} from '../../../../src/executor/layers/excerpts/excerpted.ts'
import type { SearchPages } from '../../../../src/executor/layers/excerpts/search-pages.ts'
import { queued } from '../../../../src/executor/layers/resilience/queued.ts'
import { createStack } from '../../../../src/executor/layers/stack.ts'
import { executorContract } from '../../../contract/executor.ts'
import { failureOf } from '../../../support/failure-of.ts'
import { done, fails, fakeExecutor, hangs, requestFor, type Script } from '../../../support/fake-executor.ts'
import { type FakePage, fakePageReader, silence } from '../../../support/fake-page-reader.ts'

const bees = 'https://bees.example/hive'
const wasps = 'https://wasps.example/nest'
const today = () => new Date('2026-06-15T12:00:00Z')
/** On a busy machine a page takes longer than a short wait. */
const longWait = { all: 60_000, most: 60_000 }
const text = 'Bees live in a hive of wax. They dance to tell where flowers are.'

/** Finds these pages. */
function finds(...rows: readonly Partial<SearchResult>[]): Script {
  return async function* ({ query }) {
    const results = rows.map((row) => ({ title: 'A page', url: bees, source: 'fake', ...row }))
    yield { type: 'search-start', id: 'one', query, model: 'haiku' }
    yield { type: 'search-results', id: 'one', results }
    yield done
  }
}

function listOver(script: Script, reader: PageReader, options: Partial<ExcerptedOptions> = {}) {
  const fake = fakeExecutor(script)
  const executor = excerpted(new PageExcerpts({ reader, source: 'pages', today, ...options }))(fake)
  const search = (rest: Partial<SearchRequest> = {}, context: Partial<SearchContext> = {}) =>
    collect(
      executor.search(requestFor('where do bees live', rest), { signal: new AbortController().signal, ...context }),
    )
  const rows = async (rest: Partial<SearchRequest> = {}) =>
    (await search(rest)).searches.flatMap(({ results }) => results)
  return { fake, executor, search, rows }
}

/** Has answers made over the pages that each of them gets. */
function answersOver(
  options: ExcerptedOptions,
  answer: (request: SearchRequest, pages: SourcePages) => AsyncIterable<SearchEvent>,
): Executor {
  const search: Executor['search'] = (request, { pages }) => {
    if (!pages) throw new Error('The answer has no pages.')
    return answer(request, pages)
  }
  return overPages(new PageExcerpts(options))({ ...fakeExecutor(), search })
}

/** Holds every page back until it is let go; `stopped` counts those that were aborted instead. */
function slowReader(pages: Readonly<Record<string, FakePage>>) {
  const gate = deferred<void>()
  const inner = fakePageReader(pages)
  const contexts: PageContext[] = []
  const state = { stopped: 0 }
  const reader: PageReader = {
    ...inner,
    async read(request, context) {
      contexts.push(context)
      const aborted = deferred<never>()
      context.signal.addEventListener('abort', () => {
        state.stopped++
        aborted.reject(new PageError('cancelled', 'Stopped.'))
      })
      await Promise.race([gate.promise, aborted.promise])
      return inner.read(request, context)
    },
  }
  return { reader, contexts, state, release: () => gate.resolve() }
}

describe('the rows of a list', () => {
  test('get excerpts, passages and dates from their pages, and the search call writes none', async () => {
    const content = `${text}\n\nOther things are told here.\n\nWild bees live in hollow trees, too.`
    const { fake, rows } = listOver(finds({}), fakePageReader({ [bees]: { content, publishedAt: '2026-05-04' } }))
    expect(await rows()).toEqual([
      {
        title: 'A page',
        url: bees,
        source: 'fake',
        snippet: text,
        passages: ['Wild bees live in hollow trees, too.'],
        publishedAt: '2026-05-04',
      },
    ])
    expect(fake.requests).toMatchObject([{ excerpts: 'none' }])
  })

  test('tell the log by which rule each date was found, without addresses', async () => {
    const pages = { [bees]: { content: text, publishedAt: '2026-05-04', publishedBy: 'time element' }, [wasps]: text }
    const { search } = listOver(finds({}, { url: wasps }), fakePageReader(pages))
    const notes: string[] = []
    const trace: SearchTrace = {
      begin: () => () => {},
      uncached() {},
      asked() {},
      replaced() {},
      modelCalled() {},
      defaultModel() {},
      note: (message) => void notes.push(message),
    }
    await search({}, { trace })
    expect(notes).toEqual(['Dates of the pages read, in the order of the list: time element, no date'])
  })

  test('have five passages at most beside their excerpt', async () => {
    const content = Array.from({ length: 9 }, (_, at) => `Bees of kind ${at} live in a hive of wax. They dance there.`)
    const reader = fakePageReader({ [bees]: content.join('\n\n') })
    const [row] = await listOver(finds({ snippet: 'Known.' }), reader).rows({ excerpts: 'pages' })
    expect([row?.snippet, row?.passages?.length]).toEqual(['Known.', 5])
  })

  test('wait longer in a research than in a list, and longest for an answer that has no page yet', async () => {
    const maxMs = async (rest: Partial<SearchRequest>) => {
      const pages = new PageExcerpts({ reader: fakePageReader({ [bees]: text }), source: 'pages', today })
      const request = requestFor('bees', rest)
      const filling = pages
        .of(request, { signal: new AbortController().signal })
        .fill([{ title: 'A page', url: bees, source: 'fake' }], request)
      const { value } = await filling.next()
      return value && 'maxMs' in value ? value.maxMs : undefined
    }
    expect(await maxMs({})).toBe(1500)
    expect(await maxMs({ research: 'medium' })).toBe(4000)
    expect(await maxMs({ want: 'answer' })).toBe(2500)
  })

  test('of a research are read as long as it lasts', async () => {
    for (const research of [undefined, 'medium'] as const) {
      const { reader, contexts, release } = slowReader({ [bees]: text })
      release()
      await listOver(finds({}), reader).rows({ research })
      expect(contexts[0]?.isLasting).toBe(research !== undefined)
    }
  })

  test('that have an excerpt are not read', async () => {
    const reader = fakePageReader({ [wasps]: 'Wasps live in paper.' })
    const { rows } = listOver(finds({ snippet: 'Known.' }, { url: wasps }), reader)
    expect((await rows()).map(({ snippet }) => snippet)).toEqual(['Known.', 'Wasps live in paper.'])
    expect(reader.requests.map(({ url }) => url)).toEqual([wasps])
  })

  test('are preceded by word of how many pages are read, where any is', async () => {
    const reader = fakePageReader({ [wasps]: 'Wasps live in paper.' })
    const types = async (...rows: Partial<SearchResult>[]) => {
      const { executor } = listOver(finds(...rows), reader)
      const events = executor.search(requestFor('bees'), { signal: new AbortController().signal })
      return (await Array.fromAsync(events)).map((event) => (event.type === 'reading' ? event.pages : event.type))
    }
    expect(await types({ snippet: 'Known.' }, { url: wasps })).toEqual(['search-start', 1, 'search-results', 'done'])
    expect(await types({ snippet: 'Known.' })).toEqual(['search-start', 'search-results', 'done'])
  })

  test('are followed by word of the sites whose pages have not come, and why; the wait is bounded', async () => {
    const slow = 'https://slow.example/page'
    const reader = fakePageReader({ [bees]: new PageError('needs-login', 'No.'), [wasps]: 'Wasps.', [slow]: silence })
    const { executor } = listOver(finds({}, { url: wasps }, { url: slow }), reader, { waitMs: { all: 20, most: 50 } })
    const events = await Array.fromAsync(executor.search(requestFor('bees'), { signal: new AbortController().signal }))
    const unread = [
      { site: new URL(bees).host, code: 'needs-login' as const },
      { site: 'slow.example', code: 'timeout' as const },
    ]
    expect(events.filter(({ type }) => type === 'reading')).toEqual([
      { type: 'reading', pages: 3, maxMs: 50 },
      { type: 'reading', pages: 3, unread },
    ])
  })

  test('that have an excerpt get passages as well, and the date, where the caller asks for pages', async () => {
    const content = `${text}\n\nOther things are told here.\n\nWild bees live in hollow trees, too.`
    const reader = fakePageReader({ [bees]: { content, publishedAt: '2026-05-04' }, [wasps]: 'Wasps live in paper.' })
    const { rows } = listOver(
      finds({ snippet: 'Known.' }, { url: wasps, snippet: 'W.', passages: ['Its own.'] }),
      reader,
    )
    expect(await rows({ excerpts: 'pages' })).toMatchObject([
      { snippet: 'Known.', passages: [text, 'Wild bees live in hollow trees, too.'], publishedAt: '2026-05-04' },
      { snippet: 'W.', passages: ['Its own.'] },
    ])
    expect(reader.requests).toEqual([{ url: bees, isRough: true }])
  })

  test('are read with care where their text is read next', async () => {
    const reader = fakePageReader({ [bees]: text })
    const executor = createStack([fakeExecutor(finds({}))], {
      cache: { storage: createMemoryStorage(), ttlSeconds: 60 },
      excerpts: { reader, source: 'pages' },
    })
    const context = { signal: new AbortController().signal, readsPages: true }
    await collect(executor.search(requestFor('bees'), context))
    expect(reader.requests).toEqual([{ url: bees, isRough: false }])
  })

  test('whose page cannot be read have no excerpt, and are not read again soon', async () => {
    let now = 0
    const reader = fakePageReader({ [bees]: new PageError('blocked-by-status', 'No.') })
    const { search } = listOver(finds({}), reader, { now: () => now })
    const answer = await search()
    expect(answer.searches[0]?.results[0]?.snippet).toBeUndefined()
    expect(answer.isDegraded).toBeUndefined()
    await search()
    expect(reader.requests).toHaveLength(1)
    now = 700_000
    await search()
    expect(reader.requests).toHaveLength(2)
  })

  test('whose page sends its readers to the front page have no excerpt', async () => {
    const { rows } = listOver(
      finds({}),
      fakePageReader({ [bees]: { content: text, finalUrl: 'https://bees.example/' } }),
    )
    expect((await rows())[0]?.snippet).toBeUndefined()
  })

  test('have the description of a page without prose', async () => {
    const { rows } = listOver(
      finds({}),
      fakePageReader({ [bees]: { content: '', description: 'All about **bees**.' } }),
    )
    expect((await rows())[0]?.snippet).toBe('All about bees.')
  })

  test('hold nothing that acts on a terminal', async () => {
    const content = `Bees \u001b]8;;x\u0007live\u202e in ~~a~~ **hive** of <script>wax</script> and honey.\u200b`
    const { rows } = listOver(finds({}), fakePageReader({ [bees]: content }))
    expect((await rows())[0]?.snippet).toMatch(/^[\x20-\x7e]+$/)
  })

  test.each([
    ['2026-06-16', '2026-06-16'],
    ['2026-06-17', undefined],
    ['1066-10-14', undefined],
    ['last week', undefined],
  ])('have a date only where the page names one that can be: %s', async (publishedAt, expected) => {
    const { rows } = listOver(finds({}), fakePageReader({ [bees]: { content: text, publishedAt } }))
    expect((await rows())[0]?.publishedAt).toBe(expected)
  })

  test('are left out where the page proves to be older than what was asked for', async () => {
    const pages = { [bees]: { content: text, publishedAt: '2026-01-01' }, [wasps]: text }
    const { rows } = listOver(finds({}, { url: wasps }), fakePageReader(pages))
    expect((await rows({ filters: { freshness: 'week' } })).map(({ url }) => url)).toEqual([wasps])
  })
})

describe('a page that is not there in time', () => {
  test('leaves its row without an excerpt, is read on, and is there when the list is asked for again', async () => {
    const { reader, release, contexts } = slowReader({ [bees]: text, [wasps]: text })
    const caller = new AbortController()
    const waitMs = { all: 5, most: 5 }
    const { search } = listOver(finds({}, { url: wasps }), reader, { waitMs })
    const answer = await search({}, { signal: caller.signal })
    expect(answer.searches[0]?.results.map(({ snippet }) => snippet)).toEqual([undefined, undefined])
    expect(answer.isDegraded).toBe(true)
    caller.abort()
    expect(contexts.map(({ signal }) => signal.aborted)).toEqual([false, false])
    release()
    Object.assign(waitMs, longWait)
    const again = await search()
    expect(again.searches[0]?.results[0]?.snippet).toBe(text)
    expect(again.isDegraded).toBeUndefined()
  })

  test('is in the next answer, which costs no search, and the whole answer is kept', async () => {
    const { reader, release } = slowReader({ [bees]: text })
    const fake = fakeExecutor(finds({}))
    const waitMs = { all: 5, most: 5 }
    const executor = createStack([fake], {
      cache: { storage: createMemoryStorage(), ttlSeconds: 60 },
      excerpts: { reader, source: 'pages', waitMs },
      paging: { ttlSeconds: 60 },
    })
    const ask = async () => {
      const events = await Array.fromAsync(
        executor.search(requestFor('bees'), { signal: new AbortController().signal }),
      )
      const rows = events.flatMap((event) => (event.type === 'search-results' ? event.results : []))
      const cache = events.flatMap((event) => (event.type === 'cache' ? event.status : []))
      return [cache[0], rows[0]?.snippet]
    }
    expect(await ask()).toEqual(['miss', undefined])
    release()
    Object.assign(waitMs, longWait)
    expect(await ask()).toEqual(['hit', text])
    expect(await ask()).toEqual(['hit', text])
    expect(fake.requests).toHaveLength(1)
  })

  test('does not hold up the list once most of the others are there', async () => {
    const inner = fakePageReader(Object.fromEntries([1, 2, 3, 4].map((page) => [`${bees}/${page}`, text])))
    const slow = slowReader({})
    const reader: PageReader = {
      ...inner,
      read: (request, context) => (request.url === wasps ? slow.reader : inner).read(request, context),
    }
    const found = [1, 2, 3, 4].map((page) => ({ url: `${bees}/${page}` }))
    const { rows } = listOver(finds({ url: wasps }, ...found), reader, { waitMs: { all: 5, most: 60_000 } })
    expect((await rows()).map(({ snippet }) => snippet)).toEqual([undefined, text, text, text, text])
  })

  test('has what csp saw of it lately, with the day, until it is there', async () => {
    const { reader, release } = slowReader({ [bees]: text, [wasps]: text })
    const wanted: WantedExcerpts[] = []
    const seen = {
      title: 'Old',
      url: bees,
      snippet: 'Bees lived in a tree.',
      publishedAt: '2026-05-01',
      source: 'memory',
    }
    const memory = {
      async excerpts(wish: WantedExcerpts) {
        wanted.push(wish)
        return new Map([[bees, { ...seen, seenAt: '2026-06-01T00:00:00Z' }]])
      },
    }
    const lent = { memory, scope: 'key' } as const
    const waitMs = { all: 5, most: 5 }
    const { search } = listOver(finds({}, { url: wasps }), reader, { waitMs, memory: lent })
    const answer = await search({}, { caller: 'phone' })
    expect(answer.searches[0]?.results).toEqual([
      { ...seen, title: 'A page', source: 'fake', seenAt: '2026-06-01T00:00:00Z' },
      { title: 'A page', url: wasps, source: 'fake' },
    ])
    expect(answer.isDegraded).toBe(true)
    expect(wanted).toMatchObject([{ urls: [bees, wasps], owner: 'phone', seenAfter: '2026-05-16T12:00:00.000Z' }])
    await search({}, { cache: 'no-store' })
    expect(wanted).toHaveLength(1)
    release()
    Object.assign(waitMs, longWait)
    const again = await search()
    expect(again.searches[0]?.results.map(({ snippet, seenAt }) => [snippet, seenAt])).toEqual([
      [text, undefined],
      [text, undefined],
    ])
    expect(wanted).toHaveLength(1)
  })

  test('is lent with its passages; a page that is known to be missing, or is here, is not', async () => {
    const gone = `${bees}/gone`
    const wanted: (readonly string[])[] = []
    const seen = { title: 'Old', url: bees, snippet: 'Old.', passages: ['Older.'], source: 'memory' }
    const memory = {
      async excerpts({ urls }: WantedExcerpts) {
        wanted.push(urls)
        return new Map([[bees, { ...seen, seenAt: '2026-06-01T00:00:00Z' }]])
      },
    }
    const { rows } = listOver(
      finds({}, { url: gone }, { url: wasps }),
      fakePageReader({ [bees]: silence, [wasps]: text }),
      { waitMs: { all: 200, most: 200 }, memory: { memory, scope: 'all' } },
    )
    expect(await rows()).toMatchObject([{ snippet: 'Old.', passages: ['Older.'] }, { url: gone }, { snippet: text }])
    expect(wanted).toEqual([[bees]])
  })

  test('does not hold up a list of five of which four are there', async () => {
    const pages = Object.fromEntries([1, 2, 3, 4].map((page) => [`${bees}/${page}`, text]))
    const reader = fakePageReader({ ...pages, [wasps]: silence })
    const found = [{ url: wasps }, ...Object.keys(pages).map((url) => ({ url }))]
    const { rows } = listOver(finds(...found), reader, { waitMs: { all: 5, most: 60_000 } })
    expect((await rows()).filter(({ snippet }) => snippet)).toHaveLength(4)
  })

  test('stays without an excerpt where memory is slow or broken', async () => {
    const { reader } = slowReader({ [bees]: text })
    for (const excerpts of [() => new Promise<never>(() => {}), () => Promise.reject(new Error('broken'))]) {
      const lent = { memory: { excerpts }, scope: 'all' } as const
      const { rows } = listOver(finds({}), reader, { waitMs: { all: 5, most: 5 }, memory: lent })
      expect((await rows()).map(({ snippet }) => snippet)).toEqual([undefined])
    }
  })

  test('has stopped when the list is closed', async () => {
    let isStopped = false
    const reader: PageReader = {
      async read(_, { signal }) {
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        await Bun.sleep(1)
        isStopped = true
        throw new PageError('cancelled', 'Stopped.')
      },
      async close() {},
    }
    const { search, executor } = listOver(finds({}), reader, { waitMs: { all: 5, most: 5 } })
    await search()
    await executor.close()
    expect(isStopped).toBe(true)
  })

  test('is given up when csp closes', async () => {
    const { reader, state } = slowReader({ [bees]: text })
    const { search, executor } = listOver(finds({}), reader, { waitMs: { all: 5, most: 5 } })
    await search()
    await executor.close()
    expect(state.stopped).toBe(1)
  })
})

describe('a caller', () => {
  test('that has left has no page read', async () => {
    const reader = fakePageReader({ [bees]: text })
    const pages = new PageExcerpts({ reader, source: 'pages', today })
    const request = requestFor('bees')
    const filling = pages
      .of(request, { signal: AbortSignal.abort() })
      .fill([{ title: 'A', url: bees, source: 'x' }], request)
    expect((await failureOf(filling.next())).code).toBe('cancelled')
    expect(reader.requests).toEqual([])
  })

  test('that leaves while pages are read is answered at once, and the pages are given up', async () => {
    const { reader, state, contexts } = slowReader({ [bees]: text })
    const { search } = listOver(finds({}), reader, { waitMs: { all: 60_000, most: 60_000 } })
    const caller = new AbortController()
    const failure = failureOf(search({}, { signal: caller.signal }))
    while (contexts.length === 0) await Bun.sleep(0)
    caller.abort()
    expect((await failure).code).toBe('cancelled')
    expect(state.stopped).toBe(1)
  })

  test.each(['lines', 'none'] as const)('that asks for %s has no page read', async (excerpts) => {
    const reader = fakePageReader({ [bees]: text })
    const { fake, rows } = listOver(finds({}), reader)
    expect((await rows({ excerpts }))[0]?.snippet).toBeUndefined()
    expect(fake.requests).toMatchObject([{ excerpts }])
    expect(reader.requests).toEqual([])
  })

  test('that asks for pages has them read where lines are configured', async () => {
    const { rows } = listOver(finds({}), fakePageReader({ [bees]: text }), { source: 'lines' })
    expect((await rows())[0]?.snippet).toBeUndefined()
    expect((await rows({ excerpts: 'pages' }))[0]?.snippet).toBe(text)
  })

  test('has its name and its wish to keep nothing passed on', async () => {
    const { reader, contexts, release } = slowReader({ [bees]: text })
    release()
    await listOver(finds({}), reader).search({}, { caller: 'laptop', cache: 'no-store' })
    expect(contexts).toMatchObject([{ caller: 'laptop', cache: 'no-store' }])
  })
})

describe('a backend that writes an answer', () => {
  /** Fills its rows as a backend does before it writes, and tells whether they are enough. */
  const writes = (...found: readonly Partial<SearchResult>[]) => {
    const outcomes: (FilledRows | undefined)[] = []
    const texts: (string | undefined)[] = []
    async function* write(request: SearchRequest, pages: SourcePages): AsyncGenerator<SearchEvent> {
      const rows = found.map((row) => ({ title: 'A page', url: bees, source: 'fake', ...row }))
      yield { type: 'search-start', id: 'one', query: request.query }
      const outcome = pages.source === 'pages' ? yield* pages.fill(rows, request) : undefined
      outcomes.push(outcome)
      for (const { url } of outcome ? rows : []) texts.push((await pages.page(url))?.content)
      yield { type: 'search-results', id: 'one', results: outcome?.rows ?? rows }
      yield done
    }
    const answer = (options: Partial<ExcerptedOptions> & Pick<ExcerptedOptions, 'reader'>, rest = {}) =>
      collect(
        answersOver({ source: 'pages', today, ...options }, write).search(
          requestFor('where do bees live', { want: 'answer', ...rest }),
          { signal: new AbortController().signal },
        ),
      )
    return { answer, outcomes, texts }
  }
  const long = `${text}\n\nOther things are told here.\n\nWild bees live in hollow trees, too.`

  test('gets passages and dates for all rows without passages, and the text of each page, read once', async () => {
    const reader = fakePageReader({
      [bees]: { content: long, publishedAt: '2026-05-04' },
      [wasps]: 'Wasps live in paper.',
    })
    const { answer, outcomes, texts } = writes({}, { url: wasps, snippet: 'Known.' })
    const { searches } = await answer({ reader })
    expect(searches[0]?.results).toMatchObject([
      { snippet: text, passages: ['Wild bees live in hollow trees, too.'], publishedAt: '2026-05-04' },
      { snippet: 'Known.', passages: ['Wasps live in paper.'] },
    ])
    expect(outcomes).toMatchObject([{ late: 0, isEnough: true }])
    expect(texts).toEqual([long, 'Wasps live in paper.'])
    expect(reader.requests.map(({ url }) => url)).toEqual([bees, wasps])
  })

  test('can read a page that its search did not have to', async () => {
    const reader = fakePageReader({ [bees]: text })
    const { answer, texts } = writes(
      { snippet: 'S.', passages: ['P.'] },
      { url: wasps, snippet: 'S.', passages: ['P.'] },
    )
    await answer({ reader })
    expect(texts).toEqual([text, undefined])
  })

  test.each([
    ['one page of several', [{}, { url: wasps }], { [bees]: text }, false],
    ['its only page', [{}], { [bees]: text }, true],
    ['no page', [{}, { url: wasps }], {}, false],
    ['no page, and lines that came with the search', [{ snippet: 'S.' }, { url: wasps, snippet: 'S.' }], {}, true],
    ['no row', [], {}, true],
  ] as const)('learns whether it can be written: over %s', async (_, found, pages, isEnough) => {
    const { answer, outcomes } = writes(...found)
    await answer({ reader: fakePageReader(pages) })
    expect(outcomes).toMatchObject([{ isEnough }])
  })

  test('waits longer for two pages than for most of them', async () => {
    const slow = slowReader({ [bees]: text, [wasps]: text })
    const { answer, outcomes } = writes({}, { url: wasps }, { url: `${bees}/late` })
    const never = new Promise<never>(() => {})
    const reader: PageReader = {
      ...slow.reader,
      read: (request, context) => (request.url.endsWith('late') ? never : slow.reader.read(request, context)),
    }
    const answered = answer({ reader, waitMs: { all: 5, most: 5, some: 60_000 } })
    await Bun.sleep(20)
    expect(outcomes).toEqual([])
    slow.release()
    void answered
    while (outcomes.length === 0) await Bun.sleep(0)
    expect(outcomes).toMatchObject([{ late: 1, isEnough: true }])
  })

  test('gives the words of a page that was late with its end, whoever it comes for', async () => {
    const old = `${bees}/old`
    const { reader, release } = slowReader({
      [bees]: { content: long, publishedAt: '2026-05-04' },
      [old]: { content: text, publishedAt: '2026-01-01' },
      [wasps]: text,
    })
    const written = deferred<void>()
    const rows = [bees, wasps, old].map((url) => ({ title: 'A page', url, source: 'fake' }))
    async function* write(request: SearchRequest, pages: SourcePages): AsyncGenerator<SearchEvent> {
      yield { type: 'search-start', id: 'one', query: request.query }
      const filled = yield* pages.fill(rows.slice(0, 1), request)
      yield { type: 'search-results', id: 'one', results: [...filled.rows, ...rows.slice(1)] }
      yield { type: 'text-delta', text: 'They dance.' }
      await written.promise
      // Read for the check, because it is cited.
      await pages.page(wasps)
      await pages.page(old)
      yield done
    }
    const executor = answersOver({ reader, source: 'pages', today, waitMs: { all: 5, most: 5 } }, write)
    const request = requestFor('where do bees live', { want: 'answer', filters: { publishedAfter: '2026-02-01' } })
    const given: (string | undefined)[] = []
    const events = attended(() => ({
      items: executor.search(request, { signal: new AbortController().signal }),
      onItem(event: SearchEvent) {
        if (event.type === 'search-results') given.push(...event.results.map(({ snippet }) => snippet))
        if (event.type !== 'text-delta') return
        release()
        written.resolve()
      },
    }))
    const answer = await collect(events)
    expect(given).toEqual([undefined, undefined, undefined])
    expect(answer.searches[0]?.results).toEqual([
      {
        ...{ title: 'A page', url: bees, source: 'fake', publishedAt: '2026-05-04' },
        ...{ snippet: text, passages: ['Wild bees live in hollow trees, too.'] },
      },
      { title: 'A page', url: wasps, source: 'fake', snippet: text },
      { title: 'A page', url: old, source: 'fake' },
    ])
  })

  test('loses a row whose page proves to be older than what was asked for', async () => {
    const reader = fakePageReader({ [bees]: { content: text, publishedAt: '2026-01-01' }, [wasps]: text })
    const { searches } = await writes({}, { url: wasps }).answer({ reader }, { filters: { freshness: 'week' } })
    expect(searches[0]?.results.map(({ url }) => url)).toEqual([wasps])
  })

  test.each(['lines', 'none'] as const)('has no page read where the settings say %s', async (source) => {
    const reader = fakePageReader({ [bees]: text })
    const { answer, outcomes } = writes({})
    await answer({ reader, source })
    expect(outcomes).toEqual([undefined])
    expect(reader.requests).toEqual([])
  })
})

describe('where excerpts come from by themselves', () => {
  const urls = [1, 2, 3].map((page) => ({ url: `${bees}/${page}` }))

  /** Each list has rows of its own, whose words are there where the model was asked for lines. */
  const numbered: Script = (request, signal) => {
    const at = `?${request.query}`
    const rows = urls.map(({ url }) => ({ url: url + at, ...(request.excerpts === 'lines' && { snippet: 'A line.' }) }))
    return finds(...rows)(request, signal)
  }
  const asked = ({ requests }: { requests: readonly SearchRequest[] }) => requests.map(({ excerpts }) => excerpts)

  test('has the lines of the model in the same list where no page can be read, and for a while', async () => {
    let now = 0
    const { fake, search } = listOver(numbered, fakePageReader({}), { source: 'auto', now: () => now })
    const first = await search({ query: '1' })
    expect(first.searches.flatMap(({ results }) => results.map(({ snippet }) => snippet))).toEqual(
      Array(3).fill('A line.'),
    )
    expect(first).toMatchObject({ usage: { searches: done.usage.searches * 2 } })
    expect(first.isDegraded).toBeUndefined()
    await search({ query: '2' })
    expect(asked(fake)).toEqual(['none', 'lines', 'lines'])
    now = 700_000
    await search({ query: '3' })
    expect(asked(fake).slice(3)).toEqual(['none', 'lines'])
  })

  test('has the second search of a backend with one place begin when the first has ended', async () => {
    const pages = new PageExcerpts({ reader: fakePageReader({}), source: 'auto', today })
    const executor = excerpted(pages)(queued({ concurrency: 1, startsPerSecond: 0 })(fakeExecutor(numbered)))
    const { searches } = await collect(executor.search(requestFor('1'), { signal: new AbortController().signal }))
    expect(searches.flatMap(({ results }) => results.map(({ snippet }) => snippet))).toEqual(Array(3).fill('A line.'))
  }, 3000)

  test('keeps its rows where the second search fails, or another one finds other pages', async () => {
    const script: Script = (request, signal) =>
      request.excerpts === 'lines' ? fails('rate-limited')(request, signal) : finds({ url: wasps }, {})(request, signal)
    const alone = await listOver(script, fakePageReader({}), { source: 'auto' }).search()
    expect(alone).toMatchObject({ isDegraded: true, searches: [{ results: [{ url: wasps }, { url: bees }] }] })
    const other: Script = (request, signal) =>
      finds(...(request.excerpts === 'lines' ? [{ snippet: 'A line.' }] : [{ url: wasps }, {}]))(request, signal)
    const rows = await listOver(other, fakePageReader({}), { source: 'auto' }).rows()
    expect(rows).toMatchObject([{ url: bees, snippet: 'A line.' }, { url: wasps }])
  })

  test.each([
    [
      ['x', 'a'],
      ['a', 'b', 'c'],
      ['x', 'a', 'b'],
    ],
    [['x', 'y', 'z'], ['a'], ['x', 'y', 'z']],
    [['x'], ['a', 'b'], ['x', 'a']],
  ])('gives the rows %j with lines before others of %j, as many as the longer list has', async (lines, first, all) => {
    const rows = (names: readonly string[], snippet?: string) =>
      finds(...names.map((name) => ({ url: `https://${name}.example/`, ...(snippet && { snippet }) })))
    const script: Script = (request, signal) =>
      (request.excerpts === 'lines' ? rows(lines, 'A line.') : rows(first))(request, signal)
    const found = await listOver(script, fakePageReader({}), { source: 'auto' }).rows()
    expect(found.map(({ url }) => url)).toEqual(all.map((name) => `https://${name}.example/`))
  })

  test.each([
    ['for its second page', { offset: 10 }, {}],
    ['where the caller asks for pages', { excerpts: 'pages' }, {}],
    ['where csp is told to read pages', {}, { source: 'pages' }],
  ] as const)('makes no second search %s', async (_, request, options) => {
    const { fake, rows } = listOver(numbered, fakePageReader({}), { source: 'auto', ...options })
    await rows(request)
    expect(asked(fake)).toEqual(['none'])
  })

  test('makes no second search where no model made the first: there is nobody to write lines', async () => {
    const script: Script = async function* (request, signal) {
      for await (const event of numbered(request, signal))
        yield event.type === 'search-start' ? { ...event, model: undefined } : event
    }
    const { fake, search } = listOver(script, fakePageReader({}), { source: 'auto' })
    expect(await search()).toMatchObject({ searches: [{ results: urls.map(() => ({})) }] })
    expect(asked(fake)).toEqual(['none'])
  })

  test('makes no second search for a list without rows', async () => {
    const { fake, rows } = listOver(finds(), fakePageReader({}), { source: 'auto' })
    expect(await rows()).toEqual([])
    expect(asked(fake)).toEqual(['none'])
  })

  test('is given up with the caller who leaves while lines are written', async () => {
    const caller = new AbortController()
    const script: Script = (request, signal) => {
      if (request.excerpts === 'lines') caller.abort()
      return request.excerpts === 'lines' ? fails('failed')(request, signal) : numbered(request, signal)
    }
    const { executor } = listOver(script, fakePageReader({}), { source: 'auto' })
    const types: string[] = []
    const read = async () => {
      for await (const { type } of executor.search(requestFor('q'), { signal: caller.signal })) types.push(type)
    }
    expect((await failureOf(read())).code).toBe('cancelled')
    expect(types.filter((type) => type === 'search-results' || type === 'done')).toEqual([])
  })

  test('makes no second search where there is too little time', async () => {
    let now = 0
    const script: Script = (request, signal) => {
      now += 8000
      return numbered(request, signal)
    }
    const { fake, rows } = listOver(script, fakePageReader({}), { source: 'auto', now: () => now })
    await rows()
    expect(asked(fake)).toEqual(['none'])
  })

  test('learns from the pages that answers cite, too', async () => {
    const sources: unknown[] = []
    async function* cite({ query }: SearchRequest, pages: SourcePages): AsyncGenerator<SearchEvent> {
      sources.push(pages.source)
      await pages.page(`${bees}/${query}`)
      yield done
    }
    const executor = answersOver({ reader: fakePageReader({}), source: 'auto', today }, cite)
    for (const query of ['1', '2', '3', '4']) {
      await collect(executor.search(requestFor(query, { want: 'answer' }), { signal: new AbortController().signal }))
    }
    expect(sources.join(' ')).toBe('pages pages pages lines')
  })

  test('is lines for a list that begins while a hundred pages are read for others', async () => {
    const pages = Array.from({ length: 10 }, (_, page) => ({ url: `${bees}/${page}` }))
    const { reader, release, contexts } = slowReader(Object.fromEntries(pages.map(({ url }) => [url, text])))
    const { fake, rows } = listOver(finds(...pages), reader, { source: 'auto', waitMs: { all: 60_000, most: 60_000 } })
    const running = Array.from({ length: 10 }, () => rows())
    while (contexts.length < 100) await Bun.sleep(0)
    await rows()
    release()
    await Promise.all(running)
    await rows()
    expect(fake.requests.map(({ excerpts }) => excerpts)).toEqual([...Array(10).fill('none'), 'lines', 'none'])
  })

  test('does not change where pages came a moment ago', async () => {
    let now = 0
    const reader = fakePageReader({ [`${bees}/1?1`]: text })
    const { fake, search } = listOver(numbered, reader, { source: 'auto', now: () => now })
    for (const query of ['1', '2', '3']) await search({ query })
    now = 61_000
    for (const query of ['4', '5', '6']) await search({ query })
    const twice = ['none', 'lines'] as const
    expect(asked(fake)).toEqual(['none', ...twice, ...twice, ...twice, ...twice, 'lines'])
  })

  test('does not change while some pages can be read', async () => {
    const { fake, rows } = listOver(finds({}, ...urls), fakePageReader({ [bees]: text }), { source: 'auto' })
    for (let count = 0; count < 4; count++) await rows()
    expect(fake.requests.every(({ excerpts }) => excerpts === 'none')).toBe(true)
  })
})

test('late pages go with the end of an answer alone, and an end without any says nothing of them', async () => {
  const row = { title: 'A page', url: bees, source: 'fake' }
  async function* events(): AsyncGenerator<SearchEvent> {
    yield { type: 'search-results', id: 'one', results: [row] }
    yield { type: 'text-delta', text: 'Bees.' }
    yield done
  }
  const endingWith = async (late: readonly SearchResult[]) => {
    const lateOf = (rows: readonly SearchResult[]) => (rows.length > 0 ? late : [])
    const pages = { late: lateOf, news: () => [] } as unknown as SearchPages
    const executor = overPages({ of: () => pages })(fakeExecutor(events))
    const { signal } = new AbortController()
    return Array.fromAsync(executor.search(requestFor('q', { want: 'answer' }), { signal }))
  }
  const before = (await Array.fromAsync(events())).slice(0, 2)
  expect(await endingWith([row])).toEqual([...before, { ...done, late: [row] }])
  expect(await endingWith([])).toStrictEqual([...before, done])
})

test('a page that is read before anything is said is told of behind the name of the backend', async () => {
  async function* events(): AsyncGenerator<SearchEvent> {
    yield { type: 'backend', name: 'fake' }
    yield { type: 'text-delta', text: 'Bees.' }
    yield done
  }
  const news: SearchEvent[] = [{ type: 'reading', pages: 1, read: bees }]
  const pages = { late: () => [], news: () => news.splice(0) } as unknown as SearchPages
  const executor = overPages({ of: () => pages })(fakeExecutor(events))
  const { signal } = new AbortController()
  const seen = await Array.fromAsync(executor.search(requestFor('q', { want: 'answer' }), { signal }))
  expect(seen.map(({ type }) => type)).toEqual(['backend', 'reading', 'text-delta', 'done'])
})

test.each([
  ['a list', {}, [1000, 500], 1500],
  ['a list of a research', { research: 'medium' }, [2500, 1500], 4000],
  ['an answer', { want: 'answer' }, [600, 250, 1650], 2500],
] as const)(
  '%s waits for its pages in stages, and then for what memory has of them',
  async (_, rest, stages, maxMs) => {
    const real = setTimeout
    const waits: unknown[] = []
    const set = spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms?: number, given?: unknown) => {
      // The limit of a single page.
      if (ms === 5000) return real(run, ms)
      waits.push(ms)
      return real(run, 0, given)
    }) as never)
    try {
      const never = new Promise<never>(() => {})
      const memory = { memory: { excerpts: () => never }, scope: 'all' as const }
      const pages = new PageExcerpts({ reader: fakePageReader({ [bees]: silence }), source: 'pages', memory })
      const request = requestFor('bees', rest)
      const filling = pages.of(request, { signal: new AbortController().signal })
      const [reading] = await Array.fromAsync(filling.fill([{ title: 'A page', url: bees, source: 'fake' }], request))
      expect(reading).toMatchObject({ type: 'reading', pages: 1, maxMs })
      expect(waits).toEqual([...stages, 200])
      await pages.close()
    } finally {
      set.mockRestore()
    }
  },
)

test('one page in five is not waited for, and counts as late', async () => {
  const slow = slowReader({}).reader
  const quick = fakePageReader(Object.fromEntries([1, 2, 3, 4].map((page) => [`${bees}/${page}`, text])))
  const reader: PageReader = { ...quick, read: (page, how) => (page.url === wasps ? slow : quick).read(page, how) }
  const pages = new PageExcerpts({ reader, source: 'pages', waitMs: { all: 5, most: 60_000 } })
  const request = requestFor('bees')
  const rows = [wasps, ...[1, 2, 3, 4].map((page) => `${bees}/${page}`)].map((url) => ({
    title: 'A',
    url,
    source: 'x',
  }))
  const filling = pages.of(request, { signal: new AbortController().signal })
  expect(await Array.fromAsync(filling.fill(rows, request))).toMatchObject([
    { type: 'reading', pages: 5 },
    { type: 'reading', pages: 5, unread: [{ site: 'wasps.example', code: 'timeout' }] },
  ])
  await pages.close()
})

test.each([
  ['stream', false, [bees, wasps]],
  ['fold', true, []],
] as const)('the reader of a %s is told of each page of an answer as it comes', async (_, isWhole, told) => {
  const { reader, release } = slowReader({ [wasps]: text })
  const quick = fakePageReader({ [bees]: text })
  const both: PageReader = { ...reader, read: (page, how) => (page.url === wasps ? reader : quick).read(page, how) }
  const pages = new PageExcerpts({ reader: both, source: 'pages', waitMs: longWait })
  const request = requestFor('where do bees live', { want: 'answer' })
  const rows = [bees, wasps].map((url) => ({ title: 'A', url, source: 'x' }))
  const filling = pages.of(request, { signal: new AbortController().signal, isWhole }).fill(rows, request)
  const seen: unknown[] = []
  for await (const event of filling) {
    if (event.type !== 'reading') continue
    if (event.read) seen.push(event.read)
    // The second page comes once the first has been told of.
    if (event.read === bees || isWhole) release()
  }
  expect(seen).toEqual([...told])
  await pages.close()
})

test('an answer goes on waiting where the pages that came have no words', async () => {
  const { reader, release } = slowReader({ [wasps]: text })
  const empty = fakePageReader({ [`${bees}/1`]: '', [`${bees}/2`]: '' })
  const both: PageReader = { ...reader, read: (page, how) => (page.url === wasps ? reader : empty).read(page, how) }
  const pages = new PageExcerpts({ reader: both, source: 'pages', waitMs: { all: 0, most: 1, some: 60_000 } })
  const request = requestFor('where do bees live', { want: 'answer' })
  const rows = [`${bees}/1`, `${bees}/2`, wasps].map((url) => ({ title: 'A', url, source: 'x' }))
  const filling = pages.of(request, { signal: new AbortController().signal }).fill(rows, request)
  expect((await filling.next()).value).toMatchObject({ type: 'reading', pages: 3 })
  const filled = filling.next()
  await Bun.sleep(10)
  release()
  let step = await filled
  while (!step.done) step = await filling.next()
  expect(step.value.rows.map(({ snippet }) => snippet)).toEqual([undefined, undefined, text])
  await pages.close()
})

test('rows whose pages are given up at the end of csp are a failure', async () => {
  const { reader } = slowReader({ [bees]: text })
  const pages = new PageExcerpts({ reader, source: 'pages', waitMs: { all: 60_000, most: 60_000 } })
  const request = requestFor('bees')
  const filling = pages.of(request, { signal: new AbortController().signal })
  const failure = failureOf(Array.fromAsync(filling.fill([{ title: 'A page', url: bees, source: 'fake' }], request)))
  await Bun.sleep(0)
  await pages.close()
  expect((await failure).code).toBe('unavailable')
})

test('a list whose rows all have their words is complete', async () => {
  const { search } = listOver(finds({ snippet: 'Wax.' }), fakePageReader({}))
  expect((await search()).isDegraded).toBeUndefined()
})

const filled: Script = finds({}, { url: wasps })
for (const [name, script] of Object.entries({ 'a search that hangs': hangs, 'pages that hang': filled })) {
  executorContract(`excerpted, with ${name},`, {
    failure: 'rate-limited',
    factory: (behaviour) => {
      const slow = slowReader({ [bees]: text, [wasps]: text })
      if (behaviour !== 'hang') slow.release()
      const scripts = { succeed: named, hang: script, fail: fails('rate-limited') }
      const fake = fakeExecutor(scripts[behaviour])
      return {
        executor: excerpted(
          new PageExcerpts({ reader: slow.reader, source: 'pages', waitMs: { all: 60_000, most: 60_000 } }),
        )(fake),
        running: () => fake.running,
        begun: async () => {
          await fake.begun()
          while (script === filled && slow.contexts.length < 2) await Bun.sleep(0)
        },
        started: () => fake.requests.length,
      }
    },
  })
}

/** Like `answers` of the fake, with a row to be read. */
async function* named(request: SearchRequest) {
  const url = `https://example.com/${encodeURIComponent(request.query)}`
  yield { type: 'search-start', id: 'one', query: request.query } as const
  yield { type: 'search-results', id: 'one', results: [{ title: request.query, url, source: 'fake' }] } as const
  if (request.want === 'answer') yield { type: 'text-delta', text: request.query } as const
  yield done
}
