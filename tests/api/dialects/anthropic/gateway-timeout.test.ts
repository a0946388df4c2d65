import { afterEach, describe, expect, jest, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { chatUpstream } from '@csp/gateway/chat-completions/chat-completions'
import { createGateway } from '@csp/gateway/gateway'
import { createUpstreamStack, type ShapedUpstream } from '@csp/gateway/layers/stack'
import { nativeUpstream } from '@csp/gateway/native/native'
import { responsesUpstream } from '@csp/gateway/responses/responses'
import { eventually } from '@csp/testing/eventually'
import { messagesServer } from '../../../../packages/gateway/test/support/messages-server.ts'
import { eventsOf } from '../../../../packages/gateway/test/support/responses-events.ts'
import { chunk, serveProvider } from '../../../../packages/gateway/test/support/strict-provider.ts'
import { serveResponses } from '../../../../packages/gateway/test/support/strict-responses.ts'
import type { RequestLog } from '../../../../src/api/exchange/request-log.ts'
import { createApp } from '../../../../src/app.ts'
import { fakeExecutor } from '../../../support/fake-executor.ts'

// Upstreams that begin a reply and never end it, on a gateway whose patience is short.

const stops: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

interface Hanging {
  readonly shaped: ShapedUpstream
  running(): number
}

const shapes: Readonly<Record<string, () => Hanging>> = {
  native() {
    // A stream whatever was asked for, but without an end: where a whole reply was, csp waits for it.
    const server = messagesServer('hang', (body) => (body['stream'] ? undefined : new Response(new ReadableStream({}))))
    stops.push(() => server.stop())
    const native = nativeUpstream({ name: 'up', baseUrl: server.url })
    return { shaped: { upstream: native, native: async () => native }, running: () => server.running }
  },
  chatUpstream() {
    const server = serveProvider({ reply: () => [chunk({ content: 'Well,' }), 'hang'] })
    stops.push(() => server[Symbol.asyncDispose]())
    return { shaped: only(chatUpstream({ name: 'up', baseUrl: server.url })), running: server.running }
  },
  responses() {
    const begun = [...eventsOf({ text: 'Well, yes.' })].slice(0, 5)
    const server = serveResponses({ reply: () => [...begun, 'hang'] })
    stops.push(() => server[Symbol.asyncDispose]())
    return { shaped: only(responsesUpstream({ name: 'up', baseUrl: server.url })), running: server.running }
  },
}

function only(upstream: ShapedUpstream['upstream']): ShapedUpstream {
  return { upstream, native: async () => undefined }
}

const question = { model: 'm', max_tokens: 10, messages: [{ role: 'user' as const, content: 'hi' }] }
const message = 'The request took longer than 0.2 s, the limit of this gateway.'
const timedOut = { type: 'error', error: { type: 'timeout_error', message } }

interface AppOptions {
  readonly concurrency?: number
  readonly timeoutMs?: number
}

function appOn(shaped: ShapedUpstream, { concurrency, timeoutMs = 200 }: AppOptions = {}) {
  const log: RequestLog[] = []
  const stack = createUpstreamStack(shaped, { concurrency })
  const gateway = createGateway({
    upstreams: [{ name: 'up', isAnthropic: false, patterns: [], ...stack }],
    timeoutMs,
  })
  const app = createApp({ executor: fakeExecutor(), gateway, log: (entry) => log.push(entry), version: '0' })
  const post = (body: object, signal: AbortSignal | null = null) =>
    app.fetch(new Request('http://127.0.0.1/v1/messages', { method: 'POST', body: JSON.stringify(body), signal }))
  return { app, post, gateway, stack, log }
}

async function hangingIn(shape: string): Promise<Hanging> {
  return shapes[shape]?.() ?? Promise.reject(new Error('No such shape.'))
}

describe.each(Object.keys(shapes))('A stream in the shape %s', (shape) => {
  test.each(['its reader', 'its signal'])(
    'whose client leaves by %s is logged as cancelled, and the upstream is left',
    async (way) => {
      const { shaped, running } = await hangingIn(shape)
      const { post, log } = appOn(shaped, { timeoutMs: 60_000 })
      const client = new AbortController()
      const { status, body } = await post({ ...question, stream: true }, client.signal)
      const reader = body?.getReader()
      await reader?.read()
      expect([status, running(), log]).toEqual([200, 1, []])
      if (way === 'its reader') await reader?.cancel()
      else {
        client.abort()
        // The server reads on until it is told of the end.
        while (!(await reader?.read().catch(() => undefined))?.done && log.length === 0);
      }
      await eventually(() => running() === 0 && log.length > 0)
      expect(log).toMatchObject([{ status: 200, code: 'cancelled', backend: 'up' }])
    },
  )
})

describe.each(Object.keys(shapes))('A request whose time is over, in the shape %s,', (shape) => {
  const hanging = () => hangingIn(shape)

  test('is an error of status 504 where nothing has gone out, and the upstream is left', async () => {
    const { shaped, running } = await hanging()
    const { post, gateway } = appOn(shaped)
    const response = await post(question)
    expect(response.status).toBe(504)
    expect(await response.json()).toMatchObject(timedOut)
    await eventually(() => running() === 0)
    expect(running()).toBe(0)
    // It was slow, not down.
    expect(gateway.health()).toMatchObject([{ ready: true }])
  })

  test('ends a stream that has begun with the error, which the client throws', async () => {
    const { shaped, running } = await hanging()
    const { app } = appOn(shaped)
    const client = new Anthropic({
      apiKey: 'unused',
      baseURL: 'http://127.0.0.1',
      maxRetries: 0,
      fetch: async (url, init) => app.fetch(new Request(url, init)),
    })
    const seen: string[] = []
    // The time passes once the stream has begun.
    const onEvent = ({ type }: { readonly type: string }) => {
      seen.push(type)
      if (type === 'content_block_delta') jest.advanceTimersByTime(200)
    }
    jest.useFakeTimers()
    try {
      const stream = client.messages.stream(question).on('streamEvent', onEvent)
      await expect(stream.finalMessage()).rejects.toThrow(message)
    } finally {
      jest.useRealTimers()
    }
    expect(seen).toContain('content_block_delta')
    expect(seen).not.toContain('message_stop')
    await eventually(() => running() === 0)
    expect(running()).toBe(0)
  })

  test('is an error of status 504 while it waits for its place', async () => {
    const { shaped } = await hanging()
    const { post, stack } = appOn(shaped, { concurrency: 1 })
    const leaving = new AbortController()
    const first = stack.upstream.send(question, { signal: leaving.signal })[Symbol.asyncIterator]()
    await first.next()
    const second = await post(question)
    expect(second.status).toBe(504)
    expect(await second.json()).toMatchObject(timedOut)
    leaving.abort()
    await first.next().catch(() => {})
  })
})
