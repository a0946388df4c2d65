import { isObject, parseObject } from '@csp/lib/json'
import { z } from 'zod'
import type { ToolCall } from '../../../domain/search.ts'
import type { Issue } from '../../exchange/failure.ts'
import { refused } from '../../exchange/refusal.ts'
import { optional } from '../../fields/field.ts'
import { locationField } from '../../fields/location.ts'
import { domainField } from '../../fields/places.ts'
import { isSearchTool, type SentFunction } from '../shared/chat/tools.ts'
import { isResearchName } from '../shared/research.ts'
import { flatToolField, type OneTool, type ResponsesItems, readFlatFunction } from '../shared/responses/items.ts'
import { customInput, flatName, toolSearchName } from '../shared/responses/names.ts'

const domainsField = optional(z.array(domainField).max(100))

export const toolField = flatToolField.extend({
  filters: optional(z.looseObject({ allowed_domains: domainsField, blocked_domains: domainsField })),
  user_location: locationField,
})

type SentTool = z.output<typeof toolField>

/** The parts of a response that offer tools. */
interface Offering {
  readonly model?: string | undefined
  readonly input: ResponsesItems
  readonly tools?: readonly SentTool[] | undefined
}

/** How the client wrote a tool, which is how its calls are written. */
interface Kind {
  readonly type: 'function' | 'custom' | 'tool_search'
  readonly name: string
  readonly namespace?: string | undefined
}

/** A tool as a function in front of the model. */
interface Offered extends Kind {
  readonly sent: SentFunction
}

/**
 * The tools of a response: those in `tools`, and those that items of its input add. Functions in namespaces, tools that
 * take one text and the client's search for more tools are functions in front of the model. Throws a `Refusal` for a tool
 * that the vendor would run: an answer without it would be another.
 */
export function readTools({ tools = [], input, model }: Offering) {
  const ignored: string[] = []
  const own = tools.flatMap((tool, index) => {
    if (isSearchTool(tool)) return []
    const offered = functionsOf(tool, ['tools', index], model)
    if (offered.length === 0 && tool.type !== 'namespace') ignored.push(`tools[${index}]`)
    return offered
  })
  const added = new Map(addedTools(input).map((one) => [one.sent.function.name, one]))
  for (const { sent } of own) added.delete(sent.function.name)
  const offered: readonly Offered[] = [...own, ...added.values()]
  if (offered.length > maxFunctions) throw refused(['tools'], `Input should have at most ${maxFunctions} functions`)
  const search = tools.find(isSearchTool)
  // An agent offers it in each turn, and says whether that may be live. A reply that has to rest on a search could not be a
  // step of its work.
  const isOff = typeof search?.['external_web_access'] === 'boolean' && offered.length > 0
  if (search && isOff) ignored.push(`tools[${tools.indexOf(search)}]`)
  return { functions: offered.map(({ sent }) => sent), search: isOff ? undefined : search, ignored, offered }
}

/** Those in namespaces and those found since count too: each takes time to read. */
const maxFunctions = 1000

/** Tools that the client found since, or has in place of `tools`. */
function addedTools(input: ResponsesItems): readonly Offered[] {
  if (typeof input === 'string') return []
  return input.flatMap(({ type, tools = [] }, at) =>
    type === 'additional_tools' || type === 'tool_search_output'
      ? tools.flatMap((tool, index) => functionsOf(tool, ['input', at, 'tools', index], undefined))
      : [],
  )
}

/** None for a tool of an unknown type, or one that research is as good without. */
function functionsOf(
  tool: z.output<typeof flatToolField>,
  path: Issue['path'],
  model: string | undefined,
): readonly Offered[] {
  const { type, name = '', tools = [] } = tool
  if (type !== 'namespace') return offeredOf(tool, path, undefined, model)
  return tools.flatMap((inner, index) => offeredOf(inner, [...path, 'tools', index], name, model))
}

function offeredOf(
  tool: OneTool,
  path: Issue['path'],
  namespace: string | undefined,
  model: string | undefined,
): readonly Offered[] {
  const { type, name, description = '' } = tool
  if (type === 'tool_search') {
    const sent = { function: { name: toolSearchName, description, parameters: tool.parameters }, path }
    return tool['execution'] === 'client' ? [{ type, name: toolSearchName, sent }] : []
  }
  if (type === 'custom') {
    const written = [description, grammarOf(tool['format'])].filter(Boolean).join('\n\n')
    const { function: one } = readFlatFunction({ ...tool, type: 'function' }, path)
    const sent = { function: { ...one, name: flatName(one.name, namespace), description: written, parameters }, path }
    return [{ type, name: one.name, namespace, sent }]
  }
  // The vendor's examples offer code to its research, which is as good without.
  const isLeftOut = !hostedTypes.has(type) || (type === 'code_interpreter' && isResearchName(model))
  if (type !== 'function' && isLeftOut) return []
  const { function: one } = readFlatFunction(tool, path)
  return [{ type: 'function', name: name ?? one.name, namespace, sent: { function: flat(one, namespace), path } }]
}

function flat(one: SentFunction['function'], namespace: string | undefined): SentFunction['function'] {
  return { ...one, name: flatName(one.name, namespace) }
}

/** Tools that the vendor runs itself, or whose work only the vendor knows. */
const hostedTypes: ReadonlySet<string> = new Set([
  ...['file_search', 'code_interpreter', 'computer', 'computer_use', 'computer_use_preview', 'image_generation', 'mcp'],
])

const parameters = {
  type: 'object',
  properties: { [customInput]: { type: 'string', description: 'The whole input of the tool, as plain text' } },
  required: [customInput],
}

function grammarOf(format: unknown): string {
  const { syntax, definition } = isObject(format) ? format : {}
  if (typeof definition !== 'string') return ''
  return `The text of \`${customInput}\` follows this grammar (${typeof syntax === 'string' ? syntax : 'text'}):\n${definition}`
}

/** How each tool was written, by the name that the model knows. */
export function kindsOf(input: Offering): ReadonlyMap<string, Kind> {
  return new Map(readTools(input).offered.map(({ sent, ...kind }) => [sent.function.name, kind]))
}

/** A call as an item of the response, as the client wrote the tool. `text`: the arguments, or what there is of them. */
export function callItem(kind: Kind | undefined, { id, name, arguments: text }: ToolCall) {
  const namespace = kind?.namespace === undefined ? {} : { namespace: kind.namespace }
  const called = { call_id: id, name: kind?.name ?? name, ...namespace }
  switch (kind?.type) {
    case 'custom':
      return { type: 'custom_tool_call' as const, ...called, input: inputOf(text) }
    case 'tool_search':
      return { type: 'tool_search_call' as const, call_id: id, execution: 'client', arguments: parseObject(text) }
    default:
      return { type: 'function_call' as const, ...called, arguments: text }
  }
}

/** A model may write the text itself where the object should be. */
function inputOf(text: string): string {
  const { [customInput]: input } = parseObject(text)
  return typeof input === 'string' ? input : text
}
