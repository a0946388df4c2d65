import { toHex } from '../../../lib/bytes.ts'
import type { MessagesRequest } from '../../messages/request.ts'
import { type ProviderKind, type ProviderOptions, providerParameters } from '../provider.ts'
import type { ToolNames } from '../tool-names.ts'
import type { ChatMessage } from './chat.ts'
import { toChatMessages } from './conversation.ts'
import type { ConversationOptions } from './options.ts'
import { toChatTools, toolFields } from './tools.ts'

export interface BodyOptions {
  readonly kind: ProviderKind
  readonly provider: ProviderOptions
  /** The provider's name of the model. */
  readonly model: string
  /** What this model at this provider has refused. */
  readonly without: ReadonlySet<string>
  /** The most tokens that the model may write. */
  readonly maxTokens?: number | undefined
  readonly names: ToolNames
  readonly readThought: ConversationOptions['readThought']
  /** The same for every request of a conversation, if known. */
  readonly cacheKey?: string | undefined
}

/** The body of a chat completion. Always streamed: a whole reply is the fold of its stream. */
export interface ChatBody {
  readonly model: string
  readonly messages: readonly ChatMessage[]
  readonly stream: true
  readonly [parameter: string]: unknown
}

/** What may be refused beside parameters of the body, which go by their names. */
export type Refusable = 'system-role' | 'tool-role' | 'images' | 'earlier-thoughts'

export function chatBody(asked: MessagesRequest, options: BodyOptions): ChatBody {
  const { kind, model, without, names, maxTokens = Number.POSITIVE_INFINITY } = options
  const request = { ...asked, max_tokens: asked.max_tokens == null ? null : Math.min(asked.max_tokens, maxTokens) }
  const takes = (feature: Refusable): boolean => !without.has(feature)
  const messages = toChatMessages(request, {
    images: takes('images'),
    files: kind === 'openai' || kind === 'openrouter',
    systemRole: takes('system-role'),
    toolRole: takes('tool-role'),
    readThought: takes('earlier-thoughts') ? options.readThought : undefined,
    names,
  })
  const tools = toChatTools(request, names)
  const { max_tokens, temperature, top_p, stop_sequences: stop } = request
  const { tool_choice, ...parameters } = providerParameters(kind, request, options.provider)
  const optional: Record<string, unknown> = {
    ...(max_tokens != null && tokenLimit(max_tokens, without)),
    ...(temperature != null && { temperature }),
    ...(top_p != null && { top_p }),
    ...(stop && stop.length > 0 && { stop: kind === 'openai' ? stop.slice(0, maxOpenAiStops) : stop }),
    stream_options: { include_usage: true },
    ...parameters,
    ...(tools.length > 0 && tool_choice !== undefined && { tool_choice }),
    ...toolFields(request, tools, names),
    ...(kind === 'openai' && options.cacheKey && { prompt_cache_key: options.cacheKey }),
  }
  for (const name of without) delete optional[name]
  return { model, messages, stream: true, ...optional }
}

/** OpenAI refuses more. */
const maxOpenAiStops = 4

/** The newer name first; the older one where that was refused. */
function tokenLimit(limit: number, without: ReadonlySet<string>): Readonly<Record<string, number>> {
  return without.has('max_completion_tokens') ? { max_tokens: limit } : { max_completion_tokens: limit }
}

/** A key for the provider's cache of prompts: of the session, which it does not name. */
export async function cacheKeyOf({ metadata }: MessagesRequest): Promise<string | undefined> {
  if (!metadata?.user_id) return undefined
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(metadata.user_id))
  return toHex(new Uint8Array(digest)).slice(0, 32)
}
