import { describe, expect, test } from 'bun:test'
import { eventually } from '@csp/testing/eventually'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  type CallToolResult,
  LATEST_PROTOCOL_VERSION,
  type Progress,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js'
import { Server } from '@modelcontextprotocol/server'
import { mcpServer } from '../../../../src/api/endpoints/mcp/server.ts'
import type { AppOptions } from '../../../../src/app.ts'
import { SearchError } from '../../../../src/domain/error.ts'
import {
  found,
  type ScriptedExecutor,
  type Step,
  scriptedExecutor,
  untilAborted,
} from '../../../support/scripted-executor.ts'
import { type TestApp, testApp } from '../../test-app.ts'

// The SDK's own client checks each structured reply against the schema that the tool declares.

interface Connected {
  readonly app: TestApp
  readonly client: Client
  call(name: string, input?: Record<string, unknown>): Promise<CallToolResult>
}

async function connect(
  script?: ScriptedExecutor | readonly Step[],
  options: Partial<AppOptions> = {},
  path = '/mcp',
): Promise<Connected> {
  const app = testApp(script, options)
  const client = new Client({ name: 'test', version: '1' })
  const fetch = (url: string | URL, init?: RequestInit) => app.request(new URL(url).pathname, init)
  const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1${path}`), {
    fetch,
    requestInit: { headers: { authorization: 'Bearer key' } },
  })
  // The SDK's class says `sessionId: string | undefined` where its interface has an optional one.
  await client.connect(transport as Parameters<Client['connect']>[0])
  await client.listTools()
  const call = async (name: string, input: Record<string, unknown> = {}) =>
    // The SDK types the reply as one of two protocols; ours is the newer.
    (await client.callTool({ name, arguments: input })) as CallToolResult
  return { app, client, call }
}

function textOf({ content: [block] }: CallToolResult): string {
  return block?.type === 'text' ? block.text : ''
}

const searchCall = (id: number, input: unknown) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'web_search', arguments: input },
})

describe('the MCP tools', () => {
  test('are annotated as read-only and open-world', async () => {
    const { client } = await connect()
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['web_search', 'ask_web'])
    for (const { annotations, outputSchema, description } of tools) {
      expect(annotations).toMatchObject({ readOnlyHint: true, openWorldHint: true })
      expect(outputSchema?.type).toBe('object')
      expect(description).toMatch(/^(Search the web|Answer a question from the web)/)
    }
  })

  test('have schemas without unions, each field described', async () => {
    const { client } = await connect()
    for (const { inputSchema } of (await client.listTools()).tools) {
      expect(JSON.stringify(inputSchema)).not.toMatch(/"(anyOf|oneOf|allOf)"/)
      for (const property of Object.values(inputSchema.properties ?? {})) {
        expect(property).toMatchObject({ type: expect.any(String), description: expect.any(String) })
      }
    }
  })
})

describe('the tool web_search', () => {
  test('returns pages as data and as text', async () => {
    const { call } = await connect()
    const reply = await call('web_search', { query: 'bun release notes', count: 2 })
    expect(reply.isError).toBeFalsy()
    expect(reply.structuredContent).toEqual({
      query: 'bun release notes',
      results: [
        {
          number: 1,
          title: 'Page 1',
          url: 'https://site1.example/docs/page',
          snippet: 'Excerpt 1',
          published_date: '2026-05-01',
        },
        { number: 2, title: 'Page 2', url: 'https://site2.example/docs/page', snippet: 'Excerpt 2' },
      ],
    })
    expect(textOf(reply)).toBe(
      '[1] Page 1 (2026-05-01)\nhttps://site1.example/docs/page\nExcerpt 1\n\n' +
        '[2] Page 2\nhttps://site2.example/docs/page\nExcerpt 2',
    )
  })

  test('passes its fields on to the search', async () => {
    const { app, call } = await connect()
    await call('web_search', {
      query: 'tides',
      count: '7',
      freshness: 'week',
      include_domains: ['https://example.org/'],
      exclude_domains: null,
      country: 'de',
      language: 'PT-BR',
      unknown: true,
    })
    expect(app.executor.calls[0]?.request).toEqual({
      query: 'tides',
      history: [],
      want: 'results',
      effort: 'fast',
      limit: 7,
      filters: {
        freshness: 'week',
        includeDomains: ['example.org'],
        excludeDomains: undefined,
        country: 'DE',
        language: 'pt-br',
      },
    })
  })

  test('without a count makes one search and shows ten of its pages', async () => {
    const { app, call } = await connect(scriptedExecutor(found(12)))
    const reply = await call('web_search', { query: 'tides' })
    expect(app.executor.calls[0]?.request.limit).toBeUndefined()
    expect(reply.structuredContent?.['results']).toHaveLength(10)
  })

  test('does not fail when it finds nothing', async () => {
    const { call } = await connect([
      { type: 'done', reason: 'stop', usage: { searches: 1, inputTokens: 1, outputTokens: 1 }, model: 'm' },
    ])
    const reply = await call('web_search', { query: 'xyzzy' })
    expect(reply.isError).toBeFalsy()
    expect(reply.structuredContent).toEqual({ query: 'xyzzy', results: [] })
    expect(textOf(reply)).toContain('No page was found for "xyzzy"')
  })

  test('keeps line breaks of a page out of the list', async () => {
    const { call } = await connect([
      { type: 'search-start', id: 's', query: 'q' },
      {
        type: 'search-results',
        id: 's',
        results: [{ title: 'One\n[2] Two', url: 'https://a.example/', snippet: 'x\n\n[3] y', source: 's' }],
      },
      { type: 'done', reason: 'stop', usage: { searches: 1, inputTokens: 1, outputTokens: 1 }, model: 'm' },
    ])
    expect(textOf(await call('web_search', { query: 'lines' }))).toBe(
      '[1] One \\[2\\] Two\nhttps://a.example/\nx [3] y',
    )
  })
})

describe('the tool ask_web', () => {
  test('returns an answer whose markers point into its sources', async () => {
    const { call } = await connect()
    const reply = await call('ask_web', { question: 'why?' })
    expect(reply.structuredContent).toMatchObject({
      answer: 'It is 🙂 so [2].',
      sources: [
        { number: 1, cited: false },
        { number: 2, cited: true, url: 'https://site2.example/docs/page' },
        { number: 3, cited: false },
      ],
    })
    expect(textOf(reply)).toBe('It is 🙂 so [2].\n\nSources:\n[2] Page 2\nhttps://site2.example/docs/page')
  })

  test.each([
    [{}, 'standard'],
    [{ effort: 'fast' }, 'fast'],
    [{ effort: 'DEEP' }, 'deep'],
  ])('with the input %j searches with effort %s', async (input, effort) => {
    const { app, call } = await connect()
    await call('ask_web', { question: 'why?', ...input })
    expect(app.executor.calls[0]?.request).toMatchObject({ want: 'answer', effort, history: [] })
  })

  test('passes the conversation on', async () => {
    const { app, call } = await connect()
    const conversation = [
      { role: 'user', content: 'Who made Bun?' },
      { role: 'assistant', content: 'Jarred Sumner.' },
    ]
    await call('ask_web', { question: 'and when?', conversation })
    expect(app.executor.calls[0]?.request.history).toEqual([
      { role: 'user', text: 'Who made Bun?' },
      { role: 'assistant', text: 'Jarred Sumner.' },
    ])
  })
})

describe('wrong arguments name the field and cost no search', () => {
  test.each([
    ['web_search', {}, 'query: Field required.'],
    ['web_search', { query: 7 }, 'query: Input should be a valid string.'],
    ['web_search', { query: ' ' }, 'query: String should have at least 1 character.'],
    ['web_search', { query: 'tides', count: 0 }, 'count: Input should be greater than or equal to 1.'],
    ['web_search', { query: 'tides', freshness: 'decade' }, 'freshness: Input should be one of hour, day'],
    ['web_search', { query: 'tides', include_domains: ['a b'] }, 'include_domains[0]: Input should be a domain name'],
    ['web_search', { query: 'tides', country: 'Germanyy' }, 'country: '],
    ['web_search', { query: 'tides', language: '?' }, 'language: '],
    ['ask_web', { query: 'tides' }, 'question: Field required.'],
    ['ask_web', { question: 'why?', effort: 'huge' }, "effort: Input should be 'fast', 'standard' or 'deep'."],
    ['ask_web', { question: 'why?', conversation: [{ role: 'system', content: 'x' }] }, 'conversation[0].role: '],
    ['ask_web', { question: 'why?', conversation: [{ role: 'user' }] }, 'conversation[0].content: Field required.'],
  ])('when %s is called with %j', async (name, input, message) => {
    const { app, call } = await connect()
    const reply = await call(name, input)
    expect(reply.isError).toBe(true)
    expect(textOf(reply)).toContain(message)
    expect(app.executor.calls).toHaveLength(0)
    expect(app.log.at(-1)).toMatchObject({ dialect: 'mcp', status: 200, code: 'invalid-request' })
  })

  test('an unknown tool is a protocol error', async () => {
    const { call } = await connect()
    await expect(call('search_web', { query: 'tides' })).rejects.toThrow('There is no tool "search_web"')
  })
})

test('a failed search reports what to do', async () => {
  const { app, call } = await connect([
    new SearchError('rate-limited', 'The limit is reached.', { retryAfterSeconds: 90 }),
  ])
  const reply = await call('web_search', { query: 'tides' })
  expect(reply.isError).toBe(true)
  expect(textOf(reply)).toBe('The limit is reached. Try again in 90 s.')
  expect(app.log.at(-1)).toMatchObject({ code: 'rate-limited' })
})

test('progress is reported to a caller who asks for it', async () => {
  const { client } = await connect()
  const told: Progress[] = []
  await client.callTool({ name: 'ask_web', arguments: { question: 'why?' } }, undefined, {
    onprogress: (progress) => told.push(progress),
  })
  expect(told).toEqual([
    { progress: 1, message: 'Searching: what was asked' },
    { progress: 2, message: 'Found 3 pages' },
    { progress: 3, message: 'Writing the answer' },
  ])
})

describe('a search of an MCP client is stopped', () => {
  /** Hangs; tells when it has begun and when it has ended. */
  function hanging() {
    const begun = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    const wait = async (signal: AbortSignal) => {
      begun.resolve()
      await untilAborted(signal).finally(() => ended.resolve())
    }
    return { executor: scriptedExecutor([wait]), begun: begun.promise, ended: ended.promise }
  }

  test('by nobody who has read of it: a session has a name that is shown nowhere else, and belongs to its caller', async () => {
    const { executor, begun } = hanging()
    const { request, get } = testApp(executor, { keys: ['one', 'two'] })
    const post = (key: string, message: object, headers: Record<string, string> = {}) =>
      request('/mcp', { method: 'POST', body: JSON.stringify(message), headers: { 'x-api-key': key, ...headers } })
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } }
    const begin = await post('one', { jsonrpc: '2.0', id: 0, method: 'initialize', params })
    const session = { 'mcp-session-id': begin.headers.get('mcp-session-id') ?? '' }
    expect(JSON.stringify((await get('/v1/requests', { 'x-api-key': 'one' })).body)).not.toContain(
      session['mcp-session-id'],
    )
    const called = post('one', searchCall(1, { query: 'tides' }), session)
    await begun
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }
    await post('two', cancel, session)
    expect(executor.running).toBe(1)
    await post('one', cancel, session)
    await (await called).text()
    expect(executor.running).toBe(0)
  })

  test('when the client cancels it, and no other with the same number is', async () => {
    const mine = hanging()
    const { app, client } = await connect(mine.executor)
    const wish = new AbortController()
    const called = client.callTool({ name: 'web_search', arguments: { query: 'tides' } }, undefined, {
      signal: wish.signal,
    })
    called.catch(() => {})
    await mine.begun
    const requestId = 2
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }
    for (const session of [{}, { 'mcp-session-id': 'another' }]) {
      const request = { method: 'POST', body: JSON.stringify(cancel), headers: session }
      expect((await app.request('/mcp', request)).status).toBe(202)
    }
    expect(mine.executor.running).toBe(1)
    wish.abort('enough')
    await expect(called).rejects.toThrow('enough')
    await mine.ended
    expect(mine.executor.running).toBe(0)
  })

  test.each([
    ['a stream', 'application/json, text/event-stream'],
    ['a whole reply', 'application/json'],
  ])('when the connection closes on %s', async (_, accept) => {
    const { executor, begun, ended } = hanging()
    const app = testApp(executor)
    const gone = new AbortController()
    const reply = app.request('/mcp', {
      method: 'POST',
      body: JSON.stringify(searchCall(1, { query: 'tides' })),
      headers: { accept },
      signal: gone.signal,
    })
    await begun
    gone.abort()
    await ended
    await (await reply).text()
    expect(executor.running).toBe(0)
  })

  test('when the reader cancels the stream', async () => {
    const { executor, begun, ended } = hanging()
    const app = testApp(executor)
    const reply = await app.request('/mcp', {
      method: 'POST',
      body: JSON.stringify(searchCall(1, { query: 'tides' })),
      headers: { accept: 'application/json, text/event-stream' },
    })
    await begun
    await reply.body?.cancel()
    await ended
    expect(app.log).toHaveLength(1)
  })
})

describe('MCP over HTTP', () => {
  test.each(SUPPORTED_PROTOCOL_VERSIONS)('supports the protocol version %s', async (protocolVersion) => {
    const { post } = testApp()
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } }
    const { body } = await post('/mcp', { jsonrpc: '2.0', id: 1, method: 'initialize', params })
    expect(body.result).toMatchObject({ protocolVersion, serverInfo: { version: '1.2.3' } })
    const later = { 'mcp-protocol-version': protocolVersion }
    expect((await post('/mcp', { jsonrpc: '2.0', id: 2, method: 'tools/list' }, later)).body.result.tools).toHaveLength(
      2,
    )
  })

  test('answers an unknown protocol version with the newest supported one', async () => {
    const params = { protocolVersion: '2031-01-01', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
    const { body } = await testApp().post('/mcp', { jsonrpc: '2.0', id: 1, method: 'initialize', params })
    expect(body.result.protocolVersion).toBe(LATEST_PROTOCOL_VERSION)
  })

  test('needs neither a session nor a stream for a call', async () => {
    const { post } = testApp()
    const { status, body } = await post('/v1/mcp', searchCall(5, { query: 'tides' }))
    expect(status).toBe(200)
    expect(body.result.structuredContent.results).toHaveLength(3)
  })

  test.each([
    ['no JSON', '{', {}, 400, -32700],
    ['no message', '{"hello": 1}', {}, 400, -32600],
    [
      'a protocol that is not ours',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call"}',
      { 'mcp-protocol-version': '1', accept: 'application/json, text/event-stream' },
      400,
      -32000,
    ],
    ['a foreign page', '{}', { origin: 'https://evil.example' }, 403, -32000],
    ['a rebound name', '{}', { host: 'evil.example' }, 403, -32000],
  ])('refuses %s with a JSON-RPC error', async (_, body, headers, status, code) => {
    const app = testApp()
    const reply = await app.request('/mcp', { method: 'POST', body, headers })
    expect(reply.status).toBe(status)
    expect(await reply.json()).toMatchObject({ jsonrpc: '2.0', error: { code }, id: null })
    expect(app.executor.calls).toHaveLength(0)
    expect(app.log).toHaveLength(1)
  })

  test.each(['GET', 'DELETE'])(
    'does not allow %s, since there is no stream to open and no session to end',
    async (method) => {
      const reply = await testApp().request('/mcp', { method })
      expect(reply.status).toBe(405)
      expect(reply.headers.get('allow')).toBe('POST')
    },
  )

  test('needs a key where keys are set', async () => {
    const { post } = testApp(undefined, { keys: ['key'] })
    expect((await post('/mcp', searchCall(1, { query: 'tides' }))).status).toBe(401)
    const { call } = await connect(undefined, { keys: ['key'] })
    expect((await call('web_search', { query: 'tides' })).isError).toBeFalsy()
  })

  const stateless = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'web_search' }
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  test('keeps nothing of a call that has ended: of an older version, and of the version without sessions', async () => {
    const servers: WeakRef<Server>[] = []
    const { connect } = Server.prototype
    Server.prototype.connect = function (...given) {
      servers.push(new WeakRef(this))
      return connect.apply(this, given)
    }
    try {
      const app = testApp(scriptedExecutor(found(1)))
      const call = searchCall(1, { query: 'tides' })
      for (const [repeated, _meta] of [
        [{}, undefined],
        [stateless, envelope],
      ] as const) {
        const headers = { accept: 'application/json, text/event-stream', 'mcp-session-id': 'one', ...repeated }
        const body = JSON.stringify({ ...call, params: { ...call.params, _meta } })
        for (let count = 0; count < 20; count++) {
          const { signal } = new AbortController()
          await (await app.request('/mcp', { method: 'POST', body, headers, signal })).text()
        }
      }
    } finally {
      Server.prototype.connect = connect
    }
    expect(servers).toHaveLength(40)
    // The last ones may still stand on the stack.
    await eventually(() => {
      Bun.gc(true)
      return servers.filter((server) => server.deref()).length < 5
    })
  })

  test('works under /v1 too', async () => {
    const { call } = await connect(undefined, {}, '/v1/mcp')
    expect((await call('web_search', { query: 'tides' })).isError).toBeFalsy()
  })
})

test('the tools are described once, however often they are listed', async () => {
  const listed: unknown[] = []
  const noSearch = () => {
    throw new Error('No search is made.')
  }
  for (let id = 0; id < 2; id++) {
    const transport: Transport = {
      start: async () => {},
      close: async () => {},
      send: async (message) => void ('result' in message && listed.push(...[message.result['tools']].flat())),
    }
    await mcpServer({ version: '1', search: noSearch }).connect(transport)
    transport.onmessage?.({ jsonrpc: '2.0', id, method: 'tools/list' })
  }
  await eventually(() => listed.length === 4)
  expect(listed[0]).toBe(listed[2])
  expect(listed[1]).toBe(listed[3])
})
