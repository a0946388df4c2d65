import { describe, expect, test } from 'bun:test'
import type { MessagesEvent } from '@csp/messages-api/events'
import type { MessagesRequest } from '@csp/messages-api/request'
import { UpstreamError } from '@csp/messages-api/upstream-error'
import { type ChatUpstreamOptions, chatUpstream } from '../../src/chat-completions/chat-completions.ts'
import { exchange } from '../support/provider-stream.ts'
import { chunk, openAiError, serveCut, serveProvider } from '../support/strict-provider.ts'

const request: MessagesRequest = { model: 'm', messages: [{ role: 'user', content: 'hi' }] }

describe('A failed reply', () => {
  test.each([
    [401, openAiError(401, 'Incorrect API key provided: sk-secret.'), 'authentication_error'],
    [403, openAiError(403, 'No access.'), 'permission_error'],
    [404, openAiError(404, 'The model `m` does not exist', { code: 'model_not_found' }), 'not_found_error'],
    [413, new Response('Payload Too Large', { status: 413 }), 'request_too_large'],
    [
      422,
      Response.json({ detail: [{ loc: ['body', 'messages'], msg: 'Field required' }] }, { status: 422 }),
      'invalid_request_error',
    ],
    [429, openAiError(429, 'Slow down.', { code: 'rate_limit_exceeded' }), 'rate_limit_error'],
    [500, new Response('<html>oops</html>', { status: 500 }), 'api_error'],
    [503, Response.json({ error: 'loading model' }, { status: 503 }), 'overloaded_error'],
  ])('of status %i keeps it, and says what the provider said, without the key', async (status, reply, type) => {
    const said = await reply.clone().text()
    const error = await failureOf(reply, { key: 'sk-secret' })
    expect(error).toMatchObject({ status, type })
    expect(error.message).toStartWith('provider.example: ')
    expect(error.message).not.toContain('sk-secret')
    const words = /Slow|does not exist|No access|Field required|loading model|oops|Too Large|API key/.exec(said)?.[0]
    expect(error.message).toContain(words ?? 'nothing to look for')
  })

  test.each([
    ['7', 7],
    ['1.2', 2],
    ['nonsense', undefined],
  ])('with Retry-After: %s asks to wait for %p seconds', async (value, seconds) => {
    const reply = new Response('slow down', { status: 429, headers: { 'retry-after': value } })
    expect((await failureOf(reply)).retryAfterSeconds).toBe(seconds)
  })

  test('for a prompt that is too long has the words that make Claude Code compact it', async () => {
    const words = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."
    const error = await failureOf(openAiError(400, words, { code: 'context_length_exceeded' }))
    expect(error.message).toStartWith('prompt is too long: ')
    expect(error).toMatchObject({ status: 400, type: 'invalid_request_error' })
  })

  test('that redirects is not followed: the key is for one server', async () => {
    await using other = serveProvider()
    await using server = serveProvider({ reply: () => Response.redirect(`${other.url}/chat/completions`, 307) })
    await expect(send(server.url, { key: 'sk' })).rejects.toMatchObject({ status: 502 })
    expect(other.bodies).toEqual([])
  })
})

describe('An error in a reply of 200', () => {
  test.each([
    ['whose code is a status', { message: 'Overloaded', code: 529 }, 529],
    ['whose code is a status in words', { message: 'Rate limited', code: '429' }, 429],
    ['whose code is a word', { message: 'Server error', code: 'server_error' }, 500],
    ['that is a text', 'something failed', 502],
  ])('%s, before any content, is thrown with its status', async (_name, error, status) => {
    await expect(exchange([chunk({ role: 'assistant', content: '' }), { error }])).rejects.toMatchObject({ status })
  })

  test.each([
    ['on its own', { error: { message: 'boom', code: 502 } }],
    ['beside a finish', { error: { message: 'boom' }, choices: [{ delta: { content: '' }, finish_reason: 'error' }] }],
    ['within a choice', { choices: [{ delta: {}, error: { message: 'boom' }, finish_reason: null }] }],
    ['that is a finish alone', chunk({}, 'error')],
  ])('%s ends the stream behind what has come', async (_name, piece) => {
    await using server = serveProvider({ reply: () => [chunk({ content: 'Well,' }), piece, '[DONE]'] })
    const events: MessagesEvent[] = []
    await expect(send(server.url, {}, events, { ...request, stream: true })).rejects.toMatchObject({
      status: 502,
      type: 'api_error',
    })
    expect(events.map(({ type }) => type)).toContain('content_block_delta')
    expect(events.map(({ type }) => type)).not.toContain('message_delta')
  })

  test('that is empty is none', async () => {
    const { message } = await exchange([
      { ...chunk({ content: 'a' }), error: null },
      { ...chunk({}, 'stop'), error: {} },
    ])
    expect(message.content).toEqual([{ type: 'text', text: 'a' }])
  })
})

describe('A connection', () => {
  test('that is refused is an error that asks whether the server runs', async () => {
    const server = serveProvider()
    await server[Symbol.asyncDispose]()
    await expect(send(server.url)).rejects.toMatchObject({
      status: 502,
      message: expect.stringContaining('Is it running?'),
    })
  })

  test('that is cut breaks off the reply', async () => {
    using server = serveCut([chunk({ content: 'Well,' })])
    const events: MessagesEvent[] = []
    await expect(send(server.url, {}, events)).rejects.toMatchObject({ status: 502 })
    expect(events[0]?.type).toBe('message_start')
  })

  test('that is cut behind the finish harms nothing', async () => {
    using server = serveCut([chunk({ content: 'Well.' }), chunk({}, 'stop')])
    const events: MessagesEvent[] = []
    await send(server.url, {}, events)
    expect(events.at(-1)).toEqual({ type: 'message_stop' })
  })

  test('that is silent is given up', async () => {
    await using server = serveProvider({ reply: () => [chunk({ content: 'Well,' }), 'hang'] })
    await expect(send(server.url, { silenceMs: 100 })).rejects.toMatchObject({ status: 504, type: 'timeout_error' })
  })

  test('that is silent before its head is given up', async () => {
    const silent = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Promise<Response>(() => {}) })
    const url = `http://127.0.0.1:${silent.port}/v1`
    await expect(send(url, { silenceMs: 100 })).rejects.toMatchObject({ status: 504 })
    await silent.stop(true)
  })

  test('that stays open behind the finish is not waited for', async () => {
    await using server = serveProvider({ reply: () => [chunk({ content: 'Well.' }), chunk({}, 'stop'), 'hang'] })
    const events: MessagesEvent[] = []
    await send(server.url, { tailMs: 50 }, events)
    expect(events.at(-1)).toEqual({ type: 'message_stop' })
  })
})

test.each([
  ['http://provider.example', 'http://provider.example/v1/chat/completions'],
  ['http://provider.example/api/v1/', 'http://provider.example/api/v1/chat/completions'],
  ['http://provider.example/v1/chat/completions', 'http://provider.example/v1/chat/completions'],
  ['http://provider.example/openai?api-version=1', 'http://provider.example/openai/chat/completions?api-version=1'],
])('The base URL %s is asked at %s', async (baseUrl, expected) => {
  let asked = ''
  const fetch = async (url: string) => {
    asked = url
    return Response.json({ choices: [{ message: { content: 'a' }, finish_reason: 'stop' }] })
  }
  await exchange([], { baseUrl, fetch })
  expect(asked).toBe(expected)
})

test('A block that is wrong is an error before the provider is asked', async () => {
  await using server = serveProvider()
  const wrong: MessagesRequest = { ...request, messages: [{ role: 'user', content: [{ type: 'text', text: 5 }] }] }
  await expect(send(server.url, {}, [], wrong)).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('messages.0.content.0.text'),
  })
  expect(server.bodies).toEqual([])
})

test.each([
  [Array.from({ length: 65 }, () => 'x'), 'stop_sequences: must be at most 64, not 65'],
  [['x', 'y'.repeat(201)], 'stop_sequences.1: must have at most 200 characters'],
])(
  'Stop sequences that take long to look for are refused before the provider is asked',
  async (stop_sequences, message) => {
    await using server = serveProvider()
    const reply = send(server.url, {}, [], { ...request, stop_sequences })
    await expect(reply).rejects.toMatchObject({ status: 400, message })
    expect(server.bodies).toEqual([])
  },
)

async function failureOf(reply: Response, options: Partial<ChatUpstreamOptions> = {}): Promise<UpstreamError> {
  const error = await exchange(reply, options).catch((thrown: unknown) => thrown)
  if (error instanceof UpstreamError) return error
  throw new Error('The call did not fail with an UpstreamError.', { cause: error })
}

async function send(
  baseUrl: string,
  options: Partial<ChatUpstreamOptions> = {},
  events: MessagesEvent[] = [],
  what: MessagesRequest = request,
): Promise<void> {
  const upstream = chatUpstream({ name: 'x', baseUrl, kind: 'other', ...options })
  for await (const event of upstream.send(what, { signal: new AbortController().signal })) events.push(event)
}
