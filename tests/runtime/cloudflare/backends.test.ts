import { expect, jest, spyOn, test } from 'bun:test'
import { quickTimers } from '@csp/testing/quick-timers'
import { collect } from '../../../src/domain/answer.ts'
import type { ListRequest } from '../../../src/domain/search.ts'
import type { Fetcher } from '../../../src/executor/wire/fetcher.ts'
import { edgeBackends, remoteCsps } from '../../../src/runtime/cloudflare/backends.ts'
import { readEdgeSettings } from '../../../src/runtime/cloudflare/environment.ts'
import { serveApi } from '../../executor/backends/http/api-server.ts'
import { failureOf } from '../../support/failure-of.ts'
import { edgeEnvironment } from './edge-environment.ts'

const noTunnel: Fetcher = { fetch: () => Promise.reject(new Error('The tunnel is gone.')) }
const parts = { gateway: undefined, onCall() {} }

function configOf(variables: Readonly<Record<string, string>>) {
  const settings = readEdgeSettings(edgeEnvironment({ CSP_API_KEYS: 'one', ...variables }))
  if (typeof settings === 'string') throw new Error(settings)
  return settings.config
}

const request: ListRequest = { query: 'seals', history: [], want: 'results', effort: 'fast', filters: {} }
const ask = (more: Partial<ListRequest> = {}) => ({ ...request, ...more })
const signal = new AbortController().signal

test('the homes are asked, and then the csp at the address of the backend remote', async () => {
  const remote = { CSP_REMOTE_URL: 'http://127.0.0.1:9' }
  const names = (variables: Readonly<Record<string, string>>) =>
    remoteCsps(configOf(variables), noTunnel).map(({ name }) => name)
  expect(names({ CSP_BACKENDS: 'remote,searxng', CSP_SEARXNG_URL: 'http://127.0.0.1:9', ...remote })).toEqual([
    ...['home', 'remote'],
  ])
  expect(names({ CSP_BACKENDS: 'claude', ...remote })).toEqual(['home'])
  const [home] = remoteCsps(configOf({}), noTunnel)
  expect(await home?.health?.()).toMatchObject({
    backends: [{ name: 'home', problem: 'The tunnel is not reachable.' }],
  })
})

test('the other csp gets its own key', async () => {
  await using server = serveApi(() => Response.json({}, { status: 503 }))
  const variables = { CSP_BACKENDS: 'remote', CSP_REMOTE_URL: server.url, CSP_REMOTE_KEY: 'key-of-it' }
  await remoteCsps(configOf(variables), noTunnel)[1]?.fetcher.fetch(new Request('http://x.invalid/execute'))
  expect(server.requests[0]?.headers.get('authorization')).toBe('Bearer key-of-it')
})

test('without a backend that needs no machine there are the homes alone', () => {
  for (const CSP_BACKENDS of ['claude', 'remote', 'claude,remote']) {
    const config = configOf({ CSP_BACKENDS, CSP_REMOTE_URL: 'http://127.0.0.1:9' })
    const csps = remoteCsps(config, noTunnel)
    expect(edgeBackends(config, csps, parts)).toHaveLength(csps.length)
  }
})

test('the backends that need no machine are one behind the homes, in their order', async () => {
  await using searxng = serveApi(() => {
    const results = Array.from({ length: 12 }, (_, index) => ({ title: 'A', url: `https://a.example/${index}` }))
    return Response.json({ query: 'seals', results, unresponsive_engines: [] })
  })
  const variables = { CSP_BACKENDS: 'claude,searxng,brave', CSP_SEARXNG_URL: searxng.url, BRAVE_API_KEY: 'k' }
  const config = configOf(variables)
  const made = edgeBackends(config, remoteCsps(config, noTunnel), parts)
  expect(made).toHaveLength(2)
  const others = made[1]?.()
  expect((await others?.health())?.backends.map(({ name }) => name)).toEqual(['searxng', 'brave'])
  // Paging stands around them: a second page is the next rows, and no more than were asked for.
  const answer = others && (await collect(others.search(ask({ limit: 5, offset: 5 }), { signal })))
  expect(answer?.searches.flatMap(({ results }) => results.map(({ url }) => url))).toEqual(
    [5, 6, 7, 8, 9].map((index) => `https://a.example/${index}`),
  )
})

test.each([
  ['', [['searxng', undefined]]],
  [
    'claude,messages',
    [
      ['searxng', undefined],
      ['messages', true],
    ],
  ],
  ['claude', [['searxng', undefined]]],
])('with the writers %j the backends are %j: Claude writes at home alone', async (CSP_WRITERS, names) => {
  const searxng = { CSP_BACKENDS: 'searxng', CSP_SEARXNG_URL: 'http://127.0.0.1:9' }
  const writers = { ...(CSP_WRITERS && { CSP_WRITERS }), CSP_ANTHROPIC_API_KEY: 'k' }
  const [others] = edgeBackends(configOf({ ...searxng, ...writers }), [], parts)
  expect((await others?.().health())?.backends.map(({ name, writes }) => [name, writes] as unknown)).toEqual(names)
})

test('a home has longer than a search, and is asked once more where it was lost in the middle of one', async () => {
  let asked = 0
  const start = JSON.stringify({ type: 'search-start', id: 's', query: 'seals' })
  const fetcher: Fetcher = {
    async fetch() {
      await Bun.sleep(20)
      return new Response(`event: search-start\ndata: ${start}\n\n`, {
        headers: { 'content-type': 'text/event-stream', 'x-asked': `${++asked}` },
      })
    },
  }
  const [home] = edgeBackends(configOf({ CSP_TIMEOUT: '1' }), [{ name: 'home', fetcher }], parts)
  const search = home && collect(home().search(request, { signal, isWhole: true }))
  expect(await failureOf(search ?? Promise.resolve())).toMatchObject({ code: 'unavailable' })
  expect(asked).toBe(2)
})

test('a search that takes too long ends with the time limit of the settings', async () => {
  using _ = quickTimers()
  const held = Promise.withResolvers<Response>()
  await using searxng = serveApi(() => held.promise)
  const config = configOf({ CSP_BACKENDS: 'searxng', CSP_SEARXNG_URL: searxng.url, CSP_TIMEOUT: '1' })
  const others = edgeBackends(config, [], parts)[0]?.()
  const failure = others && (await failureOf(collect(others.search(request, { signal }))))
  expect(failure).toMatchObject({ code: 'timeout', message: expect.stringContaining('longer than 1 s') })
  held.resolve(new Response())
})

test('a home has a minute more than a search, which may wait there', async () => {
  jest.useFakeTimers()
  try {
    const asked = Promise.withResolvers<void>()
    const fetcher: Fetcher = {
      fetch: (request) => {
        asked.resolve()
        return new Promise((_, reject) => {
          request.signal.addEventListener('abort', () => reject(request.signal.reason))
        })
      },
    }
    const [home] = edgeBackends(configOf({ CSP_TIMEOUT: '1' }), [{ name: 'home', fetcher }], parts)
    let code: string | undefined
    const ended = failureOf(home ? collect(home().search(request, { signal })) : Promise.resolve()).then((failure) => {
      code = failure.code
    })
    await asked.promise
    jest.advanceTimersByTime(60_999)
    for (let turn = 0; turn < 50; turn++) await Promise.resolve()
    expect(code).toBeUndefined()
    jest.advanceTimersByTime(1)
    await ended
    expect(code).toBe('timeout')
  } finally {
    jest.useRealTimers()
  }
})

test('a writer that is no backend is not asked to search', async () => {
  const hosts = new Set<string>()
  const sent = spyOn(globalThis, 'fetch').mockImplementation((async (input: Request | URL | string) => {
    hosts.add(new URL(input instanceof Request ? input.url : input).host)
    return Response.json({}, { status: 401 })
  }) as typeof fetch)
  try {
    const searxng = { CSP_BACKENDS: 'searxng', CSP_SEARXNG_URL: 'http://127.0.0.1:9' }
    const [others] = edgeBackends(
      configOf({ ...searxng, CSP_WRITERS: 'messages', CSP_ANTHROPIC_API_KEY: 'k' }),
      [],
      parts,
    )
    await failureOf(others ? collect(others().search(request, { signal })) : Promise.resolve())
    expect([...hosts]).toEqual(['127.0.0.1:9'])
  } finally {
    sent.mockRestore()
  }
})
