import type { UpstreamBehaviour } from '../contract/upstream.ts'

/** A server with the Messages API that nobody here drives through csp's own code: frames are written out by hand. */
export interface MessagesServer {
  readonly url: string
  /** What reached it, in order. */
  readonly requests: readonly { readonly path: string; readonly headers: Headers; readonly body: Sent }[]
  /** Calls that it still works on. */
  readonly running: number
  stop(): Promise<void>
}

export type Sent = Readonly<Record<string, unknown>>

/** Replies with a response of its own; `undefined`: as the behaviour says. */
export type Override = (body: Sent, path: string) => Response | undefined

export function messagesServer(behaviour: UpstreamBehaviour, override: Override = () => undefined): MessagesServer {
  const requests: { readonly path: string; readonly headers: Headers; readonly body: Sent }[] = []
  let running = 0
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    maxRequestBodySize: 100 * 1024 * 1024,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      if (request.method === 'GET') return new Response(null, { status: 404 })
      const body: Sent = await request.json()
      requests.push({ path: pathname + search, headers: request.headers, body })
      const own = override(body, pathname)
      if (own) return own
      if (behaviour === 'fail') return failed()
      running++
      const frames = framesOf(body)
      const begun = frames.slice(0, 4).join('')
      if (behaviour === 'succeed' && body['stream'] !== true) {
        running--
        return Response.json(messageOf(body))
      }
      const encoder = new TextEncoder()
      let isOver = false
      const over = () => {
        if (!isOver) running--
        isOver = true
      }
      request.signal.addEventListener('abort', over)
      const stream = new ReadableStream({
        async start(controller) {
          controller.enqueue(encoder.encode(behaviour === 'succeed' ? frames.join('') : begun))
          if (behaviour === 'hang') return
          controller.close()
          over()
        },
        cancel: over,
      })
      return new Response(stream, { headers: { 'content-type': 'text/event-stream' } })
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    get running() {
      return running
    },
    stop: () => server.stop(true),
  }
}

function failed(): Response {
  const error = { type: 'rate_limit_error', message: 'Slow down.' }
  return Response.json({ type: 'error', error }, { status: 429, headers: { 'retry-after': '7' } })
}

/** What the server says in every reply: the text of the last message. */
function textOf(body: Sent): string {
  const messages: unknown = body['messages']
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined
  const content: unknown = typeof last === 'object' && last !== null ? Reflect.get(last, 'content') : ''
  return `You said: ${typeof content === 'string' ? content : JSON.stringify(content)}`
}

function messageOf(body: Sent) {
  return {
    id: 'msg_by_hand',
    type: 'message',
    role: 'assistant',
    model: body['model'],
    content: [{ type: 'text', text: textOf(body) }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 11, output_tokens: 7 },
  }
}

function framesOf(body: Sent): readonly string[] {
  const message = { ...messageOf(body), content: [], stop_reason: null, usage: { input_tokens: 11, output_tokens: 1 } }
  const text = textOf(body)
  const half = Math.ceil(text.length / 2)
  return [
    { type: 'message_start', message },
    { type: 'ping' },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: text.slice(0, half) } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: text.slice(half) } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: 7 },
    },
    { type: 'message_stop' },
  ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
}
