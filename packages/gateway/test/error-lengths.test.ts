import { expect, test } from 'bun:test'
import { chatUpstream } from '../src/chat-completions/chat-completions.ts'
import { nativeUpstream } from '../src/native/native.ts'
import { responsesUpstream } from '../src/responses/responses.ts'
import { failureOf } from './support/failure-of.ts'

const request = { model: 'm', max_tokens: 1, messages: [{ role: 'user' as const, content: 'hi' }] }
const long = 'long '.repeat(20_000)
const error = { type: 'api_error', message: long, code: long, param: long }

const replies: readonly (readonly [string, () => Response])[] = [
  ['in an envelope', () => Response.json({ type: 'error', error }, { status: 500 })],
  ['as a text in an envelope', () => Response.json({ error: long }, { status: 400 })],
  ['as a text', () => new Response(long, { status: 502 })],
  ['as its reason', () => new Response('', { status: 500, statusText: long })],
  ['in its stream', () => streamed(JSON.stringify({ type: 'error', error }))],
  ['in its stream that is no event', () => streamed(`{"odd": 1, "choices": "${long}"}`)],
  ['in its stream that is no JSON', () => streamed(long)],
]

test.each(
  [nativeUpstream, chatUpstream, responsesUpstream].flatMap((create) =>
    replies.map(([name, reply]) => [create.name, name, create, reply]),
  ),
)('%s: what a server says at length %s is cut in the error', async (_, __, create, reply) => {
  const upstream = create({ name: 'x', baseUrl: 'http://x.example', fetch: async () => reply() })
  const sent = upstream.send(request, { signal: new AbortController().signal })
  const { message } = await failureOf(Array.fromAsync(sent))
  expect(message).not.toBe('')
  expect(message.length).toBeLessThan(2500)
})

test.each([nativeUpstream, chatUpstream, responsesUpstream])(
  '%o: a reply without a body is an error of the upstream',
  async (create) => {
    const fetch = async () => new Response(null, { headers: { 'content-type': 'text/event-stream' } })
    const sent = create({ name: 'x', baseUrl: 'http://x.example', fetch }).send(request, {
      signal: new AbortController().signal,
    })
    expect((await failureOf(Array.fromAsync(sent))).status).toBe(502)
  },
)

function streamed(data: string): Response {
  return new Response(`data: ${data}\n\n`, { headers: { 'content-type': 'text/event-stream' } })
}
