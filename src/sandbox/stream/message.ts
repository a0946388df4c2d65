/** A reply of the Messages API, with its field names. */
export interface Message {
  readonly id: string
  readonly type: 'message'
  readonly role: 'assistant'
  readonly model: string
  readonly content: readonly Block[]
  readonly stop_reason: StopReason
  readonly stop_sequence: null
  readonly usage: MessageUsage
}

export type StopReason = 'end_turn' | 'tool_use' | 'max_tokens' | 'pause_turn' | 'refusal'

export interface MessageUsage {
  readonly input_tokens: number
  readonly cache_creation_input_tokens: number
  readonly cache_read_input_tokens: number
  readonly output_tokens: number
  readonly server_tool_use?: { readonly web_search_requests: number } | undefined
}

export type Block = TextBlock | ToolUseBlock | WebSearchResultBlock

export interface TextBlock {
  readonly type: 'text'
  readonly text: string
  readonly citations?: readonly NativeCitation[] | undefined
}

/** A tool call: the vendor runs `server_tool_use`, the client runs `tool_use`. */
export interface ToolUseBlock {
  readonly type: 'tool_use' | 'server_tool_use'
  readonly id: string
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
}

export interface WebSearchResultBlock {
  readonly type: 'web_search_tool_result'
  readonly tool_use_id: string
  readonly content: readonly WebSearchResult[] | WebSearchError
}

export interface WebSearchResult {
  readonly type: 'web_search_result'
  readonly title: string
  readonly url: string
  readonly encrypted_content: string
  readonly page_age: string | null
}

export interface WebSearchError {
  readonly type: 'web_search_tool_result_error'
  readonly error_code: WebSearchErrorCode
}

export type WebSearchErrorCode = 'too_many_requests' | 'max_uses_exceeded' | 'unavailable' | 'query_too_long'

export interface NativeCitation {
  readonly type: 'web_search_result_location'
  readonly url: string
  readonly title: string
  readonly encrypted_index: string
  readonly cited_text: string
}

/** One event of the Messages API's stream. Its `type` is also the SSE event name. */
export interface MessageEvent {
  readonly type: string
  readonly [field: string]: unknown
}

/** Splits a message into the events of its stream. */
export function* messageEvents(message: Message): Generator<MessageEvent, void, undefined> {
  const { content, stop_reason, stop_sequence, usage, ...head } = message
  const { server_tool_use: _, ...startUsage } = usage
  yield {
    type: 'message_start',
    message: { ...head, content: [], stop_reason: null, stop_sequence, usage: { ...startUsage, output_tokens: 1 } },
  }
  yield { type: 'ping' }
  for (const [index, block] of content.entries()) {
    const { start, deltas } = unfold(block)
    yield { type: 'content_block_start', index, content_block: start }
    for (const delta of deltas) yield { type: 'content_block_delta', index, delta }
    yield { type: 'content_block_stop', index }
  }
  yield { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage }
  yield { type: 'message_stop' }
}

interface Unfolded {
  readonly start: object
  readonly deltas: readonly object[]
}

function unfold(block: Block): Unfolded {
  switch (block.type) {
    case 'text':
      return {
        start: { type: 'text', text: '', ...(block.citations && { citations: [] }) },
        deltas: [
          ...(block.citations ?? []).map((citation) => ({ type: 'citations_delta', citation })),
          ...pieces(block.text).map((text) => ({ type: 'text_delta', text })),
        ],
      }
    case 'tool_use':
    case 'server_tool_use':
      return {
        start: { ...block, input: {} },
        deltas: ['', ...pieces(JSON.stringify(block.input))].map((partial_json) => ({
          type: 'input_json_delta',
          partial_json,
        })),
      }
    case 'web_search_tool_result':
      return { start: block, deltas: [] }
  }
}

/** Up to 24 characters each, without splitting surrogate pairs. Links and markers may be split, as in real streams. */
function pieces(text: string): readonly string[] {
  return text.match(/[\s\S]{1,24}/gu) ?? []
}
