import { expect, test } from 'bun:test'
import { getEventListeners } from 'node:events'
import { Connection } from '../../src/native/connection.ts'
import { nativeUpstream } from '../../src/native/native.ts'
import { passThrough } from '../../src/native/pass-through.ts'
import type { UpstreamCall } from '../../src/upstream.ts'
import { failureOf } from '../support/failure-of.ts'

const meter = { read() {} }
const request = { model: 'm', max_tokens: 1, stream: true, messages: [{ role: 'user' as const, content: 'hi' }] }
const start = { type: 'message_start', message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'x' } }
const whole = `event: message_start\ndata: ${JSON.stringify(start)}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n`

/** A body that brings a text, and goes on if it `stays`. */
function replyOf(text: string, stays = false): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text))
      if (!stays) controller.close()
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

test.each([
  ['https://api.anthropic.com', true],
  ['https://eu.api.anthropic.com/v1', true],
  ['https://notanthropic.com', false],
  ['https://api.anthropic.com.evil.example', false],
  ['https://evil.example/anthropic.com', false],
])('the address %s is the vendor’s own: %p', (baseUrl, isAnthropic) => {
  expect(new Connection({ baseUrl }).isAnthropic).toBe(isAnthropic)
})

test('a reply whose first line never ends is passed on before it does', async () => {
  const { signal } = new AbortController()
  const reply = passThrough(replyOf('x'.repeat(300_000), true), {
    ...{ model: 'm', signal, idleMs: 60_000, meter, onEnd() {} },
  })
  const reader = reply.body?.getReader()
  expect((await reader?.read())?.value?.byteLength).toBeGreaterThan(200_000)
  await reader?.cancel()
})

test('a reply without a body is an error of the upstream', async () => {
  const { signal } = new AbortController()
  const options = { model: 'm', signal, idleMs: 60_000, meter, onEnd() {} }
  expect(await failureOf(Promise.try(() => passThrough(new Response(null), options)))).toMatchObject({ status: 502 })
})

test('a reply that has ended leaves nothing at the signal of its caller', async () => {
  const { signal } = new AbortController()
  let ends = 0
  const reply = passThrough(replyOf(whole), { ...{ model: 'm', signal, idleMs: 60_000, meter }, onEnd: () => ends++ })
  expect(getEventListeners(signal, 'abort')).not.toBeEmpty()
  expect(await reply.text()).toContain('"model":"m"')
  expect([ends, getEventListeners(signal, 'abort').length]).toEqual([1, 0])
})

test('a consumer who leaves ends the call of the upstream', async () => {
  let sent: AbortSignal | null | undefined
  const upstream = nativeUpstream({
    ...{ name: 'x', baseUrl: 'http://x.example' },
    fetch: async (_, init) => {
      sent = init?.signal
      return replyOf(whole, true)
    },
  })
  for await (const event of upstream.send(request, { signal: new AbortController().signal })) {
    expect([event.type, sent?.aborted]).toEqual(['message_start', false])
    break
  }
  expect(sent?.aborted).toBe(true)
})

test('the tokens of a reply are those of its start and its end, whole or streamed', async () => {
  const usage = { input_tokens: 5, cache_read_input_tokens: 2, output_tokens: 1 }
  const message = { ...start.message, content: [], stop_reason: 'end_turn', stop_sequence: null, usage }
  const end = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } }
  const events = [{ type: 'message_start', message }, end, { type: 'message_stop' }]
  const streamed = replyOf(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))
  streamed.headers.set('content-type', 'Text/Event-Stream; charset=utf-8')
  // A server may leave out what its reply is: then it is whole.
  const json = new Response(new TextEncoder().encode(JSON.stringify(message)))
  const told: unknown[] = []
  for (const reply of [streamed, json]) {
    const upstream = nativeUpstream({ name: 'x', baseUrl: 'http://x.example', fetch: async () => reply })
    const trace = {
      note() {},
      answered: ({ model, inputTokens, cachedInputTokens, outputTokens }: UpstreamCall) =>
        told.push([model, inputTokens, cachedInputTokens, outputTokens]),
    }
    const { signal } = new AbortController()
    await Array.fromAsync(upstream.send(request, { signal, trace }))
  }
  expect(told).toEqual([
    ['m', 7, 2, 9],
    ['m', 7, 2, 1],
  ])
})

test('a count of tokens is that of the server; none where it has no such route, and a failure where the caller left', async () => {
  const count = (body: string, status = 200, signal = new AbortController().signal) =>
    nativeUpstream({ name: 'x', baseUrl: 'http://x.example', fetch: async () => new Response(body, { status }) })
      .countTokens({}, { signal })
      .catch(({ status: failed }: { readonly status: number }) => `failed with ${failed}`)
  expect(await count('{"input_tokens":7}')).toBe(7)
  for (const odd of ['{"input_tokens":-1}', '7', 'null']) expect(await count(odd)).toBeUndefined()
  expect(await count('', 404)).toBeUndefined()
  expect(await count('', 404, AbortSignal.abort())).toBe('failed with 499')
})

test.each([
  [400, true],
  [401, true],
  [404, false],
  [405, false],
])('a server that answers an empty request with %i speaks the Messages API: %p', async (status, speaks) => {
  const fetch = async () => new Response('', { status })
  expect(await nativeUpstream({ name: 'x', baseUrl: 'http://x.example', fetch }).speaksMessages()).toBe(speaks)
})

test('a server is asked for its own name of the model, and a call that it refuses has told no tokens', async () => {
  const bodies: unknown[] = []
  const told: unknown[] = []
  const fetch = async (_: string, { body }: RequestInit) => {
    bodies.push(JSON.parse(String(body)))
    return new Response('', { status: 404 })
  }
  const upstream = nativeUpstream({ name: 'x', baseUrl: 'http://x.example', fetch })
  const { signal } = new AbortController()
  const trace = { note() {}, answered: (call: UpstreamCall) => told.push(call) }
  const { stream: _, ...whole } = request
  for (const model of [undefined, 'theirs'])
    for (const call of [
      Array.fromAsync(upstream.send(whole, { signal, trace, model })),
      upstream.forward(whole, { signal, trace, model }),
      upstream.forward(request, { signal, trace, model }),
    ])
      expect(await failureOf(call)).toMatchObject({ status: 404 })
  await upstream.countTokens({ model: 'm' }, { signal, model: 'theirs' })
  await upstream.countTokens({ model: 'm' }, { signal })
  expect(bodies).toEqual([
    ...['m', 'theirs'].flatMap((model) => [true, false, true].map((stream) => ({ ...whole, model, stream }))),
    { model: 'theirs' },
    { model: 'm' },
  ])
  expect(told).toEqual([])
})
