import { describe, expect, test } from 'bun:test'
import type { SearchEvent } from '../../../../src/domain/search.ts'
import { answered, pages } from '../../../support/scripted-executor.ts'
import { asks, chunksOf, framesOf, testApp } from '../../test-app.ts'

const path = '/chat/completions'
const called: readonly SearchEvent[] = [
  { type: 'tool-call-start', id: 'c1', name: 'hive' },
  { type: 'done', reason: 'tool-calls', usage: { searches: 0, inputTokens: 1, outputTokens: 1 }, model: 'x' },
]
const noCost = { input_tokens_cost: 0, output_tokens_cost: 0, request_cost: 0, total_cost: 0 }

describe('a whole Sonar reply', () => {
  test('has the vendor’s fields', async () => {
    const { status, body } = await testApp().post(path, asks('bees', { model: 'perplexity/sonar-pro' }))
    expect(status).toBe(200)
    expect(body).toMatchObject({
      id: 'id-1',
      model: 'perplexity/sonar-pro',
      created: 1795168800,
      object: 'chat.completion',
      usage: {
        prompt_tokens: 100,
        completion_tokens: 20,
        total_tokens: 120,
        search_context_size: 'low',
        num_search_queries: 1,
        cost: noCost,
      },
      choices: [
        {
          index: 0,
          finish_reason: 'stop',
          message: { role: 'assistant', content: 'It is 🙂 so [2].' },
          delta: { role: 'assistant', content: '' },
        },
      ],
    })
  })

  test('lists the same pages in the same order as citations and as search results, each once', async () => {
    const done: SearchEvent = {
      type: 'done',
      reason: 'stop',
      usage: { searches: 2, inputTokens: 0, outputTokens: 0 },
      model: 'x',
    }
    const { body } = await testApp([
      { type: 'search-start', id: 'a', query: 'one' },
      { type: 'search-results', id: 'a', results: pages(2) },
      { type: 'search-start', id: 'b', query: 'two' },
      { type: 'search-results', id: 'b', results: pages(3) },
      done,
    ]).post(path, asks('bees'))
    expect(body.citations).toEqual([1, 2, 3].map((n) => `https://site${n}.example/docs/page`))
    expect(body.search_results.map(({ url }: { url: string }) => url)).toEqual(body.citations)
    expect(body.usage.num_search_queries).toBe(2)
  })

  test('names the requested context size, and the model sonar-pro where the request has none', async () => {
    const { body } = await testApp().post(path, asks('bees', { web_search_options: { search_context_size: 'high' } }))
    expect(body.usage.search_context_size).toBe('high')
    expect(body.model).toBe('sonar-pro')
  })

  test('ends a refusal with the reason stop, since the vendor has no other', async () => {
    const usage = { searches: 0, inputTokens: 0, outputTokens: 0 }
    const { body } = await testApp([{ type: 'done', reason: 'refusal', usage, model: 'x' }]).post(path, asks('bees'))
    expect(body.choices[0].finish_reason).toBe('stop')
    expect(body.citations).toEqual([])
  })
})

test('a Sonar request is accepted with fields that have no effect, which x-csp-ignored names', async () => {
  const more = { return_related_questions: true, return_images: false, last_updated_before_filter: '1/1/2026' }
  const { status, headers } = await testApp().post(path, asks('bees', more))
  expect(status).toBe(200)
  expect(headers.get('x-csp-ignored')).toBe('last_updated_before_filter, return_related_questions')
})

test.each([
  [true, 'strict'],
  [false, 'off'],
  [null, undefined],
] as const)('the Sonar field safe_search %p sets the safe search', async (safe_search, level) => {
  const { post, executor } = testApp()
  await post(path, asks('bees', { safe_search }))
  expect(executor.calls[0]?.request.filters.safeSearch).toBe(level)
})

test('a Sonar schema needs no name, and a reply to a request for images has an empty list', async () => {
  const { post, executor } = testApp()
  const response_format = { type: 'json_schema', json_schema: { schema: { type: 'array' } } }
  const { body } = await post(path, asks('bees', { response_format, return_images: true }))
  expect(executor.calls[0]?.request.schema).toEqual({ type: 'array' })
  expect(body.images).toEqual([])
})

test('a Sonar reply has calls of the caller’s functions in the shape of OpenAI', async () => {
  const { post, request } = testApp(called)
  const sent = asks('bees', { model: 'sonar-pro', tools: [{ type: 'function', function: { name: 'hive' } }] })
  const { body } = await post(path, sent)
  expect(body.choices[0]).toMatchObject({
    finish_reason: 'tool_calls',
    message: { content: '', tool_calls: [{ id: 'c1', type: 'function', function: { name: 'hive', arguments: '{}' } }] },
  })
  const stream = await request(path, { method: 'POST', body: JSON.stringify({ ...sent, stream: true }) })
  const chunks = chunksOf(await stream.text())
  expect(chunks.map(({ choices }) => choices[0].delta.tool_calls)).toEqual([
    [{ index: 0, id: 'c1', type: 'function', function: { name: 'hive', arguments: '' } }],
    [{ index: 0, function: { arguments: '{}' } }],
    undefined,
  ])
})

test('a concise Sonar stream sends searches as steps, then bare text, then the whole reply', async () => {
  const response = await testApp().request(path, {
    method: 'POST',
    body: JSON.stringify(asks('bees', { model: 'sonar', stream: true, stream_mode: 'concise' })),
  })
  const text = await response.text()
  expect(framesOf(text).at(-1)).toBe('[DONE]')
  const chunks = chunksOf(text)
  expect(chunks.map(({ object }) => object)).toEqual([
    'chat.reasoning',
    'chat.reasoning.done',
    'chat.completion.chunk',
    'chat.completion.chunk',
    'chat.completion.done',
  ])
  expect(chunks[0].choices[0].delta.reasoning_steps[0].web_search.search_keywords).toEqual(['what was asked'])
  expect(chunks.map(({ search_results }) => search_results?.length)).toEqual([undefined, 3, undefined, undefined, 3])
  expect(chunks.map(({ usage }) => usage?.total_tokens)).toEqual([undefined, 2, undefined, undefined, 120])
  expect(chunks.map(({ choices }) => choices[0].delta.content).join('')).toBe('It is 🙂 so [2].')
  expect(chunks.at(-1).choices[0]).toMatchObject({
    finish_reason: 'stop',
    message: { role: 'assistant', content: 'It is 🙂 so [2].' },
  })
})

test('a concise Sonar stream says which pages are waited for, how long, and which have not come', async () => {
  const unread = ['a', 'b', 'c', 'd'].map((name) => ({ site: `${name}.example`, code: 'timeout' as const }))
  const reading = [
    { type: 'reading', pages: 8, maxMs: 2500 },
    { type: 'reading', pages: 8, read: 'https://z.example/page' },
    { type: 'reading', pages: 8, unread },
  ] as const
  const response = await testApp([...reading, ...answered]).request(path, {
    method: 'POST',
    body: JSON.stringify(asks('bees', { model: 'sonar', stream: true, stream_mode: 'concise' })),
  })
  const [first, page, second] = chunksOf(await response.text())
  expect(page.choices[0].delta.reasoning_steps).toMatchObject([
    {
      type: 'fetch_url_content',
      fetch_url_content: { contents: [{ title: 'z.example', url: 'https://z.example/page' }] },
    },
  ])
  const thoughts = [first, second].flatMap(({ choices }) => choices[0].delta.reasoning_steps)
  expect(thoughts).toEqual([
    { thought: 'Reading 8 pages, 3 s at most.', type: null },
    {
      thought:
        'Not read: a.example (does not answer), b.example (does not answer), c.example (does not answer) and 1 more.',
      type: null,
    },
  ])
})

test('a concise Sonar stream says what a research looks for, and which pages it reads', async () => {
  const page = { title: 'Bees', url: 'https://bees.example/' }
  const steps = [
    { kind: 'outline', questions: ['Who?', 'Where?'] },
    { kind: 'page', ...page },
    { kind: 'note', text: 'Enough is known.' },
  ] as const
  const research = steps.map((step) => ({ type: 'research', step }) as const)
  const response = await testApp([...research, ...answered]).request(path, {
    method: 'POST',
    body: JSON.stringify(asks('bees', { model: 'sonar', stream: true, stream_mode: 'concise' })),
  })
  const shown = chunksOf(await response.text()).slice(0, 3)
  expect(shown.flatMap(({ choices }) => choices[0].delta.reasoning_steps)).toEqual([
    { thought: 'Searching for:\n- Who?\n- Where?', type: null },
    { thought: 'Reading a page.', type: 'fetch_url_content', fetch_url_content: { contents: [page] } },
    { thought: 'Enough is known.', type: null },
  ])
})

test('a Sonar stream has its sources on the first and on the last chunk, and the role on every one', async () => {
  const response = await testApp().request(path, {
    method: 'POST',
    body: JSON.stringify(asks('bees', { model: 'sonar', stream: true })),
  })
  const text = await response.text()
  expect(framesOf(text).at(-1)).toBe('[DONE]')
  const chunks = chunksOf(text)
  expect(chunks.map(({ choices }) => [choices[0].delta.content, choices[0].finish_reason])).toEqual([
    ['It is 🙂 so ', null],
    ['[2].', null],
    ['', 'stop'],
  ])
  for (const [index, { choices, citations, search_results, object, model, usage }] of chunks.entries()) {
    expect(choices[0].delta.role).toBe('assistant')
    expect(citations).toHaveLength(3)
    // Sent with each chunk they would be most of the bytes of a long answer.
    expect(search_results?.length).toBe(index === 1 ? undefined : 3)
    expect([object, model]).toEqual(['chat.completion.chunk', 'sonar'])
    expect(usage.cost).toEqual(noCost)
  }
  expect(chunks[0].usage).toMatchObject({ total_tokens: 2, num_search_queries: 1 })
  expect(chunks.at(-1).usage).toMatchObject({ prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 })
})

describe('a Sonar request is refused', () => {
  test.each([
    ['no messages', {}, 'messages', 'invalid_request'],
    ['a model', asks('bees', { model: 'gemini-embedding-001' }), 'gemini-embedding-001', 'invalid_model'],
    [
      'domains of both kinds',
      asks('bees', { search_domain_filter: ['a.com', '-b.com'] }),
      'search_domain_filter',
      'invalid_request',
    ],
    [
      'no such date',
      asks('bees', { search_before_date_filter: '13/01/2026' }),
      'search_before_date_filter',
      'invalid_request',
    ],
    [
      'a regular expression',
      asks('bees', { response_format: { type: 'regex', regex: { regex: 'a' } } }),
      'response_format.type',
      'invalid_request',
    ],
    ['a way of streaming', asks('bees', { stream_mode: 'brief' }), 'stream_mode', 'invalid_request'],
    [
      'a file',
      { messages: [{ role: 'user', content: [{ type: 'file_url' }] }] },
      'messages[0].content[0].type',
      'invalid_request',
    ],
  ])('with 400, naming what is wrong: %s', async (_name, body, named, type) => {
    const { post, executor } = testApp()
    const reply = await post(path, body)
    expect(reply.status).toBe(400)
    expect(reply.body.error).toEqual({ message: expect.stringContaining(named), type, code: 400 })
    expect(executor.calls).toHaveLength(0)
  })
})

test('a Sonar stream sends its sources again when a later search finds more', async () => {
  const more: readonly SearchEvent[] = [
    { type: 'search-start', id: 's2', query: 'more' },
    { type: 'search-results', id: 's2', results: pages(4) },
  ]
  const { request } = testApp([
    ...answered.slice(0, -1),
    ...more,
    { type: 'text-delta', text: 'More.' },
    ...answered.slice(-1),
  ])
  const response = await request(path, {
    method: 'POST',
    body: JSON.stringify(asks('bees', { model: 'sonar', stream: true })),
  })
  const withSources = chunksOf(await response.text()).filter(({ search_results }) => search_results !== undefined)
  expect(withSources.map(({ choices }) => choices[0].delta.content)).toEqual(['It is 🙂 so ', 'More.', ''])
})
