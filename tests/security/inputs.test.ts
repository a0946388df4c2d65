import { expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { bounds } from '../../src/api/exchange/body.ts'
import { testApp } from '../api/test-app.ts'
import { getRoutes, type PostRoute, postRoutes } from './every-route.ts'

// Bodies that are made to cost more than they are worth, on every route.

const textual = (body: string): RequestInit => ({ method: 'POST', body })
const nested = (depth: number) => `${'['.repeat(depth)}1${']'.repeat(depth)}`
/** The body of a route, with one more field, whose JSON is given as it stands. */
const withField = ({ body }: PostRoute, name: string, json: string) =>
  textual(`${JSON.stringify(body).slice(0, -1)},${JSON.stringify(name)}:${json}}`)

const refused = {
  '10,000 levels of lists': (route) => withField(route, 'more', nested(10_000)),
  '10,000 levels of objects': (route) => withField(route, 'more', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`),
  'levels to the last byte': () => textual('['.repeat(200_000)),
  'one level too many': (route) => withField(route, 'more', nested(bounds.depth)),
  'a list of more than 4096 items': (route) => withField(route, 'more', `[${'0,'.repeat(4096)}0]`),
  'too many values': (route) => withField(route, 'more', JSON.stringify(Array(15).fill(Array(4_000).fill(0)))),
  'the name of a prototype': (route) => withField(route, 'more', '{"__proto__":{"type":"object"}}'),
  'bytes that are no UTF-8': () => ({ method: 'POST', body: new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]) }),
  'a packed body': ({ body }) => ({
    method: 'POST',
    headers: { 'content-encoding': 'gzip' },
    body: new Uint8Array(gzipSync(JSON.stringify(body))),
  }),
  'a body that says it is packed': ({ body }) => ({
    method: 'POST',
    headers: { 'content-encoding': 'br' },
    body: JSON.stringify(body),
  }),
  'more than may be sent': (route) => withField(route, 'more', JSON.stringify('x'.repeat(1024 * 1024))),
  'half of it': ({ body }) => textual(JSON.stringify(body).slice(0, -3)),
  'a number': () => textual('1e400'),
  nothing: () => ({ method: 'POST' }),
} satisfies Readonly<Record<string, (route: PostRoute) => RequestInit>>

const refusing = testApp()

async function expectRefusal(route: PostRoute, make: (route: PostRoute) => RequestInit): Promise<void> {
  const { request, executor, log } = refusing
  const response = await request(route.path, make(route))
  const text = await response.text()
  expect([400, 413, 415, 422]).toContain(response.status)
  expect(text.length).toBeLessThan(20_000)
  const code = log.at(-1)?.code
  if (code) expect(['invalid-request', 'too-large', 'encoded-body']).toContain(code)
  expect(JSON.parse(text)).toBeObject()
  expect(executor.calls).toHaveLength(0)
}

test.each(postRoutes.map((route) => [route.path, route] as const))(
  'POST %s reads its body as all do',
  async (path, route) => {
    const { request } = testApp()
    expect((await request(path, textual(JSON.stringify(route.body)))).status).toBe(200)
    expect((await request(path, textual(`\ufeff${JSON.stringify(route.body)}`))).status).toBe(200)
    // JSON-RPC has no field for it.
    const deep = withField(route, 'more', nested(bounds.depth - 1))
    if (!path.endsWith('/mcp')) expect((await request(path, deep)).status).toBe(200)
    for (const kind of ['one level too many', 'half of it', 'a packed body'] as const)
      await expectRefusal(route, refused[kind])
  },
)

// A body is read in one place. JSON-RPC has failures of its own, and the gateway looks at a body before its reader.
const apart = postRoutes.filter(({ path }) => ['/v1/search', '/mcp', '/v1/messages'].includes(path))

test.each(Object.entries(refused))(
  'a body with %s is refused with a reason, and no search is made',
  async (_, make) => {
    expect(apart).toHaveLength(3)
    for (const route of apart) await expectRefusal(route, make)
  },
)

test('a body as long as may be sent, with levels to the last byte, is refused', async () => {
  const { request, executor } = testApp()
  const response = await request('/v1/search', textual('['.repeat(1_000_000)))
  expect(response.status).toBe(400)
  expect(JSON.parse(await response.text())).toBeObject()
  expect(executor.calls).toHaveLength(0)
})

test.each(getRoutes)('GET %s accepts a query string of bounded length only', async (path) => {
  const { request, executor } = testApp()
  expect((await request(path)).status).toBe(200)
  const searches = executor.calls.length
  const many = await request(`${path}&${Array.from({ length: bounds.items + 1 }, () => 'a=1').join('&')}`)
  expect([400, 422]).toContain(many.status)
  expect(await many.json()).toBeObject()
  expect(executor.calls).toHaveLength(searches)
})

test.each(['gzip', 'BR', 'zstd'])('a body encoded with %s is refused before it is read', async (packing) => {
  const { request } = testApp()
  const body = '{"query":"bees"}'
  const response = await request('/v1/search', { method: 'POST', body, headers: { 'content-encoding': packing } })
  expect(response.status).toBe(415)
  expect(await response.text()).toContain(`Content-Encoding ${packing.toLowerCase()} is not supported`)
})

test('an error message quotes a large wrong value shortened, or not at all', async () => {
  const { request } = testApp()
  for (const [type, wrong] of [
    ['text', 'x'.repeat(5_000)],
    ['a list', Array(5_000).fill('x')],
  ]) {
    const body = JSON.stringify({ q: 'bees', freshness: wrong })
    const response = await request('/res/v1/web/search', { method: 'POST', body })
    expect([type, response.status]).toEqual([type, 422])
    expect((await response.text()).length).toBeLessThan(2_000)
  }
})

test('a form of 170,000 names is refused before it is parsed', async () => {
  const { request, executor } = testApp()
  const names = Array.from({ length: 170_000 }, (_, index) => index.toString(36)).join('&')
  const init = { method: 'POST', body: names, headers: { 'content-type': 'application/x-www-form-urlencoded' } }
  for (const path of ['/search', `/searxng/search?${names.slice(0, 15_000)}`]) {
    const response = await request(path, init)
    expect(response.status).toBe(400)
    expect(await response.text()).toContain(`hold at most ${bounds.values} values`)
  }
  expect(executor.calls).toHaveLength(0)
})

test('an error message about 4,000 wrong places names only the first of them', async () => {
  const { request } = testApp()
  const messages = Array.from({ length: 4_000 }, () => ({ role: 'nobody', content: 7 }))
  for (const path of ['/v1/chat/completions', '/chat/completions', '/res/v1/chat/completions', '/v1/messages']) {
    const response = await request(path, textual(JSON.stringify({ model: 'sonnet', max_tokens: 9, messages })))
    expect([400, 422]).toContain(response.status)
    expect((await response.text()).length).toBeLessThan(20_000)
  }
})

test('the last of two equal names counts, and the names of a prototype have no effect', async () => {
  const { request, executor } = testApp()
  await request('/v1/search', textual('{"query":"wasps","query":"bees","constructor":{"prototype":{"polluted":1}}}'))
  expect(executor.calls[0]?.request.query).toBe('bees')
  expect(Reflect.get({}, 'polluted')).toBeUndefined()
})

test.each([
  'text/plain',
  'application/xml',
  'multipart/form-data; boundary=x',
  'application/json; charset=utf-16',
  '\t',
])('a body of the type %j is read as JSON', async (type) => {
  const { request } = testApp()
  const init = { method: 'POST', body: '{"query":"bees"}', headers: { 'content-type': type } }
  expect((await request('/v1/search', init)).status).toBe(200)
})
