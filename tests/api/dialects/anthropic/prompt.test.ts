import { describe, expect, test } from 'bun:test'
import type { SearchRequest } from '../../../../src/domain/search.ts'
import { testApp } from '../../test-app.ts'

const path = '/v1/messages'
const webSearch = { type: 'web_search_20250305', name: 'web_search' }
const weather = { name: 'weather', input_schema: { type: 'object', properties: { city: { type: 'string' } } } }
const user = { role: 'user', content: 'Why do bees hum?' }

function prompt(more: Record<string, unknown> = {}): Record<string, unknown> {
  return { model: 'claude-sonnet-4-5', max_tokens: 1024, messages: [user], ...more }
}

/** What the executor is asked for a prompt, undefined fields left out. */
async function asked(more: Record<string, unknown>): Promise<SearchRequest> {
  const { post, executor } = testApp()
  expect((await post(path, prompt(more))).status).toBe(200)
  const [call] = executor.calls
  if (!call) throw new Error('The executor was not asked.')
  return JSON.parse(JSON.stringify(call.request))
}

describe('a request of the Messages API', () => {
  test.each([
    [4000, 'standard'],
    [4001, 'deep'],
  ])('whose query has %i characters is %s', async (length, effort) => {
    const messages = [{ role: 'user', content: 'x'.repeat(length) }]
    expect(await asked({ messages, tools: [webSearch] })).toMatchObject({ effort })
  })

  test('keeps the lines of its texts, and nothing around them', async () => {
    const content = [
      { type: 'text', text: ' Why do bees\r\n\thum?' },
      { type: 'text', text: 'Say it. ' },
    ]
    const { query, instructions } = await asked({ messages: [{ role: 'user', content }], system: ' Be\nkind. ' })
    expect([query, instructions]).toEqual(['Why do bees\n\thum?\nSay it.', 'Be\nkind.'])
  })

  test('without the web search tool asks for plain inference', async () => {
    expect(await asked({})).toEqual({
      query: 'Why do bees hum?',
      history: [],
      want: 'text',
      effort: 'standard',
      model: 'claude-sonnet-4-5',
      filters: {},
    })
  })

  test('with the web search tool asks for an answer and passes its filters on', async () => {
    const tool = {
      ...webSearch,
      max_uses: 3,
      allowed_domains: ['https://Example.com/docs'],
      user_location: { type: 'approximate', city: 'Berlin', country: 'de', timezone: 'Europe/Berlin' },
      cache_control: { type: 'ephemeral' },
    }
    expect(await asked({ tools: [tool] })).toEqual({
      query: 'Why do bees hum?',
      history: [],
      want: 'answer',
      effort: 'standard',
      model: 'claude-sonnet-4-5',
      filters: { includeDomains: ['example.com'], country: 'DE', city: 'Berlin', timezone: 'Europe/Berlin' },
      maxSearches: 3,
    })
  })

  test.each(['web_search_20260209', 'web_search_20260318', 'web_search_29991231'])(
    'accepts %s as the web search tool',
    async (type) => {
      const request = await asked({ tools: [{ type, name: 'web_search', blocked_domains: ['a.com'] }] })
      expect(request).toMatchObject({ want: 'answer', filters: { excludeDomains: ['a.com'] } })
    },
  )

  test.each([
    ['sonar', undefined, 'fast'],
    ['sonar-deep-research', undefined, 'deep'],
    ['sonar-deep-research', 1, 'standard'],
    ['sonar', 1, 'fast'],
    ['anthropic/claude-opus-4-1', 5, 'standard'],
  ] as const)('for the model %s with %p searches searches with effort %s', async (model, max_uses, effort) => {
    expect((await asked({ model, tools: [{ ...webSearch, max_uses }] })).effort).toBe(effort)
  })

  test('with a question too long for a query goes whole to the agent', async () => {
    const content = `Why do bees hum? ${'x'.repeat(4000)}`
    const request = await asked({ messages: [{ role: 'user', content }], tools: [webSearch] })
    expect(request).toMatchObject({ query: content, effort: 'deep' })
  })

  test('for plain inference may have a long text too', async () => {
    const content = 'x'.repeat(100_000)
    const request = await asked({ messages: [{ role: 'user', content }] })
    expect(request).toMatchObject({ query: content, effort: 'standard' })
  })

  test('turns system texts into instructions, wherever they stand', async () => {
    const request = await asked({
      system: [
        { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } },
        { type: 'text', text: ' ' },
      ],
      messages: [user, { role: 'system', content: 'In French.' }],
    })
    expect(request.instructions).toBe('Be brief.\n\nIn French.')
    expect(request.query).toBe('Why do bees hum?')
    expect((await asked({ system: 'Be\u0000 brief.' })).instructions).toBe('Be  brief.')
  })

  test('turns the messages before the question into its history', async () => {
    const request = await asked({
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Who wrote it?' }] },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm.', signature: 's' },
            { type: 'redacted_thinking', data: 'x' },
            { type: 'text', text: 'She ' },
            { type: 'text', text: 'did.', citations: [] },
          ],
        },
        { role: 'assistant', content: [] },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'When?' },
            { type: 'text', text: 'Where?' },
          ],
        },
      ],
    })
    expect(request.history).toEqual([
      { role: 'user', text: 'Who wrote it?' },
      { role: 'assistant', text: 'She did.' },
    ])
    expect(request.query).toBe('When?\nWhere?')
    expect(request).not.toHaveProperty('continuation')
  })

  test('passes the searches of earlier replies on as text', async () => {
    const row = { type: 'web_search_result', title: 'Bees', url: 'https://bees.example/', encrypted_content: 'x' }
    const found = { type: 'web_search_tool_result', tool_use_id: 's1', content: [row, { ...row, title: null }] }
    const failed = { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' }
    const { history } = await asked({
      messages: [
        user,
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Let me look.' },
            { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'bees' } },
            found,
            { type: 'server_tool_use', id: 's2', name: 'web_search', input: {} },
            { type: 'web_search_tool_result', tool_use_id: 's2', content: failed },
            { type: 'text', text: 'They hum.' },
          ],
        },
        { role: 'user', content: 'And wasps?' },
      ],
    })
    expect(history[1]?.text).toBe(
      'Let me look.\nSearched the web for: bees\n- Bees https://bees.example/\n- https://bees.example/\nThey hum.',
    )
  })

  test('passes tool calls and their results on after the question', async () => {
    const use = (id: string, input: object) => ({ type: 'tool_use', id, name: 'weather', input })
    const request = await asked({
      tools: [{ ...weather, type: 'custom', description: 'Of a city', strict: true }],
      tool_choice: { type: 'auto' },
      messages: [
        user,
        { role: 'assistant', content: [{ type: 'text', text: 'Well.' }, use('a', { city: 'Ulm' }), use('b', {})] },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'Sun,\nlater\u0000 rain' }] },
            { type: 'tool_result', tool_use_id: 'b', content: 'No city.', is_error: true },
          ],
        },
        { role: 'assistant', content: [use('c', {})] },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'c' },
            { type: 'text', text: '' },
          ],
        },
      ],
    })
    expect(request.query).toBe('Why do bees hum?')
    expect(request.history).toEqual([])
    expect(request.continuation).toEqual([
      {
        role: 'assistant',
        text: 'Well.',
        toolCalls: [
          { id: 'a', name: 'weather', arguments: '{"city":"Ulm"}' },
          { id: 'b', name: 'weather', arguments: '{}' },
        ],
      },
      { role: 'tool', callId: 'a', text: 'Sun,\nlater  rain' },
      { role: 'tool', callId: 'b', text: 'Error: No city.' },
      { role: 'assistant', text: '', toolCalls: [{ id: 'c', name: 'weather', arguments: '{}' }] },
      { role: 'tool', callId: 'c', text: '' },
    ])
    expect(request.tools).toEqual([{ name: 'weather', description: 'Of a city', parameters: weather.input_schema }])
    expect(request).not.toHaveProperty('toolChoice')
  })

  test('treats text beside a tool’s result as a new question', async () => {
    const request = await asked({
      tools: [weather],
      messages: [
        user,
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'weather', input: {} }] },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Thanks. And tomorrow?' },
            { type: 'tool_result', tool_use_id: 'a', content: 'Sun' },
          ],
        },
      ],
    })
    expect(request.query).toBe('Thanks. And tomorrow?')
    expect(request.history.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
  })

  test.each([
    [{ type: 'any' }, [weather], 'required'],
    [{ type: 'none' }, [weather], 'none'],
    [{ type: 'tool', name: 'weather' }, [weather], { name: 'weather' }],
    [{ type: 'tool', name: 'weather' }, [weather, webSearch], { name: 'weather' }],
    [{ type: 'any' }, [weather, webSearch], undefined],
    [{ type: 'tool', name: 'web_search' }, [weather, webSearch], undefined],
    [{ type: 'none' }, [webSearch], undefined],
    [null, [weather], undefined],
  ] as const)('passes on the choice %j of the tools %j', async (tool_choice, tools, toolChoice) => {
    const request = await asked({ tools, tool_choice })
    expect(request.toolChoice).toEqual(toolChoice)
    const maySearch = tools.some((tool) => tool === webSearch) && tool_choice?.type !== 'none'
    expect(request.want).toBe(maySearch ? 'answer' : 'text')
  })

  test('passes on stop sequences and a schema', async () => {
    const schema = { type: 'object', properties: {} }
    const format = { type: 'json_schema', schema }
    expect(
      await asked({ stop_sequences: ['\n\n', 'END'].slice(1), output_config: { effort: 'low', format } }),
    ).toMatchObject({
      stop: ['END'],
      schema,
    })
    expect((await asked({ output_format: format })).schema).toEqual(schema)
  })

  test('may have fields that have no meaning here', async () => {
    const { want } = await asked({
      temperature: 1,
      top_p: 0.5,
      top_k: 3,
      thinking: { type: 'enabled', budget_tokens: 2000 },
      metadata: { user_id: 'u' },
      service_tier: 'auto',
      container: null,
      tools: null,
      system: null,
      stop_sequences: [],
      anything: { at: 'all' },
    })
    expect(want).toBe('text')
  })

  test('has its fields without effect named in x-csp-ignored', async () => {
    const { post } = testApp()
    const ignored = async (more: Record<string, unknown>) =>
      (await post(path, prompt(more))).headers.get('x-csp-ignored')
    expect(await ignored({ temperature: 0, top_k: 3, top_p: null })).toBe('max_tokens, temperature, top_k')
    const user_location = { type: 'approximate', country: 'DE', city: 'Ulm', timezone: 'Europe/Ulm' }
    expect(await ignored({ tools: [{ ...webSearch, user_location }] })).toBe(
      'tools[0].user_location.timezone, max_tokens',
    )
    expect(await ignored({ thinking: { type: 'adaptive' } })).toBe('max_tokens, thinking')
    expect(await ignored({ thinking: { type: 'disabled' } })).toBe('max_tokens')
    expect(await ignored({})).toBe('max_tokens')
  })
})

describe('a document of plain text in a message', () => {
  const source = { type: 'text', media_type: 'text/plain', data: 'Bees beat their wings.' }
  const blocks = {
    type: 'content',
    content: [
      { type: 'text', text: 'Bees beat' },
      { type: 'text', text: 'their wings.' },
    ],
  }

  test.each([
    ['as text', { source, title: 'On bees', context: 'A page.' }, 'On bees\n\nA page.\n\nBees beat their wings.'],
    ['as blocks', { source: blocks, citations: { enabled: true } }, 'Bees beat\ntheir wings.'],
    ['as one text of blocks', { source: { type: 'content', content: 'Bees.' } }, 'Bees.'],
  ])('becomes text of the message: %s', async (_name, document, text) => {
    const { post, executor } = testApp()
    const content = [
      { type: 'document', ...document },
      { type: 'text', text: 'Why do they hum?' },
    ]
    expect((await post(path, prompt({ messages: [{ role: 'user', content }] }))).status).toBe(200)
    expect(executor.requests[0]?.query).toBe(`${text}\nWhy do they hum?`)
  })

  test('may be the result of a tool', async () => {
    const { post, executor } = testApp()
    const messages = [
      { role: 'user', content: 'Why?' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'read', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'document', source }] }] },
    ]
    expect((await post(path, prompt({ messages }))).status).toBe(200)
    expect(executor.requests[0]?.continuation?.at(-1)).toMatchObject({ role: 'tool', text: source.data })
  })
})

describe('a request of the Messages API is refused', () => {
  const use = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'weather', input: {} }] }
  const pdf = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' } }
  const says = (...content: unknown[]) => ({ messages: [{ role: 'user', content }] })

  test.each([
    ['no limit', { max_tokens: undefined }, 'max_tokens: Field required.'],
    ['a limit of 0', { max_tokens: 0 }, 'max_tokens: Input should be greater than or equal to 1.'],
    ['no model', { model: undefined }, 'model: Field required.'],
    ['no messages', { messages: undefined }, 'messages: Field required.'],
    ['an empty list', { messages: [] }, 'messages: Input should have at least 1 item.'],
    ['a role', { messages: [{ role: 'tool', content: 'x' }] }, 'messages[0].role: '],
    ['no content', { messages: [{ role: 'user' }] }, 'messages[0].content: '],
    ['a number', { messages: [{ role: 'user', content: 5 }] }, 'messages[0].content: '],
    [
      'nothing said',
      says({ type: 'text', text: ' ' }),
      'messages[0].content: String should have at least 1 character.',
    ],
    ['a block without type', says({ text: 'x' }), 'messages[0].content[0].type: Field required.'],
    ['a text without text', says({ type: 'text' }), 'messages[0].content[0].text: Field required.'],
    [
      'an image',
      says({ type: 'image', source: {} }),
      'messages[0].content[0].type: Blocks of type image are not supported in a user message.',
    ],
    ['a document that is no text', says({ type: 'text', text: 'x' }, pdf), 'messages[0].content[1].type: Blocks of'],
    [
      'a tool call by the user',
      says(...use.content, { type: 'text', text: 'x' }),
      'messages[0].content[0].type: Blocks',
    ],
    [
      'an image in the system text',
      { messages: [user, { role: 'system', content: [{ type: 'image' }] }] },
      'messages[1].content[0].type: Blocks of type image are not supported in a system message.',
    ],
    [
      'a prefilled reply',
      { messages: [user, { role: 'assistant', content: 'They' }] },
      'messages[1].role: The last turn should be the user’s or a tool result.',
    ],
    [
      'an image as a result',
      { messages: [user, use, { role: 'user', content: [result('a', [{ type: 'image' }])] }] },
      'messages[2].content[0].content[0].type: Blocks of type image are not supported in a tool message.',
    ],
    [
      'a result of no call',
      { messages: [user, { role: 'user', content: [result('z', 'x')] }] },
      'messages[1].content[0].tool_use_id: No earlier turn of the assistant has a call with the id',
    ],
    ['a call without result', { messages: [user, use, user] }, 'messages[1].content[0]: This tool_use has no'],
    [
      'a call whose input is text',
      { messages: [user, { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'n', input: '{}' }] }] },
      'messages[1].content[0].input: Input should be a valid object.',
    ],
    ['a tool without schema', { tools: [{ name: 'x' }] }, 'tools[0].input_schema: Field required.'],
    [
      'a schema of no object',
      { tools: [{ name: 'x', input_schema: { type: 'array' } }] },
      'tools[0].input_schema.type: ',
    ],
    ['a tool’s name', { tools: [{ ...weather, name: 'a b' }] }, 'tools[0].name: Input should be 1 to 64'],
    ['a name twice', { tools: [weather, weather] }, 'tools[1].name: Tool names should be unique.'],
    [
      'a tool of the vendor’s',
      { tools: [webSearch, { type: 'bash_20250124', name: 'bash' }] },
      'tools[1].type: Only web_search, web_fetch and tools of your own are supported, not bash_20250124.',
    ],
    ['a web search by another name', { tools: [{ ...webSearch, name: 'search' }] }, 'tools[0].name: '],
    ['no uses', { tools: [{ ...webSearch, max_uses: 0 }] }, 'tools[0].max_uses: '],
    ['a domain', { tools: [{ ...webSearch, allowed_domains: ['a.com', '?'] }] }, 'tools[0].allowed_domains[1]: '],
    [
      'both lists',
      { tools: [weather, { ...webSearch, allowed_domains: ['a.com'], blocked_domains: ['b.com'] }] },
      'tools[1].blocked_domains: Give either allowed_domains or blocked_domains, not both.',
    ],
    [
      'a country',
      { tools: [{ ...webSearch, user_location: { country: 'Germany' } }] },
      'tools[0].user_location.country: ',
    ],
    ['a choice', { tools: [weather], tool_choice: { type: 'x' } }, 'tool_choice.type: '],
    ['a choice of nothing', { tool_choice: { type: 'any' } }, 'tool_choice: There are no tools to choose from.'],
    [
      'a choice that is not there',
      { tools: [weather], tool_choice: { type: 'tool', name: 'x' } },
      'tool_choice.name: No tool has this name.',
    ],
    ['a blank stop', { stop_sequences: ['x', ' '] }, 'stop_sequences[1]: A stop sequence should not be blank.'],
    ['a format', { output_config: { format: { type: 'xml' } } }, 'output_config.format.type: '],
    ['stream as text', { stream: 'yes' }, 'stream: Input should be a valid boolean.'],
    ['a search for white space', { tools: [webSearch], ...says({ type: 'text', text: ' ' }) }, 'messages[0].content: '],
  ] as readonly [string, Record<string, unknown>, string][])(
    'with 400 and a message that names the problem: %s',
    async (_name, more, message) => {
      const { post, executor } = testApp()
      const { status, body, headers } = await post(path, prompt(more))
      expect(status).toBe(400)
      expect(body).toEqual({
        type: 'error',
        error: { type: 'invalid_request_error', message: expect.any(String) },
        request_id: 'id-1',
      })
      expect(body.error.message).toStartWith(message)
      expect(headers.get('request-id')).toBe('id-1')
      expect(executor.calls).toHaveLength(0)
    },
  )
})

function result(tool_use_id: string, content: unknown) {
  return { type: 'tool_result', tool_use_id, content }
}
