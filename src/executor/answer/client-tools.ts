import { deferred } from '@csp/lib/deferred'
import { z } from 'zod'
import { SearchError } from '../../domain/error.ts'
import type { JsonSchema, SearchRequest, Tool, ToolCall, Turn } from '../../domain/search.ts'
import { parametersProblem } from './json/shape.ts'

/** What the CLI calls the server of the caller's tools; their names begin with `mcp__client__`. */
export const clientServer = 'client'

/** The answer to a message of the CLI: a JSON-RPC response, or `undefined` for no answer yet. */
export type ClientReply = Readonly<Record<string, unknown>> | undefined

/**
 * The caller's functions for one request, as an MCP server that the CLI can list. A call is never answered, since only
 * the caller may run it: the turn is ended instead.
 */
export class ClientTools {
  readonly #tools: ReadonlyMap<string, Tool>
  readonly #listed = deferred<void>()

  constructor(tools: readonly Tool[]) {
    this.#tools = new Map(tools.map((tool, index) => [offeredName(tool.name, index), tool]))
  }

  /** The names under which the CLI lists them among its model's tools. */
  get names(): readonly string[] {
    return [...this.#tools.keys()].map((name) => prefix + name)
  }

  /** As the Messages API takes them, under those names. */
  get definitions(): readonly object[] {
    return [...this.#tools].map(([name, { description = '', parameters }]) => ({
      ...{ name: prefix + name, description, input_schema: parameters },
    }))
  }

  /** Resolves once the CLI has listed the tools. */
  get listed(): Promise<void> {
    return this.#listed.promise
  }

  /** The caller's own name of a tool that the model calls; `undefined` for other tools. */
  nameOf(called: string): string | undefined {
    return called.startsWith(prefix) ? this.#tools.get(called.slice(prefix.length))?.name : undefined
  }

  answer(message: unknown): ClientReply {
    const { data } = rpcMessage.safeParse(message)
    if (!data || data.method === 'tools/call') return undefined
    const head = { jsonrpc: '2.0', id: data.id ?? 0 }
    switch (data.method) {
      case 'initialize':
        return { ...head, result: { ...serverInfo, protocolVersion: data.params?.protocolVersion ?? '2025-06-18' } }
      case 'tools/list':
        this.#listed.resolve()
        return { ...head, result: { tools: [...this.#tools].map(describe) } }
      case 'ping':
        return { ...head, result: {} }
    }
    // JSON-RPC has no answer to a notification, but the CLI waits for one.
    if (data.id === undefined) return { ...head, result: {} }
    return { ...head, error: { code: -32601, message: 'Method not found' } }
  }
}

/** The tools that the model may use for a request; `undefined` when there are none. Throws `invalid-request`. */
export function clientToolsFor({ tools = [], toolChoice = 'auto', want }: SearchRequest): ClientTools | undefined {
  for (const { name } of tools)
    if (!toolName.test(name)) throw invalid(`The tool name “${name.slice(0, 80)}” is invalid.`)
  const twice = tools.find(({ name }, index) => tools.findIndex((tool) => tool.name === name) !== index)
  if (twice) throw invalid(`Two tools have the name “${twice.name}”.`)
  const chosen = typeof toolChoice === 'object' ? tools.filter(({ name }) => name === toolChoice.name) : tools
  if (chosen.length === 0 && typeof toolChoice === 'object')
    throw invalid('The tool that must be called is not among the tools.')
  if (chosen.length === 0 && toolChoice === 'required') throw invalid('A tool must be called, but there are none.')
  const wanted = want !== 'results' && toolChoice !== 'none' ? chosen : []
  return wanted.length > 0 ? new ClientTools(wanted.map(withPlainSchema)) : undefined
}

/** Whether the reply must call a tool of the caller. */
export function mustCallTool({ want, tools = [], toolChoice = 'auto' }: SearchRequest): boolean {
  return want !== 'results' && tools.length > 0 && toolChoice !== 'auto' && toolChoice !== 'none'
}

const prefix = `mcp__${clientServer}__`
const serverInfo = { capabilities: { tools: {} }, serverInfo: { name: clientServer, version: '1' } }
const toolName = /^[A-Za-z0-9_-]{1,64}$/
const maxNameLength = 64 - prefix.length // the limit of the Messages API, less our prefix

const rpcMessage = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string(),
  params: z.object({ protocolVersion: z.string().optional() }).optional().catch(undefined),
})

function offeredName(name: string, index: number): string {
  return name.length <= maxNameLength ? name : `${name.slice(0, maxNameLength - 4)}_${index}`
}

function describe([name, { description = '', parameters }]: readonly [string, Tool]): object {
  // Otherwise the CLI hides the tool behind its own tool search.
  return { name, description, inputSchema: parameters, _meta: { 'anthropic/alwaysLoad': true } }
}

/** One schema that MCP does not allow would make the CLI drop all tools. */
function withPlainSchema(tool: Tool): Tool {
  const { success, data } = parametersSchema.safeParse(tool.parameters)
  if (!success) throw invalid(`The parameters of the tool “${tool.name}” are not a JSON Schema of an object.`)
  const problem = parametersProblem(data)
  if (problem) throw invalid(`The parameters of the tool “${tool.name}” cannot be used: ${problem}`)
  return { ...tool, parameters: data }
}

const subschema = z.union([
  z.record(z.string(), z.unknown()),
  z.boolean().transform((fits) => (fits ? {} : { not: {} })),
])

const parametersSchema: z.ZodType<JsonSchema> = z.looseObject({
  type: z.literal('object').default('object'),
  properties: z.record(z.string(), subschema).default({}),
  required: z.array(z.string()).optional(),
})

function invalid(message: string): SearchError {
  return new SearchError('invalid-request', message)
}

/** The tool calls in a turn. */
export function toolCallsOf(turn: Turn): readonly ToolCall[] {
  return turn.role === 'assistant' ? (turn.toolCalls ?? []) : []
}
