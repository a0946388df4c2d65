import { afterAll, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { createGateway } from '@csp/gateway/gateway'
import { nativeUpstream } from '@csp/gateway/native/native'
import { eventually } from '@csp/testing/eventually'
import { createApp } from '../../src/app.ts'
import type { SearchEvent } from '../../src/domain/search.ts'
import { createBackendStack, createStack } from '../../src/executor/layers/stack.ts'
import { startServer } from '../../src/runtime/server/server.ts'
import { fakeExecutor } from '../support/fake-executor.ts'
import { pages } from '../support/scripted-executor.ts'

// Clients that ask for a stream and do not read it.

/** Far more than sockets and streams buffer. */
const pieces = 2000
const piece = 'word '.repeat(400)

const backend = fakeExecutor(async function* ({ query, want }, signal): AsyncGenerator<SearchEvent> {
  yield { type: 'search-start', id: 's1', query }
  yield { type: 'search-results', id: 's1', results: pages(1) }
  if (query === 'endless') {
    for (let at = 0; !signal.aborted; at++) {
      yield { type: 'text-delta', text: `word ${at} ` }
      await Bun.sleep(5)
    }
    return
  }
  for (let at = 0; want === 'answer' && at < pieces; at++) yield { type: 'text-delta', text: piece }
  yield { type: 'done', reason: 'stop', usage: { searches: 1, inputTokens: 1, outputTokens: 1 }, model: 'fake' }
})
const inService = createBackendStack(backend, { queue: { concurrency: 3, startsPerSecond: 0 }, timeoutMs: 1000 })
const executor = createStack([inService], { cache: { ttlSeconds: 60 } })
const native = endlessUpstream()
const gateway = createGateway({
  upstreams: [
    { name: 'x', upstream: native, native: async () => native, isAnthropic: true, patterns: [['model-x', 'model-x']] },
  ],
})
const app = createApp({ executor, gateway, version: '1', maxUnreadMs: 2000 })
const server = await startServer((request, connection) => app.fetch(request, { connection }), '127.0.0.1', 0)
afterAll(() => server.stop(AbortSignal.abort()))

let upstreamCalls = 0

/** An upstream of the gateway that writes as fast as it is read, without end. */
function endlessUpstream() {
  const fetch = async (_url: string, { signal }: RequestInit) => {
    upstreamCalls++
    signal?.addEventListener('abort', () => upstreamCalls--)
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new TextEncoder().encode(`event: ping\ndata: {"a":"${piece}"}\n\n`)),
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
  return nativeUpstream({ name: 'x', baseUrl: 'http://x.example', fetch })
}

test('a stream that passes through and is not read is cut, and its upstream let go', async () => {
  const sockets = [1, 2, 3, 4].map(() => unread('/v1/messages', 'long', { model: 'model-x', max_tokens: 1 }))
  await eventually(() => upstreamCalls === 4)
  await eventually(() => upstreamCalls === 0)
  for (const socket of sockets) socket.destroy()
})

/** Asks for a stream and reads nothing of it. */
function unread(path: string, question: string, more: object = {}): Socket {
  const messages = [{ role: 'user', content: question }]
  const body = JSON.stringify({ model: 'sonar', stream: true, messages, ...more })
  const { port } = new URL(server.url)
  const socket = connect({ host: '127.0.0.1', port: Number(port) })
  socket.pause()
  socket.on('error', () => {})
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nCache-Control: no-store\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  return socket
}

test('streams that are not read free their places at the end of their searches and are cut off', async () => {
  const paths = ['/chat/completions', '/v1/chat/completions', '/chat/completions']
  const sockets = paths.map((path) => unread(path, 'long'))
  await backend.begun(3)
  const reply = await fetch(`${server.url}/v1/search?q=others`, { signal: AbortSignal.timeout(20_000) })
  expect(reply.status).toBe(200)
  expect(backend.running).toBe(0)
  // Cut by the limit of a reader: what was sent can still be read, and then there is an end.
  await Bun.sleep(3000)
  for (const socket of sockets) {
    socket.resume()
    await eventually(() => socket.closed || socket.readableEnded)
  }
})

test('a stream that is not read ends at the deadline of its search', async () => {
  const before = backend.calls.length
  const socket = unread('/chat/completions', 'endless')
  await backend.begun(before + 1)
  await eventually(() => backend.running === 0)
  socket.destroy()
})
