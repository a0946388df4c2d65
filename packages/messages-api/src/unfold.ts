import type { BlockDelta, Message, MessagesEvent } from './events.ts'
import type { ContentBlock } from './request.ts'

/** The events of a whole message: what folds to it. */
export function* eventsOf(message: Message): Generator<MessagesEvent, void, undefined> {
  const { content, stop_reason, stop_sequence, usage } = message
  yield { type: 'message_start', message: { ...message, content: [], stop_reason: null, stop_sequence: null } }
  for (const [index, block] of content.entries()) {
    const { start, deltas } = partsOf(block)
    yield { type: 'content_block_start', index, content_block: start }
    for (const delta of deltas) yield { type: 'content_block_delta', index, delta }
    yield { type: 'content_block_stop', index }
  }
  yield { type: 'message_delta', delta: { stop_reason, stop_sequence: stop_sequence ?? null }, usage }
  yield { type: 'message_stop' }
}

/** Clients read text, citations, thoughts and arguments from deltas alone. */
function partsOf(block: ContentBlock): { readonly start: ContentBlock; readonly deltas: readonly BlockDelta[] } {
  const { text, citations, thinking, signature, input } = block
  if (block.type === 'text' && typeof text === 'string') {
    const cited: readonly BlockDelta[] = Array.isArray(citations)
      ? citations.map((citation) => ({ type: 'citations_delta', citation }))
      : []
    const start = { ...block, text: '', ...(Array.isArray(citations) && { citations: [] }) }
    return { start, deltas: [...cited, { type: 'text_delta', text }] }
  }
  if (block.type === 'thinking' && typeof thinking === 'string') {
    const signed = typeof signature === 'string' ? [{ type: 'signature_delta', signature } as const] : []
    return {
      start: { ...block, thinking: '', signature: '' },
      deltas: [{ type: 'thinking_delta', thinking }, ...signed],
    }
  }
  if (block.type === 'tool_use' || block.type === 'server_tool_use') {
    const partial_json = JSON.stringify(input ?? {})
    return { start: { ...block, input: {} }, deltas: [{ type: 'input_json_delta', partial_json }] }
  }
  return { start: block, deltas: [] }
}
