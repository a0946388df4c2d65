import type { MessagesRequest } from '@csp/messages-api/request'
import { z } from 'zod'
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

/** Others than OpenAI refuse the dialect in `$schema`. */
function toParameters({ $schema: _, ...schema }: Schema): Schema {
  return complete({ type: 'object', ...schema }, maxDepth)
}

type Schema = Readonly<Record<string, unknown>>

/** OpenAI refuses an object without `properties`, and a list without `items`, at any depth. */
function complete(schema: Schema, depth: number): Schema {
  const missing = schema['type'] === 'object' ? { properties: {} } : schema['type'] === 'array' ? { items: {} } : {}
  if (depth === 0) return { ...missing, ...schema }
  const one = (value: unknown): unknown => {
    const inner = schemaSchema.safeParse(value).data
    return inner ? complete(inner, depth - 1) : value
  }
  const within = (value: unknown): unknown => (Array.isArray(value) ? value.map(one) : one(value))
  const named = (value: unknown): unknown => {
    const all = schemaSchema.safeParse(value).data
    return all ? Object.fromEntries(Object.entries(all).map(([name, inner]) => [name, within(inner)])) : value
  }
  const entries = Object.entries(schema).map(([name, value]): readonly [string, unknown] => {
    if (mapsOfSchemas.includes(name)) return [name, named(value)]
    return [name, schemas.includes(name) ? within(value) : value]
  })
  return { ...missing, ...Object.fromEntries(entries) }
}

const schemaSchema = z.record(z.string(), z.unknown())
const schemas = ['items', 'anyOf', 'oneOf', 'allOf', 'additionalProperties']
const mapsOfSchemas = ['properties', '$defs', 'definitions']
const maxDepth = 32

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
