import { describe, expect, test } from 'bun:test'
import { fakePageReader } from '../../../support/fake-page-reader.ts'
import { testApp } from '../../test-app.ts'

// As OpenAI's guide for MCP servers has them: one text in, one JSON text out.

const url = 'https://bees.example/'
const pages = () => fakePageReader({ [url]: { title: 'Bees', content: 'Bees hum.', author: 'Ann', remaining: 7 } })

async function call(name: string, input: object, path = '/mcp?tools=search,fetch') {
  const app = testApp(undefined, { pages: pages() })
  const params = { name, arguments: input }
  const { body } = await app.post(path, { jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  return { app, body }
}

async function names(path: string, isReading = true) {
  const { post } = testApp(undefined, isReading ? { pages: pages() } : {})
  const { body } = await post(path, { jsonrpc: '2.0', id: 1, method: 'tools/list' })
  return body.result.tools.map(({ name }: { name: string }) => name)
}

describe('the tools of an MCP client', () => {
  test.each([
    ['/mcp', true, ['web_search', 'ask_web', 'fetch_page', 'check_claim']],
    ['/mcp?tools=', true, ['web_search', 'ask_web', 'fetch_page', 'check_claim']],
    ['/mcp?tools=search,fetch', true, ['search', 'fetch']],
    ['/v1/mcp?tools=Fetch,%20ask_web', true, ['ask_web', 'fetch']],
    ['/mcp?tools=search,fetch', false, ['search']],
  ])('at %s, pages read: %p, are %p', async (path, isReading, expected) => {
    expect(await names(path, isReading)).toEqual(expected)
  })

  test('have to exist', async () => {
    const { status, body } = await testApp().post('/mcp?tools=search,dig', {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/list',
    })
    expect(status).toBe(400)
    expect(body.error).toMatchObject({ code: -32600, message: expect.stringMatching(/tools.*'search'/) })
  })

  test('that were not asked for cannot be called', async () => {
    const { body, app } = await call('search', { query: 'tides' }, '/mcp')
    expect(body.error).toMatchObject({ code: -32602 })
    expect(app.executor.calls).toHaveLength(0)
  })
})

test('search lists pages with an id, as data and as one JSON text', async () => {
  const { body } = await call('search', { query: 'tides' })
  const { structuredContent, content } = body.result
  const page = (number: number) => `https://site${number}.example/docs/page`
  expect(structuredContent.results[0]).toEqual({ id: page(1), title: 'Page 1', url: page(1) })
  expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }])
})

test('fetch reads the page of an id, as data and as one JSON text', async () => {
  const { body } = await call('fetch', { id: url })
  const { structuredContent, content } = body.result
  expect(structuredContent).toEqual({
    ...{ id: url, title: 'Bees', text: 'Bees hum.' },
    ...{ url: expect.stringContaining('https://'), metadata: { author: 'Ann', characters_left_out: '7' } },
  })
  expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }])
})

test.each([
  ['search', {}],
  ['fetch', {}],
  ['fetch', { id: 'no page' }],
])('%s with %j fails in words for the model', async (name, input) => {
  expect((await call(name, input)).body.result).toMatchObject({ isError: true, content: [{ type: 'text' }] })
})

test('a key can stand in the address', async () => {
  const { post } = testApp(undefined, { keys: ['right'] })
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  expect((await post('/mcp?tools=search,fetch&key=right', message)).status).toBe(200)
  expect((await post('/mcp?tools=search,fetch&key=wrong', message)).status).toBe(401)
})
