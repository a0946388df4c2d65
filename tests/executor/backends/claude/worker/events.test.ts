import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { toolOutputSchema } from '../../../../../src/executor/backends/claude/search-output.ts'
import { parseCliLine } from '../../../../../src/executor/backends/claude/worker/events.ts'

const parse = (line: unknown) => parseCliLine(JSON.stringify(line))
const streamed = (event: object, rest: object = {}) => parse({ type: 'stream_event', event, ...rest })

// The lines are those of the real CLI, less the fields that csp does not read.
describe("a line of the CLI's stream", () => {
  test('that begins a session is read', () => {
    const line = { type: 'system', subtype: 'init', cwd: '/', tools: ['WebSearch'], claude_code_version: '2.1.328' }
    expect(parse(line)).toEqual({ type: 'init', tools: ['WebSearch'], version: '2.1.328' })
    expect(parse({ ...line, claude_code_version: 3 })).toMatchObject({ type: 'init', version: undefined })
    expect(parse({ type: 'conversation_reset', new_conversation_id: 'x' })).toEqual({ type: 'reset' })
  })

  test('with streamed text is read', () => {
    expect(streamed({ type: 'message_start', message: {} })).toEqual({ type: 'message-start' })
    const delta = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Seals' } }
    expect(streamed(delta)).toEqual({ type: 'text-delta', text: 'Seals' })
    expect(streamed({ type: 'message_stop' })).toEqual({ type: 'message-stop' })
    const end = { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: {} }
    expect(streamed(end)).toEqual({ type: 'message-end', stopReason: 'end_turn', inputTokens: 0 })
    // What the CLI makes up for a message that failed.
    expect(streamed({ ...end, delta: { stop_reason: null } })).toBeUndefined()
    expect(streamed(delta, { parent_tool_use_id: null })).toEqual({ type: 'text-delta', text: 'Seals' })
    expect(streamed(delta, { parent_tool_use_id: 'toolu_1' })).toBeUndefined() // of an agent within the agent
  })

  test('with a search that the API makes within the message is read', () => {
    const query = (input: unknown, name = 'web_search') =>
      parse({ type: 'assistant', message: { content: [{ type: 'server_tool_use', id: 's', name, input }] } })
    expect(query({ query: 'seals' })).toEqual({ type: 'native-search', id: 's', query: 'seals' })
    expect(query({})).toEqual({ type: 'native-search', id: 's', query: '' })
    expect(query({ url: 'https://a.example/' }, 'web_fetch')).toBeUndefined()
    const found = (content: unknown, type = 'web_search_tool_result') =>
      streamed({ type: 'content_block_start', index: 1, content_block: { type, tool_use_id: 's', content } })
    const hit = {
      type: 'web_search_result',
      url: 'https://a.example/',
      title: 'A',
      page_age: null,
      encrypted_content: 'x',
    }
    const hits = [{ url: 'https://a.example/', title: 'A', pageAge: undefined }]
    expect(found([hit, { title: 'no address' }])).toEqual({ type: 'native-found', found: { id: 's', hits } })
    const error = { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' }
    expect(found(error)).toEqual({ type: 'native-found', found: { id: 's', code: 'max_uses_exceeded' } })
    for (const odd of [undefined, 'text', { error_code: 3 }]) expect(found(odd)).toBeUndefined()
    expect(found([hit], 'web_fetch_tool_result')).toBeUndefined()
    const citation = { url: 'https://a.example/', cited_text: 'They sleep.' }
    const delta = { type: 'citations_delta', citation }
    expect(streamed({ type: 'content_block_delta', index: 2, delta })).toEqual({ type: 'citation', index: 2, citation })
  })

  test('with what the model has read by then is read', () => {
    const usage = { input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 1 }
    expect(streamed({ type: 'message_start', message: { usage } })).toEqual({ type: 'message-start', inputTokens: 15 })
    const end = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage }
    expect(streamed(end)).toEqual({ type: 'message-end', stopReason: 'end_turn', inputTokens: 15 })
  })

  test('with a call of a tool as the model writes it is read', () => {
    const block = { type: 'tool_use', id: 'toolu_1', name: 'mcp__client__get', input: {} }
    const start = (content_block: object) => streamed({ type: 'content_block_start', index: 2, content_block })
    expect(start(block)).toEqual({ type: 'call-start', index: 2, id: 'toolu_1', name: 'mcp__client__get' })
    expect(start({ ...block, type: 'server_tool_use' })).toBeUndefined()
    expect(start({ type: 'text', text: '' })).toBeUndefined()
    const delta = { type: 'input_json_delta', partial_json: '{"a"' }
    expect(streamed({ type: 'content_block_delta', index: 2, delta })).toEqual({
      ...{ type: 'call-delta', index: 2, json: '{"a"' },
    })
    expect(streamed({ type: 'content_block_stop', index: 2 })).toEqual({ type: 'block-stop', index: 2 })
  })

  test('that asks the API again, or the model to go on, is read', () => {
    expect(parse({ type: 'system', subtype: 'api_retry', attempt: 1, error_status: null })).toEqual({ type: 'retry' })
    const goOn = [{ type: 'text', text: 'Your response above was cut off mid-stream.' }]
    expect(parse({ type: 'user', message: { role: 'user', content: goOn } })).toEqual({ type: 'retry' })
    const kept = { type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: 'Seals' }] } }
    expect(parse(kept)).toEqual({ type: 'text-kept' })
  })

  test('with thoughts and signatures is skipped', () => {
    for (const delta of [
      { type: 'thinking_delta', thinking: 'Hm' },
      { type: 'signature_delta', signature: 'x' },
    ]) {
      expect(streamed({ type: 'content_block_delta', index: 0, delta })).toBeUndefined()
    }
  })

  test('with a search and its results is read', () => {
    const use = { type: 'tool_use', id: 'toolu_1', name: 'WebSearch', input: { query: 'seals' } }
    const message = { role: 'assistant', content: [{ type: 'text', text: '' }, use] }
    expect(parse({ type: 'assistant', message })).toEqual({
      type: 'tool-use',
      id: 'toolu_1',
      name: 'WebSearch',
      query: 'seals',
    })
    // Of a tool with modes the model of a `deep` answer chooses one itself.
    const inMode = { ...use, input: { query: 'seals', mode: 'extended' } }
    expect(parse({ type: 'assistant', message: { role: 'assistant', content: [inMode] } })).toMatchObject({
      query: 'seals',
    })
    const result = (tool_use_result: unknown) =>
      parse({
        type: 'user',
        message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: '…' }] },
        tool_use_result,
      })
    const hit = { title: 'Seals', url: 'https://example.com/' }
    expect(result({ query: 'seals', results: [{ tool_use_id: 's', content: [hit] }, 'A summary.'] })).toEqual({
      type: 'tool-result',
      id: 'toolu_1',
      output: { searched: true, hits: [hit], text: 'A summary.', error: undefined },
    })
    expect(result('Error: no')).toMatchObject({ type: 'tool-result', output: 'Error: no' })
    expect(result({ odd: true })).toMatchObject({ type: 'tool-result', output: undefined })
  })

  test('with the usage limit is read', () => {
    const info = { status: 'rejected', resetsAt: 1_800_000_000, rateLimitType: 'five_hour', utilization: 0.5 }
    expect(parse({ type: 'rate_limit_event', rate_limit_info: info })).toEqual({
      type: 'rate-limit',
      limit: { status: 'rejected', window: 'five_hour', resetsAt: '2027-01-15T08:00:00.000Z', utilization: 0.5 },
    })
    const odd = { status: 'new', resetsAt: 'soon', rateLimitType: 5, utilization: null }
    expect(parse({ type: 'rate_limit_event', rate_limit_info: odd })).toEqual({
      type: 'rate-limit',
      limit: { status: 'new', window: undefined, resetsAt: undefined, utilization: undefined },
    })
  })

  test('with what is paid beyond the plan is read', () => {
    const windows = {
      five_hour: { utilization: 1.02, resetsAt: 1_800_000_000, status: 'rejected' },
      month: { utilization: 0.2 },
      odd: { utilization: 'much', resetsAt: -1 },
    }
    const info = { status: 'rejected', isUsingOverage: true, overageStatus: 'allowed', unifiedWindows: windows }
    const overage = { overageResetsAt: 1_800_000_000, overageDisabledReason: 'new_reason', dailyCapPaused: true }
    expect(parse({ type: 'rate_limit_event', rate_limit_info: { ...info, ...overage } })).toEqual({
      type: 'rate-limit',
      limit: {
        status: 'rejected',
        windows: [
          { window: 'five_hour', utilization: 1.02, resetsAt: '2027-01-15T08:00:00.000Z', status: 'rejected' },
          { window: 'month', utilization: 0.2 },
          { window: 'odd' },
        ],
        overage: {
          ...{ inUse: true, status: 'allowed', resetsAt: '2027-01-15T08:00:00.000Z' },
          ...{ disabledReason: 'new_reason', dailyCapPaused: true },
        },
      },
    })
  })

  test('that ends a turn is read', () => {
    const usage = {
      input_tokens: 1,
      cache_creation_input_tokens: 20,
      cache_read_input_tokens: 300,
      output_tokens: 4,
    }
    const line = {
      type: 'result',
      subtype: 'success',
      is_error: false,
      result: 'Seals.',
      stop_reason: 'end_turn',
      usage,
    }
    expect(parse(line)).toEqual({
      type: 'result',
      result: {
        failed: false,
        text: 'Seals.',
        apiStatus: undefined,
        stopReason: 'end_turn',
        inputTokens: 321,
        outputTokens: 4,
      },
    })
    const bare = { failed: false, text: '', stopReason: undefined, inputTokens: 0, outputTokens: 0 }
    expect(parse({ type: 'result' })).toMatchObject({ result: bare })
    expect(parse({ ...line, usage: null, api_error_status: null, stop_reason: null })).toMatchObject({
      result: { apiStatus: undefined, stopReason: undefined, inputTokens: 0 },
    })
    expect(parse({ type: 'result', is_error: true, api_error_status: 529 })).toMatchObject({
      result: { failed: true, apiStatus: 529 },
    })
  })

  test('that csp does not know is skipped, and none throws', () => {
    for (const line of [
      '',
      'garbage',
      '{',
      '[]',
      'null',
      '5',
      '{"type":"new"}',
      '{"type":"system","subtype":"status"}',
    ]) {
      expect(parseCliLine(line)).toBeUndefined()
    }
    fc.assert(fc.property(fc.json(), (line) => void parseCliLine(line)))
  })
})

describe('the output of the search tool', () => {
  const read = (results: unknown) => toolOutputSchema.parse({ query: 'seals', results })
  const hit = (name: string) => ({ title: name, url: `https://example.com/${name}` })

  test('is read as hits and a text', () => {
    const results = [
      { tool_use_id: 's1', content: [hit('a'), hit('b')] },
      'One.',
      { tool_use_id: 's2', content: [hit('c')] },
      'Two. ',
    ]
    expect(read(results)).toEqual({
      searched: true,
      hits: [hit('a'), hit('b'), hit('c')],
      text: 'One.\n\nTwo.',
      error: undefined,
    })
  })

  test('is read without what was written before the first search', () => {
    expect(read(['I will search.', { content: [hit('a')] }, 'Found.'])).toMatchObject({
      searched: true,
      text: 'Found.',
    })
  })

  test('shows whether a search was made', () => {
    expect(read([{ content: [] }, 'Nothing.'])).toMatchObject({ searched: true, hits: [], error: undefined })
    expect(read(['From memory.'])).toEqual({ searched: false, hits: [], text: 'From memory.', error: undefined })
    expect(read([])).toMatchObject({ searched: false, text: '' })
  })

  test('is an error when every search failed, and only then', () => {
    expect(read(['Web search error: unavailable', 'Sorry.'])).toEqual({
      searched: true,
      hits: [],
      text: 'Sorry.',
      error: 'unavailable',
    })
    expect(read(['Web search error: unavailable', { content: [hit('a')] }, 'Found.'])).toMatchObject({
      hits: [hit('a')],
      text: 'Found.',
      error: undefined,
    })
    expect(read(['It says Web search error: unavailable'])).toMatchObject({ searched: false, error: undefined })
  })

  test('may hold unknown values', () => {
    const odd = [
      null,
      5,
      { new: true },
      { content: [hit('a'), { title: 'no url' }, null, { ...hit('b'), page_age: '1 day' }] },
    ]
    expect(read(odd)).toMatchObject({ searched: true, hits: [hit('a'), hit('b')] })
    expect(toolOutputSchema.safeParse({ results: 'none' }).success).toBe(false)
  })
})
