import { parseJson } from '@csp/lib/json'
import { UpstreamError } from '@csp/messages-api/upstream-error'
import { endOf } from '../catalogue/ends.ts'
import { errorWithin } from '../catalogue/error-within.ts'
import { askedOnce, chosenUpstream } from '../chosen.ts'
import { failureInReply } from '../translation/provider-error.ts'
import type { Offered } from '../translation/reply/written-calls/read-form.ts'
import { omitsThoughts, wantsThoughts } from '../translation/request/thinking.ts'
import { type TranslatedOptions, translated } from '../translation/translation.ts'
import type { Wire } from '../translation/wire.ts'
import type { Upstream } from '../upstream.ts'
import { answersAsOllama } from './ollama.ts'
import { type ProviderKind, type ProviderOptions, providerHeaders, recogniseProvider } from './provider.ts'
import { refusedByChat } from './refusal.ts'
import { type ChatChunk, chatChunk, choiceIn } from './reply/chunk.ts'
import { ReplyParser } from './reply/reply-parser.ts'
import { type ChatBody, chatBody } from './request/body.ts'
import { signThought } from './signature.ts'

/** The address of a provider, its key, and its kind. */
export interface ChatUpstreamOptions extends TranslatedOptions, ProviderOptions {
  /** By default recognised by the URL, and Ollama by what it answers there. */
  readonly kind?: ProviderKind | undefined
}

/** Any model behind an API that is compatible with OpenAI's chat completions. */
export function chatUpstream(options: ChatUpstreamOptions): Upstream {
  const kind = options.kind ?? recogniseProvider(options.baseUrl)
  return kind === undefined ? ollamaOrOther(options) : ofKind(kind, options)
}

function ollamaOrOther(options: ChatUpstreamOptions): Upstream {
  const { name, baseUrl, fetch: fetchWith = (url, init) => fetch(url, init) } = options
  const [ollama, other] = [ofKind('ollama', options), ofKind('other', options)]
  const isOllama = askedOnce(() => answersAsOllama(baseUrl, fetchWith))
  return chosenUpstream(name, async () => ((await isOllama()) ? ollama : other), [ollama, other])
}

function ofKind(kind: ProviderKind, options: ChatUpstreamOptions): Upstream {
  const headers = { ...providerHeaders(kind, options), ...options.headers }
  return translated(chatCompletions(kind, options), { ...options, headers })
}

/** The wire of chat completions, with what a provider of this kind wants. */
function chatCompletions(kind: ProviderKind, provider: ProviderOptions): Wire<ChatBody, ChatChunk> {
  return {
    path: '/chat/completions',
    body: (request, options) => chatBody(request, { ...options, kind, provider }),
    item: toChunk,
    parser({ request, body, thinker, toolName, calls, note }) {
      const stopSequences = (request.stop_sequences ?? []).filter((sequence) => !isAmong(body['stop'], sequence))
      return new ReplyParser({
        sign: (thought, thinking) => signThought(thought, thinking, thinker),
        toolName,
        calls,
        offered: toolsIn(body),
        stopSequences,
        isToldStop: (sequence) => isAmong(body['stop'], sequence),
        wantsThoughts: wantsThoughts(request),
        omitsThoughts: omitsThoughts(request),
        waits: !request.stream && stopSequences.length === 0,
        note,
      })
    },
    refused: refusedByChat,
  }
}

/** The tools that the model may call, with the schemas of their arguments. */
function toolsIn({ tools, tool_choice }: ChatBody): Offered {
  const offered = tool_choice === 'none' ? [] : (tools ?? [])
  return new Map(offered.map(({ function: { name, parameters } }) => [name, parameters]))
}

function toChunk(data: string): ChatChunk {
  const value = parseJson(data)
  const error = errorWithin(value)
  if (error !== undefined) throw failureInReply(error)
  const chunk = chatChunk.safeParse(value).data
  if (!chunk) throw new UpstreamError(502, `The provider sent a malformed chunk: ${data.slice(0, 100)}`)
  const reason = choiceIn(chunk)?.finish_reason
  // Half a reply must not be taken for whole.
  if (reason && endOf(reason) === 'failure')
    throw failureInReply({ code: reason, message: `The model failed: ${reason}` })
  return chunk
}

function isAmong(values: unknown, value: string): boolean {
  return Array.isArray(values) && values.includes(value)
}
