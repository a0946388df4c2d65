import { whenAborted } from '@csp/lib/abort'
import type { Message, MessagesEvent } from '@csp/messages-api/events'
import type { MessagesRequest } from '@csp/messages-api/request'
import { abortedCall, UpstreamError } from '@csp/messages-api/upstream-error'
import type { Upstream, UpstreamContext } from '../../src/upstream.ts'

export interface UpstreamScript {
  /** The blocks of the reply, which may depend on the request. */
  readonly content?: ((request: MessagesRequest) => Message['content']) | undefined
  /** What to do behind the first event. */
  readonly outcome?: 'end' | 'hang' | 'break' | undefined
  /** Thrown in place of any event. */
  readonly failure?: UpstreamError | undefined
}

/** An upstream that says what a test wants to hear. */
export class ScriptedUpstream implements Upstream {
  readonly name = 'scripted'
  readonly sent: { readonly request: MessagesRequest; readonly context: UpstreamContext }[] = []
  running = 0
  readonly #script: UpstreamScript
  readonly #closed = new AbortController()

  constructor(script: UpstreamScript = {}) {
    this.#script = script
  }

  async *send(request: MessagesRequest, context: UpstreamContext): AsyncGenerator<MessagesEvent, void, undefined> {
    const { content = () => [{ type: 'text', text: 'Hello.' }], outcome = 'end', failure } = this.#script
    if (context.signal.aborted) throw abortedCall(context.signal)
    if (this.#closed.signal.aborted) throw new UpstreamError(503, 'The upstream is closed.')
    this.sent.push({ request, context })
    this.running++
    try {
      if (failure) throw failure
      const [start, ...rest] = scriptedEvents(request.model, content(request))
      if (start) yield start
      if (outcome === 'hang') {
        await Promise.race([whenAborted(context.signal), whenAborted(this.#closed.signal)])
        throw context.signal.aborted ? abortedCall(context.signal) : new UpstreamError(503, 'The upstream is closed.')
      }
      if (outcome === 'break') throw new UpstreamError(502, 'The upstream broke off its reply.')
      yield* rest
    } finally {
      this.running--
    }
  }

  async close(): Promise<void> {
    this.#closed.abort()
  }
}

/** The events of a message of text, thoughts and tool calls. */
export function* scriptedEvents(model: string, content: Message['content']): Generator<MessagesEvent, void, undefined> {
  const head = { id: 'msg_scripted', type: 'message', role: 'assistant', model } as const
  const usage = { input_tokens: 10, output_tokens: 1 }
  yield { type: 'message_start', message: { ...head, content: [], stop_reason: null, stop_sequence: null, usage } }
  yield { type: 'ping' }
  for (const [index, block] of content.entries()) {
    if (block.type === 'tool_use') {
      yield { type: 'content_block_start', index, content_block: { ...block, input: {} } }
      const partial_json = JSON.stringify(block['input'])
      yield { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } }
    } else if (block.type === 'thinking') {
      yield { type: 'content_block_start', index, content_block: { type: 'thinking', thinking: '', signature: '' } }
      const delta = { type: 'thinking_delta', thinking: String(block['thinking']) } as const
      yield { type: 'content_block_delta', index, delta }
      const signature = String(block['signature'])
      yield { type: 'content_block_delta', index, delta: { type: 'signature_delta', signature } }
    } else if (block.type === 'text') {
      yield { type: 'content_block_start', index, content_block: { ...block, text: '' } }
      const pieces = String(block['text']).match(/[\s\S]{1,5}/gu) ?? []
      for (const text of pieces) yield { type: 'content_block_delta', index, delta: { type: 'text_delta', text } }
    } else {
      yield { type: 'content_block_start', index, content_block: block }
    }
    yield { type: 'content_block_stop', index }
  }
  const stop_reason = content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn'
  yield { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 7 } }
  yield { type: 'message_stop' }
}
