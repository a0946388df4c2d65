import { parseJson } from '@csp/lib/json'
import { type ContentBlock, isBlocks } from '@csp/messages-api/request'

/**
 * Blocks of a model that the Responses API has no item for: its thoughts with their signatures, its searches with their
 * results. They go to the client as the content of a `reasoning` item that only csp reads, and come back with the next
 * turn.
 */
export function sealed(blocks: readonly ContentBlock[]): string {
  return mark + JSON.stringify(blocks)
}

/** The blocks of a sealed content; none of another server's. */
export function unsealed(content: unknown): readonly ContentBlock[] {
  if (typeof content !== 'string' || !content.startsWith(mark)) return []
  const blocks = parseJson(content.slice(mark.length))
  return isBlocks(blocks) ? blocks.filter(({ type }) => sealedTypes.has(type)) : []
}

const mark = 'csp:'

const sealedTypes: ReadonlySet<string> = new Set([
  ...['thinking', 'redacted_thinking', 'server_tool_use', 'web_search_tool_result'],
])
