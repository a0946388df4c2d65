import { describe, expect, test } from 'bun:test'
import { foldMessage } from '@csp/messages-api/fold'
import type { MessagesRequest } from '@csp/messages-api/request'
import { chatUpstream } from '../../src/chat-completions/chat-completions.ts'
import { claudeCodeRequest } from '../support/claude-code-request.ts'
import { type ChatRequest, serveProvider } from '../support/strict-provider.ts'
import { ollama, openRouter, providerKinds, vendors } from '../support/vendors.ts'

const first = claudeCodeRequest

/** Calls a tool on a fresh turn, and tells its result. */
function play({ messages }: ChatRequest) {
  const last = messages.at(-1)
  if (last?.role === 'tool') return { thought: 'I know now.', text: `There is ${last.content}.` }
  return {
    thought: 'Let me look.',
    text: 'I will look.',
    calls: [
      { id: 'call_a', name: 'Bash', json: '{"command":"ls -1"}' },
      { id: 'call_b', name: 'Bash', json: '{"command":"pwd"}' },
    ],
  }
}

describe.each(providerKinds)('An agent at a provider of the kind %s', (kind) => {
  test('thinks, calls two tools, gets their results and answers', async () => {
    await using server = serveProvider(vendors[kind](play))
    const upstream = chatUpstream({ name: kind, baseUrl: server.url, kind })
    const context = { signal: new AbortController().signal, model: 'provider-model' }
    const called = await foldMessage(upstream.send(first, context))
    expect(called).toMatchObject({ model: 'claude-sonnet-5-5', stop_reason: 'tool_use' })
    const [maybeThought, ...rest] = called.content
    if (kind === 'openai') rest.unshift(maybeThought ?? { type: 'missing' })
    else expect(maybeThought).toMatchObject({ type: 'thinking', thinking: 'Let me look.' })
    expect(rest).toEqual([
      { type: 'text', text: 'I will look.' },
      { type: 'tool_use', id: 'call_a', name: 'Bash', input: { command: 'ls -1' } },
      { type: 'tool_use', id: 'call_b', name: 'Bash', input: { command: 'pwd' } },
    ])
    const results = [
      { type: 'tool_result', tool_use_id: 'call_a', content: 'a.txt', is_error: false },
      {
        type: 'tool_result',
        tool_use_id: 'call_b',
        content: [{ type: 'text', text: '/home' }],
        cache_control: { type: 'ephemeral' },
      },
    ]
    const second: MessagesRequest = {
      ...first,
      messages: [
        ...first.messages,
        { role: 'assistant', content: [...called.content] },
        { role: 'user', content: results },
      ],
    }
    const answered = await foldMessage(upstream.send(second, context))
    expect(answered.stop_reason).toBe('end_turn')
    expect(answered.content.at(-1)).toEqual({ type: 'text', text: 'There is /home.' })
    const cached = kind === 'openai' || kind === 'openrouter' ? 8 : 0
    expect(answered.usage).toMatchObject({
      input_tokens: 20 - cached,
      cache_read_input_tokens: cached,
      output_tokens: 5,
    })
    expectWarmPrefix(server.bodies)
  })
})

test('A thought goes back to OpenRouter with the signature of the provider behind it', async () => {
  await using server = serveProvider(openRouter(play))
  const upstream = chatUpstream({ name: 'x', baseUrl: server.url, kind: 'openrouter' })
  const context = { signal: new AbortController().signal }
  const { content } = await foldMessage(upstream.send(first, context))
  await foldMessage(
    upstream.send({ ...first, messages: [...first.messages, { role: 'assistant', content: [...content] }] }, context),
  )
  expect(server.bodies.at(-1)?.messages).toContainEqual(
    expect.objectContaining({
      reasoning_details: [
        { type: 'reasoning.text', text: 'Let me look.', format: 'unknown', index: 0, signature: 'sig-of-provider' },
      ],
    }),
  )
})

test('A model that Ollama does not have is an error that says what to do', async () => {
  await using server = serveProvider(ollama(play))
  const upstream = chatUpstream({ name: 'x', baseUrl: server.url })
  const reply = foldMessage(upstream.send(first, { signal: new AbortController().signal, model: 'missing' }))
  await expect(reply).rejects.toMatchObject({
    status: 404,
    type: 'not_found_error',
    message: expect.stringContaining('try pulling it first'),
  })
})

/** Each accepted request begins with the bytes of the one before it, up to where the conversation went on. */
function expectWarmPrefix(bodies: readonly ChatRequest[]): void {
  const [before, after] = bodies.slice(-2).map(({ tools, messages }) => ({ tools, messages }))
  expect(before && after && after.messages.length > before.messages.length).toBe(true)
  expect(JSON.stringify(after?.tools)).toBe(JSON.stringify(before?.tools))
  const prefix = JSON.stringify(before?.messages).slice(0, -1)
  expect(JSON.stringify(after?.messages).slice(0, prefix.length)).toBe(prefix)
  expect(prefix).not.toMatch(/cch=|cache_control/)
}
