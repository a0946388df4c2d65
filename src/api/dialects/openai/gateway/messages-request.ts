import { parseObject } from '@csp/lib/json'
import type { ContentBlock, MessagesRequest } from '@csp/messages-api/request'
import type { Tool, ToolChoice } from '../../../../domain/search.ts'
import { missingField, refused } from '../../../exchange/refusal.ts'
import { readLocation } from '../../../fields/location.ts'
import { isSearchTool, readFunctions } from '../../shared/chat/tools.ts'
import { foundTools, isMissedWithout, type ResponsesItem } from '../../shared/responses/items.ts'
import { customInput, flatName, toolSearchName } from '../../shared/responses/names.ts'
import { type ResponsesInput, readToolChoice, refuseStored } from '../responses-input.ts'
import { readTools } from '../responses-tools.ts'
import { unsealed } from './sealed-blocks.ts'

type Message = MessagesRequest['messages'][number]
type Part = Exclude<ResponsesItem['content'], string | undefined>[number]

/** A response as a request of the Messages API, which is what the gateway speaks. Throws a `Refusal`. */
export function toMessages(input: ResponsesInput): MessagesRequest {
  refuseStored(input)
  const { model = '', tools = [], max_output_tokens, temperature, top_p, stream, reasoning, text } = input
  const { functions } = readTools(input)
  const { tools: offered = [], toolChoice } = readFunctions(functions, readToolChoice(input.tool_choice))
  const { system, messages } = conversationOf(input)
  const search = tools.find(isSearchTool)
  const isNamed = offered.some(({ name }) => name === searchName)
  const schema = text?.format?.type === 'json_schema' ? text.format.schema : undefined
  const all = [...offered.map(formatTool), ...(search && !isNamed ? [searchTool(search, input.max_tool_calls)] : [])]
  return {
    model,
    messages: [...messages],
    max_tokens: maxTokens(max_output_tokens),
    stream: stream ?? false,
    ...(system && { system }),
    ...(all.length > 0 && { tools: all, tool_choice: choiceOf(toolChoice, input) }),
    ...(typeof temperature === 'number' && { temperature }),
    ...(typeof top_p === 'number' && { top_p }),
    ...((reasoning?.effort || schema) && {
      output_config: {
        ...(reasoning?.effort && { effort: reasoning.effort }),
        ...(schema && { format: { type: 'json_schema', schema } }),
      },
    }),
  }
}

/** As Claude Code asks for, which is what upstreams of the gateway are used to. */
const usualMaxTokens = 32_000

function maxTokens(sent: unknown): number {
  if (sent === undefined || sent === null) return usualMaxTokens
  if (Number.isSafeInteger(sent) && Number(sent) >= 1) return Number(sent)
  throw refused(['max_output_tokens'], 'Input should be a whole number of at least 1')
}

const searchName = 'web_search'

function formatTool({ name, description, parameters }: Tool) {
  return { name, description, input_schema: { ...parameters } }
}

/** Also where nothing live is wanted: a search of csp returns what an index has. */
function searchTool({ filters, user_location }: NonNullable<ResponsesInput['tools']>[number], maxUses?: number) {
  const { allowed_domains, blocked_domains } = filters ?? {}
  const place = readLocation(user_location)
  return {
    type: 'web_search_20250305',
    name: searchName,
    ...(maxUses && { max_uses: maxUses }),
    ...(allowed_domains?.length && { allowed_domains }),
    ...(blocked_domains?.length && { blocked_domains }),
    ...(Object.values(place).some(Boolean) && { user_location: { type: 'approximate', ...place } }),
  }
}

function choiceOf(choice: ToolChoice | undefined, { tool_choice, parallel_tool_calls }: ResponsesInput) {
  const isSearch = typeof tool_choice === 'object' && !('name' in tool_choice) && !('mode' in tool_choice)
  const alone = parallel_tool_calls === false ? { disable_parallel_tool_use: true } : {}
  if (isSearch) return { type: 'tool', name: searchName, ...alone }
  if (typeof choice === 'object') return { type: 'tool', name: choice.name, ...alone }
  if (choice === 'none' || tool_choice === 'none') return { type: 'none' }
  return { type: choice === 'required' || tool_choice === 'required' ? 'any' : 'auto', ...alone }
}

function conversationOf({ instructions, input }: ResponsesInput) {
  const said =
    typeof input === 'string'
      ? [fromUser([{ type: 'text', text: input }])]
      : input.map((item, at) => readItem(item, ['input', at]))
  const system = [instructions, ...said.map((one) => one.system)].filter(Boolean).join('\n\n')
  const messages: Message[] = []
  for (const { message } of said) {
    if (!message || message.content.length === 0) continue
    const last = messages.at(-1)
    if (last?.role === message.role && Array.isArray(last.content)) last.content.push(...message.content)
    else messages.push({ role: message.role, content: [...message.content] })
  }
  if (messages.length === 0) throw missingField(['input'])
  return { system, messages: messages.map(resultsFirst) }
}

/** The results of calls stand before what the user says besides. */
function resultsFirst({ role, content }: Message): Message {
  if (role !== 'user' || typeof content === 'string') return { role, content }
  const isResult = ({ type }: ContentBlock) => type === 'tool_result'
  return { role, content: [...content.filter(isResult), ...content.filter((block) => !isResult(block))] }
}

interface Said {
  readonly system?: string
  readonly message?: { readonly role: 'user' | 'assistant'; readonly content: readonly ContentBlock[] }
}

function fromUser(content: readonly ContentBlock[]): Said {
  return { message: { role: 'user', content } }
}

function readItem(item: ResponsesItem, path: readonly (string | number)[]): Said {
  const { type = 'message', role, call_id, input } = item
  const name = () => flatName(needed(item.name, [...path, 'name']), item.namespace)
  const called = (tool: string, given: object): Said => ({
    message: {
      role: 'assistant',
      content: [{ type: 'tool_use', id: needed(call_id, [...path, 'call_id']), name: tool, input: given }],
    },
  })
  const result = (content: readonly ContentBlock[]) =>
    fromUser([{ type: 'tool_result', tool_use_id: needed(call_id, [...path, 'call_id']), content }])
  const given = () => {
    const value = needed(item.arguments, [...path, 'arguments'])
    return typeof value === 'string' ? parseObject(value) : value
  }
  switch (type) {
    case 'message': {
      const content = blocksOf(item.content, [...path, 'content'])
      const system = () => content.map(({ text }) => (typeof text === 'string' ? text : '')).join('\n')
      const sayer = needed(role, [...path, 'role'])
      return sayer === 'user' || sayer === 'assistant' ? { message: { role: sayer, content } } : { system: system() }
    }
    case 'reasoning':
      return { message: { role: 'assistant', content: unsealed(item['encrypted_content']) } }
    case 'function_call':
      return called(name(), given())
    case 'custom_tool_call':
      return called(name(), { [customInput]: needed(input, [...path, 'input']) })
    // Without an id the vendor made it, as it does the search.
    case 'tool_search_call':
      return call_id === undefined ? {} : called(toolSearchName, given())
    case 'function_call_output':
    case 'custom_tool_call_output':
      return result(blocksOf(item.output, [...path, 'output']))
    case 'tool_search_output':
      return call_id === undefined ? {} : result([{ type: 'text', text: foundTools(item) }])
    default:
      if (isMissedWithout(type)) throw refused([...path, 'type'], `Items of type ${type} are not supported`)
      return {}
  }
}

function needed<Value>(value: Value | undefined, path: readonly (string | number)[]): Value {
  if (value === undefined) throw missingField(path)
  return value
}

function blocksOf(content: ResponsesItem['content'], path: readonly (string | number)[]): readonly ContentBlock[] {
  if (content === undefined || content === '') return []
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return content.flatMap((part, at) => blockOf(part, [...path, at]))
}

function blockOf(part: Part, path: readonly (string | number)[]): readonly ContentBlock[] {
  const { type, text = '', refusal = '' } = part
  switch (type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return text === '' ? [] : [{ type: 'text', text }]
    case 'refusal':
      return refusal === '' ? [] : [{ type: 'text', text: refusal }]
    case 'input_image':
      return [{ type: 'image', source: sourceOf(part['image_url'], [...path, 'image_url']) }]
    case 'input_file': {
      const [field, sent] = part['file_url'] ? ['file_url', part['file_url']] : ['file_data', part['file_data']]
      return [{ type: 'document', source: sourceOf(sent, [...path, String(field)]) }]
    }
    default:
      throw refused([...path, 'type'], `Parts of type ${type} are not supported`)
  }
}

/** An address, or what a data URL holds. */
function sourceOf(sent: unknown, path: readonly (string | number)[]) {
  if (typeof sent !== 'string') throw refused(path, 'Input should be an address or a data URL: files are not stored')
  const [, media_type, data] = /^data:([^;,]{1,100});base64,(.*)$/s.exec(sent) ?? []
  return media_type && data ? { type: 'base64', media_type, data } : { type: 'url', url: sent }
}
