import { beforeAll, describe, expect, test } from 'bun:test'
import { Validator as OpenApiValidator } from '@seriousme/openapi-schema-validator'
import { exampleEvents } from '../../../src/api/serve/example.ts'
import { createApp } from '../../../src/app.ts'
import { collect } from '../../../src/domain/answer.ts'
import type { SearchRequest } from '../../../src/domain/search.ts'
import { createPage } from '../../../src/web-ui/page.tsx'
import { concretePath } from '../../support/concrete-path.ts'
import { fakePageReader } from '../../support/fake-page-reader.ts'
import { pageRoutes, searchRoutes } from '../../support/routes.ts'
import { scriptedExecutor } from '../../support/scripted-executor.ts'
import { type TestApp, testApp } from '../test-app.ts'

const page = async () => createPage()
const signIn = { async *begin() {}, enter: async () => false }
const metrics = { type: 'text/plain', observe() {}, format: async () => '' }
const pages = fakePageReader({ 'https://example.com/heat-pumps': { title: 'Heat pumps', content: 'They work.' } })

let app: TestApp
// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came, and says what it expects of it
let document: any

beforeAll(async () => {
  app = testApp(undefined, { page, metrics, pages, keys: ['key'] })
  document = (await app.get('/openapi.json')).body
})

function resolve(part: { $ref?: string }) {
  const steps = part.$ref?.split('/').slice(1)
  return steps ? steps.reduce((found, step) => found[step], document) : part
}

/** Each route that a vendor's client calls, with the example that the document has for it. */
function examples() {
  return [...searchRoutes, ...pageRoutes].flatMap(({ path, methods }) =>
    Object.keys(methods).map((method) => {
      const templated = path.replaceAll(/:(\w+)(\{[^}]*\})?/g, '{$1}')
      const operation = document.paths[templated][method.toLowerCase()]
      const query = new URLSearchParams(
        operation.parameters
          .map(resolve)
          .filter((parameter: { in: string; example?: unknown }) => parameter.in === 'query' && parameter.example)
          .map(({ name, example }: { name: string; example: unknown }) => [name, String(example)]),
      )
      const address = templated
        .replace('{url}', 'https://example.com/heat-pumps')
        .replace('{tool}', 'csp')
        .replace('{id}', 'gemini-flash-latest:generateContent')
        .replace('anthropic/models/{model}', 'anthropic/models/claude-sonnet-4-5@20250929:rawPredict')
        .replace('{model}', 'sonar-pro')
        .replace('{version}', 'v1')
      const bodies = Object.entries<{ examples: Record<string, { value: unknown }> }>(
        operation.requestBody ? resolve(operation.requestBody).content : {},
      )
      return { method, operation, address: query.size > 0 ? `${address}?${query}` : address, bodies }
    }),
  )
}

describe('the OpenAPI document', () => {
  test('is valid OpenAPI 3.1', async () => {
    const validator = new OpenApiValidator()
    const { valid, errors } = await validator.validate(document)
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined })
    expect(validator.version).toBe('3.1')
  })

  test('has every path and method that is mounted, and nothing else', async () => {
    const hono = createApp({ executor: scriptedExecutor([]), version: '1', page, metrics, pages, signIn })
    const mounted = new Map<string, string[]>()
    for (const { path } of hono.routes) {
      if (path.endsWith('*')) continue
      const address = concretePath(path).replaceAll(/:(\w+)(\{[^}]*\})?/g, 'x')
      const { headers, status } = await hono.request(address, { method: 'PUT' })
      // A path that is not mounted as the others are has no such header.
      const allowed = status === 405 ? (headers.get('allow') ?? '').split(', ') : methodsOf(path, hono.routes)
      mounted.set(path.replaceAll(/:(\w+)(\{[^}]*\})?/g, '{$1}'), allowed.toSorted())
    }
    const described = Object.entries<object>(document.paths).map(([path, item]) => [
      path,
      Object.keys(item)
        .map((method) => method.toUpperCase())
        .toSorted(),
    ])
    expect(Object.fromEntries(described)).toEqual(Object.fromEntries(mounted))
  })

  test('names each operation once', () => {
    const ids = Object.values<Record<string, { operationId: string }>>(document.paths).flatMap((item) =>
      Object.values(item).map(({ operationId }) => operationId),
    )
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
  })

  test('refers only to parts that it has', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, target]) => target ?? '')
    expect(references.length).toBeGreaterThan(300)
    expect(references.filter((target) => resolve({ $ref: target }) === undefined)).toEqual([])
  })

  test('has examples that are answered, without a field that has no effect, in the shape that it describes', async () => {
    for (const { method, operation, address, bodies } of examples()) {
      const sent = bodies.flatMap(([type, { examples: all }]) =>
        Object.values(all).map(({ value }) => ({ type, value })),
      )
      const withoutBody = { type: undefined, value: undefined }
      for (const { type, value } of sent.length > 0 ? sent : [withoutBody]) {
        const body = type === 'application/json' ? JSON.stringify(value) : new URLSearchParams(Object(value)).toString()
        const headers = { authorization: 'Bearer key', 'content-type': type ?? 'text/plain' }
        const reply = await app.request(address, { method, headers, ...(type && { body }) })
        const text = await reply.text()
        const where = `${method} ${address}`
        expect({ where, status: reply.status, text }).toEqual({ where, status: 200, text })
        // Anthropic requires it.
        const ignored = /\/messages$|:rawPredict$/.test(address) ? 'max_tokens' : null
        expect({ where, ignored: reply.headers.get('x-csp-ignored') }).toEqual({ where, ignored })
        const content = resolve(operation.responses[200]).content
        expect(Object.keys(content)).toContain(reply.headers.get('content-type')?.split(';')[0] ?? '')
        if (!reply.headers.get('content-type')?.startsWith('application/json')) continue
        const described = Object.values<{ value: object }>(content['application/json'].examples).map(
          (each) => each.value,
        )
        expect(described.map(shapeOf)).toContain(shapeOf(JSON.parse(text)))
      }
    }
  })

  test('has an example answer whose citation stands where it says', async () => {
    const requests = [
      { query: 'q', want: 'answer' },
      { query: 'q', want: 'results' },
    ] as unknown as SearchRequest[]
    const { text, citations, searches } = await collect(exampleEvents(requests))
    expect(citations.map(({ start, end }) => text.slice(start, end))).toEqual(['[1]'])
    expect(citations[0]?.url).toBe(searches[0]?.results[0]?.url ?? '')
    const list = await collect(exampleEvents(requests.slice(1)))
    expect([list.text, list.citations, list.usage.outputTokens]).toEqual(['', [], 0])
  })

  test('has error replies whose bodies are those of the vendor', async () => {
    for (const { method, operation, address } of examples()) {
      const reply = await app.request(address.split('?')[0] ?? '', { method })
      const described = resolve(operation.responses[reply.status])
      expect(described).toBeDefined()
      const body: object = Object(await reply.json())
      const { unauthorized } = described.content['application/json'].examples
      expect(shapeOf(unauthorized.value)).toEqual(shapeOf(body))
    }
  })

  test('says that a job may be gone, and of no other route', () => {
    const missing = (path: string, method: string) =>
      Object.keys(
        resolve(document.paths[path][method].responses[404] ?? {}).content?.['application/json'].examples ?? {},
      )
    expect(missing('/v1/responses/{id}', 'get')).toContain('not-found')
    expect(missing('/v1/chat/completions', 'post')).not.toContain('not-found')
  })

  test('has streams as they are sent', () => {
    const streams = examples().flatMap(({ operation }) => {
      const { examples: all = {} } = resolve(operation.responses[200]).content['text/event-stream'] ?? {}
      return Object.values<{ value: unknown }>(all).map(({ value }) => value)
    })
    expect(streams.length).toBeGreaterThan(0)
    for (const stream of streams) expect(stream).toMatch(/^(?:event: [^\n]+\n)?data: /)
  })

  test('has the headers of csp at routes that search, and of the cache alone at those that read pages', () => {
    const headersOf = (path: string, method: string): string[] =>
      document.paths[path][method].parameters
        .map(resolve)
        .flatMap(({ in: place, name }: { in: string; name: string }) => (place === 'header' ? [name] : []))
    const own = ['excerpts', 'backend', 'evidence', 'merge'].map((name) => `x-csp-${name}`)
    expect(headersOf('/tavily/search', 'post')).toEqual(['cache-control', ...own])
    expect(headersOf('/v1/search', 'get')).toEqual(['cache-control', ...own])
    expect(headersOf('/tavily/extract', 'post')).toEqual(['cache-control'])
  })

  test('has a body where one is read', () => {
    const hasBody = (path: string, method: string) => 'requestBody' in document.paths[path][method]
    expect([hasBody('/v1/search', 'get'), hasBody('/tavily/search', 'post')]).toEqual([false, true])
    expect([hasBody('/r/{url}', 'get'), hasBody('/r/{url}', 'post'), hasBody('/r', 'post')]).toEqual([
      false,
      false,
      true,
    ])
  })

  test('is served to callers without a key, and names no version of csp', async () => {
    const reply = await app.request('/openapi.json')
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(document.info.version).toBe('1')
    expect((await app.request('/openapi.json', { method: 'HEAD' })).status).toBe(200)
  })
})

function methodsOf(path: string, routes: readonly { readonly path: string; readonly method: string }[]) {
  return [...new Set(routes.filter((route) => route.path === path).map(({ method }) => method))]
}

/** The names of the fields at the top. */
function shapeOf(value: object): string {
  return Array.isArray(value) ? 'list' : Object.keys(value).toSorted().join(' ')
}
