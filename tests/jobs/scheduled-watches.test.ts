import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DOMParser } from 'linkedom'
import { SearchError } from '../../src/domain/error.ts'
import { resultsRequest, type SearchResult } from '../../src/domain/search.ts'
import { newsIn, type Watch } from '../../src/domain/watch.ts'
import { scheduledWatches } from '../../src/jobs/scheduled-watches.ts'
import { watchDatabase } from '../../src/storage/watch-database.ts'
import { testApp } from '../api/test-app.ts'
import { eventually } from '../support/eventually.ts'
import { hostileMarkdown } from '../support/hostile-markdown.ts'
import { scriptedExecutor, untilAborted } from '../support/scripted-executor.ts'

const hour = 3_600_000
const id = 'a'.repeat(32)
const row = (url: string, ...passages: readonly string[]): SearchResult => ({
  ...{ url: `https://${url}.example/`, title: `About ${url}`, source: 'scripted' },
  ...(passages[0] && { snippet: passages[0], passages: passages.slice(1) }),
})
const hash = (text: string) => text

/** Watches over an executor that finds these rows, with a clock of the test's. */
function watched(rows: { now: readonly SearchResult[] | Error }, clock = { now: 10 * hour }) {
  const path = join(mkdtempSync(join(tmpdir(), 'csp-watches-')), 'watches.sqlite')
  const executor = scriptedExecutor(() => {
    if (rows.now instanceof Error) return [rows.now]
    return [
      { type: 'search-start', id: 's1', query: 'q' },
      { type: 'search-results', id: 's1', results: rows.now },
      { type: 'done', reason: 'stop', usage: { searches: 1, inputTokens: 0, outputTokens: 0 }, model: '' },
    ]
  })
  const openStore = () => watchDatabase({ path, onDamage: () => {} })
  const store = openStore()
  const log: string[] = []
  const options = {
    openStore,
    isThere: () => true,
    executor,
    hash,
    log: (_: string, message: string) => log.push(message),
    now: () => clock.now,
  }
  const watches = scheduledWatches(options)
  const add = (query = 'bees') =>
    store.add({ id, request: resultsRequest({ query }), everyMs: hour, createdAt: clock.now, nextAt: clock.now })
  const run = async () => {
    const before = executor.calls.length
    watches.resume()
    await eventually(
      async () => executor.calls.length > before && (store.list()[0]?.nextAt ?? 0) !== clock.now + 600_000,
    )
  }
  return { executor, store, watches, add, run, clock, options, path, log }
}

describe('what is new', () => {
  test('is what has an unknown address, or a known one with unknown passages', () => {
    const first = newsIn([row('a', 'one', 'two'), row('b')], {}, hash)
    expect(first.entries.map(({ kind, url, passages }) => [kind, url, passages])).toEqual([
      ['new', 'https://a.example/', ['one', 'two']],
      ['new', 'https://b.example/', []],
    ])
    const second = newsIn([row('b', 'late'), row('a', 'two', 'three'), row('c')], first.seen, hash)
    expect(second.entries.map(({ kind, url, passages }) => [kind, url, passages])).toEqual([
      ['changed', 'https://a.example/', ['three']],
      ['new', 'https://c.example/', []],
    ])
    expect(newsIn([row('a', 'one'), row('b', 'late'), row('c')], second.seen, hash).entries).toEqual([])
  })

  test('is remembered of so many pages, the last ones', () => {
    const rows = Array.from({ length: 1200 }, (_, at) => row(`site${at}`))
    const { seen } = newsIn(rows, { 'https://old.example/': [] }, hash)
    expect(Object.keys(seen)).toHaveLength(1000)
    expect(Object.keys(seen).at(-1)).toBe('https://site1199.example/')
  })
})

describe('a watch', () => {
  test('is searched when it is due, and a run that was missed is made once', async () => {
    const rows = { now: [row('a', 'one')] as readonly SearchResult[] }
    const { watches, add, run, clock, executor, store, log } = watched(rows)
    add()
    await run()
    expect(log).toEqual(['watch: 1 new'])
    expect(store.list()[0]).toMatchObject({ lastAt: 10 * hour, nextAt: 11 * hour })
    expect(await watches.counts()).toEqual({ count: 1, failing: 0, problem: undefined })
    watches.resume()
    expect(executor.calls).toHaveLength(1)
    // Nine runs later.
    clock.now = 19.5 * hour
    rows.now = [row('a', 'one'), row('b', 'new')]
    await run()
    expect(executor.calls).toHaveLength(2)
    expect(executor.calls[1]?.context.cache).toBe('no-cache')
    expect((await watches.feed(id))?.entries.map(({ sequence, url }) => [sequence, url])).toEqual([
      [2, 'https://b.example/'],
      [1, 'https://a.example/'],
    ])
    await watches.close()
  })

  test('that fails says why, and waits as long as the limit lasts', async () => {
    const rows = { now: new SearchError('rate-limited', 'The limit is reached.', { retryAfterSeconds: 7200 }) }
    const { watches, add, run, clock, store } = watched(rows)
    add()
    await run()
    expect(store.list()[0]).toMatchObject({ problem: 'The limit is reached.', nextAt: clock.now + 2 * hour })
    expect(await watches.counts()).toEqual({ count: 1, failing: 1, problem: 'The limit is reached.' })
    await watches.close()
  })

  test.each([
    ['a day', 24],
    ['a year', 24 * 365],
  ])('runs on when the clock was %s ahead and is set back', async (_, hours) => {
    const { watches, add, run, clock, executor, store } = watched({ now: [row('a')] })
    clock.now += hours * hour
    add()
    await run()
    clock.now = 10 * hour
    await run()
    expect(executor.calls).toHaveLength(2)
    expect(store.list()[0]).toMatchObject({ lastAt: 10 * hour, nextAt: 11 * hour })
    watches.resume()
    await watches.close()
    expect(executor.calls).toHaveLength(2)
  })

  test('is run by one of several processes', async () => {
    const { watches, add, run, executor, options, store } = watched({ now: [row('a')] })
    const other = scheduledWatches(options)
    add()
    const ran = run()
    other.resume()
    await ran
    expect(executor.calls).toHaveLength(1)
    expect(store.list()[0]?.lastAt).toBe(10 * hour)
    await Promise.all([watches.close(), other.close()])
  })

  test("that was a caller's monitor goes when its file is opened: its id was no secret", async () => {
    const { watches, add, path, store } = watched({ now: [] })
    add()
    const earlier = new Database(path)
    earlier.run('CREATE TABLE monitors (watch TEXT PRIMARY KEY REFERENCES watches ON DELETE CASCADE, settings TEXT)')
    earlier.run('CREATE TABLE runs (id TEXT, watch TEXT REFERENCES watches ON DELETE CASCADE, run TEXT)')
    earlier.run("INSERT INTO monitors VALUES (?, '{}')", [id])
    earlier.run("INSERT INTO runs VALUES ('1', ?, '{}')", [id])
    earlier.close()
    store.add({ ...store.list()[0], id: 'b'.repeat(32) } as Watch)
    expect((await watches.list()).map((watch) => watch.id)).toEqual(['b'.repeat(32)])
    expect(await watches.feed(id)).toBeUndefined()
    await watches.close()
  })

  test('that csp stops in is due at once, with the problem that it had', async () => {
    const { add, store, options, clock, log } = watched({ now: [] })
    const executor = scriptedExecutor([untilAborted])
    const watches = scheduledWatches({ ...options, executor })
    add()
    store.fail(id, clock.now, 'The limit is reached.')
    watches.resume()
    await executor.begun()
    await watches.close()
    expect(store.list()[0]).toMatchObject({ problem: 'The limit is reached.', nextAt: clock.now })
    expect(log).toEqual([])
  })

  test('costs no timer and opens no file where nothing is watched', async () => {
    const watches = scheduledWatches({
      openStore: () => {
        throw new Error('opened')
      },
      ...{ isThere: () => false, executor: scriptedExecutor([]), hash, log: () => {} },
    })
    watches.resume()
    expect(await watches.list()).toEqual([])
    expect(await watches.feed(id)).toBeUndefined()
    await watches.close()
  })
})

describe('the feed', () => {
  const known = Object.values(hostileMarkdown).join('\n')
  const hostile = `</title><script>alert("1")</script>\u0000\u001b[31m\ud800\u202e & ]]>${known}`

  test('is Atom, for whoever has its id, and shows hostile text as text', async () => {
    const rows = [{ ...row('a', hostile), title: hostile, url: 'https://a.example/?x=1&y="<' }]
    const { watches, add, run } = watched({ now: rows })
    add(hostile)
    await run()
    const { request, log } = testApp(undefined, { watches, keys: ['secret'] })
    const reply = await request(`/v1/watches/${id}.atom`)
    expect(reply.headers.get('content-type')).toBe('application/atom+xml; charset=utf-8')
    const xml = await reply.text()
    expect(xml).not.toMatch(/<script|[^\t\n\x20-\u{10ffff}]/u)
    const document = parsed(xml)
    const textsOf = (name: string) => [...document.querySelectorAll(name)].map(({ textContent }) => textContent)
    expect(xml).toStartWith('<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">')
    for (const title of textsOf('title')) expect(title).toContain('</title><script>alert("1")</script>')
    expect(textsOf('title')).toHaveLength(2)
    expect(xml).toContain('<link href="https://a.example/?x=1&#38;y=&#34;&#60;"/>')
    expect(new Set(textsOf('id')).size).toBe(2)
    expect(textsOf('summary')[0]).toContain('<img src=x onerror=alert(1)>')
    for (const time of textsOf('updated')) expect(Date.parse(time ?? '')).toBe(10 * hour)
    expect(JSON.stringify(log)).not.toContain(id)

    const tag = reply.headers.get('etag') ?? ''
    expect((await request(`/watches/${id}.atom`, { headers: { 'if-none-match': tag } })).status).toBe(304)
    await watches.close()
  })

  test.each([`${'b'.repeat(32)}.atom`, `${id}`, '..%2F..%2Fkeys.atom', `${id}.atom.atom`])(
    'is not at %s',
    async (name) => {
      const { watches, add } = watched({ now: [] })
      add()
      const { request } = testApp(undefined, { watches, keys: ['secret'] })
      expect((await request(`/v1/watches/${name}`)).status).toBe(404)
      await watches.close()
    },
  )

  test('is not listed for callers with a key, and needs one where there are keys', async () => {
    const { watches, add } = watched({ now: [] })
    add()
    const { request, get } = testApp(undefined, { watches, keys: ['secret'], localToken: 'csp-local-token' })
    expect((await request('/v1/watches')).status).toBe(401)
    expect((await get('/v1/watches', { 'x-api-key': 'secret' })).body.data).toEqual([])
    expect((await get('/v1/watches', { 'x-api-key': 'csp-local-token' })).body.data).toMatchObject([
      { id, query: 'bees' },
    ])
    await watches.close()
  })
})

/** As a reader of XML has it. Every element is one of Atom, and every reference a number. */
function parsed(xml: string) {
  const elements = new Set([...xml.matchAll(/<\/?(\w+)[^<>]*>/g)].map(([, name]) => name))
  expect([...elements].toSorted()).toEqual([
    'author',
    'category',
    'entry',
    'feed',
    'id',
    'link',
    'name',
    'summary',
    'title',
    'updated',
  ])
  expect(xml).not.toMatch(/&(?!#\d+;)/)
  return new DOMParser().parseFromString(xml, 'text/xml')
}
