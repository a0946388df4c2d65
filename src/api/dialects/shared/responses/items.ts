import { cleanText } from '@csp/lib/text'
import { z } from 'zod'
import type { ToolCall } from '../../../../domain/search.ts'
import type { Issue } from '../../../exchange/failure.ts'
import { invalid, missingField, refused } from '../../../exchange/refusal.ts'
import { ignoredFields, optional } from '../../../fields/field.ts'
import { unknownFields } from '../../../http/unread.ts'
import { functionField, type SentFunction } from '../chat/tools.ts'
import { type Conversation, readTurns, type Said } from '../chat/turns.ts'

const partsField = z.union([
  z.string(),
  z.array(z.looseObject({ type: z.string(), text: optional(z.string()), refusal: optional(z.string()) })),
])

const itemField = z.looseObject({
  type: optional(z.string()),
  role: optional(z.enum(['user', 'assistant', 'system', 'developer'])),
  content: optional(partsField),
  id: optional(z.string()),
  call_id: optional(z.string().min(1)),
  name: optional(z.string()),
  arguments: optional(z.string()),
  output: optional(partsField),
})

type Item = z.output<typeof itemField>

/** The prefix of the id of a search item. */
const searchId = 'ws_'

/** The input of a response, a text or items, as OpenAI's Responses API and Perplexity's Agent API send them. */
export const responsesInputField = z.union([z.string(), z.array(itemField).min(1)])

export type ResponsesItems = z.output<typeof responsesInputField>

/** The question, the turns before and after it, and the caller's instructions. Throws a `Refusal`. */
export function readItems(input: ResponsesItems): Conversation {
  if (typeof input === 'string') {
    return readTurns([{ turn: { role: 'user', text: clean(input) }, path: ['input'] }], ['input'])
  }
  return readTurns(joinAssistant(input.flatMap(readItem)), ['input'])
}

/** The references to items that are not known here. Those to searches are not missed: the next answer searches again. */
export function ignoredItems(input: ResponsesItems): readonly string[] {
  if (typeof input === 'string') return []
  const isMissed = ({ type, id }: Item) => type === 'item_reference' && !id?.startsWith(searchId)
  return input.flatMap((item, index) => (isMissed(item) ? [`input[${index}]`] : []))
}

function readItem(item: Item, index: number): readonly Said[] {
  const path = (field: keyof Item): Issue['path'] => ['input', index, field]
  const text = (field: 'content' | 'output') => contentText(item[field], path(field))
  const required = (field: 'call_id' | 'name' | 'arguments'): string => {
    const value = item[field]
    if (value === undefined) throw invalid({ path: path(field), type: 'missing', message: 'Field required' })
    return value
  }
  switch (item.type ?? 'message') {
    case 'message':
      return [readMessage(item.role, text('content'), path)]
    case 'function_call': {
      const call = { id: required('call_id'), name: required('name'), arguments: required('arguments') }
      return [{ turn: { role: 'assistant', text: '', toolCalls: [call] }, path: path('type') }]
    }
    case 'function_call_output':
      return [{ turn: { role: 'tool', text: text('output'), callId: required('call_id') }, path: path('call_id') }]
    // An earlier reply's search; the next answer searches again.
    case 'web_search_call':
    case 'search_results':
    case 'fetch_url_results':
    case 'reasoning':
      return []
    case 'item_reference':
      return []
    default:
      throw refused(path('type'), `Items of type ${item.type} are not supported`)
  }
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

const readable = ['input_text', 'output_text', 'text']

function contentText(content: Item['content'] = '', path: Issue['path']): string {
  if (typeof content === 'string') return clean(content)
  const texts = content.map(({ type, text, refusal }, place) => {
    if (readable.includes(type)) return text ?? ''
    if (type === 'refusal') return refusal ?? ''
    throw refused([...path, place, 'type'], `Only text is supported, not ${type}`)
  })
  return clean(texts.join('\n'))
}

function clean(text: string): string {
  return cleanText(text, true).trim()
}

/** A tool as both Responses APIs send it: the parts of a function stand beside the type. */
export const flatToolField = z.looseObject({ type: z.string(), ...functionField.partial().shape })

/** Throws a `Refusal` for a tool that is not a function: leaving it out would change the answer. */
export function readFlatFunction(tool: z.output<typeof flatToolField>, path: SentFunction['path']): SentFunction {
  const { type, name, description, parameters } = tool
  if (type !== 'function') {
    const message = `Only functions and tools that search the web are supported, not ${type}`
    throw refused([...path, 'type'], message)
  }
  if (name === undefined) throw missingField([...path, 'name'])
  return { function: { name, description, parameters }, path }
}

/**
 * What a tool that searches leaves without effect: fields that are not known, how much it reads, and the user's place
 * beyond the country. `more` are fields that this vendor's tool has besides.
 */
export function ignoredToolFields(
  tool: Readonly<Record<string, unknown>>,
  index: number,
  more: readonly string[] = [],
): readonly string[] {
  const { user_location } = tool
  const place: object = typeof user_location === 'object' && user_location !== null ? user_location : {}
  return [
    ...unknownFields(tool, ['type', 'name', 'filters', 'user_location', ...more], ''),
    ...ignoredFields<Readonly<Record<string, unknown>>>({ ...place }, placeFields).map(
      (name) => `user_location.${name}`,
    ),
  ].map((name) => `tools[${index}].${name}`)
}

const placeFields = ['city', 'region', 'timezone', 'latitude', 'longitude']
