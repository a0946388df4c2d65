import type { MessagesEvent } from '@csp/messages-api/events'
import type { MessagesRequest } from '@csp/messages-api/request'
import { offerServerTools, type ServerTool } from './offered-tools.ts'
import type { ServerToolRunner } from './server-tools.ts'
import { TurnWriter } from './turn-writer.ts'

/** A request that asks for nothing but one search. */
export interface LoneSearch {
  readonly query: string
  readonly tool: ServerTool
}

/**
 * The search in a request that is nothing else: Claude Code's WebSearch sends it, with the search as its only tool, and
 * expects results and a text about them. `undefined` for every other request.
 */
export function loneSearch(request: MessagesRequest): LoneSearch | undefined {
  const [message, ...others] = request.messages
  if (!message || others.length > 0 || message.role !== 'user' || request.tools?.length !== 1) return undefined
  const [tool] = offerServerTools(request).tools.values()
  const query = lonePrompt.exec(messageText(message.content))?.[1]?.trim()
  return tool?.kind === 'search' && query ? { query, tool } : undefined
}

const lonePrompt = /^\s*Perform a web search for the query: ([^\n]{1,2000})\s*$/

function messageText(content: MessagesRequest['messages'][number]['content']): string {
  if (typeof content === 'string') return content
  return content.map(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : '')).join('\n')
}

/** Answers such a request without a model: the results, and their excerpts as its text. */
export async function* fastSearch(
  { query, tool }: LoneSearch,
  { model }: MessagesRequest,
  id: string,
  runner: ServerToolRunner,
  signal: AbortSignal,
): AsyncGenerator<MessagesEvent, void, undefined> {
  const outcome = await runner.search(query, tool, signal)
  const noUsage = { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 }
  const message = { id: `msg_${id}`, type: 'message', role: 'assistant', model, content: [] } as const
  yield { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null, usage: noUsage } }
  yield { type: 'ping' }
  const writer = new TurnWriter()
  const useId = `srvtoolu_1_${id}`
  const call = { type: 'server_tool_use', id: useId, name: tool.name, input: {} }
  yield* writer.whole(call, { type: 'input_json_delta', partial_json: JSON.stringify({ query }) })
  yield* writer.whole({ type: 'web_search_tool_result', tool_use_id: useId, content: outcome.content })
  yield* writer.whole({ type: 'text', text: '' }, { type: 'text_delta', text: outcome.text(1) })
  yield {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { ...noUsage, server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 } },
  }
  yield { type: 'message_stop' }
}
