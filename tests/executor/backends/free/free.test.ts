import { describe, expect, test } from 'bun:test'
import { McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { collect, sourcesOf } from '../../../../src/domain/answer.ts'
import type { SearchRequest } from '../../../../src/domain/search.ts'
import { exaFree, parallelFree } from '../../../../src/executor/backends/free/free.ts'
import { listsTools } from '../../../../src/executor/backends/free/rpc.ts'
import { listerContract } from '../../../contract/lister.ts'
import { failureOf } from '../../../support/failure-of.ts'
import { requestFor } from '../../../support/fake-executor.ts'
import { type Handler, serveApi } from '../http/api-server.ts'

// A server of the SDK with the tools as the vendors declare them: arguments of another shape are refused.

const parallelText = JSON.stringify({
  search_id: 's1',
  results: [
    {
      url: 'https://a.org/seals',
      title: 'Seals &amp; more',
      publish_date: '2026-05-01',
      excerpts: ['They sleep.', 'They swim.'],
    },
    { url: 'https://b.org/', title: null, publish_date: null, excerpts: [] },
    { odd: true },
  ],
})
const exaText = [
  'Title: Seals &amp; more\nURL: https://a.org/seals\nPublished: 2026-05-01T08:00:00.000Z\nAuthor: N/A\nHighlights:\nThey sleep.\nThey swim.',
  'Title: N/A\nURL: https://b.org/\nPublished: N/A\nAuthor: N/A',
].join('\n\n---\n\n')

const vendors = {
  'parallel-free': {
    make: parallelFree,
    text: parallelText,
    none: '{"results": []}',
    snippet: 'They sleep. … They swim.',
  },
  'exa-free': {
    make: exaFree,
    text: exaText,
    none: 'No search results found. Please try a different query.',
    snippet: 'They sleep. They swim.',
  },
} as const
type Name = keyof typeof vendors
const names = ['parallel-free', 'exa-free'] as const

function vendor(text: string, enableJsonResponse = false, isError = false): Handler {
  return async (request) => {
    const server = new McpServer({ name: 'stand-in', version: '1' })
    const answer = () => ({ content: [{ type: 'text' as const, text }], isError })
    const parallel = {
      objective: z.string(),
      search_queries: z.array(z.string()).min(1),
      session_id: z.string().optional(),
    }
    server.registerTool('web_search', { inputSchema: parallel }, answer)
    server.registerTool(
      'web_search_exa',
      { inputSchema: { query: z.string(), numResults: z.number().optional() } },
      answer,
    )
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse })
    await server.connect(transport as Parameters<McpServer['connect']>[0])
    return transport.handleRequest(request)
  }
}

async function search(name: Name, handler: Handler, rest: Partial<SearchRequest> = {}) {
  await using server = serveApi(handler)
  const executor = vendors[name].make({ url: server.url, version: '1.2.3', requestsPerSecond: 0 })
  const answer = await collect(executor.search(requestFor('seals', rest), { signal: new AbortController().signal }))
  const bodies = server.requests.map(({ body }) => JSON.parse(body))
  return { rows: sourcesOf(answer.searches), bodies, requests: server.requests }
}

const textFor = (name: Name, urls: readonly string[]) => {
  if (name === 'parallel-free')
    return JSON.stringify({ results: urls.map((url) => ({ url, title: url, excerpts: [] })) })
  return urls.map((url) => `Title: A page\nURL: ${url}\nPublished: N/A`).join('\n\n---\n\n') || vendors[name].none
}

for (const name of names) {
  listerContract(name, {
    factory(urls) {
      const server = serveApi(vendor(textFor(name, urls)))
      const executor = vendors[name].make({ url: server.url, version: '1.2.3', requestsPerSecond: 0 })
      return { executor, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
    },
  })
}

describe.each(names)('the backend %s', (name) => {
  const { text, none, snippet } = vendors[name]

  test.each([
    ['an event', false],
    ['JSON', true],
  ])('reads rows that come as %s', async (_, isJson) => {
    const { rows, requests } = await search(name, vendor(text, isJson))
    expect(rows).toEqual([
      {
        ...{ title: 'Seals & more', url: 'https://a.org/seals', snippet },
        ...{ publishedAt: '2026-05-01', source: name },
      },
      expect.objectContaining({ url: 'https://b.org/', source: name }),
    ])
    expect(requests.map(({ url }) => url.pathname)).toEqual(['/mcp'])
  })

  test('finds nothing where there is nothing', async () => {
    expect((await search(name, vendor(none))).rows).toEqual([])
  })

  test.each([
    ['a limit, as a tool says it', vendor("You've hit the free MCP rate limit.", false, true), 'rate-limited'],
    [
      'a limit, as HTTP says it',
      () => new Response('', { status: 429, headers: { 'retry-after': '9' } }),
      'rate-limited',
    ],
    ['a fault of the tool', vendor('It broke.', true, true), 'failed'],
    ['a text of another kind', vendor('Hello.'), 'failed'],
    ['a page for people', () => new Response('<html>'), 'failed'],
    [
      'an event without a message',
      () => new Response('data: 1\n\n', { headers: { 'content-type': 'text/event-stream' } }),
      'failed',
    ],
    ['a fault of the server', () => new Response('', { status: 503 }), 'unavailable'],
  ] as const)('explains %s', async (_, handler, code) => {
    expect((await failureOf(search(name, handler))).code as string).toBe(code)
  })
})

test('Parallel gets the words alone, with a session for this search only', async () => {
  const one = await search('parallel-free', vendor(parallelText), { filters: { includeDomains: ['a.org'] } })
  const two = await search('parallel-free', vendor(parallelText))
  const [first, second] = [one, two].map(({ bodies }) => bodies[0].params.arguments)
  expect(one.rows.map(({ url }) => url)).toEqual(['https://a.org/seals'])
  expect(second).toEqual({
    objective: 'seals',
    search_queries: ['seals'],
    session_id: expect.stringMatching(/^\w{32}$/),
  })
  expect(first.session_id).not.toBe(second.session_id)
})

test('Exa is asked for twenty rows, with a thousand characters of a query at most', async () => {
  const { bodies } = await search('exa-free', vendor(exaText), { query: 'x'.repeat(3000) })
  const query = 'x'.repeat(1000)
  expect(bodies[0].params.arguments).toEqual({ query, objective: query, numResults: 20 })
})

test('a row of Exa needs no author and no title, and keeps all of its words', async () => {
  const text = 'Title: N/A \nURL: https://a.org/seals \nPublished: N/A\nText: They swim.\nThey sleep.'
  const [row, ...others] = (await search('exa-free', vendor(text))).rows
  expect(row).toMatchObject({ title: 'a.org', url: 'https://a.org/seals', snippet: 'They swim. They sleep.' })
  expect(others).toEqual([])
})

test('what a server says that has no rows is the cause of the failure, in 300 characters at most', async () => {
  const failure = await failureOf(search('exa-free', vendor('y'.repeat(400), true, true)))
  expect(failure.cause).toBe(`200 ${'y'.repeat(300)}`)
})

test.each([
  [200, { result: { tools: [] } }, true],
  [200, { result: { tools: 'none' } }, false],
  [200, { error: { message: 'No.' } }, false],
  [503, { result: { tools: [] } }, false],
])('a server that replies with %i and %j lists its tools: %p', (status, body, lists) => {
  const reply = { status, text: JSON.stringify(body), headers: new Headers({ 'content-type': 'application/json' }) }
  expect(listsTools(reply)).toBe(lists)
})
