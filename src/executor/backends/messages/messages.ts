import type { SearchEvents, SearchRequest } from '../../../domain/search.ts'
import { joinUrl } from '../../../lib/url.ts'
import { clientToolsFor } from '../../answer/client-tools.ts'
import { done, tellSearch } from '../../answer/events.ts'
import { parseExcerpts } from '../../answer/excerpts.ts'
import { JsonShape } from '../../answer/json/json-shape.ts'
import { selectRows } from '../../answer/select-rows.ts'
import { endAtStop } from '../../answer/stop-sequences.ts'
import type { Executor } from '../../executor.ts'
import { explainToolError, ungrounded } from '../claude/cli/errors.ts'
import { apiBackend } from '../http/api-backend.ts'
import { ApiClient, type ApiLimits } from '../http/api-client.ts'
import { explainMessages } from './error.ts'
import { MessagesExchange } from './exchange.ts'
import { type ApiMessage, type MessagesPlan, messagesBody, messagesOf, userMessage } from './request.ts'
import { toRow } from './rows.ts'
import { readStream } from './stream.ts'
import { type Happening, type Hit, MessageTurn } from './turn.ts'

export interface MessagesOptions extends ApiLimits {
  readonly apiKey: string
  /** For requests that name none: `sonnet`, `haiku`, `opus` or a full name. */
  readonly model: string
  /** `none`: rows without excerpts, for fewer tokens. */
  readonly excerpts?: 'lines' | 'none' | undefined
  /** Of csp. */
  readonly version: string
  /** By default Anthropic's own. */
  readonly url?: string | undefined
  readonly now?: (() => Date) | undefined
}

type Events = SearchEvents

/** Searches and answers with the Anthropic Messages API and its web search. Whoever owns the key pays for both. */
export function messages(options: MessagesOptions): Executor {
  const { now = () => new Date() } = options
  const api = new MessagesApi(options, now)
  return apiBackend({
    name: 'messages',
    now,
    supports: () => true,
    search(request, signal) {
      if (request.want === 'results') return listResults(api, request, signal)
      const { stop = [] } = request
      const enough = new AbortController()
      const reply = writeReply(api, request, signal, enough.signal)
      return stop.length > 0 ? endAtStop(reply, stop, () => enough.abort()) : reply
    },
  })
}

export const messagesUrl = 'https://api.anthropic.com'

class MessagesApi {
  readonly #client: ApiClient
  readonly #options: MessagesOptions
  readonly now: () => Date

  constructor(options: MessagesOptions, now: () => Date) {
    this.#client = new ApiClient('The Anthropic API', options.version, { maximumBytes: mostBytes, ...options })
    this.#options = options
    this.now = now
  }

  plan({ model = this.#options.model }: SearchRequest): MessagesPlan {
    return { model: aliases[model] ?? model, excerpts: this.#options.excerpts ?? 'lines', now: this.now() }
  }

  /** One message, in as many calls as the API takes for it. Each call's turn is told when it begins. */
  async *call(
    request: SearchRequest,
    conversation: readonly ApiMessage[],
    onTurn: (turn: MessageTurn) => void,
    signal: AbortSignal,
  ): AsyncGenerator<Happening, void, undefined> {
    const { apiKey, url = messagesUrl } = this.#options
    const headers = { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' }
    const said = [...conversation]
    for (let calls = 0; calls < mostCalls; calls++) {
      const turn = new MessageTurn()
      onTurn(turn)
      const body = messagesBody(request, said, this.plan(request))
      const explain = (reply: Parameters<typeof explainMessages>[0]) => explainMessages(reply, this.now())
      const bytes = this.#client.stream({ url: joinUrl(url, 'v1/messages'), headers, body }, explain, signal)
      for await (const event of readStream(bytes, this.now())) yield* turn.read(event)
      if (turn.stopReason !== 'pause_turn') return
      said.push({ role: 'assistant', content: turn.content })
    }
  }
}

/** Models that csp's callers name in short. */
const aliases: Readonly<Record<string, string>> = {
  sonnet: 'claude-sonnet-5-5',
  haiku: 'claude-haiku-5-5',
  opus: 'claude-opus-5-5',
}

/** The pages found come with their content, enciphered. */
const mostBytes = 20_000_000
/** The API pauses a message that searches for long. */
const mostCalls = 6

/** `results`: one search, the rows, and what the model wrote or cited of each. Asked once more where it did not search. */
async function* listResults(api: MessagesApi, request: SearchRequest, signal: AbortSignal): Events {
  const turns: MessageTurn[] = []
  const found = new ListReader()
  const onTurn = (turn: MessageTurn) => turns.push(turn)
  for (let attempt = 1; attempt <= 2 && !found.hasSearched; attempt++) {
    const conversation = messagesOf(request, api.plan(request))
    for await (const happening of api.call(request, conversation, onTurn, signal)) found.read(happening)
  }
  if (!found.hasSearched) throw ungrounded()
  if (found.errorCode !== undefined && found.hits.length === 0) throw explainToolError(found.errorCode)
  const { excerpts } = parseExcerpts(found.text, found.hits, api.now())
  const rows = found.hits.map((hit) => {
    const { snippet, publishedAt } = excerpts.get(hit.url) ?? {}
    const row = toRow(hit, api.now(), found.words.get(hit.url))
    return { ...row, snippet: snippet ?? row.snippet, publishedAt: row.publishedAt ?? publishedAt }
  })
  yield* tellSearch(found.id, request.query, selectRows(rows, request, api.now()))
  const sum = (of: (turn: MessageTurn) => number) => turns.reduce((total, turn) => total + of(turn), 0)
  const tokens = { inputTokens: sum((turn) => turn.inputTokens), outputTokens: sum((turn) => turn.outputTokens) }
  // That the lines were cut short takes no row away.
  yield done({
    searches: found.searches,
    model: turns.at(-1)?.model ?? '',
    result: { stopReason: undefined, ...tokens },
  })
}

/** What a message brings of which only the rows are wanted. */
class ListReader {
  readonly hits: Hit[] = []
  /** What was cited of a page, by its URL. */
  readonly words = new Map<string, string>()
  id = 'search-1'
  text = ''
  searches = 0
  errorCode: string | undefined

  get hasSearched(): boolean {
    return this.searches > 0 || this.errorCode !== undefined
  }

  read(happening: Happening): void {
    switch (happening.type) {
      case 'text':
        if (this.searches > 0) this.text += happening.text
        break
      case 'cited':
        if (happening.words && !this.words.has(happening.url)) this.words.set(happening.url, happening.words)
        break
      case 'found':
        if (this.searches === 0) this.id = happening.id
        this.searches++
        this.hits.push(...happening.hits)
        break
      case 'search-failed':
        this.errorCode = happening.code
        break
    }
  }
}

/** `answer` and `text`. A reply that is not what it has to be is asked for once more. */
async function* writeReply(api: MessagesApi, request: SearchRequest, signal: AbortSignal, enough: AbortSignal): Events {
  clientToolsFor(request) // throws for tools that cannot be
  const shape = request.schema && new JsonShape(request.schema)
  const exchange = new MessagesExchange(request, shape, api.now())
  let conversation = messagesOf(request, api.plan(request))
  for (let attempt = 1; ; attempt++) {
    const turns: MessageTurn[] = []
    const onTurn = (turn: MessageTurn) => turns.push(turn)
    for await (const happening of api.call(request, conversation, onTurn, signal)) {
      yield* exchange.read(happening)
      if (enough.aborted) break
    }
    for (const turn of turns) exchange.count(turn)
    const last = turns.at(-1) ?? new MessageTurn()
    const objection = yield* exchange.finish(last, enough.aborted)
    if (!objection) return
    if (attempt === 2) throw objection.error
    const said = objection.isAfresh
      ? []
      : [{ role: 'assistant', content: turns.flatMap(({ content }) => content) } as const]
    conversation = [...conversation, ...said, userMessage(objection.reminder)]
  }
}
