import { expect, test } from 'bun:test'
import { loneSearch } from '../../../src/gateway/server-tools/fast-search.ts'
import type { MessagesRequest } from '../../../src/messages-api/request.ts'

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
