import { afterEach, describe, expect, test } from 'bun:test'
import { quickTimers } from '@csp/testing/quick-timers'
import { createHomeApp } from '../../../../src/app.ts'
import { collect, sourcesOf } from '../../../../src/domain/answer.ts'
import { type ListRequest, resultsRequest } from '../../../../src/domain/search.ts'
import { brave } from '../../../../src/executor/backends/brave/brave.ts'
import { exa } from '../../../../src/executor/backends/exa/exa.ts'
import { remote } from '../../../../src/executor/backends/remote/remote.ts'
import { searxng } from '../../../../src/executor/backends/searxng/searxng.ts'
import { serper } from '../../../../src/executor/backends/serper/serper.ts'
import { tavily } from '../../../../src/executor/backends/tavily/tavily.ts'
import type { Executor } from '../../../../src/executor/executor.ts'
import { Breaker } from '../../../../src/executor/layers/resilience/breaker.ts'
import { createBackendStack, createStack } from '../../../../src/executor/layers/stack.ts'
import { listerContract } from '../../../contract/lister.ts'
import { type Handler, hang, serveApi } from './api-server.ts'

const common = { key: 'key-very-secret', version: '1.2.3', requestsPerSecond: 0 }
type Urls = readonly string[]
const titled = (urls: Urls) => urls.map((url) => ({ url, title: url }))

/** The replies of the vendors, with no more than a list needs. */
const vendors = {
  searxng: { make: (url: string) => searxng({ ...common, url }), reply: (urls: Urls) => ({ results: titled(urls) }) },
  brave: {
    make: (url: string) => brave({ ...common, url }),
    reply: (urls: Urls) => ({
      type: 'search',
      query: { original: 'q', more_results_available: urls.length === 20 },
      web: { type: 'search', results: titled(urls) },
    }),
  },
  exa: { make: (url: string) => exa({ ...common, url }), reply: (urls: Urls) => ({ results: titled(urls) }) },
  tavily: { make: (url: string) => tavily({ ...common, url }), reply: (urls: Urls) => ({ results: titled(urls) }) },
  serper: {
    make: (url: string) => serper({ ...common, url }),
    reply: (urls: Urls) => ({ organic: urls.map((link) => ({ link, title: link })) }),
  },
} as const

type Name = keyof typeof vendors

/** A backend before a server that has these pages. */
function vendor(name: Name, urls: Urls) {
  const server = serveApi(() => Response.json(vendors[name].reply(urls)))
  return { executor: vendors[name].make(server.url), [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

for (const name of Object.keys(vendors) as Name[]) listerContract(name, { factory: (urls) => vendor(name, urls) })

listerContract('remote', {
  factory(urls) {
    const far = vendor('searxng', urls)
    const home = createHomeApp({ executor: createStack([far.executor], {}), version: '1' })
    return { ...far, executor: remote({ fetcher: { fetch: async (request) => home.fetch(request) } }) }
  },
})

listerContract('searxng and brave, merged', {
  factory(urls) {
    const both = [vendor('searxng', urls), vendor('brave', urls)]
    const executors = both.map(({ executor }) => executor)
    const close = async () => void (await Promise.all(both.map((one) => one[Symbol.asyncDispose]())))
    return { executor: createStack(executors, { merge: 2 }), [Symbol.asyncDispose]: close }
  },
})

test.each([
  ['exa', 'query', 2000],
  ['tavily', 'query', 400],
  ['serper', 'q', 1500],
] as const)('%s gets as much of a query as it takes: its field %s has %i characters', async (name, field, length) => {
  await using server = serveApi(() => Response.json(vendors[name].reply(['https://a.example/'])))
  const { signal } = new AbortController()
  const query = 'x'.repeat(3000)
  await collect(vendors[name].make(server.url).search(resultsRequest({ query }), { signal }))
  expect(JSON.parse(server.requests[0]?.body ?? '{}')[field]).toBe('x'.repeat(length))
})

describe('searxng and brave on loopback, merged', () => {
  const open: AsyncDisposable[] = []
  afterEach(async () => {
    for (const one of open.splice(0)) await one[Symbol.asyncDispose]()
  })

  /** Both before servers, and behind the layers that csp itself has. */
  function both(searx: Handler, other: Handler) {
    const servers = [serveApi(searx), serveApi(other)] as const
    open.push(...servers)
    const backends = (['searxng', 'brave'] as const).map((name, place) =>
      createBackendStack(vendors[name].make(servers[place]?.url ?? ''), {
        breaker: new Breaker({ name }),
        queue: { startsPerSecond: 0 },
        timeoutMs: 60_000,
      }),
    )
    return { servers, executor: createStack(backends, { merge: 2, paging: { ttlSeconds: 60 } }) }
  }

  const search = async (executor: Executor, rest: Partial<ListRequest> = {}, signal = new AbortController().signal) => {
    const { searches, backend } = await collect(
      executor.search(resultsRequest({ query: 'seals', ...rest }), { signal }),
    )
    return {
      urls: sourcesOf(searches).map(({ url }) => url),
      sources: sourcesOf(searches).map(({ source }) => source),
      backend,
    }
  }

  const sitesOf = (first: number, count: number, pageSize: number, page: string | null, from: 0 | 1): Urls =>
    Array.from({ length: count }, (_, index) => `https://s${first + index}.example/`).slice(
      (Number(page ?? from) - from) * pageSize,
      (Number(page ?? from) - from + 1) * pageSize,
    )
  /** Ninety pages, by thirties, and sixty of which thirty are among those, by twenties. */
  const searx: Handler = ({ url }) =>
    Response.json(vendors.searxng.reply(sitesOf(0, 90, 30, new URL(url).searchParams.get('pageno'), 1)))
  const index: Handler = ({ url }) =>
    Response.json(vendors.brave.reply(sitesOf(60, 60, 20, new URL(url).searchParams.get('offset'), 0)))
  const broken: Handler = () => new Response('', { status: 500 })

  test('have every page of both, once, over all pages of the list, at one request for each at a time', async () => {
    const { executor, servers } = both(searx, index)
    const seen: string[] = []
    for (let page = 0; page < 12; page++)
      seen.push(...(await search(executor, { offset: seen.length, limit: 10 })).urls)
    expect(seen).toHaveLength(120)
    expect(new Set(seen).size).toBe(120)
    const asked = servers.map(({ requests }) =>
      requests.map(({ url }) => url.searchParams.get('pageno') ?? url.searchParams.get('offset')),
    )
    expect(asked.map((pages) => [...new Set(pages)].slice(0, 3))).toEqual([
      [null, '2', '3'],
      [null, '1', '2'],
    ])
  })

  test('have the rows of the one while the other hangs, whose connection is closed', async () => {
    using _ = quickTimers()
    const { executor, servers } = both(hang, index)
    const { backend, urls } = await search(executor)
    expect([backend, urls.length]).toEqual(['brave', 20])
    await servers[0].until(({ open: count }) => count === 0)
  })

  test('leave out a backend whose breaker is open', async () => {
    const { executor, servers } = both(searx, broken)
    for (let count = 0; count < 7; count++)
      expect((await search(executor, { query: `q${count}` })).backend).toBe('searxng')
    expect(servers.map(({ requests }) => requests.length)).toEqual([7, 5])
  })

  test('end with their caller: both connections are closed', async () => {
    const { executor, servers } = both(hang, hang)
    const leave = new AbortController()
    const ended = search(executor, {}, leave.signal).catch(({ code }) => code)
    await Promise.all(servers.map((server) => server.until(({ requests }) => requests.length === 1)))
    leave.abort()
    expect(await ended).toBe('cancelled')
    await Promise.all(servers.map((server) => server.until(({ open: count }) => count === 0)))
  })
})
