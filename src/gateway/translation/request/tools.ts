import type { MessagesRequest } from '../../../messages-api/request.ts'
import type { ToolNames } from '../tool-names.ts'

/** A function that a model may call, before it has the form of an API. */
export interface FunctionTool {
  readonly name: string
  readonly description?: string | undefined
  readonly parameters: Readonly<Record<string, unknown>>
}

/** The client's own tools. Those that Anthropic defined have no schema, and other models do not know them. */
export function functionTools({ tools }: MessagesRequest, names: ToolNames): readonly FunctionTool[] {
  return (tools ?? []).flatMap(({ type, name, description, input_schema }) => {
    if (type && type !== 'custom') return []
    const parameters = toParameters(input_schema ?? {})
    return [{ name: names.toProvider(name), ...(description && { description }), parameters }]
  })
}

/** OpenAI refuses an object without `properties`, others the dialect in `$schema`. */
function toParameters({ $schema: _, ...schema }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { type: 'object', properties: {}, ...schema }
}

/** Which tools may be called: the name of one that is offered, or a word that all APIs of this kind have. */
export function chosenTool(
  { tool_choice: choice }: MessagesRequest,
  tools: readonly FunctionTool[],
  names: ToolNames,
): 'none' | 'auto' | 'required' | { readonly name: string } | undefined {
  if (!choice) return undefined
  if (choice.type === 'none') return 'none'
  if (choice.type === 'any') return 'required'
  const name = choice.name ? names.toProvider(choice.name) : undefined
  return choice.type === 'tool' && name && tools.some((tool) => tool.name === name) ? { name } : 'auto'
}
