import { expect, test } from 'bun:test'
import type { MessagesEvent } from '@csp/messages-api/events'
import type { MessagesRequest } from '@csp/messages-api/request'
import { responsesUpstream } from '../../src/responses/responses.ts'
import { failureOf } from '../support/failure-of.ts'
import { eventsOf } from '../support/responses-events.ts'
import { openAiError, type Piece, serveCut } from '../support/strict-provider.ts'
import { serveResponses } from '../support/strict-responses.ts'

const request: MessagesRequest = {
  ...{ model: 'm', max_tokens: 100, stream: true },
  messages: [{ role: 'user', content: 'hi' }],
}
const events = [...eventsOf({ text: 'Well, yes.' })].filter((piece) => typeof piece === 'object')
/** Up to its first word, and up to before that. */
const [begun, silent] = [events.slice(0, 5), events.slice(0, 2)]

interface Options {
  readonly key?: string
  readonly silenceMs?: number
  readonly fetch?: () => Promise<Response>
}

async function read(url: string, seen: MessagesEvent[] = [], options: Options = {}): Promise<void> {
  const upstream = responsesUpstream({ name: 'openai', baseUrl: url, ...options })
  for await (const event of upstream.send(request, { signal: new AbortController().signal })) seen.push(event)
}

test.each([
  [401, openAiError(401, 'Incorrect API key provided: sk-secret.'), 'authentication_error'],
  [403, openAiError(403, 'No access.'), 'permission_error'],
  [404, openAiError(404, 'The model `m` does not exist', { code: 'model_not_found' }), 'not_found_error'],
  [429, openAiError(429, 'Slow down.', { code: 'rate_limit_exceeded' }), 'rate_limit_error'],
  [500, openAiError(500, 'The server had an error.'), 'api_error'],
  [503, new Response('upstream connect error', { status: 503 }), 'overloaded_error'],
] as const)('An error of status %i keeps it, without the key', async (status, reply, type) => {
  await using server = serveResponses({ refuse: () => reply.clone() })
  const error = await failureOf(read(server.url, [], { key: 'sk-secret' }))
  expect({ status: error.status, type: error.type }).toEqual({ status, type })
  expect(error.message).not.toContain('sk-secret')
})

test.each([
  ['rate_limit_exceeded', 429],
  ['server_error', 500],
  ['server_is_overloaded', 503],
  ['context_length_exceeded', 400],
  ['invalid_image_url', 400],
  [null, 502],
])('A response that fails with the code %p before its first word has the status %i', async (code, status) => {
  const error = { code, message: 'It did not work.' }
  const failed = { type: 'response.failed', response: { status: 'failed', error } }
  for (const piece of [failed, { type: 'error', ...error, param: null }, { type: 'error', error }]) {
    await using server = serveResponses({ reply: () => [...silent, piece] })
    const failure = await failureOf(read(server.url))
    expect(failure.status).toBe(status)
    expect(failure.message).toContain('It did not work.')
  }
})

test.each<[string, readonly Piece[], number]>([
  ['fails', [...begun, { type: 'response.failed', response: { error: { code: 'server_error', message: 'x' } } }], 500],
  ['has an error', [...begun, { type: 'error', code: 'server_error', message: 'boom' }], 500],
  ['has no end', begun, 502],
  ['sends what is no event', [...begun, { nonsense: true }], 502],
])('A stream that %s after its first words ends with that error, not with an end', async (_name, pieces, status) => {
  await using server = serveResponses({ reply: () => pieces })
  const seen: MessagesEvent[] = []
  expect((await failureOf(read(server.url, seen))).status).toBe(status)
  expect(seen.map(({ type }) => type)).toContain('content_block_delta')
  expect(seen.map(({ type }) => type)).not.toContain('message_stop')
})

test('A stream that says nothing any more after its first words ends with that error, not with an end', async () => {
  const seen: MessagesEvent[] = []
  // The first words are there at once, so that no timer is faster.
  const words = begun.map((piece) => `data: ${JSON.stringify(piece)}\n\n`).join('')
  const body = () => new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(words)) })
  const fetch = async () => new Response(body(), { headers: { 'content-type': 'text/event-stream' } })
  expect((await failureOf(read('http://a.example/v1', seen, { silenceMs: 20, fetch }))).status).toBe(504)
  expect(seen.map(({ type }) => type)).toContain('content_block_delta')
  expect(seen.map(({ type }) => type)).not.toContain('message_stop')
})

test('A connection that is cut is an error', async () => {
  using server = serveCut(begun)
  expect((await failureOf(read(server.url))).status).toBe(502)
})

test('A server without the Responses API says so', async () => {
  using server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('no', { status: 404 }) })
  const error = await failureOf(read(`http://127.0.0.1:${server.port}/v1`))
  expect({ status: error.status, type: error.type }).toEqual({ status: 404, type: 'not_found_error' })
  expect(error.message).toContain('Are the address and the name of the model right?')
})
