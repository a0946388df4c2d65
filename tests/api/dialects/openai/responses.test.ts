import { describe, expect, test } from 'bun:test'
import { SearchError } from '../../../../src/domain/error.ts'
import type { SearchEvent, ToolChoice } from '../../../../src/domain/search.ts'
import { answered, pages } from '../../../support/scripted-executor.ts'
import { testApp } from '../../test-app.ts'
import { eventsOf } from './response-events.ts'

const path = '/v1/responses'
const search = { type: 'web_search' }
const weather = { type: 'function', name: 'get_weather', parameters: { type: 'object', properties: {} }, strict: true }

/** With the same ids of items, which are random. */
const sameItems = (value: object) => JSON.parse(JSON.stringify(value).replaceAll(/[0-9a-f]{32}/g, '0'))

const usage = { searches: 0, inputTokens: 5, outputTokens: 7 }
const calls: readonly SearchEvent[] = [
  { type: 'tool-call-start', id: 'c1', name: 'get_weather' },
  { type: 'tool-call-delta', id: 'c1', arguments: '{"place":' },
  { type: 'tool-call-delta', id: 'c1', arguments: '"Bern"}' },
  { type: 'tool-call-start', id: 'c2', name: 'clock' },
  { type: 'done', reason: 'tool-calls', usage, model: 'claude-x' },
]

async function streamed(body: Record<string, unknown>, script?: Parameters<typeof testApp>[0]) {
  const init = { method: 'POST', body: JSON.stringify({ input: 'bees', ...body, stream: true }) }
  const response = await testApp(script).request(path, init)
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  return eventsOf(await response.text())
}

describe('a whole response', () => {
  test('has the vendor’s fields, the search and flat citations', async () => {
    const { status, body } = await testApp().post(path, { model: 'gpt-5-search-api', input: 'bees', tools: [search] })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      id: 'resp_id-1',
      object: 'response',
      created_at: 1795168800,
      status: 'completed',
      error: null,
      incomplete_details: null,
      instructions: null,
      metadata: {},
      model: 'gpt-5-search-api',
      parallel_tool_calls: true,
      tool_choice: 'auto',
      tools: [search],
      text: { format: { type: 'text' } },
      usage: {
        input_tokens: 100,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: 20,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 120,
      },
    })
    expect(body.output).toEqual([
      {
        id: expect.stringMatching(/^ws_[0-9a-f]{32}_0$/),
        type: 'web_search_call',
        status: 'completed',
        action: { type: 'search', query: 'what was asked', queries: ['what was asked'] },
      },
      {
        id: expect.stringMatching(/^msg_[0-9a-f]{32}_1$/),
        type: 'message',
        status: 'completed',
        role: 'assistant',
        content: [
          {
            type: 'output_text',
            text: 'It is 🙂 so [2].',
            annotations: [
              {
                type: 'url_citation',
                start_index: 12,
                end_index: 15,
                url: 'https://site2.example/docs/page',
                title: 'Page 2',
              },
            ],
            logprobs: [],
          },
        ],
      },
    ])
  })

  test('has the sources of a search when they are requested', async () => {
    const include = ['web_search_call.action.sources']
    const { body } = await testApp().post(path, { input: 'bees', tools: [search], include })
    expect(body.output[0].action.sources).toEqual(pages(3).map(({ url }) => ({ type: 'url', url })))
  })

  test('has the calls of the caller’s functions', async () => {
    const { body } = await testApp(calls).post(path, { input: 'bees', tools: [weather] })
    expect(body.output).toEqual([
      {
        id: expect.stringMatching(/^fc_[0-9a-f]{32}_0$/),
        type: 'function_call',
        status: 'completed',
        call_id: 'c1',
        name: 'get_weather',
        arguments: '{"place":"Bern"}',
      },
      {
        id: expect.stringMatching(/^fc_[0-9a-f]{32}_1$/),
        type: 'function_call',
        status: 'completed',
        call_id: 'c2',
        name: 'clock',
        arguments: '{}',
      },
    ])
    expect(body.status).toBe('completed')
  })

  test('has one call when parallel calls are not allowed', async () => {
    const { body } = await testApp(calls).post(path, { input: 'bees', tools: [weather], parallel_tool_calls: false })
    expect(body.output).toHaveLength(1)
    expect(body.parallel_tool_calls).toBe(false)
  })

  test.each([
    ['length', 'max_output_tokens'],
    ['refusal', 'content_filter'],
  ] as const)('whose reason is %s is incomplete because of %s', async (reason, told) => {
    const script: readonly SearchEvent[] = [
      { type: 'text-delta', text: 'It' },
      { type: 'done', reason, usage, model: 'x' },
    ]
    const { body } = await testApp(script).post(path, { input: 'bees' })
    expect([body.status, body.incomplete_details]).toEqual(['incomplete', { reason: told }])
    expect(body.output[0].status).toBe('incomplete')
    const last = (await streamed({}, script)).at(-1)
    expect(sameItems(last)).toMatchObject({ type: 'response.incomplete', response: sameItems(body) })
  })
})

describe('a response stream', () => {
  test('sends search, text and citation with every event in its order, numbered', async () => {
    const events = await streamed({ tools: [search] })
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.web_search_call.in_progress',
      'response.web_search_call.searching',
      'response.web_search_call.completed',
      'response.output_item.done',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.annotation.added',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ])
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index))
    expect(events[0]).toMatchObject({ response: { status: 'in_progress', output: [], usage: null } })
    expect(events.slice(2, 7).map(({ output_index }) => output_index)).toEqual([0, 0, 0, 0, 0])
    expect(events.slice(7, 15).map(({ output_index }) => output_index)).toEqual([1, 1, 1, 1, 1, 1, 1, 1])
    expect(events.filter(({ delta }) => delta).map(({ delta }) => delta)).toEqual(['It is 🙂 so ', '[2].'])
  })

  test('ends with the same response as a request that is not streamed', async () => {
    const { body } = await testApp().post(path, { input: 'bees', tools: [search] })
    const events = await streamed({ tools: [search] })
    expect(sameItems(events.at(-1)?.response)).toEqual(sameItems(body))
  })

  test('sends the arguments of calls in pieces, then whole', async () => {
    const events = await streamed({ tools: [weather] }, calls)
    expect(events.slice(2).map(({ type, output_index }) => [type, output_index])).toEqual([
      ['response.output_item.added', 0],
      ['response.function_call_arguments.delta', 0],
      ['response.function_call_arguments.delta', 0],
      ['response.output_item.added', 1],
      ['response.function_call_arguments.done', 0],
      ['response.output_item.done', 0],
      ['response.function_call_arguments.done', 1],
      ['response.output_item.done', 1],
      ['response.completed', undefined],
    ])
    expect(events[2]?.item).toMatchObject({ call_id: 'c1', name: 'get_weather', arguments: '', status: 'in_progress' })
    expect(events[6]).toMatchObject({
      arguments: '{"place":"Bern"}',
      item_id: expect.stringMatching(/^fc_[0-9a-f]{32}_0$/),
    })
    expect(events.at(-1)?.response.output).toHaveLength(2)
  })

  test('keeps the status of a failure before the first event', async () => {
    const { request } = testApp([new SearchError('signed-out', 'Sign in.')])
    const response = await request(path, { method: 'POST', body: '{"input":"bees","stream":true}' })
    expect(response.status).toBe(503)
  })

  test('reports a later failure with an event of its own, and as a response that failed, with the next numbers', async () => {
    const events = await streamed({ tools: [search] }, [...answered.slice(0, 3), new SearchError('busy', 'Enough.')])
    const error = { code: 'rate_limit_exceeded', message: 'Enough.' }
    expect(events.at(-2)).toEqual({ type: 'error', sequence_number: events.length - 2, ...error, param: null })
    const response = expect.objectContaining({ status: 'failed', error })
    expect(events.at(-1)).toEqual({ type: 'response.failed', sequence_number: events.length - 1, response })
  })
})

describe('a request of the Responses API', () => {
  const asked = async (body: Record<string, unknown>) => {
    const { post, executor } = testApp()
    const reply = await post(path, { input: 'bees', ...body })
    expect(reply.status).toBe(200)
    return executor.calls[0]?.request
  }

  test.each([
    ['no tools', {}, 'text'],
    ['functions alone', { tools: [weather] }, 'text'],
    ['a search', { tools: [search] }, 'answer'],
    ['an older search', { tools: [{ type: 'web_search_preview' }] }, 'answer'],
    ['a dated search', { tools: [{ type: 'web_search_2025_08_26' }] }, 'answer'],
    ['a dated older search', { tools: [{ type: 'web_search_preview_2025_03_11' }] }, 'answer'],
    ['a search and functions', { tools: [search, weather] }, 'answer'],
    ['the search by choice', { tools: [search], tool_choice: { type: 'web_search_preview' } }, 'answer'],
    ['no tool by choice', { tools: [search], tool_choice: 'none' }, 'text'],
    [
      'another tool by choice',
      { tools: [search, weather], tool_choice: { type: 'function', name: 'get_weather' } },
      'text',
    ],
  ] as const)('searches or not by what it contains: %s', async (_name, body, want) => {
    expect((await asked(body))?.want).toBe(want)
  })

  test.each([
    ['auto', { tools: [weather], tool_choice: 'auto' }, 'auto'],
    ['required', { tools: [weather], tool_choice: 'required' }, 'required'],
    ['required, which the search is', { tools: [search, weather], tool_choice: 'required' }, 'auto'],
    [
      'a function',
      { tools: [weather], tool_choice: { type: 'function', name: 'get_weather' } },
      { name: 'get_weather' },
    ],
    ['required without functions', { tools: [search], tool_choice: 'required' }, undefined],
  ] as readonly [string, object, ToolChoice?][])('passes its tool choice on: %s', async (_name, body, choice) => {
    expect((await asked({ ...body }))?.toolChoice).toEqual(choice)
  })

  test('passes the filters of a search on', async () => {
    const tool = {
      ...search,
      filters: { allowed_domains: ['https://Example.com/x'], blocked_domains: null },
      user_location: { type: 'approximate', country: 'de', city: 'Bonn' },
      search_context_size: 'low',
    }
    expect((await asked({ tools: [tool] }))?.filters).toEqual({
      includeDomains: ['example.com'],
      country: 'DE',
      city: 'Bonn',
    })
  })

  test('passes its schema on', async () => {
    const format = { type: 'json_schema', name: 'x', strict: true, schema: { type: 'array' } }
    expect((await asked({ text: { format, verbosity: 'low' } }))?.schema).toEqual({ type: 'array' })
    expect((await asked({ text: { format: { type: 'json_object' } } }))?.schema).toEqual({ type: 'object' })
    expect((await asked({ text: {} }))?.schema).toBeUndefined()
  })

  test('turns its items into instructions, history, question and what followed it', async () => {
    const request = await asked({
      model: 'claude-opus-5',
      instructions: 'Be brief.',
      input: [
        { role: 'developer', content: 'In French.' },
        { role: 'user', content: [{ type: 'input_text', text: 'Who wrote it?' }] },
        { type: 'reasoning', id: 'rs_1', summary: [] },
        { type: 'web_search_call', id: 'ws_1', status: 'completed' },
        { type: 'item_reference', id: 'ws_id-1_0' },
        { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'She did.' }] },
        { type: 'message', role: 'user', content: 'When, and where?' },
        { type: 'message', role: 'assistant', content: 'I look.' },
        { type: 'function_call', call_id: 'c1', name: 'when', arguments: '{}' },
        { type: 'function_call', call_id: 'c2', name: 'where', arguments: '{"a":1}' },
        { type: 'function_call_output', call_id: 'c2', output: 'Bern' },
        { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_text', text: '1905' }] },
      ],
    })
    expect(request).toEqual({
      query: 'When, and where?',
      instructions: 'Be brief.\n\nIn French.',
      history: [
        { role: 'user', text: 'Who wrote it?' },
        { role: 'assistant', text: 'She did.' },
      ],
      continuation: [
        {
          role: 'assistant',
          text: 'I look.',
          toolCalls: [
            { id: 'c1', name: 'when', arguments: '{}' },
            { id: 'c2', name: 'where', arguments: '{"a":1}' },
          ],
        },
        { role: 'tool', callId: 'c2', text: 'Bern' },
        { role: 'tool', callId: 'c1', text: '1905' },
      ],
      want: 'text',
      effort: 'standard',
      model: 'claude-opus-5',
      filters: {},
    })
  })
})

test('a reference to words before a call is passed over, and that is said', async () => {
  const { post, executor } = testApp()
  const { status, headers } = await post(path, {
    input: [
      { role: 'user', content: 'bees' },
      { type: 'item_reference', id: 'msg_1' },
      { type: 'item_reference', id: 'ws_1' },
      { type: 'function_call', call_id: 'c1', name: 'hive', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: 'hum' },
    ],
  })
  expect(status).toBe(200)
  expect(headers.get('x-csp-ignored')).toBe('input[1]')
  expect(executor.calls[0]?.request.continuation?.map(({ role }) => role)).toEqual(['assistant', 'tool'])
})

describe('a request of the Responses API is refused', () => {
  const item = (more: object) => ({ input: [{ role: 'user', content: 'bees' }, more] })
  test.each([
    ['no input', { model: 'sonnet' }, 'input', 'missing_required_parameter'],
    ['no items', { input: [] }, 'input'],
    ['white space', { input: ' ' }, 'input'],
    ['a number', { input: 5 }, 'input'],
    ['an image', { input: [{ role: 'user', content: [{ type: 'input_image' }] }] }, 'input[0].content[0].type'],
    ['what a tool of another kind gave', item({ type: 'computer_call_output' }), 'input[1].type'],
    ['an item without a role', item({ content: 'x' }), 'input[1].role', 'missing_required_parameter'],
    [
      'a call without arguments',
      item({ type: 'function_call', call_id: 'c', name: 'x' }),
      'input[1].arguments',
      'missing_required_parameter',
    ],
    ['the result of no call', item({ type: 'function_call_output', call_id: 'c9', output: '' }), 'input[1].call_id'],
    ['the assistant last', item({ role: 'assistant', content: 'x' }), 'input[1].role'],
    ['a tool of another kind', { input: 'bees', tools: [{ type: 'file_search' }] }, 'tools[0].type'],
    [
      'a function without a name',
      { input: 'bees', tools: [{ type: 'function' }] },
      'tools[0].name',
      'missing_required_parameter',
    ],
    ['a name with spaces', { input: 'bees', tools: [{ type: 'function', name: 'a b' }] }, 'tools[0].name'],
    ['a function that is not there', { input: 'bees', tool_choice: { type: 'function', name: 'x' } }, 'tool_choice'],
    [
      'no domain',
      { input: 'bees', tools: [{ ...search, filters: { allowed_domains: ['a b'] } }] },
      'tools[0].filters.allowed_domains[0]',
    ],
    ['a form', { input: 'bees', text: { format: { type: 'grammar' } } }, 'text.format.type'],
    ['an earlier response', { input: 'bees', previous_response_id: 'resp_1' }, 'previous_response_id'],
    ['a conversation', { input: 'bees', conversation: 'conv_1' }, 'conversation'],
    ['a stored prompt', { input: 'bees', prompt: { id: 'pmpt_1' } }, 'prompt'],
    ['the background', { input: 'bees', background: true }, 'background'],
  ] as readonly [string, object, string, string?][])('with 400, naming the parameter: %s', async (...row) => {
    const [, body, param, code = 'invalid_value'] = row
    const { post, executor } = testApp()
    const reply = await post(path, body)
    expect(reply.status).toBe(400)
    expect(reply.body.error).toEqual({ message: expect.any(String), type: 'invalid_request_error', param, code })
    expect(executor.calls).toHaveLength(0)
  })

  test('with 404 for a model that writes no text', async () => {
    const { status, body } = await testApp().post(path, { model: 'gemini-embedding-001', input: 'bees' })
    expect([status, body.error.code, body.error.param]).toEqual([404, 'model_not_found', 'model'])
  })

  test('with 400 when it is not JSON', async () => {
    const response = await testApp().request(path, { method: 'POST', body: '{' })
    expect(response.status).toBe(400)
    expect((await response.json()).error).toMatchObject({ type: 'invalid_request_error', code: null })
  })
})

describe('the vendor of /v1/responses', () => {
  const agent = (name: string) => ({ 'user-agent': name })
  const fieldsOf: Readonly<Record<string, object>> = {
    text: { text: { format: { type: 'text' } } },
    include: { include: [] },
    store: { store: false },
    truncation: { truncation: 'auto' },
    prompt_cache_key: { prompt_cache_key: 'k' },
  }

  test('is OpenAI for a bare sonar model, which searches without the tool, for OpenAI’s clients as for Perplexity’s', async () => {
    for (const tool_choice of [undefined, 'auto', 'none']) {
      const { post, executor } = testApp()
      const { body } = await post(path, { model: 'sonar', input: 'bees', tool_choice })
      expect(executor.requests.map(({ want }) => want)).toEqual(['answer'])
      expect(body.output.map(({ type }: { type: string }) => type)).toEqual(['web_search_call', 'message'])
    }
  })

  test.each([
    ['a model of OpenAI', { model: 'gpt-5-search-api' }, {}, 'response', false],
    ['a preset', { preset: 'fast' }, {}, 'response', true],
    ['several models', { models: ['sonar'] }, {}, 'response', true],
    ['a preferred language', { model: 'sonar', language_preference: 'en' }, {}, 'response', true],
    ['a bare sonar model', { model: 'sonar' }, {}, 'response', false],
    ['a bare sonar model with null for a preset', { model: 'sonar', preset: null }, {}, 'response', false],
    ['a model of Perplexity’s', { model: 'perplexity/sonar-pro' }, {}, 'response', true],
    ['such a model from OpenAI’s client', { model: 'perplexity/sonar' }, agent('OpenAI/JS 7.55.0'), 'response', false],
    [
      'such a model from OpenAI’s agents',
      { model: 'perplexity/sonar' },
      agent('Agents/JavaScript 1'),
      'response',
      false,
    ],
    ['such a model from LangChain', { model: 'perplexity/sonar' }, agent('langchainjs-openai/1'), 'response', false],
    ...['text', 'include', 'store', 'truncation', 'prompt_cache_key'].map(
      (field) =>
        [
          `such a model with ${field}`,
          { model: 'perplexity/sonar', ...fieldsOf[field] },
          {},
          'response',
          false,
        ] as const,
    ),
    ['Perplexity’s client', {}, { 'x-pplx-integration': 'perplexity-node/1' }, 'response', true],
    ['Perplexity’s MCP server', {}, { 'x-source': 'pplx-mcp-server' }, 'response', true],
    ['another source', {}, { 'x-source': 'my-app' }, 'response', true],
    ['Perplexity’s SDK', { model: 'sonar', store: true }, agent('Perplexity/JS 0.38.5'), 'response', true],
    ['Perplexity’s asynchronous SDK', {}, agent('AsyncPerplexity/Python 0.38.5'), 'response', true],
  ] as const)('is found from the request: %s', async (_name, more, headers, object, isAgent) => {
    for (const at of [path, '/responses']) {
      const { body } = await testApp().post(at, { input: 'bees', tools: [search], ...more }, headers)
      expect(body.object).toBe(object)
      expect(body.output[0].type).toBe(isAgent ? 'search_results' : 'web_search_call')
    }
  })

  test('decides the shape of an error', async () => {
    const { post } = testApp()
    expect((await post(path, { preset: 'fast' })).body.error.code).toBe(400)
    expect((await post(path, {}, { 'x-source': 'perplexity-node' })).body.error.code).toBe(400)
    expect((await post(path, {})).body.error.code).toBe('missing_required_parameter')
  })
})
