import { type ContentBlock, isBlocks } from '@csp/messages-api/request'
import { z } from 'zod'

/** Whether a block of an assistant's message is the result of a tool that the vendor's server ran. */
export function isServerResult({ type }: ContentBlock): boolean {
  return type.endsWith('_tool_result')
}

/** Whether a block is a call of a tool that the vendor's server ran. */
export function isServerCall({ type }: ContentBlock): boolean {
  return type === 'server_tool_use' || type === 'mcp_tool_use'
}

/**
 * The results of such a tool as text for a model that never had the tool: pages with titles and addresses, what a program
 * wrote, the names of tools, or the error.
 */
export function serverResultText(content: unknown): string {
  const items: unknown = Array.isArray(content) ? content : [content]
  if (!isBlocks(items)) return plain(content)
  if (items.length === 0) return 'No results.'
  return items.map(itemText).join('\n\n')
}

function itemText(item: ContentBlock): string {
  const { title, url, page_age, error_code, text, content } = item
  if (typeof error_code === 'string') return `Error: ${error_code}`
  if (typeof text === 'string') return text
  if (typeof url === 'string')
    return [title, url, page_age, documentText(content)].filter((line) => typeof line === 'string' && line).join('\n')
  const written = [item['stdout'], item['stderr'], content].filter((line) => typeof line === 'string' && line)
  if (written.length > 0) return written.join('\n')
  const { tool_references: tools } = item
  return isBlocks(tools) ? tools.map(({ tool_name }) => String(tool_name)).join('\n') : plain(item)
}

/** The text of a page that was fetched. */
function documentText(document: unknown): string | undefined {
  return documentSchema.safeParse(document).data?.source.data
}

const documentSchema = z.object({ source: z.object({ type: z.literal('text'), data: z.string() }) })

function plain(value: unknown): string {
  return (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, maxPlain)
}

/** Results of unknown tools can hold long encrypted data, which no other model reads. */
const maxPlain = 20_000
