import type { MessagesRequest } from '@csp/messages-api/request'
import { outputSchema, withSchemaInWords } from '../../translation/request/output-format.ts'
import { chosenTool, type FunctionTool, functionTools } from '../../translation/request/tools.ts'
import type { ToolNames } from '../../translation/tool-names.ts'
import type { BodyOptions, ProviderBody } from '../../translation/wire.ts'
import { type ProviderKind, type ProviderOptions, providerParameters } from '../provider.ts'
import { readSignature } from '../signature.ts'
import type { ChatMessage } from './chat.ts'
import { toChatMessages } from './conversation.ts'

export interface ChatBodyOptions extends BodyOptions {
  readonly kind: ProviderKind
  readonly provider: ProviderOptions
}

/** The body of a chat completion. */
export interface ChatBody extends ProviderBody {
  readonly messages: readonly ChatMessage[]
  readonly tools?: readonly { readonly type: 'function'; readonly function: FunctionTool }[] | undefined
}

/** Features that may be refused, beside parameters of the body, which go by their names. */
export type Refusable =
  | 'system-role'
  | 'tool-role'
  | 'images'
  | 'earlier-thoughts'
  | 'missing-thoughts'
  | 'missing-signatures'
  | 'stream'
  | 'json-schema'

/** What the plainest form leaves out. */
const optionalFeatures: readonly string[] = [
  ...['max_completion_tokens', 'temperature', 'top_p', 'top_k', 'stream_options', 'usage', 'parallel_tool_calls'],
  ...['reasoning', 'reasoning_effort', 'prompt_cache_key', 'json-schema', 'earlier-thoughts'],
]

export function chatBody(asked: MessagesRequest, options: ChatBodyOptions): ChatBody {
  const { kind, model, thinker, names, maxTokens = Number.POSITIVE_INFINITY } = options
  const without = options.without.has('plain') ? new Set([...options.without, ...optionalFeatures]) : options.without
  const wanted = asked.max_tokens == null ? null : Math.min(asked.max_tokens, maxTokens)
  // None at all only warms the vendor's own cache.
  const request = { ...asked, max_tokens: wanted === 0 ? 1 : wanted }
  const takes = (feature: Refusable): boolean => !without.has(feature)
  const schema = outputSchema(request)
  const messages = toChatMessages(takes('json-schema') ? request : withSchemaInWords(request), {
    images: takes('images'),
    files: kind === 'openai' || kind === 'openrouter',
    systemRole: takes('system-role'),
    toolRole: takes('tool-role'),
    missingThought: takes('missing-thoughts') ? undefined : kind === 'openrouter' ? 'reasoning' : 'reasoning_content',
    marksCalls: !takes('missing-signatures'),
    readThought: takes('earlier-thoughts')
      ? (thinking, signature) => readSignature(signature, thinking, thinker)
      : undefined,
    names,
  })
  const tools = functionTools(request, names, without)
  const { max_tokens, temperature, top_p, stop_sequences: stop } = request
  const { tool_choice, ...parameters } = providerParameters(kind, request, options.provider, without)
  const optional: Record<string, unknown> = {
    ...(max_tokens != null && tokenLimit(max_tokens, kind, without)),
    ...(temperature != null && { temperature }),
    ...(top_p != null && { top_p }),
    ...(stop && stop.length > 0 && { stop: kind === 'openai' ? stop.slice(0, maxOpenAiStops) : stop }),
    ...(takes('stream') && { stream_options: { include_usage: true } }),
    ...parameters,
    ...(schema && takes('json-schema') && { response_format: { type: 'json_schema', json_schema: schema } }),
    ...(tools.length > 0 && tool_choice !== undefined && { tool_choice }),
    ...toolFields(request, tools, names),
    ...(kind === 'openai' && options.cacheKey && { prompt_cache_key: options.cacheKey }),
  }
  for (const name of without) delete optional[name]
  return { model, messages, stream: takes('stream'), ...optional }
}

/** OpenAI refuses more. */
const maxOpenAiStops = 4

/** The newer name first, the other one where that was refused. Ollama ignores the newer one. */
function tokenLimit(limit: number, kind: ProviderKind, without: ReadonlySet<string>): Readonly<Record<string, number>> {
  const names = ['max_completion_tokens', 'max_tokens']
  const name = (kind === 'ollama' ? names.toReversed() : names).find((each) => !without.has(each))
  return name === undefined ? {} : { [name]: limit }
}

/** The fields that say which tools may be called: none without tools, since providers refuse them then. */
function toolFields(request: MessagesRequest, tools: readonly FunctionTool[], names: ToolNames) {
  if (tools.length === 0) return {}
  const choice = chosenTool(request, tools, names)
  return {
    tools: tools.map((tool) => ({ type: 'function', function: tool })),
    ...(choice && { tool_choice: typeof choice === 'string' ? choice : { type: 'function', function: choice } }),
    ...(request.tool_choice?.disable_parallel_tool_use && { parallel_tool_calls: false }),
  }
}
