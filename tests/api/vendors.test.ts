import { describe, expect, test } from 'bun:test'
import { Glob } from 'bun'
import { routes as table, vendors } from '../../src/api/vendors.ts'
import { concretePath } from '../support/concrete-path.ts'
import { ownFile } from '../support/own-file.ts'
import { vendorOf } from './support/vendor-of.ts'
import { testApp } from './test-app.ts'

/** Every method of every path, and the vendor that its manifest names. */
const routes = table.flatMap(({ path, methods }) =>
  Object.entries(methods).map(([method, { vendor }]) => [method, concretePath(path), vendor] as const),
)
const named = routes.map(([method, path, vendor]) => [method, path, vendor.name, vendor] as const)

describe('every vendor', () => {
  test('has a manifest in its folder, and the list holds it once', async () => {
    const source = new URL('../../src/api/', import.meta.url).pathname
    const manifests = await Promise.all(
      [...new Glob('{dialects,endpoints}/*/vendor.ts').scanSync(source)].map((file) => import(`${source}${file}`)),
    )
    const found = manifests.flatMap((manifest) => Object.values(manifest)).filter(isVendor)
    expect(new Set(found)).toEqual(new Set(vendors))
    expect(new Set(vendors.map(({ name }) => name)).size).toBe(vendors.length)
  })
})

describe('every route', () => {
  const open = testApp()
  const closed = testApp(undefined, { keys: ['secret'] })

  test('is in the table once', () => {
    const paths = table.map(({ path }) => path)
    expect(paths.filter((path, at) => paths.indexOf(path) !== at)).toEqual([])
    expect(routes.length).toBeGreaterThan(60)
  })

  test.each(named)(
    '%s %s logs a request without a key, and formats its error, as %s',
    async (method, path, name, vendor) => {
      const { request, log } = closed
      const response = await request(path, { method })
      const failure = {
        code: 'unauthorized',
        status: 401,
        message: 'A key is required.',
        issues: [{ path: [], type: 'missing', message: 'Field required' }],
      } as const
      const id = `id-${log.length}`
      const expected = vendor.formatError(failure, { id, createdAt: new Date('2026-11-20T10:00:00Z') }, method)
      expect(response.status).toBe(expected.status)
      expect(await response.json()).toEqual(JSON.parse(JSON.stringify(expected.body)))
      expect(log.at(-1)).toMatchObject({ dialect: name, code: 'unauthorized' })
    },
  )

  test.each(named)('%s %s logs what its handler rejects as %s', async (method, path, name) => {
    const body = method === 'POST' ? { body: '[' } : {}
    await (await open.request(path, { method, ...body })).text()
    expect(open.log.at(-1)).toMatchObject({ dialect: name, status: expect.any(Number) })
  })

  test.each(named)(
    '%s %s with a slash at the end, or another method, belongs to its vendor',
    async (method, path, name) => {
      expect(await vendorOf(method, `${path}/`)).toBe(name)
      expect(await vendorOf(method, path, { 'anthropic-version': '2023-06-01' })).toBe(name)
      const onPath = routes.filter(([, other]) => other === path).map(([, , { name }]) => name)
      expect(onPath).toContain(await vendorOf('DELETE', path))
    },
  )
})

describe('a path that vendors share', () => {
  test.each([
    ['/search', 'application/json', '{"query":"bees"}', 'perplexity'],
    ['/search', 'application/json', '{"q":"bees"}', 'serper'],
    ['/search', 'application/json', '[{"q":"bees"}]', 'serper'],
    ['/search', 'application/x-www-form-urlencoded', 'q=bees&format=json', 'searxng'],
    ['/responses', 'application/json', '{"input":"bees"}', 'openai'],
    ['/v1/responses', 'application/json', '{"input":"bees","model":"sonar"}', 'openai'],
    ['/v1/responses', 'application/json', '{"input":"bees","model":"perplexity/sonar"}', 'perplexity'],
    ['/v1/responses', 'application/json', '{"input":"bees","preset":"fast-search"}', 'perplexity'],
  ])('%s logs the vendor that answers: %s %s is %s', async (path, type, body, name) => {
    const { request, log } = testApp()
    const response = await request(path, { method: 'POST', body, headers: { 'content-type': type } })
    expect(response.status).toBe(200)
    await response.text()
    expect(log).toMatchObject([{ dialect: name, status: 200 }])
  })
})

describe('a path without a route', () => {
  test.each([
    ['/', 'native'],
    ['/nope', 'native'],
    ['/v1', 'openai'],
    ['/v1/nope', 'openai'],
    ['/v1/models', 'openai'],
    ['/v1/health', 'native'],
    ['/usage', 'native'],
    ['/res/v1/nonsense', 'brave'],
    ['/v1/res/v1/web', 'brave'],
    ['/tavily/crawl', 'tavily'],
    ['/v2/crawl', 'firecrawl'],
    ['/messages/batches', 'anthropic'],
    ['/v1/messages/batches', 'anthropic'],
    ['/responses/resp_1', 'openai'],
    ['/search/any/more', 'litellm'],
    ['/resource', 'native'],
    ['/v1beta/models', 'gemini'],
    ['/v1beta/models/gemini-flash-latest:embedContent', 'gemini'],
    ['/gemini/v1beta/cachedContents', 'gemini'],
    ['/v1/models/gemini-flash-latest%3AgenerateContent', 'gemini'],
    ['/v1/models/sonar', 'openai'],
    ['/models/sonar', 'native'],
    ['/openai/deployments/sonar/embeddings', 'openai'],
    ['/v1/projects/p/locations/l/publishers/anthropic/models/sonnet:predict', 'anthropic'],
    ['/v1beta1/projects/p/locations/l/publishers/google/models/gemini-flash-latest:predict', 'gemini'],
  ])('%s belongs to %s, whose prefix fits best', async (path, name) => {
    expect(await vendorOf('POST', path)).toBe(name)
  })

  test.each(['/v1/models', '/v1/nope', '/models', '/health'])(
    '%s belongs to Anthropic for its clients',
    async (path) => {
      expect(await vendorOf('GET', path, { 'anthropic-version': '2023-06-01' })).toBe('anthropic')
    },
  )

  test.each(['/v1/models', '/v1/nope', '/models'])('%s belongs to Gemini for its clients', async (path) => {
    expect(await vendorOf('GET', path, { 'x-goog-api-key': 'local' })).toBe('gemini')
  })
})

test('the manifests load neither schemas nor writers', async () => {
  const reached = new Set<string>()
  const visit = async (file: URL): Promise<void> => {
    if (reached.has(file.pathname)) return
    reached.add(file.pathname)
    const code = await Bun.file(file).text()
    for (const { path, kind } of new Bun.Transpiler({ loader: 'ts' }).scanImports(code)) {
      if (kind === 'dynamic-import') continue
      const own = ownFile(path, file)
      expect({ path, from: file.pathname, isOwn: own !== undefined }).toMatchObject({ isOwn: true })
      if (own) await visit(own)
    }
  }
  await visit(new URL('../../src/api/vendors.ts', import.meta.url))
  expect([...reached].filter((file) => /(input|search|writer|chat|messages|responses)\.ts$/.test(file))).toEqual([])
})

function isVendor(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'routes' in value && 'formatError' in value
}

test.each(['/async/embeddings', '/v1/async/embeddings'])(
  "%s, which is not served, gets its error in Perplexity's shape",
  async (path) => {
    const { status, body } = await testApp().post(path, { request: {} })
    expect(status).toBe(404)
    expect(body).toEqual({ error: { message: expect.any(String), type: 'not_found', code: 404 } })
  },
)
