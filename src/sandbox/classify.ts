import type { MessagesRequest } from './messages-request.ts'
import { lastUserTurn } from './replies/user-turn.ts'

/**
 * What a model call is for.
 * - `search`: run the web search server tool and sum up what it found.
 * - `decide`: the agent loop may call its own `WebSearch` tool.
 * - `write`: text from what the prompt already holds.
 */
export type CallKind = 'search' | 'decide' | 'write'

/** Tells the kind from the tools offered and from whether a tool result came back; never from what a person wrote. */
export function classify(request: MessagesRequest): CallKind {
  const tools = request.tools ?? []
  if (tools.some(({ type }) => type?.startsWith('web_search_'))) return 'search'
  const canSearch = tools.some(({ name }) => name === 'WebSearch')
  return canSearch && lastUserTurn(request).toolResults.length === 0 ? 'decide' : 'write'
}
