/** A reply of the Messages API, in its own field names. */
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

/** A tool call: `server_tool_use` runs at the vendor's, `tool_use` at the client's. */
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
