import { parseObject } from '@csp/lib/json'
import type { ContentBlock } from '@csp/messages-api/request'
import type { OwnPrompts } from '../../../domain/own-prompts.ts'
import type { SearchRequest, Tool, ToolCall, ToolChoice, Turn } from '../../../domain/search.ts'
import { mustCallTool, toolCallsOf } from '../../answer/client-tools.ts'
import { type NativeTool, nativeTool, nativeToolName, type RefusedPlaces } from '../../answer/native-search.ts'
import { compose, section } from '../../answer/prompt/fence.ts'
import { excludeHints, filterHints } from '../../answer/prompt/filter-hints.ts'
import { nativeSystemPrompt } from '../../answer/prompt/native.ts'
import { claimsSection, resultsQuery, schemaSection, schemaWish } from '../../answer/prompt/prompt.ts'
import { sourcesSection, writerSystemPrompt, writerWish } from '../../answer/prompt/writer.ts'

/** A turn in the format of the Messages API. */
export interface ApiMessage {
  readonly role: 'user' | 'assistant'
  readonly content: readonly ContentBlock[]
}

export interface MessagesBrief {
  readonly model: string
  readonly excerpts: 'lines' | 'none'
  readonly searchTool: NativeTool
  /** That a search goes without. */
  readonly places?: RefusedPlaces | undefined
  readonly prompts?: OwnPrompts | undefined
  readonly now: Date
}

/** Whether the model must search before it writes. A tool call that the caller requires comes instead. */
export function mustSearch(request: SearchRequest): boolean {
  return request.want !== 'text' && !request.sources && !mustCallTool(request)
}

/** The body of the call that continues a conversation. */
export function messagesBody(request: SearchRequest, messages: readonly ApiMessage[], brief: MessagesBrief): object {
  const { want, instructions, sources } = request
  const { standard, deep } = brief.prompts ?? {}
  const ofAnswer = () => (sources ? writerSystemPrompt(standard) : nativeSystemPrompt(deep))
  const own = { results: () => listSystemPrompt, answer: ofAnswer, text: () => undefined }[want]
  const system = [own(), want !== 'results' && instructions].filter((text) => typeof text === 'string')
  const tools = [
    ...(mustSearch(request) ? [nativeTool(request, brief.searchTool, maxUses(request), brief.places)] : []),
    ...callerTools(request),
  ]
  return {
    model: brief.model,
    max_tokens: maxTokens(request, brief),
    stream: true,
    ...(system.length > 0 && { system: system.map((text) => ({ type: 'text', text })) }),
    messages,
    ...(tools.length > 0 && { tools, tool_choice: choice(request) }),
  }
}

/** The conversation, the question, and the tool calls since. */
export function messagesOf(request: SearchRequest, brief: MessagesBrief): readonly ApiMessage[] {
  const { want, history, continuation = [], sources } = request
  if (want === 'results') return [userMessage(resultsQuery(request, brief.excerpts, brief.now))]
  const hints =
    want === 'text' || sources ? [] : [...filterHints(request.filters, brief.now), ...excludeHints(request.exclude)]
  const question = compose(
    sources && sourcesSection(request, sources),
    sources && request.notes && section('notes', request.notes),
    claimsSection(request),
    sources ? section('question', request.query) : request.query,
    hints.join('\n'),
    schemaSection(request),
    sources && want === 'answer' && writerWish(request),
    schemaWish(request),
  )
  const turns: readonly Turn[] = [...history, { role: 'user', text: question }, ...continuation]
  return merged([
    ...(turns[0]?.role === 'user' ? [] : [userMessage('(The conversation so far.)')]),
    ...toMessages(turns),
  ])
}

/** A message of the user. */
export function userMessage(text: string): ApiMessage {
  return { role: 'user', content: [{ type: 'text', text }] }
}

/** The caller may have a function with the name of the search tool. */
export function offeredName(name: string): string {
  return name === nativeToolName ? `client_${name}` : name
}

const listSystemPrompt = `You run web searches for a search service. Call web_search once, with the query as the message gives it. Then reply in the format that the message asks for, and say nothing besides.`

function maxUses({ want, effort, maxSearches }: SearchRequest): number {
  return want === 'results' ? 1 : (maxSearches ?? maxSearchesFor[effort])
}

const maxSearchesFor = { fast: 1, standard: 3, deep: 8 } as const

/** Not offered where none may be called, except with `text`: the API requires them when the conversation has calls. */
function callerTools({ want, tools = [], toolChoice }: SearchRequest): readonly object[] {
  if (want === 'results' || (toolChoice === 'none' && want === 'answer')) return []
  return tools.map(describe)
}

function describe({ name, description, parameters }: Tool): object {
  return { name: offeredName(name), description, input_schema: { type: 'object', ...parameters } }
}

function choice({ want, tools = [], toolChoice = 'auto' }: SearchRequest): object {
  if (tools.length === 0 || want === 'results') return { type: 'auto' }
  if (typeof toolChoice === 'object') return { type: 'tool', name: offeredName(toolChoice.name) }
  if (toolChoice === 'none') return { type: want === 'text' ? 'none' : 'auto' }
  return { type: choices[toolChoice] }
}

const choices: Readonly<Record<Exclude<ToolChoice, 'none' | object>, string>> = { auto: 'auto', required: 'any' }

function maxTokens({ want, effort, tools, schema }: SearchRequest, { excerpts }: MessagesBrief): number {
  if (want === 'results') return excerpts === 'none' ? 256 : 2048
  return want === 'text' || tools || schema ? 8192 : { fast: 2048, standard: 4096, deep: 8192 }[effort]
}

/** The API rejects calls without their result, and results without their call. */
function toMessages(turns: readonly Turn[]): readonly ApiMessage[] {
  const answered = new Set(turns.flatMap((turn) => (turn.role === 'tool' ? [turn.callId] : [])))
  const called = new Set(turns.flatMap((turn) => toolCallsOf(turn).map(({ id }) => id)))
  return turns.flatMap((turn): readonly ApiMessage[] => {
    switch (turn.role) {
      case 'user':
        return turn.text.trim() === '' ? [] : [userMessage(turn.text)]
      case 'assistant': {
        const calls = toolCallsOf(turn).filter(({ id }) => answered.has(id))
        const text = turn.text.trim() === '' ? [] : [{ type: 'text', text: turn.text.trimEnd() }]
        const content = [...text, ...calls.map(toolUse)]
        return content.length > 0 ? [{ role: 'assistant', content }] : []
      }
      case 'tool': {
        if (!called.has(turn.callId)) return [userMessage(`A tool gave: ${turn.text}`)]
        const block = { type: 'tool_result', tool_use_id: safeId(turn.callId), content: turn.text }
        return [{ role: 'user', content: [block] }]
      }
    }
    return []
  })
}

function toolUse({ id, name, arguments: text }: ToolCall): ContentBlock {
  return { type: 'tool_use', id: safeId(id), name: offeredName(name), input: parseObject(text) }
}

/** Ids of other vendors may contain characters that this API rejects. */
function safeId(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/g, '_') || '_'
}

/** Merges messages of the same role: the results of several calls belong in one. */
function merged(messages: readonly ApiMessage[]): readonly ApiMessage[] {
  const all: ApiMessage[] = []
  for (const message of messages) {
    const last = all.at(-1)
    if (last?.role !== message.role) all.push(message)
    else all[all.length - 1] = { role: last.role, content: [...last.content, ...message.content] }
  }
  return all
}
