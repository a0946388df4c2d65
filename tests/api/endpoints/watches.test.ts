import { expect, test } from 'bun:test'
import type { Watch, WatchEntry } from '../../../src/domain/watch.ts'
import type { Watches } from '../../../src/domain/watches.ts'
import { testApp } from '../test-app.ts'

const id = '0123456789abcdef'.repeat(2)
const request = { want: 'results', query: 'bees & <wasps>', history: [], effort: 'fast', filters: {} } as const
const watch: Watch = { id, request, everyMs: 90_000, createdAt: 0, nextAt: 3_600_000, seen: {} }
const run: Watch = { ...watch, lastAt: 1_000, problem: 'No.' }

/** Watches as a store finds them. */
function watchesOf(found: Watch, entries: readonly WatchEntry[] = []): Watches {
  return {
    list: async () => [found],
    feed: async (asked) => (asked === id ? { watch: found, entries } : undefined),
    counts: () => Promise.reject(new Error('It is not asked for.')),
  }
}

test('GET /v1/watches lists every watch for the operator, and none for another key', async () => {
  const never = { object: 'watch', id, query: request.query, every_seconds: 90, problem: null, last_at: null }
  const entry = { ...never, created_at: '1970-01-01T00:00:00.000Z', next_at: '1970-01-01T01:00:00.000Z' }
  const open = testApp(undefined, { watches: watchesOf(watch) })
  expect((await open.get('/v1/watches')).body).toEqual({ object: 'list', data: [entry] })
  const keys = { keys: ['one'], localToken: 'of-this-user' }
  const { get } = testApp(undefined, { watches: watchesOf(run), ...keys })
  const ran = { ...entry, problem: 'No.', last_at: '1970-01-01T00:00:01.000Z' }
  expect((await get('/watches', { 'x-api-key': 'of-this-user' })).body).toEqual({ object: 'list', data: [ran] })
  expect((await get('/watches', { 'x-api-key': 'one' })).body).toEqual({ object: 'list', data: [] })
  expect((await get('/watches')).status).toBe(401)
  expect((await testApp().get('/v1/watches')).body).toEqual({ object: 'list', data: [] })
})

test('a feed is Atom, the newest entry first, without the id of its watch outside its own address', async () => {
  const entries: readonly WatchEntry[] = [
    {
      sequence: 2,
      at: 7_000,
      kind: 'changed',
      url: 'https://a.example/?b="c"',
      title: "A\n'b'\u0000",
      passages: ['X', 'Y'],
    },
    { sequence: 1, at: 5_000, kind: 'new', url: 'https://b.example/', title: ' ', passages: [] },
  ]
  const { request: ask } = testApp(undefined, { watches: watchesOf(run, entries), keys: ['one'] })
  const reply = await ask(`http://localhost:8080/v1/watches/${id}.atom?x=1`)
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'application/atom+xml; charset=utf-8'])
  expect(Object.fromEntries(reply.headers)).toMatchObject({
    etag: '"1000-2"',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  })
  const digest = new Bun.CryptoHasher('sha256').update(id).digest('hex')
  const feed = `tag:claude-search-proxy.invalid,2026:${digest.slice(0, 32)}`
  expect(await reply.text()).toBe(`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${feed}</id>
<title>bees &#38; &#60;wasps&#62;</title>
<updated>1970-01-01T00:00:07.000Z</updated>
<author><name>csp</name></author>
<link rel="self" type="application/atom+xml" href="http://localhost:8080/v1/watches/${id}.atom"/>
<entry><id>${feed}/2</id><title>A &#39;b&#39;</title><updated>1970-01-01T00:00:07.000Z</updated><link href="https://a.example/?b=&#34;c&#34;"/><category term="changed"/><summary>X

Y</summary></entry>
<entry><id>${feed}/1</id><title>https://b.example/</title><updated>1970-01-01T00:00:05.000Z</updated><link href="https://b.example/"/><category term="new"/><summary></summary></entry>
</feed>
`)
  const again = (tag: string) => ask(`/watches/${id}.atom`, { headers: { 'if-none-match': tag } })
  expect([(await again('"1000-2"')).status, (await again('"1000-1"')).status]).toEqual([304, 200])
})

test('a feed of a watch that has not run yet is there, and empty', async () => {
  const { request: ask } = testApp(undefined, { watches: watchesOf(watch) })
  const reply = await ask(`/v1/watches/${id}.atom`)
  expect(reply.headers.get('etag')).toBe('"0-0"')
  expect(await reply.text()).toMatch(/<updated>1970-01-01T00:00:00\.000Z<\/updated>\n<author>.*\n<link .*\n<\/feed>\n$/)
})

test.each([`${id.slice(1)}.atom`, `${'f'.repeat(32)}.atom`, `${id.toUpperCase()}.atom`, id, `${id}.atom.xml`])(
  'there is no feed %p',
  async (file) => {
    for (const watches of [watchesOf(watch), undefined]) {
      const { status, body } = await testApp(undefined, { watches }).get(`/v1/watches/${file}`)
      expect([status, body.error.message]).toEqual([404, expect.stringContaining('no such watch')])
    }
  },
)
