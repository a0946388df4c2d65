import type { BlockDelta, MessagesEvent, MessageUsage } from '@csp/messages-api/events'
import { MessageFold } from '@csp/messages-api/fold'
import type { ContentBlock } from '@csp/messages-api/request'
import { z } from 'zod'
import { type NativeHit, nativeCitations, nativeFound, nativeQuery } from '../../answer/native-search.ts'
import type { ModelEvent } from '../../answer/reply-session.ts'

/** What happens in a message, reported as soon as it is complete enough to be used. */
export type ApiEvent =
  | Extract<
      ModelEvent,
      { readonly type: 'search-start' | 'text-delta' | 'text-cited' | 'tool-call-start' | 'tool-call-delta' }
    >
  | { readonly type: 'search-hits'; readonly id: string; readonly hits: readonly NativeHit[] }
  | { readonly type: 'search-failed'; readonly code: string }

/** One message of the API as it streams: reports what happens in it, and keeps it whole. */
export class MessageTurn {
  readonly #fold = new MessageFold()
  /** The id of the block that is being written. */
  #id = ''
  #type = ''
  #hasArguments = false
  stopReason: string | undefined
  model = ''
  inputTokens = 0
  outputTokens = 0

  /** The message so far, to be sent back when the API pauses. */
  get content(): readonly ContentBlock[] {
    return this.#fold.content
  }

  *read(event: MessagesEvent): Generator<ApiEvent> {
    this.#fold.read(event)
    switch (event.type) {
      case 'message_start':
        this.model = event.message.model
        this.#count(event.message.usage)
        break
      case 'content_block_start':
        yield* this.#begin(event.content_block)
        break
      case 'content_block_delta':
        yield* this.#grow(event.delta)
        break
      case 'content_block_stop':
        yield* this.#end(this.#fold.block(event.index))
        break
      case 'message_delta':
        this.stopReason = event.delta.stop_reason ?? undefined
        this.#count(event.usage)
        break
    }
  }

  *#begin(block: ContentBlock): Generator<ApiEvent> {
    this.#id = typeof block['id'] === 'string' ? block['id'] : ''
    this.#hasArguments = false
    this.#type = block.type
    if (block.type === 'tool_use') {
      const { data } = toolUse.safeParse(block)
      if (data) yield { type: 'tool-call-start', ...data }
    }
    if (block.type !== 'web_search_tool_result') return
    const found = nativeFound(block)
    if (!found) return
    if ('code' in found) yield { type: 'search-failed', code: found.code }
    else yield { type: 'search-hits', ...found }
  }

  *#grow(delta: BlockDelta): Generator<ApiEvent> {
    if (delta.type === 'text_delta' && this.#type === 'text' && delta.text)
      yield { type: 'text-delta', text: delta.text }
    if (delta.type !== 'input_json_delta' || this.#type !== 'tool_use' || !delta.partial_json) return
    this.#hasArguments ||= delta.partial_json.trim() !== ''
    yield { type: 'tool-call-delta', id: this.#id, arguments: delta.partial_json }
  }

  *#end(block: ContentBlock | undefined): Generator<ApiEvent> {
    if (block?.type === 'server_tool_use') {
      const query = nativeQuery(block['input'])
      if (query !== undefined) yield { type: 'search-start', id: this.#id, query }
    }
    if (block?.type === 'tool_use' && !this.#hasArguments) {
      yield { type: 'tool-call-delta', id: this.#id, arguments: JSON.stringify(block['input'] ?? {}) }
    }
    const citations = block?.['citations']
    for (const cited of Array.isArray(citations) ? nativeCitations(citations) : [])
      yield { type: 'text-cited', ...cited }
  }

  #count(usage: MessageUsage): void {
    const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = usage
    const input = (input_tokens ?? 0) + (cache_creation_input_tokens ?? 0) + (cache_read_input_tokens ?? 0)
    this.inputTokens = Math.max(this.inputTokens, input)
    this.outputTokens = Math.max(this.outputTokens, output_tokens)
  }
}

const toolUse = z.object({ id: z.string(), name: z.string() })
