import { isObject } from '@csp/lib/json'
import { cleanText } from '@csp/lib/text'
import { z } from 'zod'
import type { ToolCall } from '../../../../domain/search.ts'
import type { Issue } from '../../../exchange/failure.ts'
import { missingField, refused } from '../../../exchange/refusal.ts'
import { optional } from '../../../fields/field.ts'
import { ignoredLocation, type locationField } from '../../../fields/location.ts'
import { unknownFields } from '../../../http/unread.ts'
import { functionField, type SentFunction } from '../chat/tools.ts'
import { type Conversation, readTurns, type Said } from '../chat/turns.ts'
import { customInput, flatName, flatNamesIn, toolSearchName } from './names.ts'

const partsField = z.union([
  z.string(),
  z.array(z.looseObject({ type: z.string(), text: optional(z.string()), refusal: optional(z.string()) })),
])

const oneToolField = z.looseObject({ type: z.string(), ...functionField.partial().shape })

export type OneTool = z.output<typeof oneToolField>

/** A tool as both Responses APIs send it: the parts of a function stand beside the type. A namespace has tools of its own. */
export const flatToolField = oneToolField.extend({ tools: optional(z.array(oneToolField)) })

const itemField = z.looseObject({
  type: optional(z.string()),
  role: optional(z.enum(['user', 'assistant', 'system', 'developer'])),
  content: optional(partsField),
  id: optional(z.string()),
  call_id: optional(z.string().min(1)),
  name: optional(z.string()),
  namespace: optional(z.string()),
  arguments: optional(z.union([z.string(), z.record(z.string(), z.unknown())])),
  input: optional(z.string()),
  output: optional(partsField),
  tools: optional(z.array(flatToolField)),
})

/** Of a type that is not read here only its name and id count, whatever its fields hold. */
const readableItemField = z.preprocess((sent) => {
  if (!isObject(sent)) return sent
  const { type, id, encrypted_content } = sent
  const isRead = typeof type !== 'string' || readTypes.has(type) || isMissedWithout(type)
  return isRead ? sent : { type, id, ...(type === 'reasoning' && { encrypted_content }) }
}, itemField)

type Item = z.output<typeof itemField>
export type ResponsesItem = Item

const callTypes = ['function_call', 'custom_tool_call', 'tool_search_call']
const outputTypes = ['function_call_output', 'custom_tool_call_output', 'tool_search_output']
const readTypes: ReadonlySet<string> = new Set([
  ...['message', 'additional_tools', 'item_reference', ...callTypes, ...outputTypes],
])

/** An earlier reply's searches and thoughts: the next answer searches again, and nobody else can read its thoughts. */
const spentTypes: ReadonlySet<string> = new Set([
  ...['web_search_call', 'search_results', 'fetch_url_results', 'reasoning'],
])

/** What a tool gave, or what stands for earlier turns: without it the answer would be another. */
export function isMissedWithout(type: string): boolean {
  return type.endsWith('_output') || type.startsWith('compaction')
}

/** The prefix of the id of a search item. */
const searchId = 'ws_'

/** The input of a response, a text or items, as OpenAI's Responses API and Perplexity's Agent API send them. */
export const responsesInputField = z.union([z.string(), z.array(readableItemField).min(1)])

export type ResponsesItems = z.output<typeof responsesInputField>

/** The question, the turns before and after it, and the caller's instructions. Throws a `Refusal`. */
export function readItems(input: ResponsesItems): Conversation {
  if (typeof input === 'string') {
    return readTurns([{ turn: { role: 'user', text: clean(input) }, path: ['input'] }], ['input'])
  }
  return readTurns(joinAssistant(input.flatMap(readItem)), ['input'])
}

/** Items of unknown types, and references to unknown items. Those to searches are not missed: the next answer searches again. */
export function ignoredItems(input: ResponsesItems): readonly string[] {
  if (typeof input === 'string') return []
  return input.flatMap((item, index) => {
    if (isIgnored(item)) return [`input[${index}]`]
    const { type = '', output } = item
    const isUnread = outputTypes.includes(type) && Array.isArray(output) && !output.every(isText)
    return isUnread ? [`input[${index}].output`] : []
  })
}

function isIgnored({ type = 'message', id }: Item): boolean {
  if (type === 'item_reference') return !id?.startsWith(searchId)
  return !readTypes.has(type) && !spentTypes.has(type)
}

function readItem(item: Item, index: number): readonly Said[] {
  const path = (field: keyof Item): Issue['path'] => ['input', index, field]
  const text = (field: 'content' | 'output') => contentText(item[field], path(field), field === 'output')
  const required = <Field extends 'call_id' | 'name' | 'arguments' | 'input'>(field: Field) => {
    const value = item[field]
    if (value === undefined) throw missingField(path(field))
    return value
  }
  const name = () => flatName(required('name'), item.namespace)
  const argumentsOf = () => {
    const value = required('arguments')
    return typeof value === 'string' ? value : JSON.stringify(value)
  }
  switch (item.type ?? 'message') {
    case 'message':
      return [readMessage(item.role, text('content'), path)]
    case 'function_call':
      return [called({ id: required('call_id'), name: name(), arguments: argumentsOf() }, path)]
    case 'custom_tool_call': {
      const input = JSON.stringify({ [customInput]: required('input') })
      return [called({ id: required('call_id'), name: name(), arguments: input }, path)]
    }
    // Without an id the vendor made it, as it does the search.
    case 'tool_search_call':
      if (item.call_id === undefined) return []
      return [called({ id: required('call_id'), name: toolSearchName, arguments: argumentsOf() }, path)]
    case 'function_call_output':
    case 'custom_tool_call_output':
      return [{ turn: { role: 'tool', text: text('output'), callId: required('call_id') }, path: path('call_id') }]
    case 'tool_search_output':
      if (item.call_id === undefined) return []
      return [{ turn: { role: 'tool', text: foundTools(item), callId: item.call_id }, path: path('call_id') }]
    default:
      if (item.type !== undefined && isMissedWithout(item.type)) {
        throw refused(path('type'), `Items of type ${item.type} are not supported`)
      }
      return []
  }
}

function called(call: ToolCall, path: (field: keyof Item) => Issue['path']): Said {
  return { turn: { role: 'assistant', text: '', toolCalls: [call] }, path: path('type') }
}

/** The tools themselves are offered from then on. */
export function foundTools({ tools = [] }: Item): string {
  const names = tools.flatMap((tool) => flatNamesIn(tool))
  return names.length > 0 ? `Found these tools, which can be called now: ${names.join(', ')}` : 'Found no tools.'
}

function readMessage(role: Item['role'], text: string, path: (field: keyof Item) => Issue['path']): Said {
  switch (role) {
    case 'user':
      return { turn: { role, text }, path: path('content') }
    case 'assistant':
      return { turn: { role, text }, path: path('role') }
    case 'system':
    case 'developer':
      return { turn: { role: 'instructions', text }, path: path('content') }
    default:
      throw missingField(path('role'))
  }
}

/** One turn of the assistant comes as several items: its text, then each of its calls. */
function joinAssistant(said: readonly Said[]): readonly Said[] {
  const turns: Said[] = []
  for (const next of said) {
    const last = turns.at(-1)
    if (last?.turn.role === 'assistant' && next.turn.role === 'assistant') {
      const toolCalls: readonly ToolCall[] = [...(last.turn.toolCalls ?? []), ...(next.turn.toolCalls ?? [])]
      const text = [last.turn.text, next.turn.text].filter(Boolean).join('\n\n')
      const turn = { role: 'assistant', text, ...(toolCalls.length > 0 && { toolCalls }) } as const
      turns.splice(-1, 1, { turn, path: next.path })
    } else turns.push(next)
  }
  return turns
}

const readable = ['input_text', 'output_text', 'text', 'refusal']

function isText({ type }: { readonly type: string }): boolean {
  return readable.includes(type)
}

/** `isOfTool`: a note stands for what a tool gave besides text. The turns behind it would be lost with a refusal. */
function contentText(content: Item['content'] = '', path: Issue['path'], isOfTool = false): string {
  if (typeof content === 'string') return clean(content)
  const texts = content.map((part, place) => {
    const { type, text = '', refusal = '' } = part
    if (isText(part)) return type === 'refusal' ? refusal : text
    if (isOfTool)
      return `[${type === 'input_image' ? 'An image' : 'A file'} stood here. It cannot be shown to this model.]`
    throw refused([...path, place, 'type'], `Only text is supported, not ${type}`)
  })
  return clean(texts.join('\n'))
}

function clean(text: string): string {
  return cleanText(text, true).trim()
}

/** Throws a `Refusal` for a tool that is not a function: leaving it out would change the answer. */
export function readFlatFunction(tool: OneTool, path: SentFunction['path']): SentFunction {
  const { type, name, description, parameters } = tool
  if (type !== 'function') {
    const message = `Only functions and tools that search the web are supported, not ${type}`
    throw refused([...path, 'type'], message)
  }
  if (name === undefined) throw missingField([...path, 'name'])
  return { function: { name, description, parameters }, path }
}

/**
 * What a tool that searches leaves without effect: fields that are not known, how much it reads, and of the user's place
 * what no search knows. `more` are fields that this vendor's tool has besides.
 */
export function ignoredToolFields(
  tool: Readonly<Record<string, unknown>> & { readonly user_location?: z.output<typeof locationField> },
  index: number,
  more: readonly string[] = [],
): readonly string[] {
  const { user_location = {} } = tool
  return [
    ...unknownFields(tool, ['type', 'name', 'filters', 'user_location', ...more], ''),
    ...ignoredLocation(user_location, 'user_location.'),
  ].map((name) => `tools[${index}].${name}`)
}
