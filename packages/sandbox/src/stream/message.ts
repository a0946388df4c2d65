import type { BlockDelta, Message, MessagesEvent } from '@csp/messages-api/events'
import { eventsOf } from '@csp/messages-api/unfold'

/** A reply of the sandbox, whose blocks are among those that it writes. */
export interface SandboxMessage extends Message {
  readonly content: readonly SandboxBlock[]
}

export type SandboxBlock = TextBlock | ToolUseBlock | WebSearchResultBlock

export type TextBlock = {
  readonly type: 'text'
  readonly text: string
  readonly citations?: readonly NativeCitation[] | undefined
}

/** A tool call: the vendor runs `server_tool_use`, the client runs `tool_use`. */
export type ToolUseBlock = {
  readonly type: 'tool_use' | 'server_tool_use'
  readonly id: string
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
}

export type WebSearchResultBlock = {
  readonly type: 'web_search_tool_result'
  readonly tool_use_id: string
  readonly content: readonly WebSearchResult[] | WebSearchError
}

export type WebSearchResult = {
  readonly type: 'web_search_result'
  readonly title: string
  readonly url: string
  readonly encrypted_content: string
  readonly page_age: string | null
}

export type WebSearchError = {
  readonly type: 'web_search_tool_result_error'
  readonly error_code: WebSearchErrorCode
}

export type WebSearchErrorCode = 'too_many_requests' | 'max_uses_exceeded' | 'unavailable' | 'query_too_long'

export type NativeCitation = {
  readonly type: 'web_search_result_location'
  readonly url: string
  readonly title: string
  readonly encrypted_index: string
  readonly cited_text: string
}

/** The events of a message as the real API sends them: in small pieces, with a ping. */
export function* messageEvents(message: SandboxMessage): Generator<MessagesEvent, void, undefined> {
  for (const event of eventsOf(message)) {
    if (event.type === 'message_start') {
      const { server_tool_use: _, ...usage } = message.usage
      yield { ...event, message: { ...event.message, usage: { ...usage, output_tokens: 1 } } }
      yield { type: 'ping' }
    } else if (event.type === 'content_block_delta') {
      for (const delta of piecesOf(event.delta)) yield { ...event, delta }
    } else yield event
  }
}

function piecesOf(delta: BlockDelta): readonly BlockDelta[] {
  if (delta.type === 'text_delta') return pieces(delta.text).map((text) => ({ ...delta, text }))
  if (delta.type !== 'input_json_delta') return [delta]
  return ['', ...pieces(delta.partial_json)].map((partial_json) => ({ ...delta, partial_json }))
}

/** Up to 24 characters each, without splitting surrogate pairs. Links and markers may be split, as in real streams. */
function pieces(text: string): readonly string[] {
  return text.match(/[\s\S]{1,24}/gu) ?? []
}
