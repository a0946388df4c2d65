import { isBlocks, type MessagesRequest } from '@csp/messages-api/request'
import { z } from 'zod'
import type { ToolNames } from '../tool-names.ts'
import { plainerSchema, type Schema, withoutDialect } from './schemas.ts'
import { toolFunction } from './vendor-tools.ts'

/** A function that a model may call, before it has the form of an API. */
export interface FunctionTool {
  readonly name: string
  readonly description?: string | undefined
  readonly parameters: Schema
}

/** The tools that the client runs, with schemas that the model takes. One that a message of the system took away is not offered. */
export function functionTools(
  request: MessagesRequest,
  names: ToolNames,
  without: ReadonlySet<string>,
): readonly FunctionTool[] {
  const removed = removedTools(request)
  return (request.tools ?? []).flatMap((tool) => {
    const called = toolFunction(tool)
    if (!called || isPlaceholder(called.name) || removed.has(called.name)) return []
    const { name, description, schema } = called
    const parameters = plainerSchema(withoutDialect(schema), without)
    return [{ name: names.toProvider(name), ...(description && { description }), parameters }]
  })
}

/** Claude Code keeps a place in the cache of the prompt for tools that it has not sent yet. */
export function isPlaceholder(name: string | undefined): boolean {
  return name === 'DeferredToolPlaceholder'
}

/** The tools that a message of the system took away, and no later one brought back. */
function removedTools({ messages }: MessagesRequest): ReadonlySet<unknown> {
  const removed = new Set<unknown>()
  for (const { role, content } of messages) {
    if (role !== 'system' || !isBlocks(content)) continue
    for (const block of content) {
      if (block.type === 'tool_removal') removed.add(nameOfTool(block['tool']))
      if (block.type === 'tool_addition') removed.delete(nameOfTool(block['tool']))
    }
  }
  return removed
}

/** The name of the tool that a reference names. */
function nameOfTool(reference: unknown): string | undefined {
  return referenceSchema.safeParse(reference).data
}

/** A tool that was found, in words. */
export function foundTool(reference: unknown): string {
  return `The tool ${nameOfTool(reference) ?? ''} can be called now.`
}

const name = z.string().optional().catch(undefined)
const referenceSchema = z.looseObject({ name, tool_name: name }).transform((read) => read.name ?? read.tool_name)

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
