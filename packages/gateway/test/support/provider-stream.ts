import type { Message, MessagesEvent } from '@csp/messages-api/events'
import { MessageFold } from '@csp/messages-api/fold'
import type { MessagesRequest } from '@csp/messages-api/request'
import { type ChatUpstreamOptions, chatUpstream } from '../../src/chat-completions/chat-completions.ts'
import type { UpstreamCall } from '../../src/upstream.ts'
import { frameOf, type Piece } from './strict-provider.ts'

export interface Exchange {
  readonly events: readonly MessagesEvent[]
  readonly message: Message
  readonly notes: readonly string[]
  readonly calls: readonly UpstreamCall[]
}

/** What an upstream makes of a provider's reply that comes without a network. */
export async function exchange(
  reply: readonly Exclude<Piece, 'hang'>[] | Response,
  options: Partial<ChatUpstreamOptions> = {},
  request: MessagesRequest = { model: 'claude-opus-5', messages: [{ role: 'user', content: 'hi' }] },
): Promise<Exchange> {
  let ids = 0
  const upstream = chatUpstream({
    name: 'x',
    baseUrl: 'http://provider.example/v1',
    kind: 'other',
    newId: () => String(++ids),
    fetch: async () => (reply instanceof Response ? reply : streamOf(reply.map(frameOf).join(''))),
    ...options,
  })
  const notes: string[] = []
  const calls: UpstreamCall[] = []
  const trace = { note: (message: string) => notes.push(message), answered: (call: UpstreamCall) => calls.push(call) }
  const events: MessagesEvent[] = []
  const fold = new MessageFold()
  for await (const event of upstream.send(request, { signal: new AbortController().signal, trace })) {
    events.push(event)
    fold.read(event)
  }
  return { events, message: fold.message(), notes, calls }
}

/** A stream that comes in pieces, cut at these places of its bytes. */
export function streamOf(text: string, cuts: readonly number[] = []): Response {
  const bytes = new TextEncoder().encode(text)
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  const pieces = [0, ...places].map((place, index) => bytes.slice(place, places[index] ?? bytes.length))
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } })
}
