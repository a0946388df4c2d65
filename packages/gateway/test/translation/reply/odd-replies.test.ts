import { describe, expect, test } from 'bun:test'
import type { Message } from '@csp/messages-api/events'
import { foldMessage } from '@csp/messages-api/fold'
import type { MessagesRequest } from '@csp/messages-api/request'
import { chatUpstream } from '../../../src/chat-completions/chat-completions.ts'
import { responsesUpstream } from '../../../src/responses/responses.ts'
import { streamOf } from '../../support/provider-stream.ts'
import { chunk, toolChunk } from '../../support/strict-provider.ts'

// What a model or its server does in a way of its own, at both APIs that csp translates to.

type Pieces = readonly object[]
type Sent = Readonly<Record<string, unknown>>
const wires = ['chat', 'responses'] as const
type Wire = (typeof wires)[number]

function upstreamOf(wire: Wire, reply: () => Pieces) {
  const sent: Sent[] = []
  const answer = async (_url: unknown, init?: RequestInit) => {
    sent.push(JSON.parse(String(init?.body)))
    return streamOf(
      reply()
        .map((piece) => `data: ${JSON.stringify(piece)}\n\n`)
        .join(''),
    )
  }
  const options = { name: 'up', baseUrl: 'http://up.example/v1', fetch: answer as never }
  return { sent, upstream: wire === 'chat' ? chatUpstream({ ...options, kind: 'other' }) : responsesUpstream(options) }
}

const tools = [
  { name: 'Bash', input_schema: { type: 'object', properties: { command: { type: 'string' } } } },
  { name: 'Read', input_schema: { type: 'object' } },
  { name: 'ReadMcpResource', input_schema: { type: 'object' } },
]

function asking(fields: Partial<MessagesRequest> = {}): MessagesRequest {
  return { model: 'm', max_tokens: 100, stream: true, messages: [{ role: 'user', content: 'hi' }], tools, ...fields }
}

const context = { signal: new AbortController().signal }

function replyOf(wire: Wire, pieces: Pieces, fields: Partial<MessagesRequest> = {}): Promise<Message> {
  return foldMessage(upstreamOf(wire, () => pieces).upstream.send(asking(fields), context))
}

const completed = { type: 'response.completed', response: { status: 'completed', output: [], usage: {} } }

/** A reply that says these words, in pieces of this length. */
function saying(wire: Wire, text: string, length = text.length): Pieces {
  const words = text.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? []
  if (wire === 'chat') return [...words.map((content) => chunk({ content })), chunk({}, 'stop')]
  const item = { type: 'message', id: 'msg_1', content: [] }
  return [
    { type: 'response.output_item.added', output_index: 0, item },
    ...words.map((delta) => ({ type: 'response.output_text.delta', output_index: 0, item_id: 'msg_1', delta })),
    {
      ...{ type: 'response.output_item.done', output_index: 0 },
      item: { ...item, content: [{ type: 'output_text', text }] },
    },
    completed,
  ]
}

const call = '<tool_call>\n{"name": "Bash", "arguments": {"command": "ls"}}\n</tool_call>'

describe.each(wires)('At %s', (wire) => {
  test.each([1, 3, 7, 1000])('a call that is written as text is one, in pieces of %i', async (length) => {
    const { content, stop_reason } = await replyOf(wire, saying(wire, `I look.\n${call}`, length))
    expect(stop_reason).toBe('tool_use')
    expect(content).toMatchObject([
      { type: 'text', text: 'I look.\n' },
      { type: 'tool_use', name: 'Bash', input: { command: 'ls' } },
    ])
  })

  test('what looks like a call of a tool that is not offered is text', async () => {
    const text = call.replace('Bash', 'Shell')
    expect((await replyOf(wire, saying(wire, text))).content).toEqual([{ type: 'text', text }])
    const none = { tools, tool_choice: { type: 'none' } }
    expect((await replyOf(wire, saying(wire, call), none)).content).toEqual([{ type: 'text', text: call }])
  })

  test('a thought between tags is a thought', async () => {
    for (const length of [1, 5, 1000]) {
      const { content } = await replyOf(wire, saying(wire, `<think>\nHm.</think>\n\nSeals bark.\n${call}`, length))
      expect(content).toMatchObject([
        { type: 'thinking', thinking: 'Hm.' },
        { type: 'text', text: 'Seals bark.\n' },
        { type: 'tool_use', name: 'Bash' },
      ])
    }
  })

  test('a thought that only a tag closes is one for a caller that waits, and leaves no tag for one that does not', async () => {
    const written = saying(wire, 'Hm, so.\n</think>\n\nSeals bark.', 4)
    const thinking = { type: 'adaptive' }
    expect((await replyOf(wire, written, { stream: false, thinking })).content).toMatchObject([
      { type: 'thinking', thinking: 'Hm, so.' },
      { type: 'text', text: 'Seals bark.' },
    ])
    const streamed = await replyOf(wire, written, { thinking })
    expect(JSON.stringify(streamed.content)).not.toContain('think>')
    expect(JSON.stringify(streamed.content)).toContain('Seals bark.')
  })

  test('thoughts that the caller wants omitted have no words, and go back with them', async () => {
    const thought: Pieces =
      wire === 'chat'
        ? [chunk({ reasoning_content: 'Secret' }), chunk({ reasoning_content: ' thought.' })]
        : [
            {
              ...{ type: 'response.output_item.done', output_index: 0 },
              item: { type: 'reasoning', id: 'rs_1', content: [{ type: 'reasoning_text', text: 'Secret thought.' }] },
            },
          ]
    const said = saying(wire, 'Seals bark.').map((piece) =>
      'output_index' in piece ? { ...piece, output_index: 1 } : piece,
    )
    const { sent, upstream } = upstreamOf(wire, () => [...thought, ...said])
    const request = asking({ thinking: { type: 'adaptive', display: 'omitted' } })
    const { content } = await foldMessage(upstream.send(request, context))
    expect(content).toMatchObject([{ type: 'thinking', thinking: '' }, { type: 'text' }])
    const next = [...request.messages, { role: 'assistant' as const, content: [...content] }, ...request.messages]
    await foldMessage(upstream.send({ ...request, messages: next }, context))
    expect(JSON.stringify(sent[1])).toContain('Secret thought.')
    if (wire === 'responses') expect(JSON.stringify(sent[0])).not.toContain('"summary"')
  })
})

describe('The name of a call', () => {
  const callsOf = async (pieces: Pieces): Promise<unknown> => {
    const { content } = await replyOf('chat', [...pieces, chunk({}, 'tool_calls')])
    return content.map(({ name, input }) => [name, input])
  }

  test('may come in pieces', async () => {
    const json = toolChunk(0, { json: '{"command":"ls"}' })
    for (const later of [undefined, 'a'])
      expect(
        await callsOf([
          toolChunk(0, { id: 'a', name: 'Ba' }),
          toolChunk(0, { ...(later && { id: later }), name: 'sh' }),
          json,
        ]),
      ).toEqual([['Bash', { command: 'ls' }]])
    const longer = [
      toolChunk(0, { id: 'a', name: 'Read' }),
      toolChunk(0, { name: 'Mcp' }),
      toolChunk(0, { name: 'Resource' }),
    ]
    expect(await callsOf(longer)).toEqual([['ReadMcpResource', {}]])
  })

  test('is whole where no tool has a longer one, where it comes again, and where arguments have begun', async () => {
    expect(await callsOf([toolChunk(0, { id: 'a', name: 'Read' })])).toEqual([['Read', {}]])
    const twice = [toolChunk(0, { name: 'Read' }), toolChunk(0, { name: 'Read', json: '{"x":1}' })]
    expect(await callsOf(twice)).toEqual([['Read', { x: 1 }]])
    const two = [toolChunk(0, { name: 'Read' }), toolChunk(0, { name: 'Bash', json: '{}' })]
    expect(await callsOf(two)).toEqual([
      ['Read', {}],
      ['Bash', {}],
    ])
  })
})

test('A model that says the phase of its messages gets it back, and another does not', async () => {
  const message = (phase: string | undefined, text: string) => ({
    type: 'response.output_item.done',
    output_index: 0,
    item: { type: 'message', id: 'msg_1', phase, content: [{ type: 'output_text', text }] },
  })
  const item = { type: 'function_call', id: 'fc', call_id: 'c1', name: 'Bash', arguments: '{}' }
  for (const phase of ['commentary', undefined]) {
    const { sent, upstream } = upstreamOf('responses', () => [
      message(phase, 'I look.'),
      { type: 'response.output_item.done', output_index: 1, item },
      completed,
    ])
    const { content } = await foldMessage(upstream.send(asking(), context))
    const answered: MessagesRequest['messages'] = [
      ...asking().messages,
      { role: 'assistant', content: [...content] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'a' }] },
      { role: 'assistant', content: 'Done.' },
      { role: 'user', content: 'More' },
    ]
    await foldMessage(upstream.send(asking({ messages: answered }), context))
    const input = sent[1]?.['input'] as readonly { readonly role?: string; readonly phase?: string }[]
    const phases = input.filter(({ role }) => role === 'assistant').map((each) => each.phase)
    expect(phases).toEqual(phase ? ['commentary', 'final_answer'] : [undefined, undefined])
  }
})
