import type { MessagesRequest } from '../../messages/request.ts'
import type { ToolNames } from '../tool-names.ts'

export interface ChatTool {
  readonly type: 'function'
  readonly function: {
    readonly name: string
    readonly description?: string | undefined
    readonly parameters: Readonly<Record<string, unknown>>
  }
}

/** The client's own tools. Those that Anthropic defined have no schema, and other models do not know them. */
export function toChatTools({ tools }: MessagesRequest, names: ToolNames): readonly ChatTool[] {
  return (tools ?? []).flatMap(({ type, name, description, input_schema }) => {
    if (type && type !== 'custom') return []
    const parameters = toParameters(input_schema ?? {})
    return [
      { type: 'function', function: { name: names.toProvider(name), ...(description && { description }), parameters } },
    ]
  })
}

/** OpenAI refuses an object without `properties`, others the dialect in `$schema`. */
function toParameters({ $schema: _, ...schema }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { type: 'object', properties: {}, ...schema }
}

/** The fields that say which tools may be called: none without tools, since providers refuse them then. */
export function toolFields(request: MessagesRequest, tools: readonly ChatTool[], names: ToolNames) {
  if (tools.length === 0) return {}
  const { tool_choice: choice } = request
  const wanted = choice?.name ? names.toProvider(choice.name) : undefined
  const isOffered = tools.some((tool) => tool.function.name === wanted)
  return {
    tools,
    ...(choice && { tool_choice: choiceOf(choice.type, isOffered ? wanted : undefined) }),
    ...(choice?.disable_parallel_tool_use && { parallel_tool_calls: false }),
  }
}

function choiceOf(type: string, name: string | undefined) {
  if (type === 'none') return 'none'
  if (type === 'any') return 'required'
  return type === 'tool' && name ? { type: 'function', function: { name } } : 'auto'
}
