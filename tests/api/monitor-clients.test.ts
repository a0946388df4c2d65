import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Exa } from 'exa-js'
import { createApp } from '../../src/app.ts'
import { SearchError } from '../../src/domain/error.ts'
import { resultsRequest, type SearchEvent, type SearchRequest, type SearchResult } from '../../src/domain/search.ts'
import type { ScheduledWatches } from '../../src/jobs/scheduled-watches.ts'
import { eventually } from '../support/processes.ts'
import { scriptedExecutor, untilAborted } from '../support/scripted-executor.ts'
import { testWatches } from '../support/test-watches.ts'

// Exa's own client keeps monitors, and a webhook hears of their runs.

const day = 86_400_000
const usage = { searches: 1, inputTokens: 1, outputTokens: 1 }
const done: SearchEvent = { type: 'done', reason: 'stop', usage, model: 'sonnet' }
let rows: readonly SearchResult[] = []
let failure: Error | undefined
const row = (name: string, ...passages: readonly string[]): SearchResult => ({
  ...{ title: `About ${name}`, url: `https://${name}.example/`, source: 'scripted', publishedAt: '2026-11-20' },
  ...{ snippet: passages[0], passages: passages.slice(1) },
})
const executor = scriptedExecutor(({ want, schema, sources = [] }: SearchRequest) => {
  if (failure) return [failure]
  const results = want === 'results' ? rows : sources
  const found: readonly SearchEvent[] = [
    { type: 'search-start', id: 's1', query: 'q' },
    { type: 'search-results', id: 's1', results },
  ]
  if (want === 'results') return [...found, done]
  const { url = '', title = '' } = sources[0] ?? {}
  const citation = { number: 1, url, title, start: 7, end: 10 }
  const text = schema ? '{"names":["bees"]}' : 'It is so [1].'
  return [...found, { type: 'text-delta', text }, ...(schema ? [] : [{ type: 'citation', citation } as const]), done]
})

interface Told {
  readonly headers: Headers
  readonly body: string
}

let told: Told[] = []
/** What the webhook replies, first to last; then 204. */
let replies: Response[] = []
let now = Date.now()
let gone: readonly string[] = []
let watches: ScheduledWatches
let server: ReturnType<typeof Bun.serve>
let hook: ReturnType<typeof Bun.serve>
let url: string

beforeAll(() => {
  hook = Bun.serve({
    ...{ hostname: '127.0.0.1', port: 0, development: false },
    async fetch(request) {
      told.push({ headers: request.headers, body: await request.text() })
      return replies.shift() ?? new Response(null, { status: 204 })
    },
  })
  url = `http://hook.intranet:${hook.port}/csp`
  watches = testWatches(executor, {
    opened: [`hook.intranet:${hook.port}`],
    now: () => now,
    mayRun: async (owner) => !gone.includes(owner),
  })
  const app = createApp({ executor, version: '1', keys: ['local', 'other'], watches })
  server = Bun.serve({ hostname: '127.0.0.1', port: 0, development: false, fetch: app.fetch })
})

afterAll(async () => {
  await watches.close()
  server.stop(true)
  hook.stop(true)
})

beforeEach(async () => {
  for (const { id } of await exa().monitors.getAll()) await exa().monitors.delete(id)
  ;[rows, failure, told, replies, gone] = [[row('bees', 'Bees hum.', 'They dance.')], undefined, [], [], []]
})

const exa = (key = 'local') => new Exa(key, `http://127.0.0.1:${server.port}/exa`)
type Draft = Parameters<Exa['monitors']['create']>[0]
const create = (draft: Partial<Draft> = {}) =>
  exa().monitors.create({
    search: { query: 'bees', numResults: 5, contents: { text: true } },
    webhook: { url, events: ['monitor.run.completed'] },
    ...draft,
  })
/** The last run, when it has ended and its webhook has been told. */
async function ran(id: string) {
  let last: Awaited<ReturnType<Exa['monitors']['runs']['get']>> | undefined
  await eventually(async () => {
    last = (await exa().monitors.runs.list(id, { limit: 1 })).data[0]
    return (last?.completedAt ?? last?.failedAt ?? null) !== null && statusOf(last) !== 'pending'
  })
  if (!last) throw new Error('There is no run.')
  return exa().monitors.runs.get(id, last.id)
}
const deliveryOf = (run: object | undefined) =>
  (run as { delivery?: { status: string; attempts: number; problem?: string } })?.delivery
const statusOf = (run: object | undefined) => deliveryOf(run)?.status
const bodies = () => told.map(({ body }) => JSON.parse(body))

describe('a monitor', () => {
  test('is created, got, listed, changed and deleted', async () => {
    const made = await create({ name: 'Bees', trigger: { type: 'interval', period: '1d' }, metadata: { room: '7' } })
    expect(made).toMatchObject({
      ...{ name: 'Bees', status: 'active', metadata: { room: '7' }, outputSchema: null },
      search: { query: 'bees', numResults: 5 },
      trigger: { type: 'interval', period: '1d' },
      webhook: { url, events: ['monitor.run.completed'] },
      nextRunAt: new Date(Date.parse(made.createdAt) + day).toISOString(),
    })
    expect(made.webhookSecret).toMatch(/^[0-9a-f]{64}$/)
    const { webhookSecret: _, ...shown } = made
    expect(await exa().monitors.get(made.id)).toEqual(shown)
    const changed = await exa().monitors.update(made.id, { name: null, trigger: null, search: { query: 'wasps' } })
    expect(changed).toMatchObject({
      name: null,
      trigger: null,
      nextRunAt: null,
      search: { query: 'wasps', numResults: 5 },
    })
    expect(await exa().monitors.update(made.id, { status: 'paused' })).toMatchObject({ status: 'paused' })
    const second = await create()
    expect((await exa().monitors.list({ limit: 1 })).data.map(({ id }) => id)).toEqual([second.id])
    expect((await exa().monitors.getAll()).map(({ id }) => id)).toEqual([second.id, made.id])
    expect((await exa().monitors.list({ status: 'paused' })).data.map(({ id }) => id)).toEqual([made.id])
    expect(await exa().monitors.delete(made.id)).toMatchObject({ id: made.id })
    await expect(exa().monitors.get(made.id)).rejects.toThrow('There is no such monitor')
  })

  test('runs when it is triggered, and tells what is new with a signature', async () => {
    const { id, webhookSecret } = await create({ metadata: { room: '7' } })
    expect(await exa().monitors.trigger(id)).toEqual({ triggered: true })
    const run = await ran(id)
    expect(run).toMatchObject({ monitorId: id, status: 'completed', failReason: null })
    expect(run.output).toMatchObject({
      results: [{ url: 'https://bees.example/', title: 'About bees', text: 'Bees hum.\nThey dance.' }],
      content: 'It is so [1].',
      grounding: [{ field: 'content', citations: [{ url: 'https://bees.example/', title: 'About bees' }] }],
    })
    const [{ headers, body } = { headers: new Headers(), body: '' }] = told
    const [, time, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers.get('exa-signature') ?? '') ?? []
    expect(signature).toBe(createHmac('sha256', webhookSecret).update(`${time}.${body}`).digest('hex'))
    expect(bodies()).toMatchObject([
      { object: 'event', type: 'monitor.run.completed', data: { id: run.id, metadata: { room: '7' } } },
    ])
    expect(JSON.parse(body).data.output).toEqual(run.output)
    expect(executor.calls.at(-1)?.context.caller).toBe('key-1')
    // Nothing is new, so no model is asked.
    const before = executor.calls.length
    await exa().monitors.trigger(id)
    await eventually(async () => (await exa().monitors.runs.list(id)).data.length === 2)
    expect((await ran(id)).output).toMatchObject({ results: [], content: null })
    expect(executor.calls.length).toBe(before + 1)
    expect((await exa().monitors.runs.getAll(id, { limit: 1 })).length).toBe(2)
  })

  test('writes JSON where a schema is given', async () => {
    const { id } = await create({ outputSchema: { type: 'object', properties: { names: { type: 'array' } } } })
    await exa().monitors.trigger(id)
    expect((await ran(id)).output?.content).toEqual({ names: ['bees'] })
  })

  test('runs at the time of day at which it was made, once for all that was missed', async () => {
    const { id, createdAt } = await create({ trigger: { type: 'interval', period: '1d' } })
    now += 7.5 * day
    const before = executor.calls.length
    watches.resume()
    await ran(id)
    expect(executor.calls.length).toBe(before + 2)
    const { nextRunAt } = await exa().monitors.get(id)
    expect(Date.parse(nextRunAt ?? '') - Date.parse(createdAt)).toBe(8 * day)
  })

  test('tells of all that happens where no events are named', async () => {
    const { id } = await create({ webhook: { url } })
    await exa().monitors.trigger(id)
    await ran(id)
    await exa().monitors.update(id, { name: 'Bees' })
    await exa().monitors.delete(id)
    await eventually(() => told.length === 5)
    const types = bodies().map(({ type }) => type)
    expect(types.toSorted()).toEqual(
      ['created', 'deleted', 'run.completed', 'run.created', 'updated'].map((type) => `monitor.${type}`),
    )
  })

  test('says why a run failed, and tells it', async () => {
    const { id } = await create()
    failure = new SearchError('rate-limited', 'The limit is reached.')
    await exa().monitors.trigger(id)
    expect(await ran(id)).toMatchObject({ status: 'failed', failReason: 'rate_limited', output: null })
    expect(bodies()[0].data).toMatchObject({ status: 'failed', failReason: 'rate_limited' })
  })

  test('is disabled when its key was removed', async () => {
    const { id } = await create({ trigger: { type: 'interval', period: '1h' } })
    gone = ['key-1']
    const before = executor.calls.length
    await exa().monitors.trigger(id)
    expect(await ran(id)).toMatchObject({ status: 'failed', failReason: 'api_key_invalid' })
    expect(await exa().monitors.get(id)).toMatchObject({ status: 'disabled', nextRunAt: null })
    expect(await exa().monitors.trigger(id)).toEqual({ triggered: false })
    expect(executor.calls.length).toBe(before)
  })

  test('is nobody else’s, and has no feed', async () => {
    const { id } = await create()
    await exa().monitors.trigger(id)
    const { id: run } = await ran(id)
    const stranger = exa('other').monitors
    expect((await stranger.list()).data).toEqual([])
    for (const asked of [
      () => stranger.get(id),
      () => stranger.update(id, { name: 'mine' }),
      () => stranger.delete(id),
      () => stranger.trigger(id),
      () => stranger.runs.list(id),
      () => stranger.runs.get(id, run),
    ]) {
      await expect(asked()).rejects.toThrow('There is no such monitor')
    }
    expect((await fetch(`http://127.0.0.1:${server.port}/v1/watches/${id}.atom`)).status).toBe(404)
  })

  test('there are twenty of one key at most', async () => {
    const made = []
    for (let at = 0; at < 20; at++) made.push(await create())
    await expect(create()).rejects.toThrow('There are 20 monitors already')
  })
})

describe('a webhook', () => {
  test.each([
    ['http://127.0.0.1/hook', 'not on the public internet'],
    ['http://169.254.169.254/latest', 'not on the public internet'],
    ['https://[::1]/', 'not on the public internet'],
    ['http://localhost/', 'not on the public internet'],
    // A name with a private address.
    ['https://rebound.example/', 'not on the public internet'],
    ['https://a.public.example:8080/', 'Only the ports 80 and 443'],
    ['https://me:secret@a.public.example/', 'user name or password'],
    ['file:///etc/passwd', 'Only pages at http'],
    ['nowhere', 'not the address'],
  ])('at %s is refused by name', async (address, words) => {
    const refused = create({ webhook: { url: address } })
    await expect(refused).rejects.toThrow(/webhook\.url/)
    await expect(refused).rejects.toThrow(words)
    const { id } = await create()
    await expect(exa().monitors.update(id, { webhook: { url: address } })).rejects.toThrow(/webhook\.url/)
    expect(told).toEqual([])
  })

  test('that fails is told again, so often and not for ever', async () => {
    replies = Array.from({ length: 9 }, () => new Response('later', { status: 503 }))
    const { id } = await create()
    await exa().monitors.trigger(id)
    const run = await ran(id)
    expect(run.status).toBe('completed')
    expect(deliveryOf(run)).toEqual({ status: 'failed', attempts: 3, problem: 'It replied with 503.' })
    expect(new Set(bodies().map(({ id }) => id)).size).toBe(1)
  })

  test('that does not answer keeps nothing waiting, and is told after a restart', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'csp-monitors-')), 'watches.sqlite')
    const options = { path, opened: [`hook.intranet:${hook.port}`] }
    const first = testWatches(executor, { ...options, post: (_, signal) => untilAborted(signal) })
    const draft = {
      ...({ owner: 'key-1', vendor: 'exa', everyMs: 0, status: 'active', webhook: { url } } as const),
      ...{ request: resultsRequest({ query: 'bees' }), input: { search: { query: 'bees' }, webhook: { url } } },
    }
    const [slow, next] = [await first.monitors.create(draft), await first.monitors.create(draft)]
    for (const monitor of [slow, next]) {
      await first.monitors.trigger(monitor)
      await eventually(async () => (await first.monitors.runs(monitor))[0]?.status === 'completed')
    }
    await first.close()
    const second = testWatches(executor, options)
    second.resume()
    await eventually(async () => (await second.monitors.runs(next))[0]?.delivery?.status === 'delivered')
    await eventually(() => told.length === 2)
    await second.close()
  })

  test.each([
    [302, 'It replied with 302; redirects are not followed.'],
    [410, 'It replied with 410.'],
  ])('that replies with %p is not asked again', async (status, problem) => {
    replies = [new Response(null, { status, headers: { location: 'http://127.0.0.1/' } })]
    const { id } = await create()
    await exa().monitors.trigger(id)
    expect(deliveryOf(await ran(id))).toEqual({ status: 'failed', attempts: 1, problem })
    expect(told).toHaveLength(1)
  })
})

test.each([
  [{ trigger: { type: 'interval', period: '5m' } }, 'trigger.period'],
  [{ trigger: { type: 'interval', period: '1d2h' } }, 'trigger.period'],
  [{ search: { query: ' ' } }, 'search.query'],
  [{ outputSchema: { type: 'nonsense' } }, 'outputSchema'],
  [{ webhook: { url: 'https://a.public.example/', events: ['monitor.sneezed'] } }, 'webhook.events[0]'],
] as const)('%p is refused by the name of the field', async (draft, field) => {
  const before = executor.calls.length
  await expect(create(draft as unknown as Partial<Draft>)).rejects.toThrow(field)
  expect((await exa().monitors.list()).data).toEqual([])
  expect(executor.calls.length).toBe(before)
})
