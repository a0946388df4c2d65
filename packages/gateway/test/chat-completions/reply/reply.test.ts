import { describe, expect, test } from 'bun:test'
import { expectMessageOrder } from '../../support/message-order.ts'
import { exchange, streamOf } from '../../support/provider-stream.ts'
import { chunk, type Piece, saying, toolChunk } from '../../support/strict-provider.ts'

type Pieces = readonly Exclude<Piece, 'hang'>[]
const stop = chunk({}, 'stop')
const done = '[DONE]' as const

describe('A thought', () => {
  const forms = {
    'reasoning_details of text': [
      { reasoning_details: [{ type: 'reasoning.text', text: 'H' }] },
      { reasoning_details: [{ type: 'reasoning.text', text: 'm.' }] },
    ],
    'reasoning_details of summaries': [{ reasoning_details: [{ type: 'reasoning.summary', summary: 'Hm.' }] }],
    reasoning_content: [{ reasoning_content: 'H' }, { reasoning_content: 'm.' }],
    reasoning: [{ reasoning: 'H' }, { reasoning: 'm.' }],
    'two forms in one chunk': [{ reasoning: 'Hm.', reasoning_details: [{ type: 'reasoning.text', text: 'Hm.' }] }],
    'two fields in one chunk': [{ reasoning: 'Hm.', reasoning_content: 'Hm.' }],
    "parts of Mistral's content": [{ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }] }],
  }
  for (const [name, deltas] of Object.entries(forms)) {
    test(`in the form of ${name} is told once, with a signature behind it, before the text`, async () => {
      const { message, events } = await exchange([
        ...deltas.map((delta) => chunk(delta)),
        chunk({ content: 'Yes.' }),
        stop,
        done,
      ])
      expectMessageOrder(events)
      expect(message.content).toMatchObject([
        { type: 'thinking', thinking: 'Hm.' },
        { type: 'text', text: 'Yes.' },
      ])
      expect(message.content[0]?.['signature']).toBeString()
      const deltasSent = events.flatMap((event) => (event.type === 'content_block_delta' ? [event.delta.type] : []))
      expect(deltasSent.lastIndexOf('thinking_delta')).toBe(deltasSent.indexOf('signature_delta') - 1)
    })
  }

  test('that is encrypted keeps its place as a thought without words', async () => {
    const detail = { type: 'reasoning.encrypted', data: 'AAAA', id: 'rs_1', index: 0 }
    const call = toolChunk(0, { id: 'a', name: 'f', json: '{}' })
    const { message } = await exchange([chunk({ reasoning_details: [detail] }), call, chunk({}, 'tool_calls'), done])
    expect(message.content.map(({ type }) => type)).toEqual(['thinking', 'tool_use'])
    expect(message.content[0]).toMatchObject({ thinking: '' })
    expect(message.content[0]?.['signature']).toContain('AAAA')
  })

  test('goes back to the model that had it as it came, and to no other', async () => {
    const details = [
      { type: 'reasoning.text', text: 'Let me ', index: 0, format: 'f' },
      { type: 'reasoning.text', text: 'see.', index: 0, format: 'f' },
      { type: 'reasoning.text', signature: 'provider-signature', index: 0, format: null },
      { type: 'reasoning.encrypted', data: 'AA', index: 1 },
      { type: 'reasoning.encrypted', data: 'BB', index: 1 },
      { type: 'reasoning.text', text: 'One', index: 1 },
      { type: 'reasoning.text', text: 'Two', index: 2, id: 'a' },
      { type: 'reasoning.text', text: 'Three', index: 2, id: 'b', format: 'f' },
      { type: 'reasoning.text', text: 'Four', index: 2, id: 'b', format: 'g' },
    ]
    const pieces = [
      ...details.map((detail) => chunk({ reasoning_details: [detail] })),
      chunk({ content: 'Yes.' }),
      stop,
      done,
    ]
    const { message } = await exchange(pieces)
    const sent: unknown[] = []
    const remember = async (_url: string, init: RequestInit) => {
      sent.push(JSON.parse(String(init.body)).messages[1])
      return streamOf('data: {"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}\n\n')
    }
    const next = {
      model: 'claude-opus-5',
      messages: [
        { role: 'user' as const, content: 'hi' },
        { role: 'assistant' as const, content: [...message.content] },
        { role: 'user' as const, content: 'And?' },
      ],
    }
    await exchange([], { fetch: remember }, next)
    await exchange([], { fetch: remember, baseUrl: 'http://other.example/v1' }, next)
    await exchange([], { fetch: remember }, { ...next, model: 'other' })
    expect(sent).toEqual([
      {
        role: 'assistant',
        content: 'Yes.',
        reasoning_details: [
          { type: 'reasoning.text', text: 'Let me see.', index: 0, format: 'f', signature: 'provider-signature' },
          { type: 'reasoning.encrypted', data: 'AABB', index: 1 },
          { type: 'reasoning.text', text: 'One', index: 1 },
          { type: 'reasoning.text', text: 'Two', index: 2, id: 'a' },
          { type: 'reasoning.text', text: 'Three', index: 2, id: 'b', format: 'f' },
          { type: 'reasoning.text', text: 'Four', index: 2, id: 'b', format: 'g' },
        ],
      },
      { role: 'assistant', content: 'Yes.' },
      { role: 'assistant', content: 'Yes.' },
    ])
  })
})

test.each(['reasoning', 'reasoning_content'])('A thought in %s goes back in that field alone', async (field) => {
  const { message } = await exchange([
    chunk({ [field]: 'H' }),
    chunk({ [field]: 'm.' }),
    chunk({ content: 'Yes.' }),
    stop,
  ])
  const sent: unknown[] = []
  const fetch = async (_url: string, init: RequestInit) => {
    sent.push(JSON.parse(String(init.body)).messages[0])
    return streamOf('data: {"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}\n\n')
  }
  const messages = [{ role: 'assistant' as const, content: [...message.content] }]
  await exchange([], { fetch }, { model: 'claude-opus-5', messages })
  expect(sent).toEqual([{ role: 'assistant', content: 'Yes.', [field]: 'Hm.' }])
})

test('What Gemini gives with a call goes back with it, by a thought without words', async () => {
  const extra_content = { google: { thought_signature: 'c2ln' } }
  const called = { index: 0, id: 'a', function: { name: 'f', arguments: '{}' }, extra_content }
  const other = { index: 1, id: 'b', function: { name: 'f', arguments: '{}' } }
  const { message, events } = await exchange([
    chunk({ content: 'Hm.' }),
    chunk({ tool_calls: [called, other] }),
    stop,
    done,
  ])
  expectMessageOrder(events)
  expect(message.content.map(({ type }) => type)).toEqual(['text', 'thinking', 'tool_use', 'tool_use'])
  let sent: { tool_calls?: unknown } = {}
  const fetch = async (_url: string, init: RequestInit) => {
    sent = JSON.parse(String(init.body)).messages[0]
    return streamOf('data: {"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}\n\n')
  }
  const messages = [{ role: 'assistant' as const, content: [...message.content] }]
  await exchange([], { fetch }, { model: 'claude-opus-5', messages })
  const type = 'function'
  expect(sent.tool_calls).toEqual([
    { id: 'a', type, function: called.function, extra_content },
    { id: 'b', type, function: other.function },
  ])
  await exchange([], { fetch }, { model: 'another', messages })
  expect(JSON.stringify(sent)).not.toContain('google')
})

describe('A call of a tool', () => {
  const cases: Readonly<Record<string, { readonly pieces: Pieces; readonly expected: readonly object[] }>> = {
    'whose arguments come before its name': {
      pieces: [toolChunk(0, { id: 'a', json: '{"x"' }), toolChunk(0, { name: 'f', json: ':1}' })],
      expected: [{ id: 'a', name: 'f', input: { x: 1 } }],
    },
    'whose name comes before its id': {
      pieces: [toolChunk(0, { name: 'f' }), toolChunk(0, { id: 'a', json: '{"x":1}' })],
      expected: [{ id: 'a', name: 'f', input: { x: 1 } }],
    },
    'without an index counts as the first': {
      pieces: [toolChunk(undefined, { id: 'a', name: 'f', json: '{"x"' }), toolChunk(0, { json: ':1}' })],
      expected: [{ id: 'a', name: 'f', input: { x: 1 } }],
    },
    'with another id at the same index is another one': {
      pieces: [
        toolChunk(0, { id: 'a', name: 'f', json: '{"x"' }),
        toolChunk(0, { json: ':1}' }),
        toolChunk(0, { id: 'b', name: 'f', json: '' }),
        toolChunk(0, { json: '{"x":2}' }),
      ],
      expected: [
        { id: 'a', name: 'f', input: { x: 1 } },
        { id: 'b', name: 'f', input: { x: 2 } },
      ],
    },
    'whose id comes late ends where a piece has another id': {
      pieces: [
        toolChunk(0, { name: 'f' }),
        toolChunk(0, { id: 'a', json: '{"x":1}' }),
        toolChunk(0, { id: 'b' }),
        toolChunk(0, { name: 'f', json: '{"x":2}' }),
      ],
      expected: [
        { id: 'a', name: 'f', input: { x: 1 } },
        { id: 'b', name: 'f', input: { x: 2 } },
      ],
    },
    'without an id, behind a whole one at its index, is another one': {
      pieces: [toolChunk(0, { name: 'f', json: '{"x":1}' }), toolChunk(0, { name: 'f', json: '{"x":2}' })],
      expected: [
        { id: 'toolu_2', name: 'f', input: { x: 1 } },
        { id: 'toolu_3', name: 'f', input: { x: 2 } },
      ],
    },
    'with an id that another one has gets one of its own': {
      pieces: [toolChunk(0, { id: 'a', name: 'f', json: '{}' }), toolChunk(1, { id: 'a', name: 'g', json: '{}' })],
      expected: [
        { id: 'a', name: 'f', input: {} },
        { id: 'toolu_csp2_61', name: 'g', input: {} },
      ],
    },
    'that grows while another one does waits for it': {
      pieces: [
        toolChunk(0, { id: 'a', name: 'f', json: '{"x' }),
        toolChunk(1, { id: 'b', name: 'g', json: '{"y' }),
        toolChunk(0, { json: '":1}' }),
        toolChunk(1, { json: '":2}' }),
      ],
      expected: [
        { id: 'a', name: 'f', input: { x: 1 } },
        { id: 'b', name: 'g', input: { y: 2 } },
      ],
    },
    'whose name and id come with every piece is one': {
      pieces: [toolChunk(0, { id: 'a', name: 'f', json: '{"x"' }), toolChunk(0, { id: 'a', name: 'f', json: ':1}' })],
      expected: [{ id: 'a', name: 'f', input: { x: 1 } }],
    },
    'whose id comes with every piece, and its name once, is one': {
      pieces: [toolChunk(0, { id: 'a', name: 'f' }), toolChunk(0, { id: 'a', json: '{"x":1}' })],
      expected: [{ id: 'a', name: 'f', input: { x: 1 } }],
    },
    'that the provider repeats whole at the end is one': {
      pieces: [
        toolChunk(0, { id: 'a', name: 'f', json: ' {"x":1}' }),
        toolChunk(0, { id: 'a', name: 'f', json: '{"x":1}' }),
        toolChunk(0, { id: 'a', name: 'f', json: '{"x":1}\n' }),
      ],
      expected: [{ id: 'a', name: 'f', input: { x: 1 } }],
    },
    'with the id and the index of the one before is another one': {
      pieces: [
        toolChunk(0, { id: 'a', name: 'f', json: '{"x":1}' }),
        toolChunk(0, { id: 'a', name: 'f', json: '{"x"' }),
        toolChunk(0, { id: 'a', name: 'f', json: ':2}' }),
        toolChunk(0, { id: 'a', name: 'g', json: '{"x":1}' }),
        toolChunk(0, { id: 'a', name: 'h' }),
        toolChunk(0, { json: '{"x":3}' }),
      ],
      expected: [
        { id: 'a', name: 'f', input: { x: 1 } },
        { id: 'toolu_csp2_61', name: 'f', input: { x: 2 } },
        { id: 'toolu_csp3_61', name: 'g', input: { x: 1 } },
        { id: 'toolu_csp4_61', name: 'h', input: { x: 3 } },
      ],
    },
    'whose strings have raw line breaks and tabs': {
      pieces: [
        toolChunk(0, { id: 'a', name: 'f', json: '{"x":"a\n' }),
        toolChunk(0, { json: 'b\\n\tc",\n"y":[1,\n2],"z":"\\' }),
        toolChunk(0, { json: 'n\u0001"}' }),
      ],
      expected: [{ id: 'a', name: 'f', input: { x: 'a\nb\n\tc', y: [1, 2], z: '\n\u0001' } }],
    },
    'whose arguments are a string with raw line breaks': {
      pieces: [toolChunk(0, { id: 'a', name: 'f', json: JSON.stringify('{"x":"a\nb"}') })],
      expected: [{ id: 'a', name: 'f', input: { x: 'a\nb' } }],
    },
    'whose arguments are an object': {
      pieces: [toolChunk(0, { id: 'a', name: 'f', json: { x: 1 } })],
      expected: [{ id: 'a', name: 'f', input: { x: 1 } }],
    },
    'without arguments': {
      pieces: [toolChunk(0, { id: 'a', name: 'f' })],
      expected: [{ id: 'a', name: 'f', input: {} }],
    },
    'whose strings have brackets and quotes': {
      pieces: [toolChunk(0, { id: 'a', name: 'f', json: '{"x":"}\\"]' }), toolChunk(0, { json: '{"}' })],
      expected: [{ id: 'a', name: 'f', input: { x: '}"]{' } }],
    },
  }
  for (const [name, { pieces, expected }] of Object.entries(cases)) {
    test(name, async () => {
      const { message, events } = await exchange([...pieces, stop, done])
      expectMessageOrder(events)
      expect(message.content).toEqual(expected.map((call) => ({ type: 'tool_use', ...call })))
      expect(message.stop_reason).toBe('tool_use')
    })
  }

  test('passes its arguments on as they come', async () => {
    const { events } = await exchange([
      toolChunk(0, { id: 'a', name: 'f', json: '{"x"' }),
      toolChunk(0, { json: ':' }),
      toolChunk(0, { json: '1}' }),
      chunk({}, 'tool_calls'),
      done,
    ])
    const pieces = events.flatMap((event) =>
      event.type === 'content_block_delta' && 'partial_json' in event.delta ? [event.delta.partial_json] : [],
    )
    expect(pieces).toEqual(['{"x"', ':', '1}'])
  })

  test('with arguments that are no JSON is kept with an empty input, and the log says so', async () => {
    const { message, notes } = await exchange([
      toolChunk(0, { id: 'a', name: 'f', json: '{"x":' }),
      chunk({}, 'length'),
      done,
    ])
    expect(message.content).toEqual([{ type: 'tool_use', id: 'a', name: 'f', input: {} }])
    expect(message.stop_reason).toBe('max_tokens')
    expect(notes).toContain('The arguments of the call of f are no JSON object.')
  })

  test('without a name is left out, the log says so, and the turn ends', async () => {
    const { message, notes, events } = await exchange([
      chunk({ content: 'Hm.' }),
      toolChunk(0, { id: 'a', json: '{}' }),
      chunk({}, 'tool_calls'),
      done,
    ])
    expectMessageOrder(events)
    expect(message).toMatchObject({ content: [{ type: 'text', text: 'Hm.' }], stop_reason: 'end_turn' })
    expect(notes).toContain('The model called a tool without a name. The call is left out.')
  })

  test('between two texts stands between two blocks', async () => {
    const { message, events } = await exchange([
      chunk({ content: 'a' }),
      toolChunk(0, { id: 'a', name: 'f', json: '{"x"' }),
      chunk({ content: 'b' }),
      toolChunk(0, { json: ':1}' }),
      stop,
      done,
    ])
    expectMessageOrder(events)
    expect(message.content.map(({ type }) => type)).toEqual(['text', 'tool_use', 'text'])
  })

  test('goes by the name that the caller knows, however long', async () => {
    const name = `mcp__a_server_with_a_long_name__${'x'.repeat(60)}`
    const request = {
      model: 'm',
      tools: [{ name, input_schema: {} }],
      messages: [{ role: 'user' as const, content: 'hi' }],
    }
    let sent = ''
    const fetch = async (_url: string, init: RequestInit) => {
      sent = JSON.parse(String(init.body)).tools[0].function.name
      const piece = toolChunk(0, { id: 'a', name: sent, json: '{}' })
      return streamOf(`data: ${JSON.stringify(piece)}\n\ndata: ${JSON.stringify(stop)}\n\n`)
    }
    const { message } = await exchange([], { fetch }, request)
    expect(sent).toMatch(/^[\w-]{1,64}$/)
    expect(message.content).toEqual([{ type: 'tool_use', id: 'a', name, input: {} }])
  })
})

describe('The end of a reply', () => {
  test.each([
    ['stop', 'end_turn'],
    ['length', 'max_tokens'],
    ['content_filter', 'refusal'],
    ['tool_calls', 'end_turn'],
    ['eos', 'end_turn'],
  ])('%s is %s', async (finish, expected) => {
    const { message } = await exchange([chunk({ content: 'a' }), chunk({}, finish), done])
    expect(message.stop_reason).toBe(expected as never)
  })

  test('is a refusal where the model refuses in a field of its own', async () => {
    const { message } = await exchange([chunk({ refusal: 'I cannot.' }), stop, done])
    expect(message).toMatchObject({ content: [{ type: 'text', text: 'I cannot.' }], stop_reason: 'refusal' })
  })

  test('needs no mark behind a reason, and no reason before a mark', async () => {
    expect((await exchange([chunk({ content: 'a' }), stop])).message.stop_reason).toBe('end_turn')
    expect((await exchange([chunk({ content: 'a' }), done])).message.stop_reason).toBe('end_turn')
    expect((await exchange([stop, done])).message.content).toEqual([])
  })

  test.each([
    ['that has none', [chunk({ content: 'a' })]],
    ['that has nothing', []],
    ['that has a mark only', [done]],
    ['that has an empty text and a mark', [chunk({ content: '' }), done]],
  ] as const)('of a stream %s is an error', async (_name, pieces) => {
    await expect(exchange([...pieces])).rejects.toMatchObject({ status: 502, type: 'api_error' })
  })
})

describe('Usage', () => {
  test('comes behind the finish, with cached tokens taken from the input', async () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 7,
      prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
    }
    const { message, calls } = await exchange([...saying('Hi.', usage)] as Pieces)
    expect(message.usage).toEqual({
      input_tokens: 30,
      cache_read_input_tokens: 60,
      cache_creation_input_tokens: 10,
      output_tokens: 7,
    })
    const call = {
      baseUrl: 'http://provider.example/v1',
      model: 'claude-opus-5',
      inputTokens: 100,
      cachedInputTokens: 60,
      outputTokens: 7,
    }
    expect(calls).toEqual([{ ...call, milliseconds: expect.any(Number) }])
  })

  test('may come in a chunk without choices, or in the first one', async () => {
    const usage = { prompt_tokens: 9, completion_tokens: 2, prompt_cache_hit_tokens: 4 }
    const { message } = await exchange([chunk({ content: 'a' }), stop, { usage }, done])
    expect(message.usage).toMatchObject({ input_tokens: 5, cache_read_input_tokens: 4, output_tokens: 2 })
    const { events } = await exchange([{ ...chunk({ content: 'a' }), usage }, stop, done])
    expect(events[0]).toMatchObject({ message: { usage: { input_tokens: 5, output_tokens: 0 } } })
  })

  test('tells how much of the output was thought', async () => {
    const usage = { prompt_tokens: 9, completion_tokens: 8, completion_tokens_details: { reasoning_tokens: 6 } }
    const { message } = await exchange([chunk({ content: 'a' }), stop, { choices: [], usage }, done])
    expect(message.usage).toMatchObject({ output_tokens: 8, output_tokens_details: { thinking_tokens: 6 } })
  })

  test('is estimated where the provider does not tell it', async () => {
    const { events, message } = await exchange([chunk({ content: 'x'.repeat(400) }), stop, done])
    expect(events[0]).toMatchObject({ message: { usage: { cache_read_input_tokens: 0 } } })
    expect(message.usage.input_tokens).toBeGreaterThan(0)
    expect(message.usage.output_tokens).toBe(100)
  })
})

describe('The wire', () => {
  const data = [chunk({ content: 'é' }), chunk({ content: '🦭' }), stop].map((piece) => JSON.stringify(piece))

  test.each([
    ['comments between', data.map((line) => `: OPENROUTER PROCESSING\n\ndata: ${line}\n\n`).join('')],
    ['no space behind the colon', data.map((line) => `data:${line}\n\n`).join('')],
    ['CRLF', data.map((line) => `data: ${line}\r\n\r\n`).join('')],
    ['names of events and ids', data.map((line) => `event: message\nid: 5\ndata: ${line}\n\n`).join('')],
  ])('may have %s', async (_name, text) => {
    const cuts = Array.from({ length: 40 }, (_, index) => index * 7)
    expect((await exchange(streamOf(`${text}data: [DONE]\n\n`, cuts))).message.content).toEqual([
      { type: 'text', text: 'é🦭' },
    ])
  })

  test('may have a line of a megabyte', async () => {
    const long = 'x'.repeat(1_000_000)
    expect((await exchange([chunk({ content: long }), stop])).message.content).toEqual([{ type: 'text', text: long }])
  })

  test('may be a whole reply where a stream was asked for', async () => {
    const message = {
      role: 'assistant',
      content: 'Hi.',
      reasoning_content: 'Hm.',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }],
    }
    const usage = { prompt_tokens: 5, completion_tokens: 6 }
    const reply = Response.json({ choices: [{ index: 0, message, finish_reason: 'tool_calls' }], usage })
    expect((await exchange(reply)).message).toMatchObject({
      content: [
        { type: 'thinking', thinking: 'Hm.' },
        { type: 'text', text: 'Hi.' },
        { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } },
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 5, output_tokens: 6 },
    })
  })

  test('with fields of wrong types loses those fields and no more', async () => {
    const odd = {
      choices: [{ delta: { role: 'model', content: 'a', reasoning: 5, tool_calls: 'no' }, finish_reason: 7 }],
      usage: 'x',
    }
    expect((await exchange([odd, stop])).message.content).toEqual([{ type: 'text', text: 'a' }])
  })

  test('may have spaces behind its last mark, and ends there, whatever the server sends or keeps open', async () => {
    const text = `data: ${JSON.stringify(chunk({ content: 'Hi.' }))}\n\ndata: [DONE] \n\ndata: <html>\n\n`
    expect((await exchange(streamOf(text))).message.content).toEqual([{ type: 'text', text: 'Hi.' }])
    const open = new ReadableStream<Uint8Array>({
      start: (controller) =>
        controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(chunk({ content: 'a END b' }))}\n\n`)),
    })
    const reply = new Response(open, { headers: { 'content-type': 'text/event-stream' } })
    const messages = [{ role: 'user' as const, content: 'hi' }]
    // OpenAI is told four of them.
    const stop_sequences = ['1', '2', '3', '4', 'END']
    const { message } = await exchange(reply, { kind: 'openai' }, { model: 'm', stop_sequences, messages })
    expect(message).toMatchObject({ content: [{ text: 'a ' }], stop_sequence: 'END' })
  })

  test('with what is no JSON is an error', async () => {
    await expect(exchange(streamOf('data: <html>\n\n'))).rejects.toMatchObject({ status: 502 })
    const message = `The provider sent a malformed chunk: "${'x'.repeat(99)}`
    await expect(exchange(streamOf(`data: "${'x'.repeat(200)}"\n\n`))).rejects.toMatchObject({ status: 502, message })
  })
})
