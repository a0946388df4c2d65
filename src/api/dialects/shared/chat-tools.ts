import { z } from 'zod'
import type { SearchRequest } from '../../../domain/search.ts'
import { optional } from '../../fields/field.ts'
import { invalid } from '../../http/refusal.ts'
import { functionField, readFunctions, type SentChoice } from './chat-functions.ts'

const named = z.object({ function: z.object({ name: z.string() }) })

/** The tools of a chat, and which of them is to be called, as OpenAI sends them. */
export const chatToolFields = {
  tools: optional(z.array(z.looseObject({ type: z.string(), function: optional(functionField) })).max(128)),
  tool_choice: optional(
    z.union([
      z.enum(['auto', 'none', 'required']),
      z.object({ type: z.literal('function'), ...named.shape }),
      z.object({
        type: z.literal('allowed_tools'),
        allowed_tools: z.object({ mode: z.enum(['auto', 'required']), tools: z.array(named) }),
      }),
    ]),
  ),
}

export type ChatTools = z.output<z.ZodObject<typeof chatToolFields>>

/** Throws a `Refusal` for tools that are no functions: csp has none of its own to lend but its search. */
export function readChatTools({ tools = [], tool_choice }: ChatTools): Pick<SearchRequest, 'tools' | 'toolChoice'> {
  const sent = tools.flatMap((tool, index) => {
    if (isSearchTool(tool)) return []
    const path = ['tools', index]
    if (tool.type !== 'function') {
      const message = `Only tools of the type function are supported, not ${tool.type}`
      throw invalid({ path: [...path, 'type'], type: 'value_error', message })
    }
    if (!tool.function) throw invalid({ path: [...path, 'function'], type: 'missing', message: 'Field required' })
    return [{ function: tool.function, path: [...path, 'function'] }]
  })
  return readFunctions(sent, readChoice(tool_choice))
}

/** Whether a tool is the vendor's own web search, which some clients list as one. */
export function isSearchTool({ type }: { readonly type: string }): boolean {
  return /^web_search(_preview)?(_\d{4}_\d{2}_\d{2})?$/.test(type)
}

function readChoice(choice: ChatTools['tool_choice']): SentChoice | undefined {
  if (choice === undefined || typeof choice === 'string') return choice && { choice }
  if (choice.type === 'function') return { choice: { name: choice.function.name } }
  const { mode, tools } = choice.allowed_tools
  return { choice: mode, allowed: tools.map(({ function: { name } }) => name) }
}
