import { describe, expect, test } from 'bun:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { found, scriptedExecutor, untilAborted } from '../../../support/scripted-executor.ts'
import { testApp } from '../../test-app.ts'

// MCP 2026-07-28: no session, each request says what it is, and its headers repeat it.

const version = '2026-07-28'
// Clients of older versions begin with `initialize`, and find out there.
const supported = [version]
const meta = (spoken: string = version) => ({
  'io.modelcontextprotocol/protocolVersion': spoken,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
})

function message(method: string, params: object = {}, _meta: object = meta()) {
  return { jsonrpc: '2.0', id: 'one', method, params: { ...params, _meta } }
}
const headersOf = (method: string, name?: string): Record<string, string> => ({
  'mcp-protocol-version': version,
  'mcp-method': method,
  ...(name !== undefined && { 'mcp-name': name }),
})
const search = { name: 'web_search', arguments: { query: 'tides' } }
const serverInfo = { name: 'claude-search-proxy', title: 'Web search by Claude Code', version: '1.2.3' }
const ofEach = { resultType: 'complete', _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo } }
const cacheable = { ttlMs: expect.any(Number), cacheScope: 'private' }

test("the SDK's client of today finds out the version, lists the tools and calls one with progress", async () => {
  const app = testApp(undefined, { keys: ['key'] })
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: version } } })
  const transport = new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), {
    fetch: (url, init) => app.request(new URL(url).pathname, init),
    requestInit: { headers: { authorization: 'Bearer key' } },
  })
  await client.connect(transport)
  expect(client.getNegotiatedProtocolVersion()).toBe(version)
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['web_search', 'ask_web'])
  const told: (string | undefined)[] = []
  const call = { name: 'ask_web', arguments: { question: 'why?' } }
  const reply = await client.callTool(call, { onprogress: (progress) => told.push(progress.message) })
  expect(reply.structuredContent).toMatchObject({ answer: 'It is 🙂 so [2].' })
  expect(told).toEqual(['Searching: what was asked', 'Found 3 pages', 'Writing the answer'])
  await client.close()
})

describe('a whole request', () => {
  test('to server/discover is answered with what csp speaks', async () => {
    const { status, body, headers } = await testApp().post('/mcp', message('server/discover'), {
      ...headersOf('server/discover'),
      'mcp-session-id': 'ignored',
    })
    expect({ status, session: headers.get('mcp-session-id') }).toEqual({ status: 200, session: null })
    expect(body).toEqual({
      jsonrpc: '2.0',
      id: 'one',
      result: {
        supportedVersions: supported,
        capabilities: { tools: {} },
        instructions: expect.any(String),
        ...ofEach,
        ...cacheable,
      },
    })
  })

  test('to tools/list says how long the list may be kept', async () => {
    const { body } = await testApp().post('/mcp', message('tools/list'), headersOf('tools/list'))
    expect(body.result).toEqual({ tools: [expect.anything(), expect.anything()], ...ofEach, ...cacheable })
  })

  test.each(['web_search', '=?base64?d2ViX3NlYXJjaA==?='])(
    'to a tool needs nothing before it, named %s',
    async (name) => {
      const { body } = await testApp().post('/mcp', message('tools/call', search), headersOf('tools/call', name))
      expect(body.result).toMatchObject({ structuredContent: { query: 'tides' }, ...ofEach })
    },
  )

  test('to a tool with wrong arguments is complete, too', async () => {
    const call = { name: 'web_search', arguments: {} }
    const { body } = await testApp().post('/mcp', message('tools/call', call), headersOf('tools/call', 'web_search'))
    expect(body.result).toMatchObject({ isError: true, ...ofEach })
  })

  test('of an older version has none of the new fields', async () => {
    const { body } = await testApp().post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' })
    expect(Object.keys(body.result)).toEqual(['tools'])
  })
})

describe('refused, with no search:', () => {
  const call = message('tools/call', search)
  const whole = headersOf('tools/call', 'web_search')
  const { 'mcp-method': _, ...withoutMethod } = whole
  const { 'mcp-protocol-version': _version, ...withoutVersion } = whole
  const bare = (name: string) => {
    const { [`io.modelcontextprotocol/${name}`]: _, ...rest } = meta() as Record<string, unknown>
    return rest
  }

  test.each([
    ['another method in the header', call, { ...whole, 'mcp-method': 'tools/list' }, 400, -32020],
    ['another tool in the header', call, { ...whole, 'mcp-name': 'ask_web' }, 400, -32020],
    ['another version in the header', call, { ...whole, 'mcp-protocol-version': '2025-11-25' }, 400, -32020],
    ['no method in a header', call, withoutMethod, 400, -32020],
    ['no tool in a header', call, headersOf('tools/call'), 400, -32020],
    ['no version in a header', call, withoutVersion, 400, -32020],
    ['no version in the message', message('tools/call', search, bare('protocolVersion')), whole, 400, -32602],
    ['no capabilities in the message', message('tools/call', search, bare('clientCapabilities')), whole, 400, -32602],
    ['a method of older versions', message('ping'), headersOf('ping'), 404, -32601],
    ['a handshake', message('initialize'), headersOf('initialize'), 404, -32601],
    [
      'a subscription',
      message('subscriptions/listen', { notifications: {} }),
      headersOf('subscriptions/listen'),
      200,
      -32603,
    ],
  ])('%s', async (_, body, headers, status, code) => {
    const app = testApp()
    const reply = await app.post('/mcp', body, headers)
    expect(reply).toMatchObject({ status, body: { jsonrpc: '2.0', id: 'one', error: { code } } })
    expect(app.executor.calls).toHaveLength(0)
    expect(app.log).toHaveLength(1)
  })

  test.each(['2031-01-01', '2025-11-25'])('the version %s, with those that csp speaks', async (requested) => {
    const headers = { ...whole, 'mcp-protocol-version': requested }
    const { status, body } = await testApp().post('/mcp', message('tools/call', search, meta(requested)), headers)
    expect(status).toBe(400)
    expect(body.error).toMatchObject({ code: -32022, data: { supported, requested } })
  })

  test('an unknown tool, whatever its name holds', async () => {
    const name = 'größe'
    const header = `=?base64?${Buffer.from(name).toString('base64')}?=`
    const { body } = await testApp().post('/mcp', message('tools/call', { name }), headersOf('tools/call', header))
    expect(body.error).toMatchObject({ code: -32602 })
  })

  test('a call without a key, where keys are set', async () => {
    const { post } = testApp(undefined, { keys: ['key'] })
    expect((await post('/mcp', call, whole)).status).toBe(401)
    expect((await post('/mcp', call, { ...whole, 'x-api-key': 'key' })).status).toBe(200)
  })
})

test('a notification needs none of the headers', async () => {
  const { request } = testApp()
  const body = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/other' })
  expect((await request('/mcp', { method: 'POST', body, headers: { 'mcp-protocol-version': version } })).status).toBe(
    202,
  )
})

test('a search ends when its stream is closed', async () => {
  const begun = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const app = testApp(
    scriptedExecutor([
      ...found(1).slice(0, 1),
      async (signal) => {
        begun.resolve()
        await untilAborted(signal).finally(() => ended.resolve())
      },
    ]),
  )
  const headers = { ...headersOf('tools/call', 'web_search'), accept: 'application/json, text/event-stream' }
  const reply = await app.request('/mcp', {
    method: 'POST',
    body: JSON.stringify(message('tools/call', search)),
    headers,
  })
  expect(reply.headers.get('x-accel-buffering')).toBe('no')
  await begun.promise
  await reply.body?.cancel()
  await ended.promise
  expect(app.executor.running).toBe(0)
})
