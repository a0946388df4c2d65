import { beforeAll, describe, expect, test } from 'bun:test'
import { createDocument } from '../../src/api/openapi/document.ts'
import { curlCommand, fieldsOf, groupsOf, repliesOf, typeOf } from '../../src/web-ui/described.ts'
import { createPage } from '../../src/web-ui/page.tsx'
import { testApp } from '../api/test-app.ts'

let document: Readonly<Record<string, unknown>>

beforeAll(async () => {
  document = JSON.parse(JSON.stringify(await createDocument()))
})

function found(method: string, path: string) {
  const operations = groupsOf(document).flatMap((group) => group.operations)
  const one = operations.find((operation) => operation.method === method && operation.paths.includes(path))
  if (!one) throw new Error(`There is no ${method} ${path}.`)
  return one
}

describe('the reference at /docs', () => {
  test('shows every path, and loads nothing of another site', async () => {
    const { request } = testApp(undefined, { page: async () => createPage(), keys: ['key'] })
    const reply = await request('/docs')
    const markup = await reply.text()
    expect([reply.status, reply.headers.get('content-security-policy')]).toEqual([
      200,
      expect.stringContaining("default-src 'none'"),
    ])
    for (const path of Object.keys(Object(document['paths']))) expect(markup).toContain(path)
    const loaded = [...markup.matchAll(/<[^>]+\s(?:src|href)="([^"]+)"/g)].map(([, address]) => address ?? '')
    expect(loaded.filter((address) => !/^(page\/|#|data:|\.\/$|openapi\.json$|llms\.txt$)/.test(address))).toEqual([])
  })

  test('is not there without the page', async () => {
    expect((await testApp().request('/docs')).status).toBe(404)
  })

  test('shows a path and the same under /v1 once', () => {
    expect(found('POST', '/tavily/search').paths).toEqual(['/tavily/search', '/v1/tavily/search'])
  })

  test('names the fields of a body and of a query with what they take', () => {
    expect(fieldsOf(found('POST', '/tavily/search'), document)).toContainEqual({
      name: 'query',
      place: 'body',
      type: 'text of 1 to 4000 characters',
      isRequired: true,
    })
    expect(fieldsOf(found('GET', '/v1/search'), document)).toContainEqual({
      name: 'count',
      place: 'query',
      type: 'whole number from 1 to 20',
      isRequired: false,
    })
  })

  test.each([
    [{ enum: ['low', 'high', null] }, 'low, high'],
    [{ type: 'array', items: { type: 'boolean' } }, 'list of true or false'],
    [{ anyOf: [{ type: 'string' }, { type: 'array', items: {} }, { type: 'null' }] }, 'text or list of anything'],
    [{}, 'anything'],
  ])('writes the type %j as %s', (schema, words) => {
    expect(typeOf(schema)).toBe(words)
  })

  test('has a command for a form that is sent by the address alone', () => {
    expect(curlCommand(found('POST', '/searxng'), document, 'http://127.0.0.1:52480')).toBe(
      "curl -X POST -G 'http://127.0.0.1:52480/' --data-urlencode 'q=heat pumps'",
    )
  })

  test('has commands that a shell takes as they stand', () => {
    const url = 'http://127.0.0.1:52480'
    expect(curlCommand(found('GET', '/v1/search'), document, url)).toStartWith(
      `curl -G '${url}/v1/search' --data-urlencode 'q=heat pumps in the cold'`,
    )
    expect(curlCommand(found('POST', '/exa/answer'), document, url)).toBe(
      `curl '${url}/exa/answer' -H 'content-type: application/json' -d '{"query":"How do heat pumps work in the cold?"}'`,
    )
    expect(curlCommand(found('GET', '/r/{url}'), document, url)).toBe(`curl '${url}/r/https://example.com/'`)
  })
})

describe('a small document', () => {
  const small = {
    tags: [{ name: 'A', description: 'All `a`' }, 'x', { name: 'B' }, { name: 'none', description: 'x' }],
    components: {
      schemas: { Bee: { required: ['hum'], properties: { hum: { type: ['null', 'boolean'] }, name: {} } } },
      parameters: { p: { name: 'p', in: 'query', required: true, schema: { const: 'x' }, example: "it's" } },
      responses: { bad: { description: 'Not `good`', content: { 'text/plain': { example: 'No.' } } } },
    },
    paths: {
      '/a': {
        head: { tags: ['A'] },
        post: {
          ...{ tags: ['A'], summary: 'Hum `a`', operationId: 'a' },
          requestBody: {
            content: {
              'text/plain': { schema: {}, example: 'no' },
              'application/json': {
                schema: { anyOf: [{ $ref: '#/components/schemas/Bee' }, { properties: { loud: { minimum: 1 } } }] },
                examples: { one: { value: { hum: true } } },
              },
            },
          },
          responses: { 200: { description: 'Yes', content: { 'application/json': { example: { a: 1 } } } }, 204: {} },
        },
      },
      '/v1/a': { post: {} as object, parameters: 5 },
      '/b/{id}/{other}': {
        get: {
          ...{
            tags: ['B'],
            summary: 'b',
            parameters: [{ $ref: '#/components/parameters/p' }, { name: 'q', in: 'header' }],
          },
          responses: { 400: { $ref: '#/components/responses/bad' } },
        },
        delete: { tags: ['B'], summary: 'gone', parameters: [{ name: 'r', in: 'query' }] },
      },
    },
  }
  small.paths['/v1/a'].post = { ...small.paths['/a'].post, operationId: 'b' }
  const [a, b] = groupsOf(small)
  const [hum, get, gone] = [...(a?.operations ?? []), ...(b?.operations ?? [])]
  if (!hum || !get || !gone) throw new Error('There are not three operations.')

  test('has its operations by their tags, equal ones once', () => {
    expect(groupsOf(small).map(({ title, description }) => [title, description])).toEqual([
      ['A', 'All a'],
      ['B', 'undefined'],
    ])
    expect([hum, get, gone].map(({ method, paths, summary }) => [method, paths, summary])).toEqual([
      ['POST', ['/a', '/v1/a'], 'Hum a'],
      ['GET', ['/b/{id}/{other}'], 'b'],
      ['DELETE', ['/b/{id}/{other}'], 'gone'],
    ])
    expect(groupsOf({})).toEqual([])
  })

  test('has the fields of every branch of a body, and parameters', () => {
    expect(fieldsOf(hum, small)).toEqual([
      { name: 'hum', place: 'body', type: 'true or false', isRequired: true },
      { name: 'name', place: 'body', type: 'anything', isRequired: false },
      { name: 'loud', place: 'body', type: 'anything from 1', isRequired: false },
    ])
    expect(fieldsOf(get, small)).toEqual([
      { name: 'p', place: 'query', type: '"x"', isRequired: true },
      { name: 'q', place: 'header', type: 'anything', isRequired: false },
    ])
  })

  test('has commands and replies', () => {
    expect([hum, get, gone].map((operation) => curlCommand(operation, small, 'http://h'))).toEqual([
      `curl 'http://h/a' -H 'content-type: application/json' -d '{"hum":true}'`,
      `curl -G 'http://h/b/sonar-pro/OTHER' --data-urlencode 'p=it'\\''s'`,
      `curl -X DELETE 'http://h/b/sonar-pro/OTHER'`,
    ])
    expect([hum, get].map((operation) => repliesOf(operation, small))).toEqual([
      [
        { status: '200', description: 'Yes', example: '{\n  "a": 1\n}' },
        { status: '204', description: 'undefined', example: undefined },
      ],
      [{ status: '400', description: 'Not good', example: 'No.' }],
    ])
  })
})
