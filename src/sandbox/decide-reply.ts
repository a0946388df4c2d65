import type { Block } from './message.ts'
import type { MessagesRequest } from './messages-request.ts'
import type { ReplyContext } from './reply.ts'
import { lastUserTurn } from './user-turn.ts'

/** The blocks of the agent loop's first call: it asks for a search with the user's own words. */
export function decideReply(request: MessagesRequest, context: ReplyContext): readonly Block[] {
  if (context.scenario === 'no-search') {
    return [{ type: 'text', text: 'Sandbox answer: this was answered from memory, without a search.' }]
  }
  const query = lastUserTurn(request).text.replace(/\s+/g, ' ').slice(0, 400)
  return [
    ...(context.scenario === 'preamble' ? [{ type: 'text', text: 'Sandbox: a search comes first.' } as const] : []),
    { type: 'tool_use', id: context.newId('toolu'), name: 'WebSearch', input: { query } },
  ]
}
