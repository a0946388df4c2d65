/** How a stand-in's stream is made: one piece, with the time at which it is sent, every so often; or as fast as it goes. */
export type Pace = { readonly pieces: number; readonly everyMs: number } | { readonly megabytes: number }

export interface UpstreamStandIn {
  readonly url: string
  /** Of its next streams. */
  pace: Pace
  /** Requests so far. */
  readonly requests: number
  stop(): Promise<void>
}

/** An upstream that answers immediately, in the shape of the Messages API and of chat completions. */
export function startUpstream(): UpstreamStandIn {
  let pace: Pace = { pieces: 1, everyMs: 0 }
  let requests = 0
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      // csp asks once which server this is.
      if (request.method === 'GET') return new Response(null, { status: 404 })
      requests++
      const body: unknown = await request.json()
      const shape = request.url.endsWith('/messages') ? messages : chat
      if (field(body, 'stream') === true) return streamOf(shape, pace, callsSearch(body))
      return Response.json(shape.whole)
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    get pace() {
      return pace
    },
    set pace(value) {
      pace = value
    },
    get requests() {
      return requests
    },
    stop: () => server.stop(true),
  }
}

function field(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined
}

/** Whether a search is offered and has not been made yet. */
function callsSearch(body: unknown): boolean {
  const text = JSON.stringify(body)
  return text.includes('"web_search"') && !text.includes('tool_result')
}

interface Shape {
  readonly whole: object
  readonly head: string
  piece(text: string): string
  /** A call of the search, and the end. */
  readonly call: string
  readonly tail: string
}

const event = (type: string, data: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'stand-in' }
const usage = { input_tokens: 10, output_tokens: 5 }
const closed = event('content_block_stop', { index: 0 })
const ended = (stop_reason: string) =>
  event('message_delta', { delta: { stop_reason, stop_sequence: null }, usage }) + event('message_stop', {})
const opened = (content_block: object) => event('content_block_start', { index: 0, content_block })
const delta = (given: object) => event('content_block_delta', { index: 0, delta: given })
const search = { type: 'tool_use', id: 'toolu_1', name: 'web_search', input: {} }

const messages: Shape = {
  whole: {
    ...message,
    content: [{ type: 'text', text: 'Hello.' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage,
  },
  head: event('message_start', { message: { ...message, content: [], stop_reason: null, stop_sequence: null, usage } }),
  piece: (text) => delta({ type: 'text_delta', text }),
  call:
    opened(search) +
    delta({ type: 'input_json_delta', partial_json: '{"query":"harbour seals"}' }) +
    closed +
    ended('tool_use'),
  tail: closed + ended('end_turn'),
}

const chunk = (data: object) => `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', ...data })}\n\n`
const chat: Shape = {
  whole: { choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }] },
  head: chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] }),
  piece: (content) => chunk({ choices: [{ index: 0, delta: { content } }] }),
  call: '',
  tail: `${chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}data: [DONE]\n\n`,
}

/** A stream of the Messages API, of so many MB. */
export function longStream(megabytes: number): Response {
  return streamOf(messages, { megabytes }, false)
}

function streamOf(shape: Shape, pace: Pace, calls: boolean): Response {
  const encoder = new TextEncoder()
  const open = shape === messages ? opened({ type: 'text', text: '' }) : ''
  async function* parts(): AsyncGenerator<Uint8Array> {
    yield encoder.encode(shape.head)
    if (calls && shape.call) return yield encoder.encode(shape.call)
    yield encoder.encode(open)
    if ('megabytes' in pace) {
      const block = encoder.encode(shape.piece('x'.repeat(100)).repeat(256))
      for (let sent = 0; sent < pace.megabytes * 1e6; sent += block.byteLength) yield block
    } else {
      for (let piece = 0; piece < pace.pieces; piece++) {
        await Bun.sleep(pace.everyMs)
        yield encoder.encode(shape.piece(` at=${performance.now()};`))
      }
    }
    yield encoder.encode(shape.tail)
  }
  const rest = parts()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await rest.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}
