import { anthropic } from '../../../src/gateway/anthropic/anthropic.ts'
import { compatible } from '../../../src/gateway/compatible/compatible.ts'
import type { ShapedUpstream } from '../../../src/gateway/layers/stack.ts'
import { openai } from '../../../src/gateway/openai/openai.ts'
import { messagesServer, type Sent } from './messages-server.ts'
import { type ChatRequest, serveProvider } from './strict-provider.ts'
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
  /** The names of the tools that it may call. */
  readonly tools: readonly string[]
}

/** What a model does in one turn. */
export interface Turn {
  readonly thought?: string | undefined
  readonly text?: string | undefined
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly json: string }[] | undefined
}

export type Play = (seen: Seen) => Turn

export interface ShapedServer {
  readonly url: string
  readonly upstream: ShapedUpstream
  /** The models that were asked for, in order. */
  models(): readonly unknown[]
  stop(): Promise<void>
}

/** One model behind a strict server of a shape, and the upstream that speaks to it. */
export function serveShape(shape: Shape, play: Play): ShapedServer {
  if (shape === 'native') {
    const server = messagesServer('succeed', (body) => nativeReply(body, play(seenByMessages(body))))
    const native = anthropic({ name: shape, baseUrl: server.url })
    const upstream = { upstream: native, native: async () => native }
    return {
      url: server.url,
      upstream,
      models: () => modelsOf(server.requests.map(({ body }) => body)),
      stop: () => server.stop(),
    }
  }
  const server =
    shape === 'compatible'
      ? serveProvider(openRouter((body) => play(seenByChat(body))))
      : serveResponses({ reply: (body) => responsesTurn(play(seenByResponses(body))) })
  const place = { name: shape, baseUrl: server.url }
  const upstream = shape === 'compatible' ? compatible({ ...place, kind: 'openrouter' }) : openai(place)
  return {
    url: server.url,
    upstream: { upstream, native: async () => undefined },
    models: () => modelsOf(server.bodies),
    stop: () => server[Symbol.asyncDispose](),
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
    tools: tools.map((tool) => tool.function.name),
  }
}

function seenByResponses({ input, tools = [] }: SentBody): Seen {
  const last = input.at(-1)
  const output = last?.type === 'function_call_output' ? last.output : undefined
  return {
    said: JSON.stringify(input.filter((item) => item.type === 'message' && item.role === 'user')),
    result: output === undefined || typeof output === 'string' ? output : JSON.stringify(output),
    tools: tools.map(({ name }) => name),
  }
}

function responsesTurn({ thought, ...turn }: Turn) {
  return { ...turn, ...(thought !== undefined && { thoughts: [thought] }) }
}

function seenByMessages({ messages, tools }: Sent): Seen {
  const all = Array.isArray(messages) ? messages : []
  const content: unknown = all.findLast(({ role }) => role === 'user')?.content
  const result = Array.isArray(content) ? content.findLast(({ type }) => type === 'tool_result') : undefined
  const text = result && (typeof result.content === 'string' ? result.content : result.content?.[0]?.text)
  return {
    said: JSON.stringify(all.filter(({ role }) => role === 'user')),
    result: text,
    tools: Array.isArray(tools) ? tools.map(({ name }) => name) : [],
  }
}

function nativeReply(body: Sent, { thought, text, calls = [] }: Turn): Response {
  const content = [
    ...(thought === undefined ? [] : [{ type: 'thinking', thinking: thought, signature: 'by-the-vendor' }]),
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...calls.map(({ id, name, json }) => ({ type: 'tool_use', id, name, input: JSON.parse(json) })),
  ]
  return Response.json({
    id: 'msg_by_hand',
    type: 'message',
    role: 'assistant',
    model: body['model'],
    content,
    stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 12, cache_read_input_tokens: 8, output_tokens: 5 },
  })
}
