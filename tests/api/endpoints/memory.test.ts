import { expect, test } from 'bun:test'
import type { KeptMemory } from '../../../src/api/endpoints/own-parts.ts'
import { createApp } from '../../../src/app.ts'
import type { Forgetting, MemoryScope } from '../../../src/domain/memory.ts'
import { testApp, usual } from '../test-app.ts'

/** A memory that says whose pages it was asked for. */
function kept(scope: MemoryScope, forgotten: Forgetting[] = []): KeptMemory {
  return {
    scope,
    memory: {
      stats: async (owner) => ({ pages: owner === undefined ? 9 : owner.length, bytes: 1e6, sites: 2 }),
      forget: async (what) => forgotten.push(what),
    },
  }
}

const keys = ['one', 'two']
const one = { 'x-api-key': 'one' }
const local = { 'x-api-key': 'of-this-user' }

test('GET /v1/memory says how much there is, and whether its caller may forget it', async () => {
  const said = { object: 'memory', bytes: 1e6, sites: 2, oldest: null, newest: null }
  const open = testApp(undefined, { memory: kept('all') })
  expect((await open.get('/v1/memory')).body).toEqual({ ...said, pages: 9, may_forget: true })
  const shared = testApp(undefined, { memory: kept('all'), keys, localToken: 'of-this-user' })
  expect((await shared.get('/memory', one)).body).toEqual({ ...said, pages: 9, may_forget: false })
  expect((await shared.get('/memory', local)).body).toMatchObject({ pages: 9, may_forget: true })
  const apart = testApp(undefined, { memory: kept('key'), keys })
  expect((await apart.get('/memory', one)).body).toEqual({ ...said, pages: 'key-1'.length, may_forget: true })
  expect((await apart.get('/memory')).status).toBe(401)
})

test('DELETE /v1/memory forgets a site or all, and never without saying which', async () => {
  const forgotten: Forgetting[] = []
  const { request } = testApp(undefined, { memory: kept('all', forgotten) })
  const remove = (query: string) => request(`/v1/memory${query}`, { method: 'DELETE' })
  expect(await (await remove('?site=https://www.Example.org/bees')).json()).toMatchObject({
    site: 'example.org',
    pages: 1,
  })
  expect(await (await remove('?all=true')).json()).toMatchObject({ site: null, pages: 2 })
  expect(await (await remove('')).text()).toContain('Name a site to forget, or send all=true instead')
  for (const query of [
    '?all=false',
    '?all=true&site=a.example',
    '?site=',
    '?site=https://',
    '?all=perhaps',
    `?site=${'x'.repeat(301)}`,
  ])
    expect([query, (await remove(query)).status]).toEqual([query, 400])
  expect(forgotten).toEqual([{ site: 'example.org' }, {}])
})

test('DELETE /v1/memory may take longer than a connection may be silent', async () => {
  const calls: string[] = []
  const connection = {
    admit: () => true,
    keepOpen: () => void calls.push('keepOpen'),
    release: () => void calls.push('release'),
  }
  const { memory, scope } = kept('all')
  const forget: typeof memory.forget = async () => calls.push('forget')
  const app = createApp({ executor: usual(), version: '1', memory: { scope, memory: { ...memory, forget } } })
  await app.request('/v1/memory?all=true', { method: 'DELETE' }, { connection })
  expect(calls.slice(0, 2)).toEqual(['keepOpen', 'forget'])
})

test('a key forgets its own pages where keys share nothing, and none where they share all', async () => {
  for (const scope of ['all', 'key'] as const) {
    const forgotten: Forgetting[] = []
    const { request } = testApp(undefined, { memory: kept(scope, forgotten), keys, localToken: 'of-this-user' })
    const remove = (headers: Record<string, string>) => request('/v1/memory?all=true', { method: 'DELETE', headers })
    expect((await remove(one)).status).toBe(scope === 'all' ? 403 : 200)
    expect((await remove({})).status).toBe(401)
    expect((await remove(local)).status).toBe(200)
    expect(forgotten).toEqual(scope === 'all' ? [{}] : [{ owner: 'key-1' }, {}])
  }
})

test('a page of another site forgets nothing', async () => {
  const forgotten: Forgetting[] = []
  const { request } = testApp(undefined, { memory: kept('all', forgotten) })
  for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }])
    expect((await request('/v1/memory?all=true', { method: 'DELETE', headers })).status).toBe(403)
  expect(forgotten).toEqual([])
})

test('a server without memory says so', async () => {
  const { status, body } = await testApp().get('/v1/memory')
  expect({ status, text: JSON.stringify(body) }).toEqual({
    status: 404,
    text: expect.stringContaining('keeps no memory'),
  })
})
