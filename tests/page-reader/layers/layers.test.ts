import { describe, expect, test } from 'bun:test'
import { raced } from '@csp/lib/abort'
import { FoundPages, onlyFound } from '@csp/page-reader/layers/allowed'
import { HostPace } from '@csp/page-reader/layers/host-pace'
import { createPageStack, type PageStackOptions } from '@csp/page-reader/layers/stack'
import { KeptBodies } from '@csp/page-reader/local/kept-bodies'
import { PageError } from '@csp/page-reader/page-error'
import type { PageContext, PageReader } from '@csp/page-reader/page-reader'
import type { WholePage, WholePageReader, WholePageRequest } from '@csp/page-reader/whole-page'
import { quickTimers } from '@csp/testing/quick-timers'
import { createMemoryStorage } from 'ocache'
import { cached } from '../../../packages/page-reader/src/layers/cached.ts'
import { failureOf } from '../../../packages/page-reader/test/contract/page-reader.ts'
import { noted } from '../../../src/runtime/server/open-pages.ts'
import { fakeExecutor, requestFor } from '../../support/fake-executor.ts'
import { fakePageReader } from '../../support/fake-page-reader.ts'

const context = (parts: Partial<PageContext> = {}): PageContext => ({ signal: new AbortController().signal, ...parts })
const pageOf = (text: string, url = 'https://bees.example/'): WholePage => ({
  finalUrl: url,
  status: 200,
  contentType: 'text/html',
  contents: { markdown: `# ${text}`, text, html: `<h1>${text}</h1>` },
  links: [],
})

async function slowly(ms: number): Promise<WholePage> {
  await Bun.sleep(ms)
  return pageOf('Bees')
}

/** A reader that counts, and answers when it is let. */
function countingReader(answer: (request: WholePageRequest) => Promise<WholePage> = async () => pageOf('Bees')) {
  const state = { reads: 0, running: 0, most: 0, urls: [] as string[], aborted: 0 }
  const reader: WholePageReader = {
    async read(request, { signal }) {
      state.reads++
      state.urls.push(request.url)
      state.most = Math.max(state.most, ++state.running)
      try {
        return await raced(answer(request), signal)
      } catch (error) {
        if (signal.aborted) state.aborted++
        throw error
      } finally {
        state.running--
      }
    },
    async close() {},
  }
  return { reader, state }
}

/** Lets begin what has been asked for. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
}

function stackOf(reader: WholePageReader, options: Partial<PageStackOptions> = {}): PageReader {
  return createPageStack(reader, {
    cache: { ttlSeconds: 3600 },
    queue: { pace: new HostPace({ perSecond: 0, burst: 1 }) },
    ...options,
  })
}

describe('the cache of pages', () => {
  test('keeps a page once for all of its parts and formats', async () => {
    const { reader, state } = countingReader()
    const pages = stackOf(reader)
    const url = 'https://bees.example/'
    expect((await pages.read({ url }, context())).content).toBe('# Bees')
    expect((await pages.read({ url: `${url}#hum`, format: 'text' }, context())).content).toBe('Bees')
    expect((await pages.read({ url, format: 'html', maxCharacters: 4 }, context())).content).toBe('<h1>')
    expect(state.reads).toBe(1)
    await pages.read({ url, language: 'de' }, context())
    await pages.read({ url, mainContentOnly: false }, context())
    expect(state.reads).toBe(3)
  })

  test('serves a rough read with a page that was read with care, and never the other way round', async () => {
    const { reader, state } = countingReader()
    const storage = createMemoryStorage()
    const pages = stackOf(reader, { cache: { ttlSeconds: 3600, storage } })
    const url = 'https://bees.example/'
    await pages.read({ url, isRough: true }, context())
    await pages.read({ url, isRough: true }, context())
    expect(state.reads).toBe(1)
    await pages.read({ url }, context())
    expect(state.reads).toBe(2)
    const other = 'https://wasps.example/'
    await pages.read({ url: other }, context())
    await pages.read({ url: other, isRough: true }, context())
    expect(state.reads).toBe(3)
  })

  test('keeps a rough page of a research for the process that goes on with it', async () => {
    const storage = createMemoryStorage()
    const url = 'https://bees.example/'
    const readBy = async (isLasting: boolean) => {
      const { reader, state } = countingReader()
      const pages = stackOf(reader, { cache: { ttlSeconds: 3600, storage } })
      await pages.read({ url, isRough: true }, context({ isLasting }))
      await pages.close()
      return state.reads
    }
    expect([await readBy(false), await readBy(true), await readBy(true)]).toEqual([1, 1, 0])
  })

  test('is passed by on request, and keeps no error', async () => {
    let fails = true
    const { reader, state } = countingReader(async () => {
      if (fails) throw new PageError('site-failed', 'It is down.')
      return pageOf('Bees')
    })
    const pages = stackOf(reader)
    const url = 'https://bees.example/'
    expect(await failureOf(pages.read({ url }, context()))).toBe('site-failed')
    fails = false
    await pages.read({ url }, context({ cache: 'no-store' }))
    await pages.read({ url }, context())
    await pages.read({ url }, context())
    await pages.read({ url }, context({ cache: 'no-cache' }))
    expect(state.reads).toBe(4)
  })

  test('outlives its process in a store, and survives a broken one', async () => {
    using _ = quickTimers()
    const storage = createMemoryStorage()
    const url = 'https://bees.example/'
    const first = stackOf(countingReader().reader, { cache: { ttlSeconds: 3600, storage } })
    await first.read({ url }, context())
    await first.close()
    const { reader, state } = countingReader()
    expect((await stackOf(reader, { cache: { ttlSeconds: 3600, storage } }).read({ url }, context())).content).toBe(
      '# Bees',
    )
    expect(state.reads).toBe(0)

    const torn = { get: async <T>() => ({ contents: 'torn' }) as T, set: async () => Promise.reject(new Error('full')) }
    const pages = stackOf(reader, { cache: { ttlSeconds: 3600, storage: torn } })
    expect((await pages.read({ url }, context())).content).toBe('# Bees')
    await pages.close()
    const hangs = { get: () => new Promise<never>(() => {}), set: () => new Promise<never>(() => {}) }
    const patient = stackOf(reader, { cache: { ttlSeconds: 3600, storage: hangs } })
    expect((await patient.read({ url }, context())).content).toBe('# Bees')
    await patient.close()
    expect(state.reads).toBe(2)
  })

  test('keeps nothing for 0 seconds', async () => {
    const { reader, state } = countingReader()
    const pages = stackOf(reader, { cache: { ttlSeconds: 0, storage: createMemoryStorage() } })
    for (let round = 0; round < 2; round++) await pages.read({ url: 'https://bees.example/' }, context())
    expect(state.reads).toBe(2)
  })

  test('asks no site for a caller that left while the store was asked', async () => {
    const { reader, state } = countingReader()
    const leaving = new AbortController()
    const get = (): Promise<never> => {
      leaving.abort()
      return new Promise(() => {})
    }
    const pages = cached({ ttlSeconds: 3600, storage: { ...createMemoryStorage(), get } })(reader)
    expect(await failureOf(pages.read({ url: 'https://bees.example/' }, { signal: leaving.signal }))).toBe('cancelled')
    expect(state.reads).toBe(0)
  })

  test('is closed when its reader is, and what it writes has been written', async () => {
    const [written, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const storage = { get: () => null, set: () => written.promise }
    const inner = { ...countingReader().reader, close: () => ended.promise }
    const pages = stackOf(inner, { cache: { ttlSeconds: 3600, storage } })
    await pages.read({ url: 'https://bees.example/' }, context())
    let isClosed = false
    const closing = pages.close().then(() => {
      isClosed = true
    })
    const later = () => new Promise<void>((resolve) => setImmediate(resolve))
    await later()
    expect(isClosed).toBe(false)
    ended.resolve()
    await later()
    expect(isClosed).toBe(false)
    written.resolve()
    await closing
  })
})

test('a store gets pages of 900,000 characters at most', async () => {
  const stored: string[] = []
  const storage = { get: () => null, set: (_: string, page: unknown) => void stored.push((page as WholePage).finalUrl) }
  const { reader } = countingReader(async ({ url }) => {
    const [markdown = '', text = '', html = ''] = [300_000, 300_000, Number(url.split('/').at(-1))].map((length) =>
      'b'.repeat(length),
    )
    return { ...pageOf('Bees', url), contents: { markdown, text, html } }
  })
  const pages = stackOf(reader, { cache: { ttlSeconds: 3600, storage } })
  for (const length of [300_000, 300_001]) await pages.read({ url: `https://bees.example/${length}` }, context())
  expect(stored).toEqual(['https://bees.example/300000'])
})

test('a page that is too long for a store is kept in memory alone', async () => {
  const storage = createMemoryStorage()
  const url = 'https://bees.example/'
  const { reader, state } = countingReader(async () => pageOf('b'.repeat(400_000)))
  const pages = stackOf(reader, { cache: { ttlSeconds: 3600, storage } })
  for (let round = 0; round < 2; round++) await pages.read({ url }, context())
  expect(state.reads).toBe(1)
  await stackOf(reader, { cache: { ttlSeconds: 3600, storage } }).read({ url }, context())
  expect(state.reads).toBe(2)
})

describe('equal reads at the same time', () => {
  test('are one, which a caller that leaves does not end for the others', async () => {
    const { promise, resolve } = Promise.withResolvers<WholePage>()
    const { reader, state } = countingReader(() => promise)
    const pages = stackOf(reader)
    const leaving = new AbortController()
    const url = 'https://bees.example/'
    const left = failureOf(pages.read({ url }, { signal: leaving.signal }))
    const stayed = pages.read({ url, format: 'text' }, context())
    await Bun.sleep(5)
    leaving.abort()
    expect(await left).toBe('cancelled')
    resolve(pageOf('Bees'))
    expect((await stayed).content).toBe('Bees')
    expect(state).toMatchObject({ reads: 1, aborted: 0 })
  })

  test('are one also when the page comes while another caller looks for it in the store', async () => {
    const { promise: page, resolve: send } = Promise.withResolvers<WholePage>()
    const { promise: lookUp, resolve: endLookUp } = Promise.withResolvers<null>()
    let lookUps = 0
    const storage = { ...createMemoryStorage(), get: async () => (lookUps++ === 0 ? null : lookUp) }
    const { reader, state } = countingReader(() => page)
    const pages = stackOf(reader, { cache: { ttlSeconds: 3600, storage } })
    const url = 'https://bees.example/'
    const first = pages.read({ url }, context())
    while (state.reads === 0) await Bun.sleep(1)
    const second = pages.read({ url }, context())
    await Bun.sleep(5)
    send(pageOf('Bees'))
    await first
    endLookUp(null)
    expect((await second).content).toBe('# Bees')
    expect(state.reads).toBe(1)
  })

  test('end with the last caller', async () => {
    const { reader, state } = countingReader(() => new Promise(() => {}))
    // Longer than the test may take: it is the caller that ends the read.
    const pages = stackOf(reader, { timeoutMs: 600_000 })
    const signal = AbortSignal.timeout(20)
    const reads = [1, 2].map(() => failureOf(pages.read({ url: 'https://bees.example/' }, { signal })))
    expect(await Promise.all(reads)).toEqual(['timeout', 'timeout'])
    expect(state).toMatchObject({ reads: 1, running: 0, aborted: 1 })
  })
})

describe('the queue of pages', () => {
  test('reads so many at once, and rejects what is too much', async () => {
    const { promise, resolve } = Promise.withResolvers<WholePage>()
    const { reader, state } = countingReader(() => promise)
    const pages = stackOf(reader, {
      queue: { concurrency: 2, capacity: 3, pace: new HostPace({ perSecond: 0, burst: 1 }) },
    })
    const read = (number: number) => pages.read({ url: `https://bees.example/${number}` }, context())
    const reads: Promise<unknown>[] = []
    for (let number = 0; number < 5; number++) {
      reads.push(read(number))
      await Bun.sleep(1)
    }
    expect(await failureOf(read(5))).toBe('busy')
    resolve(pageOf('Bees'))
    await Promise.all(reads)
    expect(state).toMatchObject({ reads: 5, most: 2, running: 0 })
  })

  test('has a hundred places, and two hundred wait, unless it is said otherwise', async () => {
    const { reader, state } = countingReader(() => new Promise(() => {}))
    const pages = stackOf(reader)
    const leaving = new AbortController()
    const read = (number: number) =>
      failureOf(pages.read({ url: `https://bees.example/${number}` }, { signal: leaving.signal }))
    const reads = Array.from({ length: 100 }, (_, number) => read(number))
    await settled()
    reads.push(...Array.from({ length: 200 }, (_, number) => read(100 + number)))
    await settled()
    expect(state.reads).toBe(100)
    expect(await read(300)).toBe('busy')
    leaving.abort()
    expect(new Set(await Promise.all(reads))).toEqual(new Set(['cancelled']))
  })

  test('gives the place of a caller that left to the next one', async () => {
    let isFirst = true
    const { reader } = countingReader(() => (isFirst ? new Promise(() => {}) : Promise.resolve(pageOf('Bees'))))
    const pages = stackOf(reader, { queue: { concurrency: 1, pace: new HostPace({ perSecond: 0, burst: 1 }) } })
    const [first, second] = [new AbortController(), new AbortController()]
    const left = failureOf(pages.read({ url: 'https://a.example/' }, { signal: first.signal }))
    await Bun.sleep(5)
    isFirst = false
    const gone = failureOf(pages.read({ url: 'https://b.example/' }, { signal: second.signal }))
    const stayed = pages.read({ url: 'https://c.example/' }, context())
    await Bun.sleep(5)
    second.abort()
    first.abort()
    expect(await Promise.all([left, gone])).toEqual(['cancelled', 'cancelled'])
    expect((await stayed).content).toBe('# Bees')
  })

  test('asks one host for so many pages at once, then as often as it may, and others meanwhile', async () => {
    using _ = quickTimers()
    let now = 0
    const pace = new HostPace({ perSecond: 1, burst: 2, now: () => now })
    const { reader, state } = countingReader()
    const pages = stackOf(reader, { queue: { pace } })
    const urls = ['https://a.example/1', 'https://a.example/2', 'https://a.example/3', 'https://b.example/1']
    const reads = Promise.all(urls.map((url) => pages.read({ url }, context())))
    while (state.reads < 3) await Bun.sleep(1)
    expect(state.urls.toSorted()).toEqual(urls.filter((url) => !url.endsWith('3')))
    now += 1001
    await reads
    expect(state.reads).toBe(4)
  })

  test('remembers when it asked the 2000 hosts that it asked last', async () => {
    const pace = new HostPace({ perSecond: 0.001, burst: 1, now: () => 0 })
    const isFree = async (host: number): Promise<boolean> => {
      const waiting = new AbortController()
      const started = pace.start(`https://site-${host}.example/`, waiting.signal).then(
        () => true,
        () => false,
      )
      await new Promise<void>((resolve) => setImmediate(resolve))
      waiting.abort()
      return started
    }
    for (let host = 0; host < 2000; host++) await pace.start(`https://site-${host}.example/`, context().signal)
    expect(await isFree(0)).toBe(false)
    expect(await isFree(2000)).toBe(true)
    expect([await isFree(0), await isFree(2), await isFree(1)]).toEqual([false, false, true])
  })

  test('lets a page pass that need not be fetched, and no other', async () => {
    const pace = new HostPace({ perSecond: 1, burst: 1, now: () => 0 })
    const { reader, state } = countingReader()
    const isAtHand = async ({ url }: WholePageRequest) => url.endsWith('known')
    const pages = stackOf(reader, { queue: { pace, isAtHand } })
    await pages.read({ url: 'https://a.example/1' }, context())
    for (const name of ['a', 'b']) await pages.read({ url: `https://a.example/${name}-known` }, context())
    const leaving = new AbortController()
    const late = failureOf(pages.read({ url: 'https://a.example/2' }, { signal: leaving.signal }))
    await Bun.sleep(1)
    leaving.abort()
    expect([await late, state.reads]).toEqual(['cancelled', 3])
  })

  test('counts the wait in the queue as time of the page', async () => {
    const pace = new HostPace({ perSecond: 0.001, burst: 1 })
    const pages = stackOf(countingReader().reader, { queue: { pace }, timeoutMs: 50 })
    await pages.read({ url: 'https://a.example/1' }, context())
    expect(await failureOf(pages.read({ url: 'https://a.example/2' }, context()))).toBe('timeout')
  })

  test('gives up a page whose time is over', async () => {
    const { reader, state } = countingReader(() => new Promise(() => {}))
    const pages = stackOf(reader, { timeoutMs: 20 })
    expect(await failureOf(pages.read({ url: 'https://a.example/' }, context()))).toBe('timeout')
    expect(state).toMatchObject({ running: 0, aborted: 1 })
  })
})

test('a page says what it waits for, its turn, its site or its reader, to all who wait for it', async () => {
  let send = (_: WholePage): void => {}
  const first: string[] = []
  const second: string[] = []
  const inner: WholePageReader = {
    async read(_, { onWait }) {
      onWait?.('site')
      const page = await new Promise<WholePage>((resolve) => {
        send = resolve
      })
      onWait?.('reader')
      return page
    },
    async close() {},
  }
  const pages = stackOf(inner, { queue: { pace: new HostPace({ perSecond: 0, burst: 1 }), concurrency: 1 } })
  const read = (path: string, said: string[]) =>
    pages.read({ url: `https://bees.example/${path}` }, context({ onWait: (awaited) => void said.push(awaited) }))
  const one = read('a', first)
  await settled()
  const joined = read('a', second)
  const behind: string[] = []
  const next = read('b', behind)
  await settled()
  expect([first, second, behind]).toEqual([['turn', 'site'], ['site'], ['turn']])
  send(pageOf('Bees'))
  await Promise.all([one, joined])
  expect([first.at(-1), second.at(-1)]).toEqual(['reader', 'reader'])
  await settled()
  send(pageOf('Bees'))
  await next
  expect(behind).toEqual(['turn', 'site', 'reader'])
})

describe('one key with many pages', () => {
  const many = Array.from({ length: 10 }, (_, index) => index)

  test.each([
    ['for a place', { concurrency: 1, pace: new HostPace({ perSecond: 0, burst: 1 }) }],
    ['for one host', { pace: new HostPace({ perSecond: 50, burst: 1 }) }],
  ])('lets another one take turns that waits %s', async (_, queue) => {
    const { reader, state } = countingReader(() => slowly(2))
    const pages = stackOf(reader, { queue })
    const read = (caller: string, index: number) =>
      pages.read({ url: `https://bees.example/${index}/${caller}` }, context({ caller }))
    const reads = many.map((index) => read('ann', index))
    await Bun.sleep(1)
    await read('bob', 0)
    expect(state.urls.findIndex((url) => url.endsWith('bob'))).toBeLessThan(5)
    await Promise.all(reads)
  })

  test('is told that it waits before another one is', async () => {
    const { promise, resolve } = Promise.withResolvers<WholePage>()
    const pages = stackOf(countingReader(() => promise).reader, {
      queue: { concurrency: 1, capacity: 4, pace: new HostPace({ perSecond: 0, burst: 1 }) },
    })
    const read = (caller: string, index: number) =>
      pages.read({ url: `https://${caller}.example/${index}` }, context({ caller }))
    const own = [read('ann', 0)]
    await Bun.sleep(5)
    own.push(...[1, 2, 3, 4].map((index) => read('ann', index)))
    await Bun.sleep(5)
    const others = [0, 1].map((index) => read('bob', index))
    await Bun.sleep(5)
    expect(await failureOf(read('ann', 5))).toBe('busy')
    resolve(pageOf('Bees'))
    expect(await Promise.all([...own, ...others])).toHaveLength(7)
  })
})

describe('where callers share no pages', () => {
  const url = 'https://bees.example/'

  test('each has its own in the cache, in the store and on the way', async () => {
    const { reader, state } = countingReader(() => slowly(5))
    const storage = createMemoryStorage()
    const pages = stackOf(reader, { scope: 'key', cache: { ttlSeconds: 3600, storage } })
    const read = (caller: string) => pages.read({ url }, context({ caller }))
    await Promise.all([read('ann'), read('bob'), read('ann')])
    expect(state.reads).toBe(2)
    await Promise.all([read('ann'), read('bob'), pages.read({ url }, context())])
    expect(state.reads).toBe(3)
    const again = stackOf(reader, { scope: 'key', cache: { ttlSeconds: 3600, storage } })
    await again.read({ url }, context({ caller: 'ann' }))
    await again.read({ url }, context({ caller: 'eve' }))
    expect(state.reads).toBe(4)
  })

  test('each has its own among the bodies', async () => {
    const bodies = new KeptBodies(60)
    const reply = { url: new URL(url), status: 200, headers: {}, body: new Uint8Array([1]) }
    await bodies.keep({ url }, context({ owner: 'ann' }), reply)
    expect(await bodies.has({ url }, context({ owner: 'ann' }))).toBe(true)
    expect(await bodies.has({ url }, context({ owner: 'bob' }))).toBe(false)
    await bodies.keep({ url }, context({ owner: 'eve', cache: 'no-store' }), reply)
    expect(await bodies.has({ url }, context({ owner: 'eve' }))).toBe(false)
  })
})

describe('with --pages search', () => {
  const pages = fakePageReader({
    'http://www.bees.example/a/#hum': 'Bees',
    'https://bees.example/a': 'Bees',
    'https://bees.example/b': 'More',
  })

  test('only what a search has found is read, at the address that it found', async () => {
    const found = new FoundPages()
    const reader = onlyFound(pages, found)
    expect(await failureOf(reader.read({ url: 'https://bees.example/a' }, context()))).toBe('not-allowed')
    const rows = [{ title: 'Bees', url: 'http://www.bees.example/a/#hum', source: 'fake' }]
    const executor = noted(
      found,
      fakeExecutor(async function* () {
        yield { type: 'search-results', id: '1', results: rows }
      }),
    )
    for (const supports of [true, false, undefined]) {
      const inner = { ...fakeExecutor(), ...(supports !== undefined && { supports: () => supports }) }
      expect(noted(found, inner).supports?.(requestFor('bees'))).toBe(supports ?? true)
    }
    for await (const _ of executor.search(requestFor('bees'), context()));
    expect(await failureOf(reader.read({ url: 'https://bees.example/b' }, context()))).toBe('not-allowed')
    const spelled = 'https://bees.example/a?utm_secret=42#hum'
    expect(await reader.read({ url: spelled }, context())).toMatchObject({ url: spelled, content: 'Bees' })
    // What a caller adds to the address of a page does not reach its site.
    expect(pages.requests.map(({ url }) => url)).toEqual(rows.map(({ url }) => url))
  })

  test('what is no address has the error of the reader', async () => {
    const read = () => Promise.reject(new PageError('invalid-url', 'This is no address.'))
    const reader = onlyFound({ read, close: async () => {} }, new FoundPages())
    expect(await failureOf(reader.read({ url: 'file:///bees' }, context()))).toBe('invalid-url')
  })

  test('with pages of its own for each key, what another key has found is not read', async () => {
    const found = new FoundPages('key')
    found.add('https://bees.example/a', 'ann')
    const reader = onlyFound(pages, found)
    const read = (caller: string) => reader.read({ url: 'https://bees.example/a' }, context({ caller }))
    expect((await read('ann')).content).toBe('Bees')
    expect(await failureOf(read('bob'))).toBe('not-allowed')
  })

  test('the oldest finds are forgotten', () => {
    const found = new FoundPages('all', 2)
    for (const name of ['a', 'b', 'a', 'c']) found.add(`https://bees.example/${name}`, undefined)
    expect(['a', 'b', 'c'].filter((name) => found.find(`https://bees.example/${name}`, undefined))).toEqual(['a', 'c'])
  })
})
