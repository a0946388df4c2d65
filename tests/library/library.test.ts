import { describe, expect, jest, test } from 'bun:test'
import * as library from 'claude-search-proxy'
import { createApp } from 'claude-search-proxy'
import * as onWorker from '../../src/library/library-worker.ts'
import { failureOf } from '../support/failure-of.ts'
import { answers, fails, fakeExecutor, hangs, requestFor } from '../support/fake-executor.ts'

const searchFor = (query: string, init: RequestInit = {}, host = 'localhost') =>
  new Request(`http://${host}/v1/search?q=${query}`, { method: 'POST', body: JSON.stringify({ query }), ...init })

test('the library exports these names, and the same on a Worker', () => {
  const names = [
    ...['SearchError', 'brave', 'claude', 'collect', 'createApp', 'exa', 'messages', 'remote', 'searxng', 'serper'],
    ...['sourcesOf', 'tavily', 'version'],
  ]
  expect(Object.keys(library).toSorted()).toEqual(names)
  expect(Object.keys(onWorker).toSorted()).toEqual(names)
})

test('on a Worker claude says at once that no process can be started there', () => {
  expect(() => onWorker.claude()).toThrow(/which a Worker cannot do/)
})

describe('an app', () => {
  test('answers HTTP requests and searches without HTTP over the same cache', async () => {
    const backend = fakeExecutor()
    const app = createApp({ backends: backend })
    const reply = await app.fetch(searchFor('tea'))
    expect(reply.status).toBe(200)
    expect(await reply.json()).toMatchObject({ results: [{ title: 'About tea' }, { title: 'More on tea' }] })
    const { searches } = await app.search({ query: 'tea' })
    expect(searches[0]?.results).toHaveLength(2)
    expect(backend.requests).toHaveLength(1)
    await app.close()
    expect(backend.closed).toBe(true)
  })

  test('yields the events of a search, with the answer in pieces', async () => {
    const app = createApp({ backends: fakeExecutor() })
    const types: string[] = []
    for await (const { type } of app.stream({ query: 'tea', want: 'answer' })) types.push(type)
    expect(types[0]).toBe('cache')
    expect(types).toContain('text-delta')
    expect(types.at(-1)).toBe('done')
    await app.close()
  })

  test('has its writers write over the pages that backends find, in order, and closes them', async () => {
    const seen: string[] = []
    const writes = (name: string, works: boolean) =>
      fakeExecutor((request, context) => {
        seen.push(`${name} ${request.want} ${request.sources?.length}`)
        return works ? answers(requestFor(request.query, { want: 'text' })) : fails('unavailable')(request, context)
      }, name)
    const [pages, first, second] = [fakeExecutor(undefined, 'pages'), writes('first', false), writes('second', true)]
    const app = createApp({ backends: pages, writers: [first, second] })
    expect(await app.search({ query: 'tea', want: 'answer' })).toMatchObject({ backend: 'pages', text: 'This is tea' })
    expect([...new Set(seen)]).toEqual(['first answer 2', 'second answer 2'])
    expect(pages.requests.map(({ want }) => want)).toEqual(['results'])
    await app.close()
    expect([pages, first, second].map(({ closed }) => closed)).toEqual([true, true, true])
  })

  test('asks the next backend when one fails, and has Claude write where that is among them', async () => {
    const pages = Object.assign(fakeExecutor(undefined, 'pages'), {
      supports: ({ want }: library.SearchRequest) => want === 'results',
    })
    const written: string[] = []
    const write = (request: library.SearchRequest) => {
      written.push(...(request.sources ?? []).map(({ url }) => url))
      return answers(requestFor(request.query, { want: 'text' }))
    }
    const writer = fakeExecutor(write, 'claude')
    const app = createApp({ backends: [fakeExecutor(fails('unavailable'), 'broken'), pages, writer] })
    expect(await app.search({ query: 'tea' })).toMatchObject({ backend: 'pages' })
    expect(await app.search({ query: 'tea', want: 'answer' })).toMatchObject({ backend: 'pages', text: 'This is tea' })
    expect(written).toEqual(['https://example.com/tea', 'https://example.com/tea/more'])
    await app.close()
  })

  test('without keys answers this machine alone, with keys any host that has one', async () => {
    const open = createApp({ backends: fakeExecutor() })
    expect((await open.fetch(searchFor('tea', {}, 'csp.example.org'))).status).toBe(403)
    const named = createApp({ backends: fakeExecutor(), allowedHosts: ['csp.example.org'] })
    expect((await named.fetch(searchFor('tea', {}, 'csp.example.org'))).status).toBe(200)
    const locked = createApp({ backends: fakeExecutor(), keys: ['a-key-of-mine'] })
    expect((await locked.fetch(searchFor('tea', {}, 'csp.example.org'))).status).toBe(401)
    const headers = { authorization: 'Bearer a-key-of-mine' }
    expect((await locked.fetch(searchFor('tea', { headers }, 'csp.example.org'))).status).toBe(200)
    await Promise.all([open.close(), named.close(), locked.close()])
  })

  test('keeps answers in the store that it is given, for the time of the cache', async () => {
    const kept = new Map<string, string>()
    const ttls: number[] = []
    const store = {
      get: async (key: string) => kept.get(key) ?? null,
      set: async (key: string, text: string, ttlSeconds: number) => {
        ttls.push(ttlSeconds)
        kept.set(key, text)
      },
    }
    const writes: Promise<void>[] = []
    const options = { store, cacheSeconds: 600, waitUntil: (work: Promise<void>) => void writes.push(work) }
    const first = createApp({ backends: fakeExecutor(), ...options })
    await first.search({ query: 'tea' })
    await Promise.all(writes)
    expect(ttls.every((seconds) => seconds >= 600)).toBe(true)
    const silent = fakeExecutor()
    const second = createApp({ backends: silent, ...options })
    expect((await second.search({ query: 'tea' })).searches[0]?.results).toHaveLength(2)
    expect(silent.requests).toHaveLength(0)
    kept.forEach((_, key) => void kept.set(key, 'torn {'))
    const third = createApp({ backends: silent, ...options })
    expect((await third.search({ query: 'tea' })).searches[0]?.results).toHaveLength(2)
    await Promise.all([first.close(), second.close(), third.close()])
  })

  test('keeps answers for an hour, if nothing else is said, and none for 0 seconds', async () => {
    const ttlsWith = async (options: { cacheSeconds?: number }) => {
      const ttls: number[] = []
      // In minutes: what has passed since the answer is taken off.
      const set = async (_: string, __: string, ttl: number) => void ttls.push(Math.round(ttl / 60))
      const store = { get: async () => null, set }
      const writes: Promise<void>[] = []
      const waitUntil = (work: Promise<void>) => void writes.push(work)
      const app = createApp({ backends: fakeExecutor(), store, waitUntil, ...options })
      await app.search({ query: 'tea' })
      await Promise.all(writes)
      await app.close()
      return ttls
    }
    const usual = await ttlsWith({})
    expect(usual).not.toEqual([])
    expect(usual).toEqual(await ttlsWith({ cacheSeconds: 3600 }))
    expect(usual).not.toEqual(await ttlsWith({ cacheSeconds: 36_000 }))
    expect(await ttlsWith({ cacheSeconds: 0 })).toEqual([])
  })

  test('reports each request once, without its query', async () => {
    const entries: library.RequestEntry[] = []
    const app = createApp({ backends: fakeExecutor(), onRequest: (entry) => entries.push(entry) })
    const reply = await app.fetch(searchFor('secret'))
    await reply.text()
    expect(entries).toMatchObject([{ id: reply.headers.get('x-request-id'), status: 200, backend: 'fake' }])
    expect(JSON.stringify(entries)).not.toContain('secret')
    await app.close()
  })

  test('takes the server of Bun, whose patience it asks for', async () => {
    const app = createApp({ backends: fakeExecutor() })
    const seconds: number[] = []
    const server = { timeout: (_: Request, value: number) => void seconds.push(value) }
    await (await app.fetch(searchFor('tea'), server)).text()
    expect(seconds[0]).toBe(0)
    expect(seconds.at(-1)).toBeGreaterThan(0)
    expect((await app.fetch(searchFor('tea'), { CSP_KEY: 'variables of a Worker' })).status).toBe(200)
    await app.close()
  })

  test('gives a search two minutes, if nothing else is said, or as long as is said', async () => {
    jest.useFakeTimers()
    try {
      for (const [given, seconds] of [
        [{}, 120],
        [{ timeoutSeconds: 7 }, 7],
      ] as const) {
        const backend = fakeExecutor(hangs)
        const app = createApp({ backends: backend, ...given })
        let code: string | undefined
        const ended = failureOf(app.search({ query: 'tea' })).then((failure) => {
          code = failure.code
        })
        await backend.begun()
        jest.advanceTimersByTime(seconds * 1000 - 1)
        for (let turn = 0; turn < 50; turn++) await Promise.resolve()
        expect(code).toBeUndefined()
        jest.advanceTimersByTime(1)
        await ended
        expect(code).toBe('timeout')
        await app.close()
      }
    } finally {
      jest.useRealTimers()
    }
  })

  test('stops a search whose signal aborts', async () => {
    const backend = fakeExecutor(hangs)
    const app = createApp({ backends: backend })
    const leaving = new AbortController()
    const failure = failureOf(app.search({ query: 'tea' }, { signal: leaving.signal }))
    await backend.begun()
    leaving.abort()
    expect((await failure).code).toBe('cancelled')
    await app.close()
  })
})

test.each([
  ['Brave', library.brave],
  ['Exa', library.exa],
  ['Tavily', library.tavily],
  ['Serper', library.serper],
])('%s is asked at its address, with its key', async (_, create) => {
  const seen: string[] = []
  await using server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      seen.push(JSON.stringify([...request.headers]) + (await request.text()))
      return Response.json({}, { status: 401 })
    },
  })
  const backend = create({ key: 'a-key-of-mine', url: `http://127.0.0.1:${server.port}` })
  const app = createApp({ backends: backend })
  expect((await failureOf(app.search({ query: 'tea' }))).code).toBe('signed-out')
  expect(seen[0]).toContain('a-key-of-mine')
  await app.close()
})

describe('what cannot be is refused at once', () => {
  test.each([
    ['no backend', () => createApp({ backends: [] }), /needs a backend/],
    ['a short key', () => createApp({ backends: fakeExecutor(), keys: ['local'] }), /8 characters/],
    ['an address that is none', () => library.searxng({ url: 'searx.example.org' }), /searxng\(\)/],
    ['another protocol', () => library.remote({ url: 'file:///etc' }), /remote\(\)/],
  ])('%s', (_, make, words) => {
    expect(make).toThrow(words)
    expect(make).toThrow(TypeError)
  })

  test('an empty query', async () => {
    const app = createApp({ backends: fakeExecutor() })
    expect((await failureOf(app.search({ query: ' ' }))).code).toBe('invalid-request')
    await app.close()
  })
})

test('an address that no backend can be at is refused at once, and none is as good as its own', () => {
  const url = 'ftp://a.example'
  const { brave, exa, messages, remote, searxng, serper, tavily } = library
  for (const [name, backend] of Object.entries({ brave, exa, serper, tavily })) {
    expect(() => backend({ key: 'k', url })).toThrow(`The url of ${name}() must begin with http:// or https://.`)
    expect(backend({ key: 'k' }).name).toBe(name)
    expect(backend({ key: 'k', url: 'https://a.example' }).name).toBe(name)
  }
  expect(() => messages({ apiKey: 'k', url })).toThrow('The url of messages()')
  expect(messages({ apiKey: 'k' }).name).toBe('messages')
  for (const backend of [remote, searxng]) expect(() => backend({ url })).toThrow(TypeError)
})
