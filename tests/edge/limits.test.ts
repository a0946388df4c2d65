import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import OpenAI from 'openai'
import { digestOf } from '../../src/api/http/auth.ts'
import { printStoredKeys } from '../../src/runtime/config/stored-keys.ts'
import { clientKey, type Edge, startEdge, startEdges, withKey } from './support/edge.ts'
import { startHome } from './support/home.ts'
import { startSearxng } from './support/searxng.ts'

// What each key may spend, counted in one Durable Object for all Workers.

const searxng = startSearxng()

function withSearxng(own: Readonly<Record<string, string>>) {
  return { variables: { CSP_BACKENDS: 'searxng', CSP_SEARXNG_URL: searxng.url, ...own } }
}

/** Named keys as `csp keys` keeps them, the key being the name with `csp_` before it. */
async function namedKeys(limits: Readonly<Record<string, { searchesPerDay?: number; searchesPerMinute?: number }>>) {
  const keys = Object.entries(limits).map(async ([name, own]) => ({
    name,
    digest: await digestOf(`csp_${name}`),
    created: '2026-01-01T00:00:00.000Z',
    limits: own,
  }))
  return printStoredKeys(await Promise.all(keys))
}

const phoneAndLaptop = { CSP_KEYS: await namedKeys({ phone: {}, laptop: {} }) }
const [byMinute, byKey, sharing, apart, concurrent, instead, unlimited, bySearches, byTokens] = await startEdges(
  withSearxng({ CSP_KEYS: await namedKeys({ phone: { searchesPerMinute: 2 } }) }),
  withSearxng({ CSP_KEYS: await namedKeys({ phone: { searchesPerDay: 1 }, laptop: {} }), CSP_API_KEYS: '' }),
  withSearxng({ ...phoneAndLaptop, CSP_CACHE_SCOPE: 'all' }),
  withSearxng({ ...phoneAndLaptop, CSP_CACHE_SCOPE: 'key' }),
  withSearxng({ CSP_DAILY_SEARCHES: '5' }),
  withSearxng({ CSP_DAILY_SEARCHES: '1' }),
  withSearxng({}),
  { variables: { CSP_DAILY_SEARCHES: '1' } },
  { variables: { CSP_DAILY_TOKENS: '25' } },
)
afterAll(() => Promise.all([byMinute.stop(), searxng.stop()]))

const search = (edge: Edge, query: string, key = clientKey) =>
  fetch(`${edge.url}/res/v1/web/search?q=${query}`, { headers: { 'x-subscription-token': key } })

describe('limits on the edge', () => {
  test('a limit per minute rejects further searches in the error format of the vendor; cached answers are free', async () => {
    const edge = byMinute
    expect((await search(edge, 'bees', 'csp_phone')).status).toBe(200)
    expect((await search(edge, 'wasps', 'csp_phone')).status).toBe(200)
    const refused = await search(edge, 'hornets', 'csp_phone')
    expect(refused.status).toBe(429)
    expect(await refused.json()).toMatchObject({
      type: 'ErrorResponse',
      error: { detail: expect.stringContaining('2 searches a minute') },
    })
    expect(Number(refused.headers.get('retry-after'))).toBeWithin(1, 61)
    expect((await search(edge, 'bees', 'csp_phone')).headers.get('x-cache')).toBe('hit')
    expect(searxng.queries).not.toContain('hornets')
  })

  test('a daily limit of one key does not affect other keys, and each key sees its own', async () => {
    const edge = byKey
    expect((await search(edge, 'ants', 'csp_phone')).status).toBe(200)
    const client = new OpenAI({ apiKey: 'csp_phone', baseURL: `${edge.url}/v1`, maxRetries: 0 })
    const ask = { model: 'sonar', messages: [{ role: 'user' as const, content: 'Why do ants march?' }] }
    const refused = client.chat.completions.create(ask)
    expect(await refused.catch((error) => error)).toBeInstanceOf(OpenAI.RateLimitError)
    expect((await search(edge, 'termites', 'csp_laptop')).status).toBe(200)
    expect((await search(edge, 'termites', 'csp_stranger')).status).toBe(422)

    const usage = await fetch(`${edge.url}/v1/usage?days=1`, { headers: { authorization: 'Bearer csp_phone' } })
    expect(await usage.json()).toMatchObject({
      key: 'phone',
      limits: [{ key: 'phone', kind: 'searches', window: 'day', limit: 1, used: 1, left: 0 }],
      days: [{ searches: 1, by_key: { phone: { searches: 1 } }, by_backend: { searxng: { searches: 1 } } }],
    })
  })

  test.each([
    ['all', 'hit', 1, sharing],
    ['key', 'miss', 2, apart],
  ])('with the cache scope %s another key gets a %s for the same question', async (scope, status, queries, edge) => {
    const topic = `secret-${scope}`
    expect((await search(edge, topic, 'csp_phone')).headers.get('x-cache')).toBe('miss')
    expect((await search(edge, topic, 'csp_laptop')).headers.get('x-cache')).toBe(status)
    expect((await search(edge, topic, 'csp_phone')).headers.get('x-cache')).toBe('hit')
    expect(searxng.queries.filter((query) => query === topic)).toHaveLength(queries)
  })

  test('exactly as many concurrent searches pass as the limit allows', async () => {
    const edge = concurrent
    const replies = await Promise.all(Array.from({ length: 20 }, (_, index) => search(edge, `subject${index}`)))
    const statuses = replies.map(({ status }) => status).toSorted()
    expect(statuses).toEqual([...Array(5).fill(200), ...Array(15).fill(429)])
  })

  test('daily usage survives a new deployment of the Worker', async () => {
    const persist = await mkdtemp(join(tmpdir(), 'csp-limits-'))
    try {
      {
        await using edge = await startEdge({ ...withSearxng({ CSP_DAILY_SEARCHES: '1' }), persist })
        expect((await search(edge, 'moths')).status).toBe(200)
        // What was spent is entered behind the reply.
        await untilSpent(edge, 1)
      }
      await using edge = await startEdge({ ...withSearxng({ CSP_DAILY_SEARCHES: '1' }), persist })
      expect((await search(edge, 'butterflies')).status).toBe(429)
    } finally {
      await rm(persist, { recursive: true, force: true })
    }
  })

  test('a stream from a home counts as a search, with its tokens', async () => {
    const edge = bySearches
    await using home = await startHome(edge.url)
    expect(await (await stream(edge, 'bees')).text()).toEndWith('data: [DONE]\n\n')
    await untilSpent(edge, 1)
    const refused = await stream(edge, 'wasps')
    expect(refused.status).toBe(429)
    expect(await refused.json()).toHaveProperty('error.type', 'usage_limit_reached')
    expect(home.messages).toEqual(['POST /execute'])
    const usage = await (await fetch(`${edge.url}/v1/usage?days=1`, { headers: withKey })).json()
    expect(usage).toMatchObject({ days: [{ searches: 1, input_tokens: 10, output_tokens: 20 }] })
  })

  test('a limit of tokens holds for streams', async () => {
    const edge = byTokens
    await using home = await startHome(edge.url)
    expect(await (await stream(edge, 'bees')).text()).toEndWith('data: [DONE]\n\n')
    await untilSpent(edge, 1)
    const refused = await stream(edge, 'wasps')
    expect(refused.status).toBe(429)
    expect(await refused.text()).toContain('tokens')
    expect(home.messages).toHaveLength(1)
  })

  test('a reservation that no home used is available to the backend that answers instead', async () => {
    const edge = instead
    const body = JSON.stringify({ model: 'sonar', stream: true, messages: [{ role: 'user', content: 'dragonflies' }] })
    const stream = await fetch(`${edge.url}/v1/chat/completions`, { method: 'POST', headers: withKey, body })
    expect(stream.status).toBe(200)
    expect(await stream.text()).toContain('An excerpt.')
    await untilSpent(edge, 1)
    const usage = await (await fetch(`${edge.url}/v1/usage?days=1`, { headers: withKey })).json()
    expect(Object.keys(Object(usage).days[0].by_backend)).toEqual(['searxng'])
  })

  test('usage is counted even without limits', async () => {
    const edge = unlimited
    await search(edge, 'gnats')
    await search(edge, 'midges')
    await untilSpent(edge, 2)
  })
})

function stream(edge: Edge, content: string): Promise<Response> {
  const body = JSON.stringify({ model: 'sonar', stream: true, messages: [{ role: 'user', content }] })
  return fetch(`${edge.url}/v1/chat/completions`, { method: 'POST', headers: withKey, body })
}

async function untilSpent(edge: Edge, searches: number): Promise<void> {
  for (;;) {
    const usage = await fetch(`${edge.url}/v1/usage?days=1`, { headers: withKey })
    if (Object(await usage.json()).days[0].searches >= searches) return
  }
}
