import type { MessagesEvent } from '@csp/messages-api/events'
import { type MessagesRequest, messagesRequest } from '@csp/messages-api/request'
import { UpstreamError } from '@csp/messages-api/upstream-error'
import { SearchError, type SearchErrorCode, toSearchError } from '../../../domain/error.ts'
import type { OwnPrompts } from '../../../domain/own-prompts.ts'
import type { SearchEvents, SearchRequest } from '../../../domain/search.ts'
import { nativeTools } from '../../answer/native-search.ts'
import type { Executor, SearchTrace } from '../../executor.ts'
import { apiBackend } from '../http/api-backend.ts'
import { upstreamWords } from '../http/upstream-words.ts'
import { type MessagesModel, writtenReply } from '../messages/reply.ts'
import { messagesBody } from '../messages/request.ts'

export interface GatewayModelOptions {
  /** As requests to the gateway name it: `ollama/qwen3`. */
  readonly name: string
  /** The name under which the ledger has what it costs: `gateway/ollama`. */
  readonly payee: string
  /** Asks the model. The events of the Messages API; an `UpstreamError` where it fails. */
  readonly send: (request: MessagesRequest, call: ModelCall) => AsyncIterable<MessagesEvent>
  /** The operator's system prompts. */
  readonly prompts?: OwnPrompts | undefined
}

/** What goes along with a call of the model. */
export interface ModelCall {
  readonly signal: AbortSignal
  readonly caller: string | undefined
  readonly note: (message: string, error?: unknown) => void
}

/** Writes over known pages, and without any, with a model of the gateway. It cannot search. */
export function gatewayModel(options: GatewayModelOptions): Executor {
  const { name, payee } = options
  return apiBackend({
    name,
    now: () => new Date(),
    supports: ({ want, sources }) => want === 'text' || (want === 'answer' && sources !== undefined),
    async *search(request, signal, trace, caller): SearchEvents {
      const onCall = () => trace?.modelCalled()
      let sent: Partial<MessagesRequest> = {}
      const onSend = (body: MessagesRequest) => {
        sent = body
      }
      yield { type: 'backend', name: payee }
      try {
        yield* writtenReply(modelFor(options, trace, caller, onSend), request, signal, onCall)
      } catch (error) {
        throw explainUpstream(error, name, sent)
      }
    },
  })
}

function modelFor(
  { name, prompts, send }: GatewayModelOptions,
  trace: SearchTrace | undefined,
  caller: string | undefined,
  onSend: (body: MessagesRequest) => void,
): MessagesModel {
  const briefFor: MessagesModel['briefFor'] = () => ({
    model: name,
    excerpts: 'none',
    searchTool: nativeTools[0],
    prompts,
    now: new Date(),
  })
  const note: ModelCall['note'] = (message, error) => trace?.note(message, error)
  return {
    briefFor,
    events(request, said, signal) {
      const own = { ...messagesBody(request, said, briefFor(request)), max_tokens: maxTokens, ...thinking(request) }
      const body = messagesRequest.parse(own)
      onSend(body)
      return send(body, { signal, caller, note })
    },
  }
}

/** The pages have been chosen already: thinking would hold up the first word. */
function thinking({ want, effort, research }: SearchRequest): Partial<MessagesRequest> {
  return want === 'text' || effort === 'deep' || research ? {} : { thinking: { type: 'disabled' } }
}

/** A model that cannot be told not to think spends them on thoughts as well. */
const maxTokens = 8192

/** Maps a failure of an upstream. A request that it refuses is csp's own, whatever its caller has asked for. */
function explainUpstream(error: unknown, model: string, sent: Partial<MessagesRequest>): SearchError {
  if (!(error instanceof UpstreamError)) return toSearchError(error)
  const { status, retryAfterSeconds } = error
  const { code, words } = kinds.find(({ statuses }) => statuses.includes(status)) ?? otherKind
  const forOthers = `The model ${model} ${words} (${status}).`
  const said = upstreamWords(error.message, sent)
  const message = said === '' ? forOthers : `${forOthers} The gateway says: ${said}`
  return new SearchError(code, message, { cause: error, retryAfterSeconds, forOthers })
}

interface Kind {
  readonly code: SearchErrorCode
  readonly statuses: readonly number[]
  readonly words: string
}

const kinds: readonly Kind[] = [
  { code: 'signed-out', statuses: [401, 403], words: 'cannot be used with the key of its upstream' },
  { code: 'rate-limited', statuses: [402, 429], words: 'has reached a limit of its upstream' },
  { code: 'timeout', statuses: [408, 504], words: 'took too long' },
  { code: 'failed', statuses: [400, 413, 422], words: 'refuses what csp sent' },
  { code: 'unavailable', statuses: [404], words: 'is not known to its upstream' },
]

const otherKind: Pick<Kind, 'code' | 'words'> = { code: 'unavailable', words: 'cannot be reached' }
