import { describe, expect, test } from 'bun:test'
import type { SearchEvent, ToolChoice } from '../../../../src/domain/search.ts'
import { asks, chunksOf, framesOf, testApp } from '../../test-app.ts'

const path = '/v1/chat/completions'

const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather of a place.',
    parameters: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
    strict: true,
  },
}
const clock = { type: 'function', function: { name: 'clock' } }

/** Two calls whose arguments come mixed, the second with none. */
const calls: readonly SearchEvent[] = [
  { type: 'tool-call-start', id: 'c1', name: 'get_weather' },
  { type: 'tool-call-delta', id: 'c1', arguments: '{"place":' },
  { type: 'tool-call-start', id: 'c2', name: 'clock' },
  { type: 'tool-call-delta', id: 'c1', arguments: '"Bern"}' },
  { type: 'done', reason: 'tool-calls', usage: { searches: 0, inputTokens: 5, outputTokens: 7 }, model: 'claude-x' },
]

describe('a chat request with tools', () => {
  test('passes its functions on as tools', async () => {
    const { post, executor } = testApp()
    await post(path, asks('bees', { model: 'sonnet', tools: [weather, clock], tool_choice: 'required' }))
    expect(executor.calls[0]?.request).toMatchObject({
      want: 'text',
      tools: [
        {
          name: 'get_weather',
          description: 'The weather of a place.',
          parameters: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
        },
        { name: 'clock', parameters: { type: 'object', properties: {} } },
      ],
      toolChoice: 'required',
    })
  })

  test.each([
    ['auto', 'auto'],
    ['none', 'none'],
    [{ type: 'function', function: { name: 'clock' } }, { name: 'clock' }],
    [null, undefined],
  ] as readonly [unknown, ToolChoice?][])(
    'with the tool choice %j restricts the tools accordingly',
    async (tool_choice, choice) => {
      const { post, executor } = testApp()
      await post(path, asks('bees', { tools: [weather, clock], tool_choice }))
      expect(executor.calls[0]?.request.toolChoice).toEqual(choice)
    },
  )

  test('may allow only some of its tools', async () => {
    const { post, executor } = testApp()
    const allowed_tools = { mode: 'required', tools: [{ type: 'function', function: { name: 'clock' } }] }
    const tool_choice = { type: 'allowed_tools', allowed_tools }
    await post(path, asks('bees', { tools: [weather, clock], tool_choice }))
    const { tools, toolChoice } = executor.calls[0]?.request ?? {}
    expect(tools?.map(({ name }) => name)).toEqual(['clock'])
    expect(toolChoice).toBe('required')
  })

  test.each([
    ['functions alone', { tools: [clock] }, 'text'],
    ['functions and a sonar model', { tools: [clock], model: 'sonar-pro' }, 'answer'],
    ['functions and search options', { tools: [clock], web_search_options: {} }, 'answer'],
    ['functions and the vendor’s search', { tools: [clock, { type: 'web_search' }] }, 'answer'],
    ['the vendor’s search alone', { tools: [{ type: 'web_search_preview' }] }, 'answer'],
    ['functions, options, and no search', { tools: [clock], web_search_options: {}, disable_search: true }, 'text'],
    ['an empty list', { tools: [] }, 'answer'],
  ] as const)('searches or not by what it contains: %s', async (_name, more, want) => {
    const { post, executor } = testApp()
    await post(path, asks('bees', more))
    expect(executor.calls[0]?.request.want).toBe(want)
    expect(executor.calls[0]?.request.tools?.map(({ name }) => name).includes('web_search')).not.toBe(true)
  })

  test('passes on calls and their results after the question', async () => {
    const { post, executor } = testApp()
    const toolCall = (id: string, name: string, text: string) => ({
      id,
      type: 'function',
      function: { name, arguments: text },
    })
    await post(path, {
      tools: [weather, clock],
      messages: [
        { role: 'user', content: 'What time is it?' },
        { role: 'assistant', content: null, tool_calls: [toolCall('c0', 'clock', '{}')] },
        { role: 'tool', tool_call_id: 'c0', content: 'noon' },
        { role: 'assistant', content: 'Noon.' },
        { role: 'user', content: 'And the weather?' },
        { role: 'assistant', content: 'I look.', tool_calls: [toolCall('c1', 'get_weather', '{"place":"Bern"}')] },
        { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: '' }] },
        { role: 'system', content: 'Be brief.' },
      ],
    })
    expect(executor.calls[0]?.request).toMatchObject({
      query: 'And the weather?',
      instructions: 'Be brief.',
      history: [
        { role: 'user', text: 'What time is it?' },
        { role: 'assistant', text: '', toolCalls: [{ id: 'c0', name: 'clock', arguments: '{}' }] },
        { role: 'tool', callId: 'c0', text: 'noon' },
        { role: 'assistant', text: 'Noon.' },
      ],
      continuation: [
        {
          role: 'assistant',
          text: 'I look.',
          toolCalls: [{ id: 'c1', name: 'get_weather', arguments: '{"place":"Bern"}' }],
        },
        { role: 'tool', callId: 'c1', text: '' },
      ],
    })
  })
})

describe('a whole chat reply with tool calls', () => {
  test('has the calls, and null as its content', async () => {
    const { body } = await testApp(calls).post(path, asks('bees', { tools: [weather, clock] }))
    expect(body.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: null,
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '{"place":"Bern"}' } },
          { id: 'c2', type: 'function', function: { name: 'clock', arguments: '{}' } },
        ],
      },
    })
  })

  test('has the text before the calls as its content', async () => {
    const { body } = await testApp([{ type: 'text-delta', text: 'I look.' }, ...calls]).post(path, asks('bees'))
    expect(body.choices[0].message.content).toBe('I look.')
    expect(body.choices[0].message.tool_calls).toHaveLength(2)
  })

  test('has one call when parallel calls are not allowed', async () => {
    const { body } = await testApp(calls).post(path, asks('bees', { tools: [weather], parallel_tool_calls: false }))
    expect(body.choices[0].message.tool_calls.map(({ id }: { id: string }) => id)).toEqual(['c1'])
  })
})

describe('a chat stream with tool calls', () => {
  const streamed = async (more: object) => {
    const sent = asks('bees', { tools: [weather, clock], stream: true, ...more })
    const response = await testApp(calls).request(path, { method: 'POST', body: JSON.stringify(sent) })
    return response.text()
  }

  test('sends arguments by index, and id, type and name only in the first delta of a call', async () => {
    const text = await streamed({})
    expect(framesOf(text).at(-1)).toBe('[DONE]')
    expect(chunksOf(text).map(({ choices }) => [choices[0].delta, choices[0].finish_reason])).toEqual([
      [{ role: 'assistant', content: '', refusal: null }, null],
      [
        { tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '' } }] },
        null,
      ],
      [{ tool_calls: [{ index: 0, function: { arguments: '{"place":' } }] }, null],
      [{ tool_calls: [{ index: 1, id: 'c2', type: 'function', function: { name: 'clock', arguments: '' } }] }, null],
      [{ tool_calls: [{ index: 0, function: { arguments: '"Bern"}' } }] }, null],
      [{ tool_calls: [{ index: 1, function: { arguments: '{}' } }] }, null],
      [{}, 'tool_calls'],
    ])
  })

  test('has one call when parallel calls are not allowed', async () => {
    const text = await streamed({ parallel_tool_calls: false })
    const told = chunksOf(text).flatMap(({ choices }) => choices[0].delta.tool_calls ?? [])
    expect(told.map(({ index }) => index)).toEqual([0, 0, 0])
  })
})

describe('a chat request with tools is refused', () => {
  const user = { role: 'user', content: 'bees' }
  const called = {
    role: 'assistant',
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'clock', arguments: '{}' } }],
  }
  const withTool = (more: object) => ({ messages: [user], tools: [{ type: 'function', function: more }] })
  test.each([
    ['a tool of another kind', { messages: [user], tools: [{ type: 'code_interpreter' }] }, 'tools[0].type'],
    ['no function', { messages: [user], tools: [{ type: 'function' }] }, 'tools[0].function', true],
    ['no name', withTool({}), 'tools[0].function.name', true],
    ['a name with spaces', withTool({ name: 'get weather' }), 'tools[0].function.name'],
    ['a long name', withTool({ name: 'x'.repeat(65) }), 'tools[0].function.name'],
    ['two of a name', { messages: [user], tools: [clock, clock] }, 'tools[1].function.name'],
    ['parameters as text', withTool({ name: 'x', parameters: '{}' }), 'tools[0].function.parameters'],
    [
      'parameters that are no object',
      withTool({ name: 'x', parameters: { type: 'string' } }),
      'tools[0].function.parameters.type',
    ],
    ['129 tools', { messages: [user], tools: Array(129).fill(clock) }, 'tools'],
    ['a choice', { messages: [user], tools: [clock], tool_choice: 'any' }, 'tool_choice'],
    ['a function that is not there', { messages: [user], tools: [clock], tool_choice: weather }, 'tool_choice'],
    [
      'the result of no call',
      { messages: [user, { role: 'tool', tool_call_id: 'c9', content: 'x' }] },
      'messages[1].tool_call_id',
    ],
    [
      'a result before its call',
      { messages: [user, { role: 'tool', tool_call_id: 'c1', content: 'x' }, called, user] },
      'messages[1].tool_call_id',
    ],
    ['a result without an id', { messages: [user, called, { role: 'tool' }] }, 'messages[2].tool_call_id', true],
    ['a call without its result', { messages: [user, called] }, 'messages[1].role'],
    [
      'arguments that are an object',
      {
        messages: [
          user,
          { role: 'assistant', tool_calls: [{ id: 'c', function: { name: 'x', arguments: {} } }] },
          user,
        ],
      },
      'messages[1].tool_calls[0].function.arguments',
    ],
  ] as readonly [string, object, string, boolean?][])(
    'with 400, naming the parameter: %s',
    async (_name, body, param, isMissing = false) => {
      const { post, executor } = testApp()
      const reply = await post(path, body)
      expect(reply.status).toBe(400)
      const code = isMissing ? 'missing_required_parameter' : 'invalid_value'
      expect(reply.body.error).toEqual({ message: expect.any(String), type: 'invalid_request_error', param, code })
      expect(executor.calls).toHaveLength(0)
    },
  )

  test('with a message that names the call whose result is missing', async () => {
    const { body } = await testApp().post(path, {
      messages: [user, { role: 'tool', tool_call_id: 'c9', content: 'x' }],
    })
    expect(body.error.message).toContain("'c9'")
  })
})
