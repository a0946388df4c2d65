import { describe, expect, test } from 'bun:test'
import type { MessagesRequest } from '@csp/messages-api/request'
import { toChatMessages } from '../../../src/chat-completions/request/conversation.ts'
import { ToolNames } from '../../../src/translation/tool-names.ts'
import { exchange } from '../../support/provider-stream.ts'
import { chunk, toolChunk } from '../../support/strict-provider.ts'

// What single servers do in a way of their own.

const asked: MessagesRequest = {
  model: 'm',
  stop_sequences: ['END', 'X'],
  messages: [{ role: 'user', content: 'hi' }],
}

describe('A call', () => {
  test('may have the form that it had before there were several', async () => {
    const { message } = await exchange([
      chunk({ tool_calls: [], function_call: { name: 'f', arguments: '{"a"' } }),
      chunk({ function_call: { arguments: ':1}' } }),
      chunk({}, 'function_call'),
    ])
    expect(message).toMatchObject({
      content: [{ type: 'tool_use', id: 'toolu_2', name: 'f', input: { a: 1 } }],
      stop_reason: 'tool_use',
    })
  })

  test.each([
    ['words', 'ls -la', { INVALID_JSON: 'ls -la' }],
    ['a list', '["ls"]', { INVALID_JSON: '["ls"]' }],
    ['the quotes of Python', "{'command': 'ls'}", { INVALID_JSON: "{'command': 'ls'}" }],
    ['an object in a string', '"{\\"command\\":\\"ls\\"}"', { command: 'ls' }],
    ['null', 'null', {}],
    ['nothing', '', {}],
    ['blanks', '  ', {}],
  ])('whose arguments are %s is never made with others', async (_name, json, input) => {
    const { events, message } = await exchange([toolChunk(0, { id: 'a', name: 'Bash', json }), chunk({}, 'tool_calls')])
    expect(message.content).toMatchObject([{ name: 'Bash', input }])
    expect(events.at(-1)?.type).toBe('message_stop')
  })

  test.each([
    ['{"command":"ls', '"'],
    ['{"command":\'ls', "'}"],
  ])('whose arguments break off behind what has gone out is an error: %s%s', async (...pieces) => {
    const reply = exchange([
      toolChunk(0, { id: 'a', name: 'Bash', json: '' }),
      ...pieces.map((json) => toolChunk(0, { json })),
      chunk({}, 'tool_calls'),
    ])
    await expect(reply).rejects.toMatchObject({ status: 502, message: expect.stringContaining('Bash') })
  })

  test('is one where its name comes again without more arguments, and two where more come', async () => {
    const callsOf = async (json: string) => {
      const pieces = [toolChunk(0, { name: 'f', json: '{"x":1}' }), toolChunk(0, { name: 'f', json })]
      const { message } = await exchange([...pieces, chunk({}, 'tool_calls')])
      return message.content.map((block) => (block.type === 'tool_use' ? block.input : block.type))
    }
    expect(await callsOf('')).toEqual([{ x: 1 }])
    expect(await callsOf('{"x":2}')).toEqual([{ x: 1 }, { x: 2 }])
  })

  test('is one, where pieces behind its end have its id and no name', async () => {
    const { message } = await exchange([
      toolChunk(0, { id: 'a', name: 'f', json: '{"x":1}' }),
      toolChunk(0, { id: 'a', json: '\n' }),
      chunk({}, 'tool_calls'),
    ])
    expect(message.content).toMatchObject([{ name: 'f', input: { x: 1 } }])
  })

  test('that the limit of tokens has cut stays cut, and the reply says so', async () => {
    const { message } = await exchange([toolChunk(0, { id: 'a', name: 'f', json: '{"a":"b' }), chunk({}, 'length')])
    expect(message.stop_reason).toBe('max_tokens')
  })
})

describe('The end', () => {
  test.each([
    ['END', 'stop_sequence', 'END'],
    ['other', 'end_turn', null],
    [151_645, 'end_turn', null],
  ])('at the stop sequence %p, as vLLM tells it, is %s', async (stop_reason, reason, sequence) => {
    const end = { choices: [{ index: 0, delta: {}, finish_reason: 'stop', stop_reason }] }
    const { message } = await exchange([chunk({ content: 'a' }), end], {}, asked)
    expect(message).toMatchObject({ stop_reason: reason, stop_sequence: sequence })
  })

  test.each([
    [{ code: 400 }, 400],
    [{ type: 'invalid_request_error', code: null }, 400],
    [{ type: 'invalid_request_error', code: 'something_new' }, 400],
    [{ type: 'rate_limit_error' }, 429],
    [{ code: 'context_length_exceeded' }, 400],
    [{}, 502],
  ])('that is an error in a stream has the status that its words mean: %j', async (about, status) => {
    const reply = exchange([{ error: { message: 'No.', ...about } }])
    await expect(reply).rejects.toMatchObject({ status })
  })
})

test.each([
  [{ prompt_tokens_details: { cached_tokens: 4, cache_creation_tokens: 3 } }],
  [{ prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 3 } }],
  [{ cache_read_input_tokens: 4, cache_creation_input_tokens: 3 }],
])('What caches read and keep is counted by whichever name: %j', async (more) => {
  const usage = { prompt_tokens: 10, completion_tokens: 1, ...more }
  const { message } = await exchange([chunk({ content: 'a' }, 'stop'), { choices: [], usage }])
  expect(message.usage).toMatchObject({
    input_tokens: 3,
    cache_read_input_tokens: 4,
    cache_creation_input_tokens: 3,
  })
})

describe('A thought in the text', () => {
  const read = async (...pieces: readonly string[]) => {
    const { message } = await exchange([...pieces.map((content) => chunk({ content })), chunk({}, 'stop')])
    return message.content.map((block) => block['thinking'] ?? block['text'])
  }

  test('is a block of its own, wherever it is cut', async () => {
    const text = '\n<think>\nHm. a < b </thin\n</think>\n\nYes.'
    for (let cut = 0; cut <= text.length; cut++) {
      expect(await read(text.slice(0, cut), text.slice(cut))).toEqual(['Hm. a < b </thin\n', 'Yes.'])
    }
    expect(await read(...text)).toEqual(['Hm. a < b </thin\n', 'Yes.'])
  })

  test.each([
    ['without an end is all thought', '<think>Hm.</thi', ['Hm.</thi']],
    ['that is empty is nothing', '<think>\n</think>Yes.', ['Yes.']],
    ['is none where other words come first', 'Use <think>Hm.</think>', ['Use <think>Hm.</think>']],
    ['is none where the tag does not end', '<thi', ['<thi']],
    ['is none where there are spaces only, and no text either', '  ', []],
  ])('%s', async (_name, text, expected) => {
    expect(await read(text)).toEqual(expected)
    expect(await read(...text)).toEqual(expected)
  })

  test('does not go back to the model', async () => {
    const { message } = await exchange([chunk({ content: '<think>Hm.</think>Yes.' }), chunk({}, 'stop')])
    const bodies: string[] = []
    const history = [
      ...asked.messages,
      { role: 'assistant' as const, content: [...message.content] },
      ...asked.messages,
    ]
    await exchange(
      [chunk({ content: 'a' }, 'stop')],
      {
        fetch: async (_url, init) => {
          bodies.push(String(init.body))
          return Response.json({ choices: [{ message: { content: 'a' }, finish_reason: 'stop' }] })
        },
      },
      { ...asked, messages: history },
    )
    expect(bodies[0]).toContain('Yes.')
    expect(bodies[0]).not.toContain('Hm.')
  })
})

test('Texts around a call are two texts, those with citations one', () => {
  const call = { type: 'tool_use', id: 'a', name: 'f', input: {} }
  const text = (words: string) => ({ type: 'text', text: words })
  const content = [text('One'), text(' two.'), call, text('Three'), text(' four.')]
  const options = { images: true, files: true, systemRole: true, toolRole: true, readThought: undefined }
  const [message] = toChatMessages(
    { model: 'm', messages: [{ role: 'assistant', content }] },
    { ...options, names: new ToolNames() },
  )
  expect(message?.content).toBe('One two.\n\nThree four.')
})

describe('A call that is written as text', () => {
  const tools = [{ name: 'Bash', input_schema: { type: 'object', properties: { command: { type: 'string' } } } }]
  const request: MessagesRequest = { model: 'm', messages: [{ role: 'user', content: 'hi' }], tools }
  const written = '<tool_call>\n{"name": "Bash", "arguments": {"command": "ls"}}\n</tool_call>'
  const call = { type: 'tool_use', name: 'Bash', input: { command: 'ls' } }

  test('is a call, behind a thought and words, in a stream', async () => {
    const pieces = `<think>Hm.</think>I look.\n\n${written}`.match(/[\s\S]{1,3}/g) ?? []
    const { message, notes } = await exchange(
      [...pieces.map((content) => chunk({ content })), chunk({}, 'stop')],
      {},
      request,
    )
    expect(message).toMatchObject({
      content: [{ type: 'thinking', thinking: 'Hm.' }, { type: 'text', text: 'I look.\n\n' }, call],
      stop_reason: 'tool_use',
    })
    expect(notes.join()).toContain('Bash')
  })

  test('has the name that the caller gave the tool', async () => {
    const name = `mcp__server.of.mine__${'long_'.repeat(12)}`
    let sent = ''
    const fetch = async (_url: string, init: RequestInit) => {
      sent = JSON.parse(String(init.body)).tools[0].function.name
      const content = `<tool_call>{"name": "${sent}", "arguments": {}}</tool_call>`
      return Response.json({ choices: [{ message: { content }, finish_reason: 'stop' }] })
    }
    const { message } = await exchange([], { fetch }, { ...request, tools: [{ name, input_schema: {} }] })
    expect(sent).not.toBe(name)
    expect(message.content).toMatchObject([{ type: 'tool_use', name }])
  })

  test.each([
    ['tools that may not be called', { ...request, tool_choice: { type: 'none' as const } }],
    ['no tools', { ...request, tools: undefined }],
  ])('is text in a request with %s', async (_name, asked) => {
    const { message } = await exchange([chunk({ content: written }), chunk({}, 'stop')], {}, asked)
    expect(message).toMatchObject({ content: [{ type: 'text', text: written }], stop_reason: 'end_turn' })
  })

  test('is text where the server makes the call itself: it is made once', async () => {
    const real = toolChunk(0, { id: 'a', name: 'Bash', json: '{"command":"ls"}' })
    const { message } = await exchange([chunk({ content: written }), real, chunk({}, 'tool_calls')], {}, request)
    expect(message.content).toMatchObject([
      { type: 'text', text: written },
      { ...call, id: 'a' },
    ])
  })
})
