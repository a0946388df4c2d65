import { eventData } from '@csp/lib/event-stream'
import type { HttpReply } from '@csp/lib/http-client'
import { parseJson } from '@csp/lib/json'
import { withoutSecret } from '@csp/lib/secret'
import { joinUrl } from '@csp/lib/url'
import type { MessagesEvent } from '@csp/messages-api/events'
import { readEvent } from '@csp/messages-api/read-event'
import { z } from 'zod'
import { claudeModels } from '../../../domain/claude-models.ts'
import { SearchError } from '../../../domain/error.ts'
import type { OwnPrompts } from '../../../domain/own-prompts.ts'
import type { SearchEvents, SearchRequest } from '../../../domain/search.ts'
import { searchRefused, searchToolError, ungrounded } from '../../answer/errors.ts'
import { done, reportSearch } from '../../answer/events.ts'
import { parseExcerpts } from '../../answer/excerpts.ts'
import { type NativeHit, type NativeTool, nativeRow, nativeTools, RefusedPlaces } from '../../answer/native-search.ts'
import { selectRows } from '../../answer/select-rows.ts'
import type { Executor } from '../../executor.ts'
import { apiBackend } from '../http/api-backend.ts'
import { ApiClient, type ApiLimits } from '../http/api-client.ts'
import type { SentPrompt } from '../http/upstream-words.ts'
import { explainMessages, explainMessagesError, refusesTool } from './error.ts'
import { callModel, type MessagesModel, tokensOf, writtenReply } from './reply.ts'
import { type ApiMessage, type MessagesBrief, messagesBody, messagesOf, mustSearch } from './request.ts'
import type { ApiEvent, MessageTurn } from './turn.ts'

export interface MessagesOptions extends ApiLimits {
  readonly apiKey: string
  /** For requests that name no model: `sonnet`, `haiku`, `opus` or a full name. */
  readonly model: string
  /** For lists of results and to judge claims, whatever model a request names; by default the same. */
  readonly searchModel?: string | undefined
  /** `none`: rows without excerpts, for fewer tokens. */
  readonly excerpts?: 'lines' | 'none' | undefined
  /** In place of csp's own. */
  readonly prompts?: OwnPrompts | undefined
  /** The version of csp. */
  readonly version: string
  /** Anthropic's by default. */
  readonly url?: string | undefined
  readonly now?: (() => Date) | undefined
}

/** Searches and answers with the Anthropic Messages API and its web search. The owner of the key pays for both. */
export function messages(options: MessagesOptions): Executor {
  const { now = () => new Date() } = options
  const api = new MessagesApi(options, now)
  return apiBackend({
    name: 'messages',
    now,
    supports: () => true,
    search(request, signal, trace) {
      const onCall = () => trace?.modelCalled()
      if (request.want === 'results') return listResults(api, request, signal, onCall)
      return writtenReply(api, request, signal, onCall)
    },
  })
}

export const messagesUrl = 'https://api.anthropic.com'

class MessagesApi implements MessagesModel {
  readonly #client: ApiClient
  readonly #options: MessagesOptions
  readonly now: () => Date
  /** The newest search tool that each model is known to take, once one was refused. */
  readonly #searchTools = new Map<string, NativeTool>()
  readonly #places = new RefusedPlaces()

  constructor(options: MessagesOptions, now: () => Date) {
    this.#client = new ApiClient('The Anthropic API', options.version, { maximumBytes: maxBytes, ...options })
    this.#options = options
    this.now = now
  }

  /** The model for a request, as configured or asked for. */
  modelFor({ want, claims, model = this.#options.model }: SearchRequest): string {
    return want === 'results' || claims ? (this.#options.searchModel ?? this.#options.model) : model
  }

  briefFor(request: SearchRequest): MessagesBrief {
    const asked = this.modelFor(request)
    const model = claudeModels[asked]?.fullName ?? asked
    const { excerpts = this.#options.excerpts } = request
    const searchTool = this.#searchTools.get(model) ?? nativeTools[0]
    const { prompts } = this.#options
    return {
      model,
      excerpts: excerpts === 'none' ? 'none' : 'lines',
      searchTool,
      places: this.#places,
      prompts,
      now: this.now(),
    }
  }

  /**
   * One call. An older search tool takes the place of one that the API refuses, for this model from now on. A search goes
   * without a place that the API refuses.
   */
  async *events(
    request: SearchRequest,
    said: readonly ApiMessage[],
    signal: AbortSignal,
  ): AsyncGenerator<MessagesEvent, void, undefined> {
    const { apiKey, url = messagesUrl } = this.#options
    const headers = { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' }
    for (;;) {
      const hasPlace = mustSearch(request) && !this.#places.has(request.filters)
      const brief = this.briefFor(request)
      const body = messagesBody(request, said, brief)
      const explain = (reply: HttpReply) => explainMessages(reply, this.now(), body)
      const bytes = this.#client.stream({ url: joinUrl(url, 'v1/messages'), headers, body }, explain, signal)
      try {
        return yield* readStream(bytes, this.now(), apiKey, body)
      } catch (error) {
        if (hasPlace && this.#places.note(request.filters, error)) continue
        const older = nativeTools[nativeTools.indexOf(brief.searchTool) + 1]
        if (!older || !refusesTool(error, brief.searchTool)) throw error
        // Equal requests may have found out the same meanwhile.
        if (this.briefFor(request).searchTool === brief.searchTool) this.#searchTools.set(brief.model, older)
      }
    }
  }
}

/** Results include the encrypted content of the pages. */
const maxBytes = 20_000_000

/**
 * Parses the stream of the Messages API. Throws on an `error` event, without the key that it may repeat, and when the
 * stream breaks off.
 */
async function* readStream(
  bytes: AsyncIterable<Uint8Array>,
  now: Date,
  apiKey?: string,
  sent?: SentPrompt,
): AsyncGenerator<MessagesEvent, void, undefined> {
  // The client limits the whole reply.
  for await (const data of eventData(bytes, Number.POSITIVE_INFINITY)) {
    const value = parseJson(data)
    const failure = errorEvent.safeParse(value).data?.error
    if (failure) {
      const shown = { type: withoutSecret(failure.type, apiKey), message: withoutSecret(failure.message, apiKey) }
      throw explainMessagesError({ ...shown, headers: new Headers() }, now, sent)
    }
    const event = readEvent(value)
    if (!event) continue
    yield event
    if (event.type === 'message_stop') return
  }
  throw new SearchError('unavailable', 'The Anthropic API broke off in the middle of its reply.')
}

const errorEvent = z.object({
  type: z.literal('error'),
  error: z.object({ type: z.string(), message: z.string() }),
})

/** `results`: one search, its rows, and what the model wrote or cited of each. Asked once more if it did not search. */
async function* listResults(
  api: MessagesApi,
  request: SearchRequest,
  signal: AbortSignal,
  onCall: () => void,
): SearchEvents {
  const turns: MessageTurn[] = []
  const found = new ListReader()
  const onTurn = (turn: MessageTurn) => {
    onCall()
    turns.push(turn)
  }
  for (let attempt = 1; attempt <= 2 && !found.hasSearched; attempt++) {
    const conversation = messagesOf(request, api.briefFor(request))
    for await (const event of callModel(api, request, conversation, onTurn, signal)) found.read(event)
    if (!found.hasSearched && turns.at(-1)?.stopReason === 'refusal') throw searchRefused()
  }
  if (!found.hasSearched) throw ungrounded()
  if (found.errorCode !== undefined && found.hits.length === 0) throw searchToolError(found.errorCode)
  const { excerpts } = parseExcerpts(found.text, found.hits, api.now())
  const rows = found.hits.map((hit) => {
    const { snippet, publishedAt } = excerpts.get(hit.url) ?? {}
    const row = nativeRow(hit, 'messages', api.now(), found.words.get(hit.url))
    return { ...row, snippet: snippet ?? row.snippet, publishedAt: row.publishedAt ?? publishedAt }
  })
  yield* reportSearch(found.id, request.query, selectRows(rows, request, api.now()), api.modelFor(request))
  // Truncated lines do not affect the rows.
  yield done({
    searches: found.searches,
    model: turns.at(-1)?.model ?? '',
    result: { stopReason: undefined, ...tokensOf(turns) },
  })
}

/** Collects the rows of a message. */
export class ListReader {
  readonly hits: NativeHit[] = []
  /** What was cited of a page, by its URL. */
  readonly words = new Map<string, string>()
  id = 'search-1'
  text = ''
  searches = 0
  errorCode: string | undefined

  get hasSearched(): boolean {
    return this.searches > 0 || this.errorCode !== undefined
  }

  read(event: ApiEvent): void {
    switch (event.type) {
      case 'text-delta':
        if (this.searches > 0) this.text += event.text
        break
      case 'text-cited':
        if (event.words && !this.words.has(event.url)) this.words.set(event.url, event.words)
        break
      case 'search-hits':
        if (this.searches === 0) this.id = event.id
        this.searches++
        this.hits.push(...event.hits)
        break
      case 'search-failed':
        this.errorCode = event.code
        break
    }
  }
}
