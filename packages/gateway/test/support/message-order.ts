import { expect } from 'bun:test'
import type { MessagesEvent } from '@csp/messages-api/events'

/** Expects the order of events that `MessagesEvent` promises. */
export function expectMessageOrder(events: readonly MessagesEvent[]): void {
  const [first, ...rest] = events
  expect(first?.type).toBe('message_start')
  if (first?.type === 'message_start') {
    expect(first.message.content).toEqual([])
    expect(first.message.stop_reason).toBeNull()
  }
  let open: string | undefined
  let blocks = 0
  let stage: 'content' | 'ending' | 'ended' = 'content'
  for (const event of rest) {
    expect(stage).not.toBe('ended')
    switch (event.type) {
      case 'message_start':
        throw new Error('A second message_start came.')
      case 'content_block_start':
        expect({ stage, open, index: event.index }).toEqual({ stage: 'content', open: undefined, index: blocks })
        open = event.content_block.type
        break
      case 'content_block_delta':
        expect(event.index).toBe(blocks)
        expect({ block: open, delta: event.delta.type }).toEqual({
          block: blockOf[event.delta.type],
          delta: event.delta.type,
        })
        break
      case 'content_block_stop':
        expect({ isOpen: open !== undefined, index: event.index }).toEqual({ isOpen: true, index: blocks })
        open = undefined
        blocks++
        break
      case 'message_delta':
        expect({ stage, open }).toEqual({ stage: 'content', open: undefined })
        stage = 'ending'
        break
      case 'message_stop':
        expect(stage).toBe('ending')
        stage = 'ended'
        break
    }
  }
  expect(stage).toBe('ended')
}

/** The type of block that a delta belongs to, `server_tool_use` aside. */
const blockOf = {
  text_delta: 'text',
  citations_delta: 'text',
  thinking_delta: 'thinking',
  signature_delta: 'thinking',
  input_json_delta: 'tool_use',
} as const
