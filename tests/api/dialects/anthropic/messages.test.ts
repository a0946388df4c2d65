import { describe, expect, test } from 'bun:test'
import { SearchError } from '../../../../src/domain/error.ts'
import type { SearchEvent } from '../../../../src/domain/search.ts'
import { answered, pages } from '../../../support/scripted-executor.ts'
import { testApp } from '../../test-app.ts'

const path = '/v1/messages'
const webSearch = { type: 'web_search_20250305', name: 'web_search' }

function asks(text: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { model: 'claude-sonnet-4-5', max_tokens: 1024, messages: [{ role: 'user', content: text }], ...more }
}

/** The events of a stream, each with the name of its `event:` line. */
async function streamed(body: Record<string, unknown>, script?: readonly SearchEvent[]) {
  const response = await testApp(script).request(path, {
    method: 'POST',
    body: JSON.stringify({ ...body, stream: true }),
  })
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  return (await response.text())
    .split('\n\n')
    .filter(Boolean)
    .map((block) => {
      const [, name, data] = /^event: (\S+)\ndata: (.*)$/.exec(block) ?? []
      return { name, data: JSON.parse(data ?? 'null') }
    })
}

const searchId = 'srvtoolu_id1_1'
const rows = [
  ['Page 1', 'https://site1.example/docs/page', '2026-05-01'],
  ['Page 2', 'https://site2.example/docs/page', null],
  ['Page 3', 'https://site3.example/docs/page', '2026-05-01'],
].map(([title, url, page_age], index) => ({
  type: 'web_search_result',
  url,
  title,
  page_age,
  encrypted_content: `${searchId}_${index + 1}`,
}))
const citation = {
  type: 'web_search_result_location',
  url: 'https://site2.example/docs/page',
  title: 'Page 2',
  encrypted_index: `${searchId}_2`,
  cited_text: 'Excerpt 2',
}
const direct = { type: 'direct' }

describe('a whole message', () => {
  test('bills the searches that were made, also those whose pages are shown together', async () => {
    const script = answered.map((event) =>
      event.type === 'done' ? { ...event, usage: { ...event.usage, searches: 3 } } : event,
    )
    const { body } = await testApp(script).post(path, asks('Why do bees hum?', { tools: [webSearch] }))
    expect(body.usage.server_tool_use.web_search_requests).toBe(3)
  })

  test('has the search, its results, and text with citations in place of markers', async () => {
    const { status, body, headers } = await testApp().post(path, asks('Why do bees hum?', { tools: [webSearch] }))
    expect(status).toBe(200)
    expect(headers.get('request-id')).toBe('id-1')
    expect(body).toEqual({
      id: 'msg_id-1',
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [
        {
          type: 'server_tool_use',
          id: searchId,
          name: 'web_search',
          input: { query: 'what was asked' },
          caller: direct,
        },
        { type: 'web_search_tool_result', tool_use_id: searchId, content: rows, caller: direct },
        { type: 'text', text: 'It is 🙂 so', citations: [citation] },
        { type: 'text', text: '.' },
      ],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: {
        input_tokens: 100,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        output_tokens: 20,
        server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 },
      },
    })
  })

  test('is the reply of the bare path too', async () => {
    expect((await testApp().post('/messages', asks('bees'))).body.type).toBe('message')
  })

  test.each([
    ['length', 'max_tokens'],
    ['refusal', 'refusal'],
  ] as const)('whose reason is %s has the stop_reason %s', async (reason, told) => {
    const { body } = await testApp([done(reason)]).post(path, asks('bees'))
    expect(body.stop_reason).toBe(told)
    expect(body.content).toEqual([])
    expect(body.usage).not.toHaveProperty('server_tool_use')
  })

  test('cites an excerpt with 150 characters at most and does not split an emoji', async () => {
    const [page] = pages(1)
    const snippet = `${'x'.repeat(149)}🙂🙂`
    const script: SearchEvent[] = [
      { type: 'search-start', id: 's1', query: 'q' },
      { type: 'search-results', id: 's1', results: page ? [{ ...page, snippet }] : [] },
      ...cited('So [1]', [1]),
      done('stop'),
    ]
    const { body } = await testApp(script).post(path, asks('bees', { tools: [webSearch] }))
    expect(body.content[2].citations[0].cited_text).toBe(`${'x'.repeat(149)}🙂`)
  })

  test('has the input of each tool call as an object', async () => {
    const { body } = await testApp(calls).post(path, asks('bees', { tools: [weather] }))
    expect(body.content).toEqual([
      { type: 'text', text: 'Let me look.' },
      { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Ulm' }, caller: direct },
      { type: 'tool_use', id: 'toolu_2', name: 'weather', input: {}, caller: direct },
    ])
    expect(body.stop_reason).toBe('tool_use')
  })

  test('has one tool call when the caller allows no more', async () => {
    const tool_choice = { type: 'auto', disable_parallel_tool_use: true }
    const { body } = await testApp(calls).post(path, asks('bees', { tools: [weather], tool_choice }))
    expect(body.content.map(({ id }: { id?: string }) => id)).toEqual([undefined, 'toolu_1'])
  })

  test('is an error when the arguments of a call are incomplete', async () => {
    const { status, body } = await testApp([
      { type: 'tool-call-start', id: 't', name: 'weather' },
      { type: 'tool-call-delta', id: 't', arguments: '{"city":' },
      done('length'),
    ]).post(path, asks('bees', { tools: [weather] }))
    expect(status).toBe(500)
    expect(body.error).toEqual({ type: 'api_error', message: 'The model broke off the arguments of a tool.' })
  })
})

describe('a streamed message', () => {
  test('has the blocks of the whole message, each event with its name', async () => {
    const events = await streamed(asks('bees', { tools: [webSearch] }))
    expect(events.map(({ name, data }) => name === data.type)).not.toContain(false)
    const block = (index: number, content_block: unknown, ...deltas: unknown[]) => [
      { type: 'content_block_start', index, content_block },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]
    const message = {
      id: 'msg_id-1',
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 2, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 },
    }
    expect(events.map(({ data }) => data)).toEqual([
      { type: 'message_start', message },
      { type: 'ping' },
      ...block(
        0,
        { type: 'server_tool_use', id: searchId, name: 'web_search', input: {}, caller: direct },
        { type: 'input_json_delta', partial_json: '{"query":"what was asked"}' },
      ),
      ...block(1, { type: 'web_search_tool_result', tool_use_id: searchId, content: rows, caller: direct }),
      ...block(
        2,
        { type: 'text', text: '' },
        { type: 'text_delta', text: 'It is 🙂 so' },
        { type: 'citations_delta', citation },
      ),
      ...block(3, { type: 'text', text: '' }, { type: 'text_delta', text: '.' }),
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: {
          input_tokens: 100,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 0,
          output_tokens: 20,
          server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 },
        },
      },
      { type: 'message_stop' },
    ])
  })

  test('sends the arguments of a call as they come', async () => {
    const events = await streamed(asks('bees', { tools: [weather] }), calls)
    const deltas = events.flatMap(({ data }) => (data.type === 'content_block_delta' ? [data] : []))
    expect(deltas.map(({ index, delta }) => [index, delta.partial_json ?? delta.text])).toEqual([
      [0, 'Let me look.'],
      [1, '{"city":'],
      [1, '"Ulm"}'],
    ])
    expect(events.at(-2)?.data.delta.stop_reason).toBe('tool_use')
  })

  test('is still a message when the answer is empty', async () => {
    const events = await streamed(asks('bees'), [done('stop')])
    expect(events.map(({ name }) => name)).toEqual(['message_start', 'ping', 'message_delta', 'message_stop'])
  })

  test('keeps the status of a failure before the first block', async () => {
    const { status, body, headers } = await testApp([new SearchError('unavailable', 'No.')]).post(
      path,
      asks('bees', { stream: true }),
    )
    expect(status).toBe(529)
    expect(body).toEqual({ type: 'error', error: { type: 'overloaded_error', message: 'No.' }, request_id: 'id-1' })
    expect(headers.get('request-id')).toBe('id-1')
  })

  test('names the stop sequence that ended the text, as the whole message does', async () => {
    const stopped = [...answered.slice(0, 4), { ...done('stop'), stopSequence: 'END' } as SearchEvent]
    const { body } = await testApp(stopped).post(path, { ...asks('bees'), stop_sequences: ['END'] })
    expect([body.stop_reason, body.stop_sequence]).toEqual(['stop_sequence', 'END'])
    const events = await streamed({ ...asks('bees'), stop_sequences: ['END'] }, stopped)
    expect(events.at(-2)?.data.delta).toEqual({ stop_reason: 'stop_sequence', stop_sequence: 'END' })
  })

  test('ends with an error event, and without message_stop, after a later failure', async () => {
    const { request } = testApp([...answered.slice(0, 3), new SearchError('unavailable', 'It broke.')])
    const response = await request(path, { method: 'POST', body: JSON.stringify(asks('bees', { stream: true })) })
    expect(response.status).toBe(200)
    const text = await response.text()
    expect(text).toEndWith(
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"It broke."},"request_id":"id-1"}\n\n',
    )
    expect(text).not.toContain('message_stop')
  })
})

const weather = { name: 'weather', description: 'Of a city', input_schema: { type: 'object' } }

const calls: readonly SearchEvent[] = [
  { type: 'text-delta', text: 'Let me look.' },
  { type: 'tool-call-start', id: 'toolu_1', name: 'weather' },
  { type: 'tool-call-delta', id: 'toolu_1', arguments: '{"city":' },
  { type: 'tool-call-delta', id: 'toolu_1', arguments: '"Ulm"}' },
  { type: 'tool-call-start', id: 'toolu_2', name: 'weather' },
  done('tool-calls'),
]

function done(reason: Extract<SearchEvent, { type: 'done' }>['reason']): SearchEvent {
  return { type: 'done', reason, usage: { searches: 0, inputTokens: 5, outputTokens: 7 }, model: 'claude-x' }
}

/** A text, and the citations of its markers. */
function cited(text: string, numbers: readonly number[]): readonly SearchEvent[] {
  return [
    { type: 'text-delta', text },
    ...numbers.map((number): SearchEvent => {
      const start = text.indexOf(`[${number}]`)
      const end = start + `[${number}]`.length
      return {
        type: 'citation',
        citation: { number, url: `https://site${number}.example/docs/page`, title: `Page ${number}`, start, end },
      }
    }),
  ]
}
