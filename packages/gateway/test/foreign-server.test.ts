import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { LLMock } from '@copilotkit/aimock'
import type { Message } from '@csp/messages-api/events'
import { foldMessage } from '@csp/messages-api/fold'
import type { MessagesRequest } from '@csp/messages-api/request'
import { chatUpstream } from '../src/chat-completions/chat-completions.ts'
import { responsesUpstream } from '../src/responses/responses.ts'

// A server that nobody here wrote, with the shapes of OpenAI and OpenRouter as others have read them.

const server = new LLMock({ port: 0, chunkSize: 5 })

beforeAll(async () => {
  server.onToolResult('call_b', { content: 'There is a.txt.', reasoning: 'I know now.' })
  server.onMessage('list files', {
    reasoning: 'Let me look.',
    blocks: [
      { type: 'text', text: 'I will look.' },
      { type: 'toolCall', name: 'Bash', arguments: '{"command":"ls -1"}', id: 'call_a' },
      { type: 'toolCall', name: 'Bash', arguments: '{"command":"pwd"}', id: 'call_b' },
    ],
  })
  server.onMessage('hello', { content: 'Hi there.', usage: { prompt_tokens: 30, completion_tokens: 4 } })
  server.onMessage('too many', {
    error: { message: 'Rate limited', type: 'rate_limit_error' },
    status: 429,
    retryAfter: 9,
  })
  await server.start()
})

afterAll(() => server.stop())

describe.each([
  ['openai', '/v1'],
  ['openrouter', '/api/v1'],
  ['ollama', '/v1'],
  ['other', ''],
  ['responses', '/v1'],
] as const)('A server of another project, as a provider of the kind %s', (kind, path) => {
  const send = (messages: MessagesRequest['messages'], thinking?: { readonly type: 'adaptive' }): Promise<Message> => {
    const place = { name: kind, baseUrl: server.url + path, key: 'sk-1' }
    const upstream = kind === 'responses' ? responsesUpstream(place) : chatUpstream({ ...place, kind })
    const tools = [{ name: 'Bash', input_schema: { type: 'object' } }]
    const request = { model: 'claude-opus-5', max_tokens: 100, tools, messages, thinking }
    return foldMessage(upstream.send(request, { signal: new AbortController().signal, model: 'gpt-5' }))
  }

  test('answers, and tells its usage', async () => {
    const message = await send([{ role: 'user', content: 'hello' }])
    expect(message).toMatchObject({ content: [{ type: 'text', text: 'Hi there.' }], stop_reason: 'end_turn' })
    expect(message.usage).toMatchObject({ input_tokens: 30, output_tokens: 4 })
  })

  test('thinks, calls two tools, and answers with their results', async () => {
    const asked = { role: 'user', content: 'list files' } as const
    const { content, stop_reason } = await send([asked], { type: 'adaptive' })
    expect(stop_reason).toBe('tool_use')
    expect(content).toMatchObject([
      { type: 'thinking', thinking: 'Let me look.' },
      { type: 'text', text: 'I will look.' },
      { type: 'tool_use', id: 'call_a', name: 'Bash', input: { command: 'ls -1' } },
      { type: 'tool_use', id: 'call_b', name: 'Bash', input: { command: 'pwd' } },
    ])
    const results = ['call_a', 'call_b'].map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'a.txt' }))
    const history = [
      asked,
      { role: 'assistant' as const, content: [...content] },
      { role: 'user' as const, content: results },
    ]
    const answer = await send(history, { type: 'adaptive' })
    expect(answer.content).toMatchObject([{ thinking: 'I know now.' }, { text: 'There is a.txt.' }])
  })

  test('fails with the status, the words and the wait of the provider', async () => {
    await expect(send([{ role: 'user', content: 'too many' }])).rejects.toMatchObject({
      status: 429,
      type: 'rate_limit_error',
      retryAfterSeconds: 9,
      message: expect.stringContaining('Rate limited'),
    })
    await expect(send([{ role: 'user', content: 'unheard of' }])).rejects.toMatchObject({ status: 404 })
  })

  test.each([
    ['drops the request', { dropRate: 1 }, 500],
    ['sends what is no JSON', { malformedRate: 1 }, 502],
    ['limits the rate', { rateLimitRate: 1 }, 429],
    ['disconnects', { disconnectRate: 1 }, 502],
  ])('fails with a status when it %s', async (_name, chaos, status) => {
    server.setChaos(chaos)
    try {
      await expect(send([{ role: 'user', content: 'hello' }])).rejects.toMatchObject({ status })
    } finally {
      server.clearChaos()
    }
  })
})
