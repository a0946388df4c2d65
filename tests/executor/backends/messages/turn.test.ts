import { describe, expect, test } from 'bun:test'
import type { MessagesEvent } from '@csp/messages-api/events'
import { ListReader } from '../../../../src/executor/backends/messages/messages.ts'
import { MessageTurn } from '../../../../src/executor/backends/messages/turn.ts'

/** What comes of the blocks of one message: of each its begin, its pieces and its end. */
function read(...blocks: readonly (readonly [block: object, ...deltas: object[]])[]) {
  const turn = new MessageTurn()
  const events = blocks.flatMap(([content_block, ...deltas], index) => [
    { type: 'content_block_start', index, content_block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ])
  return events.flatMap((event) => [...turn.read(event as unknown as MessagesEvent)])
}

const json = (partial_json: string) => ({ type: 'input_json_delta', partial_json })
const call = { type: 'tool_use', id: 't1', name: 'look_up', input: {} }

describe('a call of the caller’s tools', () => {
  const begins = { type: 'tool-call-start', id: 't1', name: 'look_up' } as const
  const has = (text: string) => ({ type: 'tool-call-delta', id: 't1', arguments: text }) as const

  test('has its arguments as they come', () => {
    expect(read([call, json(''), json('{"a":'), json('1}')])).toEqual([begins, has('{"a":'), has('1}')])
  })

  test('has the arguments of its block where none come, or blanks alone', () => {
    expect(read([call])).toEqual([begins, has('{}')])
    expect(read([{ ...call, input: { a: 1 } }])).toEqual([begins, has('{"a":1}')])
    expect(read([call, json(' ')]).slice(0, 2)).toEqual([begins, has(' ')])
    expect(read([call, json(' ')])).toHaveLength(3)
  })

  test('without a name is none', () => {
    expect(
      read([{ ...call, name: undefined }, json('{"a":1}')]).filter(({ type }) => type === 'tool-call-start'),
    ).toEqual([])
  })
})

test('a search has its query, then its rows or why it failed, whatever else stands there', () => {
  const found = (content: unknown) => ({ type: 'web_search_tool_result', tool_use_id: 's1', content })
  const hit = { type: 'web_search_result', url: 'https://a.example/', title: 'A', page_age: '2 days ago' }
  expect(
    read(
      [{ type: 'server_tool_use', id: 's1', name: 'web_search', input: {} }, json('{"query":"seals"}')],
      [found([hit, { url: 5 }, { url: 'https://b.example/', page_age: null }])],
      [found({ type: 'error', error_code: 'too_many_requests' })],
      [found('odd')],
      [{ type: 'server_tool_use', id: 's2', name: 'web_search', input: {} }],
      [{ type: 'a_new_block' }],
      [{ ...found([hit]), type: 'mcp_tool_result' }],
    ),
  ).toEqual([
    { type: 'search-start', id: 's1', query: 'seals' },
    {
      ...{ type: 'search-hits', id: 's1' },
      hits: [
        { url: 'https://a.example/', title: 'A', pageAge: '2 days ago' },
        { url: 'https://b.example/', title: '', pageAge: undefined },
      ],
    },
    { type: 'search-failed', code: 'too_many_requests' },
  ])
})

test('a text is followed by each page that it cites, once', () => {
  const cites = (url: unknown, cited_text?: string) => ({ type: 'citations_delta', citation: { url, cited_text } })
  expect(
    read(
      [
        { type: 'text', text: '' },
        ...[
          { type: 'text_delta', text: 'Seals dive.' },
          { type: 'text_delta', text: '' },
        ],
        ...[
          cites('https://a.example/', 'They dive.'),
          cites('https://a.example/', 'Again.'),
          cites('https://b.example/'),
          cites(5),
        ],
      ],
      [
        { type: 'thinking', thinking: '' },
        { type: 'text_delta', text: 'No text.' },
      ],
    ),
  ).toEqual([
    { type: 'text-delta', text: 'Seals dive.' },
    { type: 'text-cited', url: 'https://a.example/', words: 'They dive. … Again.' },
    { type: 'text-cited', url: 'https://b.example/', words: '' },
  ])
})

test('a message has the tokens that were last counted, cached ones included, and why it ended', () => {
  const turn = new MessageTurn()
  const told = (event: object) => void [...turn.read(event as MessagesEvent)]
  const usage = { input_tokens: 5, cache_creation_input_tokens: 20, cache_read_input_tokens: 300, output_tokens: 1 }
  told({ type: 'message_start', message: { model: 'm', usage } })
  expect([turn.model, turn.inputTokens, turn.outputTokens, turn.stopReason]).toEqual(['m', 325, 1, undefined])
  told({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } })
  expect([turn.inputTokens, turn.outputTokens, turn.stopReason]).toEqual([325, 9, 'end_turn'])
})

test('a list is named by its first search, has the rows of all, and the words that follow it', () => {
  const found = new ListReader()
  expect(found.hasSearched).toBe(false)
  found.read({ type: 'text-delta', text: 'I search.' })
  found.read({ type: 'search-hits', id: 'one', hits: [] })
  found.read({ type: 'search-hits', id: 'two', hits: [] })
  found.read({ type: 'text-delta', text: 'Seals ' })
  found.read({ type: 'text-cited', url: 'https://a.example/', words: 'They bark.' })
  found.read({ type: 'text-cited', url: 'https://a.example/', words: 'They dive.' })
  found.read({ type: 'text-cited', url: 'https://b.example/', words: '' })
  found.read({ type: 'text-delta', text: 'bark.' })
  expect(found).toMatchObject({ id: 'one', searches: 2, hasSearched: true, text: 'Seals bark.' })
  expect([...found.words]).toEqual([['https://a.example/', 'They bark.']])
})
