import { z } from 'zod'
import { chatUpstream } from '../../src/chat-completions/chat-completions.ts'
import type { ShapedUpstream } from '../../src/layers/stack.ts'
import { nativeUpstream } from '../../src/native/native.ts'
import { responsesUpstream } from '../../src/responses/responses.ts'
import { messagesServer, type Sent } from './messages-server.ts'
import { eventsOf } from './responses-events.ts'
import { type ChatRequest, chunk, type ProviderScript, serveProvider } from './strict-provider.ts'
import { type SentBody, serveResponses } from './strict-responses.ts'
import { openRouter } from './vendors.ts'

/** The shapes in which an upstream can be spoken to. */
export const shapes = ['native', 'compatible', 'responses'] as const
export type Shape = (typeof shapes)[number]

/** What a model sees of a conversation, in any shape. */
export interface Seen {
  /** All that the user has said. */
  readonly said: string
  /** What the last tool brought; `undefined` on a fresh turn. */
  readonly result: string | undefined
  /** What all tools have brought so far. */
  readonly results: readonly string[]
  /** The names of the tools that it may call. */
  readonly tools: readonly string[]
}

/** What a model does in one turn. */
export interface Turn {
  readonly thought?: string | undefined
  readonly text?: string | undefined
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly json: string }[] | undefined
  /** It begins to say something, and never goes on. */
  readonly hangs?: boolean | undefined
}

export type Play = (seen: Seen) => Turn

export interface ShapedServer {
  readonly url: string
  readonly upstream: ShapedUpstream
  /** The models that were asked for, in order. */
  models(): readonly unknown[]
  /** Calls that it still works on. */
  running(): number
  stop(): Promise<void>
}

/** One model behind a strict server of a shape, and the upstream that speaks to it. */
export function serveShape(shape: Shape, play: Play): ShapedServer {
  if (shape === 'native') return serveNative(play)
  const server =
    shape === 'compatible'
      ? serveProvider(chatScript(play))
      : serveResponses({ reply: (body) => responsesTurn(play(seenByResponses(body))) })
  const place = { name: shape, baseUrl: server.url }
  const upstream = shape === 'compatible' ? chatUpstream({ ...place, kind: 'openrouter' }) : responsesUpstream(place)
  return {
    url: server.url,
    upstream: { upstream, native: async () => undefined },
    models: () => modelsOf(server.bodies),
    running: server.running,
    stop: () => server[Symbol.asyncDispose](),
  }
}

function serveNative(play: Play): ShapedServer {
  let running = 0
  const server = messagesServer('succeed', (body) =>
    nativeReply(body, play(seenByMessages(body)), {
      begin: () => running++,
      end: () => running--,
    }),
  )
  const native = nativeUpstream({ name: 'native', baseUrl: server.url })
  return {
    url: server.url,
    upstream: { upstream: native, native: async () => native },
    models: () => modelsOf(server.requests.map(({ body }) => body)),
    running: () => running,
    stop: () => server.stop(),
  }
}

function chatScript(play: Play): ProviderScript {
  const script = openRouter((body) => play(seenByChat(body)))
  return {
    ...script,
    reply: (body) =>
      play(seenByChat(body)).hangs ? [chunk({ content: 'Well,' }), 'hang'] : (script.reply?.(body) ?? []),
  }
}

function modelsOf(bodies: readonly { readonly model?: unknown }[]): readonly unknown[] {
  return bodies.map(({ model }) => model)
}

function seenByChat({ messages, tools = [] }: ChatRequest): Seen {
  const last = messages.at(-1)
  return {
    said: JSON.stringify(messages.filter(({ role }) => role === 'user')),
    result: last?.role === 'tool' ? last.content : undefined,
    results: messages.flatMap((message) => (message.role === 'tool' ? [message.content] : [])),
    tools: tools.map((tool) => tool.function.name),
  }
}

function seenByResponses({ input, tools = [] }: SentBody): Seen {
  const results = input.flatMap((item) => (item.type === 'function_call_output' ? [item.output] : []))
  const texts = results.map((output) => (typeof output === 'string' ? output : JSON.stringify(output)))
  return {
    said: JSON.stringify(input.filter((item) => item.type === 'message' && item.role === 'user')),
    result: input.at(-1)?.type === 'function_call_output' ? texts.at(-1) : undefined,
    results: texts,
    tools: tools.map(({ name }) => name),
  }
}

function responsesTurn({ thought, hangs, ...turn }: Turn) {
  if (hangs) return [...[...eventsOf({ text: 'Well, yes.' })].slice(0, 5), 'hang' as const]
  return { ...turn, ...(thought !== undefined && { thoughts: [thought] }) }
}

const sentMessages = z.array(
  z.looseObject({
    role: z.string(),
    content: z.union([z.string(), z.array(z.looseObject({ type: z.string(), content: z.unknown().optional() }))]),
  }),
)

function seenByMessages({ messages, tools }: Sent): Seen {
  const all = sentMessages.safeParse(messages).data ?? []
  const resultsIn = (message: (typeof all)[number] | undefined) =>
    (typeof message?.content === 'object' ? message.content : []).flatMap(({ type, content }) =>
      type === 'tool_result' ? [textOf(content)] : [],
    )
  const results = all.flatMap(resultsIn)
  return {
    said: JSON.stringify(all.filter(({ role }) => role === 'user')),
    result: resultsIn(all.findLast(({ role }) => role === 'user')).at(-1),
    results,
    tools: Array.isArray(tools) ? tools.map(({ name }) => name) : [],
  }
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  const [first] = Array.isArray(content) ? content : []
  return typeof first?.text === 'string' ? first.text : JSON.stringify(content ?? '')
}

interface Work {
  begin(): void
  end(): void
}

/** The reply by hand, streamed where a stream was asked for. */
function nativeReply(body: Sent, { thought, text, calls = [], hangs = false }: Turn, work: Work): Response {
  const content = [
    ...(thought === undefined ? [] : [{ type: 'thinking', thinking: thought, signature: 'by-the-vendor' }]),
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...calls.map(({ id, name, json }) => ({ type: 'tool_use', id, name, input: JSON.parse(json) })),
  ]
  const head = { id: 'msg_by_hand', type: 'message', role: 'assistant', model: body['model'], stop_sequence: null }
  const stop_reason = calls.length > 0 ? 'tool_use' : 'end_turn'
  const usage = { input_tokens: 12, cache_read_input_tokens: 8, output_tokens: 5 }
  if (body['stream'] !== true) return Response.json({ ...head, content, stop_reason, usage })
  const start = { type: 'message_start', message: { ...head, content: [], stop_reason: null, usage } }
  const end = [
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ]
  const events = hangs
    ? [start, ...blockEvents({ type: 'text', text: 'Well,' }, 0).slice(0, 2)]
    : [start, ...content.flatMap(blockEvents), ...end]
  const encoder = new TextEncoder()
  const frames = events.map((event) => encoder.encode(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`))
  const rest = frames.values()
  work.begin()
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { done, value } = rest.next()
      if (!done) return controller.enqueue(value)
      if (hangs) return new Promise<void>(() => {})
      work.end()
      controller.close()
    },
    cancel: () => work.end(),
  })
  return new Response(stream, { headers: { 'content-type': 'text/event-stream' } })
}

function blockEvents(block: { readonly type: string; readonly [field: string]: unknown }, index: number) {
  const { thinking, signature, text, input } = block
  const empty = 'thinking' in block ? { thinking: '', signature: '' } : 'text' in block ? { text: '' } : { input: {} }
  const deltas = [
    ...(thinking === undefined
      ? []
      : [
          { type: 'thinking_delta', thinking },
          { type: 'signature_delta', signature },
        ]),
    ...(typeof text === 'string' ? piecesOf(text).map((piece) => ({ type: 'text_delta', text: piece })) : []),
    ...(input === undefined ? [] : [{ type: 'input_json_delta', partial_json: JSON.stringify(input) }]),
  ]
  return [
    { type: 'content_block_start', index, content_block: { ...block, ...empty } },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]
}

function piecesOf(text: string): readonly string[] {
  return text.match(/[\s\S]{1,20}/gu) ?? []
}
