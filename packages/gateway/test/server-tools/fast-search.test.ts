import { expect, test } from 'bun:test'
import { foldMessage } from '@csp/messages-api/fold'
import type { MessagesRequest } from '@csp/messages-api/request'
import { fastSearch, loneSearch } from '../../src/server-tools/fast-search.ts'
import type { ServerToolRunner } from '../../src/server-tools/server-tools.ts'

const search = { type: 'web_search_20250305', name: 'web_search' }
const asked = 'Perform a web search for the query: harbour seals'
const lone = (more: object = {}): MessagesRequest => ({
  model: 'm',
  messages: [{ role: 'user', content: asked }],
  tools: [search],
  ...more,
})
const text = (words: string) => ({ type: 'text', text: words })

test.each([
  ['as a text', lone()],
  ['as blocks', lone({ messages: [{ role: 'user', content: [text(`\n${asked} `), { type: 'image', text: 'no' }] }] })],
])('a request for nothing but one search is one: %s', (_name, request) => {
  expect(loneSearch(request)).toMatchObject({ query: 'harbour seals', tool: { kind: 'search', name: 'web_search' } })
})

test.each([
  ['no message', lone({ messages: [] })],
  ['a message of the model', lone({ messages: [{ role: 'assistant', content: asked }] })],
  ['an earlier turn', lone({ messages: [...lone().messages, ...lone().messages] })],
  ['no tool', lone({ tools: undefined })],
  ['two tools', lone({ tools: [search, { name: 'f' }] })],
  ['another tool', lone({ tools: [{ name: 'f' }] })],
  ['the tool that reads pages', lone({ tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] })],
  ['other words', lone({ messages: [{ role: 'user', content: 'harbour seals' }] })],
  ['a second line', lone({ messages: [{ role: 'user', content: `${asked}\nand seals` }] })],
  ['no words', lone({ messages: [{ role: 'user', content: 'Perform a web search for the query:  ' }] })],
  ['too many words', lone({ messages: [{ role: 'user', content: `${asked}${'x'.repeat(2000)}` }] })],
])('with %s it is none', (_name, request) => expect(loneSearch(request)).toBeUndefined())

test('a request for nothing but one search is answered with its results and their text', async () => {
  const content = [{ type: 'web_search_result', url: 'https://seals.example/' }]
  const { signal } = new AbortController()
  const runner = {
    search: async () => ({ content, text: (first: number) => `[${first}] Seals bark.`, pages: [] }),
  } as unknown as ServerToolRunner
  const tool = { kind: 'search', name: 'web_search', maxUses: 1 } as const
  const events = await Array.fromAsync(
    fastSearch({ query: 'seals', tool }, { model: 'm', messages: [] }, 'id', runner, signal),
  )
  async function* all() {
    yield* events
  }
  const usage = { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 }
  expect(await foldMessage(all())).toEqual({
    ...{ id: 'msg_id', type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn', stop_sequence: null },
    usage: { ...usage, server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 } },
    content: [
      { type: 'server_tool_use', id: 'srvtoolu_1_id', name: 'web_search', input: { query: 'seals' } },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1_id', content },
      { type: 'text', text: '[1] Seals bark.' },
    ],
  })
})
