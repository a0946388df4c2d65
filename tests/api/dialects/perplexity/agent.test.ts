import { describe, expect, test } from 'bun:test'
import { SearchError } from '../../../../src/domain/error.ts'
import type { SearchEvent } from '../../../../src/domain/search.ts'
import { answered, pages } from '../../../support/scripted-executor.ts'
import { testApp } from '../../test-app.ts'
import { eventsOf } from '../openai/response-events.ts'

const path = '/v1/agent'
const hive = { type: 'function', name: 'hive', parameters: { type: 'object', properties: {} } }
const usage = { searches: 2, inputTokens: 1, outputTokens: 1 }

const rows = [
  {
    id: 1,
    title: 'Page 1',
    url: 'https://site1.example/docs/page',
    snippet: 'Excerpt 1',
    date: '2026-05-01',
    source: 'web',
  },
  { id: 2, title: 'Page 2', url: 'https://site2.example/docs/page', snippet: 'Excerpt 2', source: 'web' },
  { id: 3, title: 'Page 3', url: 'https://site3.example/docs/page', snippet: '', date: '2026-05-01', source: 'web' },
]

async function streamed(body: Record<string, unknown>, script?: Parameters<typeof testApp>[0]) {
  const init = { method: 'POST', body: JSON.stringify({ preset: 'fast', input: 'bees', ...body, stream: true }) }
  const response = await testApp(script).request(path, init)
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  return eventsOf(await response.text())
}

describe('a whole response of the Agent API', () => {
  test.each(['/v1/agent', '/agent'])('at %s has the vendor’s fields and items', async (at) => {
    const { status, body } = await testApp().post(at, { model: 'perplexity/sonar', input: 'bees' })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      id: 'resp_id-1',
      object: 'response',
      created_at: 1795168800,
      completed_at: 1795168800,
      status: 'completed',
      model: 'perplexity/sonar',
      error: null,
      incomplete_details: null,
      usage: {
        input_tokens: 100,
        output_tokens: 20,
        total_tokens: 120,
        cost: { currency: 'USD', input_cost: 0, output_cost: 0, total_cost: 0 },
        tool_calls_details: { search_web: { invocation: 1 } },
      },
    })
    expect(body.output).toEqual([
      { type: 'search_results', queries: ['what was asked'], results: rows },
      {
        type: 'message',
        id: 'msg_id-1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'It is 🙂 so [2].', annotations: [] }],
      },
    ])
  })

  test('gives a page the same number in every search that finds it', async () => {
    const { body } = await testApp([
      { type: 'search-start', id: 'a', query: 'one' },
      { type: 'search-results', id: 'a', results: pages(2) },
      { type: 'search-start', id: 'b', query: 'two' },
      { type: 'search-results', id: 'b', results: pages(3).slice(1) },
      { type: 'done', reason: 'stop', usage, model: 'x' },
    ]).post(path, { preset: 'high', input: 'bees' })
    const ids = body.output.map(({ results }: { results: { id: number }[] }) => results.map(({ id }) => id))
    expect(ids).toEqual([
      [1, 2],
      [2, 3],
    ])
  })

  test('reports a text that was cut short', async () => {
    const { body } = await testApp([{ type: 'done', reason: 'length', usage, model: 'x' }]).post(path, {
      preset: 'fast',
      input: 'bees',
    })
    expect(body.incomplete_details).toEqual({ reason: 'max_output_tokens' })
  })
})

describe('a stream of the Agent API', () => {
  test('has searches, then text: every event in the recorded order, numbered', async () => {
    const events = await streamed({})
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.reasoning.search_queries',
      'response.reasoning.search_results',
      'response.output_item.done',
      'response.output_item.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.output_item.done',
      'response.completed',
    ])
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index))
    expect(events[2]?.queries).toEqual(['what was asked'])
    expect(events[3]?.results).toEqual(rows)
    expect(events[6]).toMatchObject({ delta: 'It is 🙂 so ', item_id: 'msg_id-1', output_index: 1, content_index: 0 })
    expect(events[8]?.text).toBe('It is 🙂 so [2].')
  })

  test('ends with the same response as a request that is not streamed', async () => {
    const { body } = await testApp().post(path, { preset: 'fast', input: 'bees' })
    expect((await streamed({})).at(-1)?.response).toEqual(body)
  })

  test('has each call of the caller’s functions in one piece', async () => {
    const script: readonly SearchEvent[] = [
      { type: 'tool-call-start', id: 'c1', name: 'hive' },
      { type: 'tool-call-delta', id: 'c1', arguments: '{"n":' },
      { type: 'tool-call-delta', id: 'c1', arguments: '1}' },
      { type: 'done', reason: 'tool-calls', usage, model: 'x' },
    ]
    const events = await streamed({ tools: [hive] }, script)
    const item = { type: 'function_call', id: 'fc_id-1_0', call_id: 'c1', name: 'hive', arguments: '{"n":1}' }
    expect(events.slice(2).map(({ type }) => type)).toEqual([
      'response.output_item.added',
      'response.output_item.done',
      'response.completed',
    ])
    expect(events.at(-1)?.response.output).toEqual([{ ...item, status: 'completed' }])
  })

  test('keeps the status of a failure before the first event', async () => {
    const { request } = testApp([new SearchError('rate-limited', 'Enough.')])
    const response = await request(path, { method: 'POST', body: '{"preset":"fast","input":"bees","stream":true}' })
    expect(response.status).toBe(429)
    expect((await response.json()).error).toEqual({ message: 'Enough.', type: 'rate_limit_exceeded', code: 429 })
  })

  test('reports a later failure with an event of its own that has the next number', async () => {
    const events = await streamed({}, [...answered.slice(0, 3), new SearchError('timeout', 'Too slow.')])
    expect(events.at(-1)).toEqual({
      type: 'response.failed',
      sequence_number: events.length - 1,
      error: { message: 'Too slow.', type: 'timeout', code: 504 },
    })
  })
})

describe('a request of the Agent API', () => {
  const asked = async (body: Record<string, unknown>) => {
    const { post, executor } = testApp()
    const reply = await post(path, { input: 'bees', ...body })
    expect(reply.status).toBe(200)
    return executor.calls[0]?.request
  }

  test.each([
    ['fast', 'fast'],
    ['low', 'standard'],
    ['medium', 'deep'],
    ['high', 'deep'],
    ['xhigh', 'deep'],
    ['pro-search', 'standard'],
  ] as const)('with the preset %s searches with effort %s', async (preset, effort) => {
    expect(await asked({ preset })).toMatchObject({ effort, want: 'answer' })
  })

  test.each([
    ['nothing', {}, { effort: 'standard', want: 'answer' }],
    ['a sonar model', { model: 'perplexity/sonar' }, { effort: 'fast', want: 'answer' }],
    ['a model alone', { model: 'anthropic/claude-opus-5' }, { model: 'claude-opus-5', want: 'text' }],
    [
      'a model that searches',
      { model: 'sonnet', tools: [{ type: 'web_search' }] },
      { model: 'sonnet', want: 'answer' },
    ],
    ['a model that reads pages', { model: 'sonnet', tools: [{ type: 'fetch_url' }] }, { want: 'answer' }],
    ['a model with functions', { model: 'sonnet', tools: [hive] }, { want: 'text', tools: [{ name: 'hive' }] }],
    ['a preset with functions', { preset: 'low', tools: [hive] }, { want: 'answer', tools: [{ name: 'hive' }] }],
    ['a preset and a model', { preset: 'high', model: 'opus' }, { effort: 'deep', model: 'opus', want: 'answer' }],
    ['models in order', { models: ['openai/gpt-9', 'anthropic/haiku'] }, { model: 'haiku' }],
  ] as const)('becomes a search request: %s', async (_name, body, expected) => {
    expect(await asked(body)).toMatchObject(expected)
  })

  test('passes the filters of its search tool on', async () => {
    const tool = {
      type: 'web_search',
      filters: {
        search_domain_filter: ['-example.com'],
        search_recency_filter: 'week',
        search_after_date_filter: null,
      },
      user_location: { country: 'de' },
      search_context_size: 'low',
    }
    expect((await asked({ preset: 'fast', tools: [tool] }))?.filters).toEqual({
      excludeDomains: ['example.com'],
      freshness: 'week',
      country: 'DE',
    })
  })

  test('accepts a filter without effect and names it in x-csp-ignored', async () => {
    const filters = { last_updated_after_filter: '1/1/2026' }
    const { headers } = await testApp().post(path, { input: 'bees', tools: [hive, { type: 'web_search', filters }] })
    expect(headers.get('x-csp-ignored')).toBe('tools[1].filters.last_updated_after_filter')
  })

  test.each([
    ['people_search', 'people'],
    ['finance_search', 'finance'],
  ] as const)('with the tool %s alone searches in the category %s', async (type, category) => {
    expect((await asked({ tools: [{ type }] }))?.filters.category).toBe(category)
    expect((await asked({ tools: [{ type }, { type: 'web_search' }] }))?.filters.category).toBeUndefined()
  })

  test('passes on a conversation, instructions, a language and a schema', async () => {
    const request = await asked({
      preset: 'fast',
      instructions: 'Be brief.',
      language_preference: 'de',
      response_format: { type: 'json_schema', json_schema: { schema: { type: 'array' } } },
      input: [
        { type: 'message', role: 'system', content: 'Be kind.' },
        { type: 'message', role: 'user', content: 'What are bees?' },
        { type: 'message', role: 'assistant', content: 'Insects.' },
        { type: 'message', role: 'user', content: 'And wasps?' },
      ],
    })
    expect(request).toMatchObject({
      query: 'And wasps?',
      history: [
        { role: 'user', text: 'What are bees?' },
        { role: 'assistant', text: 'Insects.' },
      ],
      instructions: 'Be brief.\n\nBe kind.\n\nAnswer in this language: de.',
      schema: { type: 'array' },
    })
  })
})

describe('a request of the Agent API is refused', () => {
  test.each([
    ['no input', {}, 'input', 'invalid_request'],
    ['a preset', { input: 'bees', preset: 'slow' }, 'preset', 'invalid_request'],
    ['a model', { input: 'bees', model: 'google/gemini-embedding-001' }, 'gemini-embedding-001', 'invalid_model'],
    [
      'models',
      { input: 'bees', models: ['gemini-embedding-001', 'gemini-2.5-flash-image'] },
      "'gemini-embedding-001'",
      'invalid_model',
    ],
    ['the background', { input: 'bees', background: true }, 'background', 'invalid_request'],
    ['an earlier response', { input: 'bees', previous_response_id: 'r' }, 'previous_response_id', 'invalid_request'],
    ['a sandbox', { input: 'bees', tools: [{ type: 'sandbox' }] }, 'tools[0].type', 'invalid_request'],
    ['a function without a name', { input: 'bees', tools: [{ type: 'function' }] }, 'tools[0].name', 'invalid_request'],
    [
      'domains of both kinds',
      { input: 'bees', tools: [hive, { type: 'web_search', filters: { search_domain_filter: ['a.com', '-b.com'] } }] },
      'tools[1].filters.search_domain_filter',
      'invalid_request',
    ],
    [
      'no such date',
      { input: 'bees', tools: [{ type: 'web_search', filters: { search_after_date_filter: '2/30/2026' } }] },
      'tools[0].filters.search_after_date_filter',
      'invalid_request',
    ],
  ])('with 400, naming what is wrong: %s', async (_name, body, named, type) => {
    const { post, executor } = testApp()
    const reply = await post(path, body)
    expect(reply.status).toBe(400)
    expect(reply.body.error).toEqual({ message: expect.stringContaining(named), type, code: 400 })
    expect(executor.calls).toHaveLength(0)
  })

  test('when it continues an earlier response, which is not stored', async () => {
    const { status, body } = await testApp().post('/v1/agent/resp_1/cancel', {})
    expect([status, body.error.code]).toEqual([404, 404])
  })
})

test.each(['/v1/sonar', '/sonar'])('%s serves the Sonar chat API', async (at) => {
  const { post } = testApp()
  const { body } = await post(at, { model: 'sonar', messages: [{ role: 'user', content: 'bees' }] })
  expect(body.citations).toHaveLength(3)
  expect((await post(at, {})).body.error.code).toBe(400)
})
