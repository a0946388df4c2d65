import type { MessagesEvent, StopReason } from '@csp/messages-api/events'
import type { ContentBlock } from '@csp/messages-api/request'
import { eventsOf } from '@csp/messages-api/unfold'
import { createSandbox, type SandboxOptions } from '../../packages/sandbox/test/support/recorded-sandbox.ts'
import type { RunningSandbox } from '../../packages/sandbox/test/support/sandbox.ts'

/** What the API does with a call in which the model may search. */
export type NativeReply =
  | { readonly status: number; readonly type: string; readonly message: string }
  | {
      readonly blocks: readonly ContentBlock[]
      readonly stop?: StopReason | undefined
      /** The connection breaks off behind so many blocks, or within the first text behind them. */
      readonly cutAfter?: number | undefined
      readonly cutInText?: boolean | undefined
      /** Of the prompt, and of all that the model has read at the end. */
      readonly tokens?: readonly [prompt: number, read: number] | undefined
      /** Before the first byte. */
      readonly thinkMs?: number | undefined
    }

export interface ScriptedApi extends RunningSandbox {
  /** The calls in which the model may search, and whose client has waited for the reply. */
  readonly calls: readonly NativeCall[]
  /** Forgets all calls, and gives these replies from now on. */
  script(replies: readonly NativeReply[]): void
}

export interface NativeCall {
  readonly model: string
  readonly tools: readonly Readonly<Record<string, unknown>>[]
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
  readonly output_config?: { readonly effort?: string }
}

/**
 * The Messages API, which gives these replies to the answers that are made in one call, in their order, and the last to
 * all others. What else it is asked, a sandbox answers.
 */
export function startScriptedApi(replies: readonly NativeReply[], options: SandboxOptions = {}): ScriptedApi {
  const sandbox = createSandbox(options)
  const calls: NativeCall[] = []
  let left = [...replies]
  let last: NativeReply | undefined
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const text = await request.clone().text()
      const body = text.startsWith('{') ? JSON.parse(text) : {}
      if (!isNative(body)) return sandbox.fetch(request)
      last = left.shift() ?? last
      const { thinkMs = 0 } = last && 'blocks' in last ? last : {}
      if (thinkMs > 0) await Bun.sleep(thinkMs)
      if (request.signal.aborted) return new Response(null, { status: 499 })
      calls.push(body)
      return last ? respond(last, body.model) : sandbox.fetch(request)
    },
  })
  const stop = () => server.stop(true)
  const script = (next: readonly NativeReply[]) => {
    sandbox.reset()
    calls.length = 0
    left = [...next]
  }
  return { url: `http://127.0.0.1:${server.port}`, sandbox, calls, script, stop, [Symbol.asyncDispose]: stop }
}

interface Body {
  readonly tools?: readonly { readonly type?: string }[]
  readonly system?: unknown
  readonly max_tokens?: number
}

/** The search of a list is asked for in its own words, and one token is what the CLI tries another model with. */
function isNative({ tools, system, max_tokens: most }: Body): boolean {
  if (most === 1) return false
  const searches = tools?.some(({ type }) => type === 'web_search_20250305') ?? false
  return searches && !JSON.stringify(system ?? '').includes('You run a web search')
}

function respond(reply: NativeReply, model: string): Response {
  if ('status' in reply) {
    const { status, ...error } = reply
    return Response.json({ type: 'error', error }, { status })
  }
  const { blocks, stop = 'end_turn', cutAfter, cutInText, tokens: [prompt, read] = [100, 200] } = reply
  const head = { id: `msg_${crypto.randomUUID()}`, type: 'message', role: 'assistant', model } as const
  const usage = { input_tokens: read, output_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }
  const all = [...eventsOf({ ...head, content: blocks, stop_reason: stop, stop_sequence: null, usage })].map((event) =>
    event.type === 'message_start'
      ? { ...event, message: { ...event.message, usage: { ...usage, input_tokens: prompt } } }
      : event,
  )
  const lines = (cutAfter === undefined ? all : cut(all, cutAfter, cutInText)).map(
    (event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
  )
  const stream = new ReadableStream({
    async start(controller) {
      controller.enqueue(new TextEncoder().encode(lines.join('')))
      await Bun.sleep(50)
      if (cutAfter === undefined) controller.close()
      else controller.error(new Error('cut'))
    },
  })
  return new Response(stream, { headers: { 'content-type': 'text/event-stream' } })
}

function cut(events: readonly MessagesEvent[], blocks: number, inText = false): readonly MessagesEvent[] {
  let ended = 0
  const end = events.findIndex((event) => event.type === 'content_block_stop' && ++ended === blocks)
  return events.slice(0, end + (inText ? 3 : 1))
}

/** The blocks of a search that found pages, or of one that failed. */
export function searched(id: string, found: readonly string[] | { readonly error_code: string }): ContentBlock[] {
  const content = Array.isArray(found)
    ? found.map((url) => ({
        ...{ type: 'web_search_result', url, title: `On ${new URL(url).hostname}`, page_age: 'April 30, 2025' },
        encrypted_content: 'c2VjcmV0',
      }))
    : { type: 'web_search_tool_result_error', ...found }
  return [
    { type: 'server_tool_use', id, name: 'web_search', input: { query: `query of ${id}` } },
    { type: 'web_search_tool_result', tool_use_id: id, content },
  ]
}

/** A text block that rests on pages. */
export function cited(text: string, ...pages: readonly (readonly [url: string, words: string])[]): ContentBlock {
  const citations = pages.map(([url, cited_text]) => ({
    ...{ type: 'web_search_result_location', url, title: 'T', cited_text, encrypted_index: 'aW5kZXg=' },
  }))
  return { type: 'text', text, ...(citations.length > 0 && { citations }) }
}
