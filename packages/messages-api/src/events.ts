import type { ContentBlock } from './request.ts'

/**
 * An event of the Messages API's stream: `message_start`; then for each block, with indices 0, 1, 2 …, its start, its deltas
 * and its stop before the next begins; then `message_delta` and `message_stop`. `ping` may stand anywhere behind the first.
 * There is no event for an error: a failure is thrown.
 */
export type MessagesEvent =
  | { readonly type: 'message_start'; readonly message: Message }
  | { readonly type: 'content_block_start'; readonly index: number; readonly content_block: ContentBlock }
  | { readonly type: 'content_block_delta'; readonly index: number; readonly delta: BlockDelta }
  | { readonly type: 'content_block_stop'; readonly index: number }
  | { readonly type: 'message_delta'; readonly delta: MessageDelta; readonly usage: MessageUsage }
  | { readonly type: 'message_stop' }
  | { readonly type: 'ping' }

/** A piece of a block. */
export type BlockDelta =
  | { readonly type: 'text_delta'; readonly text: string }
  | { readonly type: 'thinking_delta'; readonly thinking: string }
  /** Whole, not a piece: a later one replaces it. */
  | { readonly type: 'signature_delta'; readonly signature: string }
  | { readonly type: 'input_json_delta'; readonly partial_json: string }
  | { readonly type: 'citations_delta'; readonly citation: Readonly<Record<string, unknown>> }

/** The end of a message: why the model stopped. */
export interface MessageDelta {
  readonly stop_reason: StopReason | null
  readonly stop_sequence: string | null
  /** Fields that an upstream adds, such as `container`. */
  readonly [field: string]: unknown
}

/** Why the model stopped. */
export type StopReason =
  | 'end_turn'
  | 'max_tokens'
  | 'stop_sequence'
  | 'tool_use'
  | 'pause_turn'
  | 'refusal'
  | 'model_context_window_exceeded'

/** A whole message. In `message_start` its content is empty and its stop reason `null`. */
export interface Message {
  readonly id: string
  readonly type: 'message'
  readonly role: 'assistant'
  readonly model: string
  readonly content: readonly ContentBlock[]
  readonly stop_reason: StopReason | null
  readonly stop_sequence: string | null
  readonly usage: MessageUsage
  readonly [field: string]: unknown
}

/**
 * Totals of the whole message so far. `input_tokens` are those that no cache held or keeps; the sum of the three is the
 * prompt.
 */
export interface MessageUsage {
  readonly input_tokens?: number | null | undefined
  readonly cache_creation_input_tokens?: number | null | undefined
  readonly cache_read_input_tokens?: number | null | undefined
  readonly output_tokens: number
  readonly [field: string]: unknown
}
