import { z } from 'zod'

/** A chunk of a stream, a comment, its mark of the end, or silence from here on. */
export type Piece = Readonly<Record<string, unknown>> | `:${string}` | '[DONE]' | 'hang'

export interface ProviderScript {
  /** What is refused, by the shape of a provider's check. The default is strict, and refuses nothing that is proper. */
  readonly refuse?: ((body: Record<string, unknown>) => Response | undefined) | undefined
  /** The reply to an accepted request. */
  readonly reply?: ((body: ChatRequest) => readonly Piece[] | Response) | undefined
  /** The key that it wants. */
  readonly key?: string | undefined
  /** The one that Ollama gives; other servers have no such route. */
  readonly version?: string | undefined
}

export interface StrictProvider {
  /** With `/v1`. */
  readonly url: string
  readonly bodies: ChatRequest[]
  readonly headers: Headers[]
  running(): number
  [Symbol.asyncDispose](): Promise<void>
}

/** An OpenAI-compatible server that checks what the real ones check, and streams what it is told. */
export function serveProvider({
  refuse,
  reply = () => [...saying('Hello.')],
  key,
  version,
}: ProviderScript = {}): StrictProvider {
  const bodies: ChatRequest[] = []
  const headers: Headers[] = []
  let running = 0
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (version !== undefined && pathname === '/api/version') return Response.json({ version })
      if (pathname !== '/v1/chat/completions') return openAiError(404, 'Not found')
      if (key && request.headers.get('authorization') !== `Bearer ${key}`) {
        return openAiError(401, 'Incorrect API key provided.', { code: 'invalid_api_key' })
      }
      headers.push(request.headers)
      const raw = z.record(z.string(), z.unknown()).parse(await request.json())
      const refused = refuse?.(raw)
      const parsed = chatRequest.safeParse(raw)
      // Pushed as it came, so that tests see what was sent.
      bodies.push(raw as ChatRequest)
      if (refused) return refused
      if (!parsed.success) return openAiError(400, `Invalid body: ${z.prettifyError(parsed.error)}`)
      const wrong = wrongOrder(parsed.data.messages)
      if (wrong) return openAiError(400, wrong)
      const answer = reply(parsed.data)
      if (answer instanceof Response) return answer
      running++
      return streamed(answer, request.signal, () => running--)
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}/v1`,
    bodies,
    headers,
    running: () => running,
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}

/** OpenAI's error. */
export function openAiError(status: number, message: string, more: Record<string, unknown> = {}): Response {
  const error = { message, type: 'invalid_request_error', param: null, code: null, ...more }
  return Response.json({ error }, { status })
}

/** The chunks of a plain answer, with its usage behind the finish. */
export function* saying(text: string, usage: object = { prompt_tokens: 12, completion_tokens: 3 }): Generator<Piece> {
  yield { choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] }
  for (const piece of text.match(/[\s\S]{1,4}/gu) ?? []) yield chunk({ content: piece })
  yield chunk({}, 'stop')
  yield { choices: [], usage }
  yield '[DONE]'
}

export function chunk(delta: object, finish_reason: string | null = null): Readonly<Record<string, unknown>> {
  return { id: 'chatcmpl-1', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] }
}

export function toolChunk(index: number | undefined, call: { id?: string; name?: string; json?: unknown }) {
  const { id, name, json } = call
  const called = { ...(name !== undefined && { name }), ...(json !== undefined && { arguments: json }) }
  return chunk({
    tool_calls: [{ ...(index !== undefined && { index }), ...(id !== undefined && { id }), function: called }],
  })
}

/** A reply of pieces; `onEnd` is called once, when it is over or nobody reads it. */
export function streamed(pieces: readonly Piece[], signal: AbortSignal, onEnd: () => void): Response {
  const encoder = new TextEncoder()
  const rest = [...pieces]
  let hasEnded = false
  const end = (): void => {
    if (hasEnded) return
    hasEnded = true
    onEnd()
  }
  signal.addEventListener('abort', end)
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const piece = rest.shift()
      if (piece === 'hang') return new Promise(() => {})
      if (piece === undefined) {
        end()
        controller.close()
        return
      }
      controller.enqueue(encoder.encode(frameOf(piece)))
    },
    cancel: end,
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

/** A server that begins a reply and cuts the connection. */
export function serveCut(pieces: readonly Exclude<Piece, 'hang'>[]): { readonly url: string } & Disposable {
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n'
  const body = pieces.map(frameOf).join('')
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data(socket) {
        socket.write(`${head}${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n`)
        socket.flush()
        setTimeout(() => socket.terminate(), 50)
      },
    },
  })
  return { url: `http://127.0.0.1:${server.port}/v1`, [Symbol.dispose]: () => server.stop(true) }
}

export function frameOf(piece: Exclude<Piece, 'hang'>): string {
  if (typeof piece !== 'string') {
    const event = typeof piece['type'] === 'string' ? `event: ${piece['type']}\n` : ''
    return `${event}data: ${JSON.stringify(piece)}\n\n`
  }
  return piece === '[DONE]' ? 'data: [DONE]\n\n' : `${piece}\n\n`
}

const text = z.strictObject({ type: z.literal('text'), text: z.string().min(1) })
const image = z.strictObject({
  type: z.literal('image_url'),
  image_url: z.strictObject({ url: z.string().regex(/^(?:https?:|data:image\/)/) }),
})
const file = z.strictObject({
  type: z.literal('file'),
  file: z.strictObject({ filename: z.string(), file_data: z.string().startsWith('data:') }),
})
const call = z.strictObject({
  extra_content: z.unknown().optional(),
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.strictObject({
    name: z.string().regex(/^[\w-]{1,64}$/),
    // A string that holds an object: providers refuse an object here.
    arguments: z.string().refine((json) => typeof JSON.parse(json) === 'object'),
  }),
})

/** No field that a provider does not know: `cache_control` and its like must not leak. */
const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: z.string() }),
  z.strictObject({
    role: z.literal('user'),
    content: z.union([z.string(), z.array(z.union([text, image, file])).min(1)]),
  }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.string().nullable(),
    tool_calls: z.array(call).min(1).optional(),
    reasoning: z.string().optional(),
    reasoning_content: z.string().optional(),
    reasoning_details: z.array(z.record(z.string(), z.unknown())).optional(),
  }),
  z.strictObject({ role: z.literal('tool'), tool_call_id: z.string(), content: z.string() }),
])

const chatRequest = z.strictObject({
  model: z.string(),
  messages: z.array(message).min(1),
  stream: z.literal(true),
  stream_options: z.strictObject({ include_usage: z.boolean() }).optional(),
  max_tokens: z.number().optional(),
  max_completion_tokens: z.number().optional(),
  temperature: z.number().optional(),
  top_p: z.number().optional(),
  top_k: z.number().optional(),
  stop: z.array(z.string()).max(4).optional(),
  tools: z
    .array(
      z.strictObject({
        type: z.literal('function'),
        function: z.strictObject({
          name: z.string().regex(/^[\w-]{1,64}$/),
          description: z.string().optional(),
          parameters: z.looseObject({ type: z.literal('object'), properties: z.record(z.string(), z.unknown()) }),
        }),
      }),
    )
    .min(1)
    .optional(),
  tool_choice: z.unknown().optional(),
  parallel_tool_calls: z.boolean().optional(),
  reasoning: z.record(z.string(), z.unknown()).optional(),
  reasoning_effort: z.string().optional(),
  usage: z.record(z.string(), z.unknown()).optional(),
  prompt_cache_key: z.string().optional(),
  response_format: z
    .strictObject({
      type: z.literal('json_schema'),
      json_schema: z.strictObject({
        name: z.string().regex(/^[\w-]{1,64}$/),
        schema: z.record(z.string(), z.unknown()),
        strict: z.boolean(),
      }),
    })
    .optional(),
})

export type ChatRequest = z.infer<typeof chatRequest>

/** OpenAI's rule: results of all calls stand right behind them, and nowhere else. */
function wrongOrder(messages: ChatRequest['messages']): string | undefined {
  let open: string[] = []
  for (const each of messages) {
    if (each.role === 'tool') {
      if (!open.includes(each.tool_call_id)) return "messages with role 'tool' must be a response to a preceding call"
      open = open.filter((id) => id !== each.tool_call_id)
      continue
    }
    if (open.length > 0) return `An assistant message with 'tool_calls' must be followed by tool messages: ${open}`
    if (each.role === 'assistant') open = (each.tool_calls ?? []).map(({ id }) => id)
  }
  return open.length > 0 ? `No tool message for ${open}` : undefined
}
