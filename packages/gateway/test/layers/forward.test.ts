import { afterEach, describe, expect, test } from 'bun:test'
import { UpstreamError } from '@csp/messages-api/upstream-error'
import { createUpstreamStack, type UpstreamStackOptions } from '../../src/layers/stack.ts'
import { type NativeUpstream, nativeUpstream } from '../../src/native/native.ts'
import type { UpstreamCall, UpstreamTrace } from '../../src/upstream.ts'
import { failureOf } from '../support/failure-of.ts'
import { type MessagesServer, messagesServer, type Override } from '../support/messages-server.ts'

let server: MessagesServer | undefined
let upstream: NativeUpstream | undefined
afterEach(async () => {
  await upstream?.close()
  await server?.stop()
})

async function open(
  behaviour: 'succeed' | 'hang' | 'break',
  override?: Override,
  options: UpstreamStackOptions = {},
): Promise<NativeUpstream> {
  server = messagesServer(behaviour, override)
  const inner = nativeUpstream({ name: 'native', baseUrl: `${server.url}/v1`, key: 'key-of-the-upstream' })
  const quick = { retried: { pause: async () => {} }, ...options }
  upstream = await createUpstreamStack({ upstream: inner, native: async () => inner }, quick).native()
  if (!upstream) throw new Error('It is not native.')
  return upstream
}

const request = (stream: boolean) => ({
  model: 'claude-sonnet-5',
  max_tokens: 50,
  stream,
  messages: [{ role: 'user' as const, content: 'the words of the caller' }],
})

function tracing() {
  const calls: UpstreamCall[] = []
  const trace: UpstreamTrace = { note() {}, answered: (call) => calls.push(call) }
  return { calls, context: { signal: new AbortController().signal, model: 'qwen3:14b', trace } }
}

describe('a reply that passes through its layers', () => {
  test.each([true, false])('reports its tokens once, when it has ended, and no text (stream: %p)', async (stream) => {
    const native = await open('succeed')
    const { calls, context } = tracing()
    const reply = await native.forward(request(stream), context)
    if (stream) expect(calls).toEqual([])
    await reply.text()
    const { milliseconds, ...call } = calls[0] ?? { milliseconds: -1 }
    expect(calls.length).toBe(1)
    expect(milliseconds).toBeGreaterThanOrEqual(0)
    expect(call).toEqual({
      baseUrl: `${server?.url}/v1`,
      model: 'qwen3:14b',
      inputTokens: 11,
      cachedInputTokens: 0,
      outputTokens: 7,
      upstream: 'native',
    })
  })

  test('counts cached tokens, and those that only the end of the stream names', async () => {
    const frames = [
      { type: 'message_start', message: { id: 'm', usage: { input_tokens: 0, output_tokens: 0 } } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'x'.repeat(30_000) } },
      { type: 'message_delta', usage: { input_tokens: 5, cache_read_input_tokens: 90, output_tokens: 12 } },
      { type: 'message_stop' },
    ]
    const text = frames.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
    const native = await open('succeed', () => new Response(text, { headers: { 'content-type': 'text/event-stream' } }))
    const { calls, context } = tracing()
    await (await native.forward(request(true), context)).text()
    expect(calls).toMatchObject([{ inputTokens: 95, cachedInputTokens: 90, outputTokens: 12 }])
  })

  test.each(['break', 'hang'] as const)('reports what it cost up to where it ended: %s', async (behaviour) => {
    const native = await open(behaviour)
    const { calls, context } = tracing()
    const caller = new AbortController()
    const reply = await native.forward(request(true), { ...context, signal: caller.signal })
    const reader = reply.body?.getReader()
    await reader?.read()
    if (behaviour === 'hang') caller.abort()
    while (!(await reader?.read().catch(() => undefined))?.done) if (caller.signal.aborted) break
    expect(calls).toMatchObject([{ inputTokens: 11, outputTokens: 1 }])
  })

  test('is asked for again while nothing of it has come', async () => {
    const failures = [429, 503]
    const native = await open('succeed', () => {
      const status = failures.shift()
      return status === undefined ? undefined : Response.json({ error: { message: 'Later.' } }, { status })
    })
    const reply = await native.forward(request(true), tracing().context)
    expect(await reply.text()).toContain('ds of the caller')
    expect(server?.requests.length).toBe(3)
  })

  test('holds its place until its body has ended, and gives it back when the caller leaves', async () => {
    const native = await open('hang', undefined, { concurrency: 1 })
    const caller = new AbortController()
    const { context } = tracing()
    const first = await native.forward(request(true), { ...context, signal: caller.signal })
    const second = native.forward(request(true), context)
    await first.body?.getReader().read()
    // The second would be there by now.
    await Bun.sleep(100)
    expect(server?.requests.length).toBe(1)
    caller.abort()
    expect((await second).status).toBe(200)
    expect(server?.requests.length).toBe(2)
  })

  test('is refused at once after five failures in a row', async () => {
    const native = await open('succeed', () => new Response('', { status: 500 }))
    const { context } = tracing()
    for (let count = 0; count < 5; count++) await failureOf(native.forward(request(true), context))
    const refusal = await failureOf(native.forward(request(false), context))
    expect(refusal.message).toContain('The upstream native has failed 5 times in a row, and is asked again in 10 s.')
    expect(server?.requests.length).toBe(5)
  })
})

test('a server whose shape cannot be asked for is given up as well', async () => {
  let asked = 0
  const unreachable = new UpstreamError(503, 'It cannot be reached.')
  const inner = nativeUpstream({ name: 'native', baseUrl: 'http://127.0.0.1:9' })
  const stack = createUpstreamStack({
    upstream: inner,
    native: async () => {
      asked++
      throw unreachable
    },
  })
  for (let count = 0; count < 7; count++) await failureOf(stack.native())
  expect(asked).toBe(5)
  expect(stack.health()).toMatchObject({ name: 'native', ready: false })
})
