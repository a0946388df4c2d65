import { expect, test } from 'bun:test'
import { getEventListeners } from 'node:events'
import { Connection } from '../../../src/gateway/native/connection.ts'
import { anthropic } from '../../../src/gateway/native/native.ts'
import { passThrough } from '../../../src/gateway/native/pass-through.ts'

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
  const upstream = anthropic({
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
