import { z } from 'zod'
import type { JsonSchema, SearchRequest, Tool, ToolChoice } from '../../../../domain/search.ts'
import type { Issue } from '../../../exchange/failure.ts'
import { missingField, refused } from '../../../exchange/refusal.ts'
import { optional } from '../../../fields/field.ts'
import { usableParameters } from '../schema.ts'

/** A function of the caller, without the vendor's wrapping. */
export const functionField = z.looseObject({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'Input should be 1 to 64 letters, digits, underscores or dashes'),
  description: optional(z.string()),
  parameters: optional(z.record(z.string(), z.unknown())),
})

/** A function and the place where it was sent. */
export interface SentFunction {
  readonly function: z.output<typeof functionField>
  readonly path: Issue['path']
}

/** Which functions the model has to call. `allowed` limits it to some. */
export interface SentChoice {
  readonly choice: ToolChoice
  readonly allowed?: readonly string[] | undefined
}

/**
 * Reads functions and the choice among them, which stands at `choicePath`. The choice is absent if there are no functions.
 * Throws a `Refusal`.
 */
export function readFunctions(
  sent: readonly SentFunction[],
  chosen: SentChoice | undefined,
  choicePath: Issue['path'] = ['tool_choice'],
): Pick<SearchRequest, 'tools' | 'toolChoice'> {
  const names = new Set<string>()
  for (const { function: one, path } of sent) {
    if (names.has(one.name)) throw refused([...path, 'name'], `Two functions are named '${one.name}'`)
    names.add(one.name)
  }
  const wanted = typeof chosen?.choice === 'object' ? [chosen.choice.name] : (chosen?.allowed ?? [])
  const unknown = wanted.find((name) => !names.has(name))
  if (unknown !== undefined) throw refused(choicePath, `No function is named '${unknown}'`)
  const { choice, allowed } = chosen ?? {}
  const tools = sent.map(readFunction).filter(({ name }) => !allowed || allowed.includes(name))
  if (tools.length === 0) return {}
  return { tools, ...(choice !== undefined && { toolChoice: choice }) }
}

function readFunction({ function: { name, description, parameters }, path }: SentFunction): Tool {
  return { name, description, parameters: readParameters(parameters, path) }
}

function readParameters(parameters: JsonSchema | undefined, path: Issue['path']): JsonSchema {
  if (!parameters) return { type: 'object', properties: {} }
  if ((parameters.type ?? 'object') !== 'object') {
    throw refused([...path, 'parameters', 'type'], 'The parameters of a function should be an object')
  }
  return usableParameters({ ...parameters, type: 'object' }, [...path, 'parameters'])
}

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

/** Throws a `Refusal` for tools that are not functions: csp has no tool of its own but search. */
export function readChatTools({ tools = [], tool_choice }: ChatTools): Pick<SearchRequest, 'tools' | 'toolChoice'> {
  const sent = tools.flatMap((tool, index) => {
    if (isSearchTool(tool)) return []
    const path = ['tools', index]
    if (tool.type !== 'function') {
      const message = `Only tools of type function are supported, not ${tool.type}`
      throw refused([...path, 'type'], message)
    }
    if (!tool.function) throw missingField([...path, 'function'])
    return [{ function: tool.function, path: [...path, 'function'] }]
  })
  return readFunctions(sent, readChoice(tool_choice))
}

/** True for the vendor's own web search, which some clients list as a tool. */
export function isSearchTool({ type }: { readonly type: string }): boolean {
  return /^web_search(_preview)?(_\d{4}_\d{2}_\d{2})?$/.test(type)
}

function readChoice(choice: ChatTools['tool_choice']): SentChoice | undefined {
  if (choice === undefined || typeof choice === 'string') return choice && { choice }
  if (choice.type === 'function') return { choice: { name: choice.function.name } }
  const { mode, tools } = choice.allowed_tools
  return { choice: mode, allowed: tools.map(({ function: { name } }) => name) }
}
