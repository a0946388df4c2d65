import { beforeAll, describe, expect, test } from 'bun:test'
import { createDocument } from '../../src/api/openapi/document.ts'
import { curlCommand, fieldsOf, groupsOf, typeOf } from '../../src/web-ui/described.ts'
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
