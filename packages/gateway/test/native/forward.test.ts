import { afterEach, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { eventually } from '@csp/testing/eventually'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import { type NativeUpstream, nativeUpstream } from '../../src/native/native.ts'
import { failureOf } from '../support/failure-of.ts'
import { type MessagesServer, messagesServer, type Override } from '../support/messages-server.ts'

let server: MessagesServer | undefined
let upstream: NativeUpstream | undefined
afterEach(async () => {
  await upstream?.close()
  await server?.stop()
})

function open(override?: Override, options: { readonly key?: string; readonly idleMs?: number } = {}) {
  server = messagesServer('succeed', override)
  upstream = nativeUpstream({ name: 'native', baseUrl: server.url, ...options })
  return { server, upstream }
}

const request = (more: object = {}) => ({
  model: 'claude-sonnet-5',
  max_tokens: 50,
  messages: [{ role: 'user' as const, content: 'seals' }],
  ...more,
})
const signal = () => new AbortController().signal

const frame = (event: { readonly type: string; readonly [field: string]: unknown }) =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
const start = frame({
  type: 'message_start',
  message: { id: 'm', type: 'message', role: 'assistant', model: 'qwen3', content: [], usage: { output_tokens: 0 } },
})
const unknown = frame({ type: 'a_later_invention', text: 'naïve “quotes” 海豹' })
const stop = frame({ type: 'message_stop' })

function streamOf(...parts: readonly Uint8Array[]): Response {
  const body = new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

describe('a stream that passes through', () => {
  test('is what the upstream sent, but for the name of the model', async () => {
    const { upstream } = open((body) =>
      body['stream'] ? streamOf(bytes(`: hello\n\n${start}${unknown}${stop}`)) : undefined,
    )
    const context = { signal: signal(), model: 'qwen3:14b' }
    const reply = await (await upstream.forward(request({ stream: true }), context)).text()
    expect(reply).toBe(`: hello\n\n${start.replace('qwen3', 'claude-sonnet-5')}${unknown}${stop}`)
    expect(server?.requests[0]?.body).toMatchObject({ model: 'qwen3:14b', stream: true, max_tokens: 50 })
  })

  test('is the same wherever the network cuts it', async () => {
    const whole = bytes(`${start}${unknown}${stop}`)
    const expected = `${start.replace('qwen3', 'claude-sonnet-5')}${unknown}${stop}`
    let cuts: readonly number[] = []
    const { upstream } = open(() => {
      const places = [0, ...[...new Set(cuts)].sort((left, right) => left - right), whole.length]
      return streamOf(...places.slice(1).map((end, index) => whole.slice(places[index], end)))
    })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(whole.length), { maxLength: 12 }), async (places) => {
        cuts = places
        const reply = await upstream.forward(request({ stream: true }), { signal: signal() })
        expect(await reply.text()).toBe(expected)
      }),
      { numRuns: runs(60) },
    )
  })

  test('that breaks off ends with an error that the client throws', async () => {
    const { upstream } = open(() => streamOf(bytes(start)))
    const reply = await (await upstream.forward(request({ stream: true }), { signal: signal() })).text()
    expect(reply).toContain('event: error')
    expect(reply).toContain('The upstream broke off its reply.')
    const client = new Anthropic({
      apiKey: 'unused',
      maxRetries: 0,
      fetch: async () => new Response(reply, { headers: { 'content-type': 'text/event-stream' } }),
    })
    const stream = client.messages.stream({ model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'hi' }] })
    expect(stream.finalMessage()).rejects.toThrow('broke off')
  })

  test('that falls silent ends with an error', async () => {
    const silent = () =>
      new Response(new ReadableStream({ start: (controller) => controller.enqueue(bytes(start)) }), {
        headers: { 'content-type': 'text/event-stream' },
      })
    const { upstream } = open(silent, { idleMs: 50 })
    const reply = await (await upstream.forward(request({ stream: true }), { signal: signal() })).text()
    expect(reply).toContain('timeout_error')
    const read = Array.fromAsync(upstream.send(request(), { signal: signal() }))
    expect(await failureOf(read)).toMatchObject({ status: 504, type: 'timeout_error' })
  })

  test('stops the upstream when the client leaves', async () => {
    server = messagesServer('hang')
    upstream = nativeUpstream({ name: 'native', baseUrl: server.url })
    const caller = new AbortController()
    const reply = await upstream.forward(request({ stream: true }), { signal: caller.signal })
    const reader = reply.body?.getReader()
    await reader?.read()
    expect(server.running).toBe(1)
    caller.abort()
    await eventually(() => server?.running === 0)
  })
})

describe('a request that passes through', () => {
  test('keeps fields that csp does not know, the beta headers and the query', async () => {
    const { upstream } = open()
    const headers = new Headers({ 'anthropic-beta': 'a,b', 'anthropic-version': '2023-06-01', cookie: 'secret=1' })
    const body = request({ context_management: { edits: [] }, a_field: [1, { b: null }] })
    const reply = await upstream.forward(body, { signal: signal(), headers, query: '?beta=true' })
    expect(await reply.json()).toMatchObject({ type: 'message', model: 'claude-sonnet-5' })
    const sent = server?.requests[0]
    expect(sent?.path).toBe('/v1/messages?beta=true')
    expect(sent?.body).toEqual({ ...body, stream: false })
    expect(sent?.headers.get('anthropic-beta')).toBe('a,b')
    expect(sent?.headers.get('cookie')).toBeNull()
  })

  test('carries the key of the upstream, never that of the caller', async () => {
    const { upstream } = open(undefined, { key: 'key-of-the-upstream' })
    const headers = new Headers({ 'x-api-key': 'key-of-the-caller', authorization: 'Bearer key-of-the-caller' })
    await upstream.forward(request(), { signal: signal(), headers })
    expect(server?.requests[0]?.headers.get('x-api-key')).toBe('key-of-the-upstream')
    expect(server?.requests[0]?.headers.get('authorization')).toBe('Bearer key-of-the-upstream')
  })

  test.each([
    { base: '', path: '/v1/messages' },
    { base: '/', path: '/v1/messages' },
    { base: '/v1', path: '/v1/messages' },
    { base: '/api/v1/', path: '/api/v1/messages' },
    { base: '/anthropic', path: '/anthropic/v1/messages' },
    { base: '/v1/messages', path: '/v1/messages' },
  ])('finds the route of the base URL "$base"', async ({ base, path }) => {
    server = messagesServer('succeed')
    upstream = nativeUpstream({ name: 'native', baseUrl: server.url + base })
    await upstream.forward(request(), { signal: signal() })
    expect(server.requests[0]?.path).toBe(path)
  })
})

describe('an error of the upstream', () => {
  const failures = [
    { status: 401, type: 'authentication_error' },
    { status: 404, type: 'not_found_error' },
    { status: 413, type: 'request_too_large' },
    { status: 429, type: 'rate_limit_error' },
    { status: 500, type: 'api_error' },
    { status: 529, type: 'overloaded_error' },
  ] as const

  test.each(failures)('keeps its status $status, its type and its words', async ({ status, type }) => {
    const { upstream } = open(() =>
      Response.json(
        { type: 'error', error: { type, message: 'The words.' } },
        { status, headers: { 'retry-after': '3' } },
      ),
    )
    const error = await failureOf(upstream.forward(request({ stream: true }), { signal: signal() }))
    expect(error).toMatchObject({ status, type, retryAfterSeconds: 3 })
    expect(error.message).toStartWith('The words.')
  })

  test('says when to come back in seconds, by a date, or not at all', async () => {
    const inTenSeconds = new Date(Date.now() + 10_000).toUTCString()
    for (const [value, least, most] of [
      ['1.2', 2, 2],
      [inTenSeconds, 1, 10],
    ] as const) {
      const { upstream } = open(() => new Response('', { status: 429, headers: { 'retry-after': value } }))
      const { retryAfterSeconds = 0 } = await failureOf(upstream.forward(request(), { signal: signal() }))
      expect(retryAfterSeconds).toBeWithin(least, most + 1)
      await server?.stop()
    }
    const { upstream } = open(() => new Response('', { status: 429, headers: { 'retry-after': 'soon' } }))
    const { retryAfterSeconds } = await failureOf(upstream.forward(request(), { signal: signal() }))
    expect(retryAfterSeconds).toBeUndefined()
  })

  test('is one of the gateway where the server redirects: the key is for one server', async () => {
    const { upstream } = open(() => new Response('', { status: 307, headers: { location: '/elsewhere' } }))
    const error = await failureOf(upstream.forward(request(), { signal: signal() }))
    expect(error).toMatchObject({ status: 502, type: 'api_error' })
    expect(server?.requests).toHaveLength(1)
  })

  test('is told with the host where nothing listens, and without the key that a server repeats', async () => {
    const nowhere = nativeUpstream({ name: 'native', baseUrl: 'http://127.0.0.1:9' })
    expect(await failureOf(nowhere.forward(request(), { signal: signal() }))).toMatchObject({ status: 503 })
    const { upstream } = open(
      () => Response.json({ error: { message: 'The key very-secret-key is wrong.' } }, { status: 401 }),
      { key: 'very-secret-key' },
    )
    const error = await failureOf(upstream.forward(request(), { signal: signal() }))
    expect(error.message).not.toContain('very-secret-key')
  })

  test('never shows the key: in a stream wherever the network cuts it, in whole replies, and at the end of a long message', async () => {
    const key = 'the-key-of-the-gateway'
    const said = (message: string) => frame({ type: 'error', error: { type: 'api_error', message } })
    const whole = bytes(`${start}${said(`Wrong: ${key}, the ${key}.`)}`)
    for (let cut = whole.length - 120; cut < whole.length; cut++) {
      const { upstream } = open(() => streamOf(whole.slice(0, cut), whole.slice(cut)), { key })
      const passed = upstream.forward(request({ stream: true }), { signal: signal() }).then((reply) => reply.text())
      // An error in the first piece keeps its status.
      expect(await passed.catch(({ message }: Error) => message)).toContain('Wrong: [key], the [key].')
      await server?.stop()
    }
    const long = `${'x'.repeat(1990)}${key}`
    for (const reply of [
      () => streamOf(bytes(start + said(long))),
      () => Response.json({ error: { message: long } }),
      () => Response.json({ error: { message: long } }, { status: 400 }),
    ]) {
      const { upstream } = open(reply, { key })
      const read = Array.fromAsync(upstream.send(request(), { signal: signal() }))
      expect((await failureOf(read)).message).not.toContain('the-key')
      await server?.stop()
    }
  })

  test('in the middle of a stream is thrown with the status that belongs to it', async () => {
    const broken = frame({ type: 'error', error: { type: 'overloaded_error', message: 'Busy.' } })
    const { upstream } = open(() => streamOf(bytes(start + broken)))
    const read = Array.fromAsync(upstream.send(request(), { signal: signal() }))
    expect(await failureOf(read)).toMatchObject({ status: 529, type: 'overloaded_error', message: 'Busy.' })
  })
})

describe('the count of tokens', () => {
  test("is the upstream's own, and none where it does not count", async () => {
    const { upstream } = open((_, path) =>
      path.endsWith('/count_tokens') ? Response.json({ input_tokens: 42 }) : undefined,
    )
    expect(await upstream.countTokens(request(), { signal: signal() })).toBe(42)
    await server?.stop()
    const other = open((_, path) => (path.endsWith('/count_tokens') ? new Response('no', { status: 404 }) : undefined))
    expect(await other.upstream.countTokens(request(), { signal: signal() })).toBeUndefined()
  })
})

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
