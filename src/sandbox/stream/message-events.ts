import type { Block, Message } from './message.ts'

/** One event of the Messages API's stream; its `type` is the event's name too. */
export interface MessageEvent {
  readonly type: string
  readonly [field: string]: unknown
}

/** Unfolds a message into the events that stream it. */
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

/** About 24 characters each, no surrogate pair torn; links and markers are torn on purpose, as they are in life. */
function pieces(text: string): readonly string[] {
  return text.match(/[\s\S]{1,24}/gu) ?? []
}
