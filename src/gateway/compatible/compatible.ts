import { plainUrl } from '../../lib/url.ts'
import { estimateInputTokens, estimateTokens } from '../messages/estimate.ts'
import type { MessagesEvent } from '../messages/events.ts'
import type { MessagesRequest } from '../messages/request.ts'
import { withoutVolatileText } from '../messages/volatile.ts'
import type { Upstream, UpstreamContext } from '../upstream.ts'
import { abortedCall, toUpstreamError, UpstreamError } from '../upstream-error.ts'
import { AdaptiveCall, type OpenReply } from './adaptive-call.ts'
import { LearnedCapabilities } from './capabilities.ts'
import { ChatClient } from './chat-client.ts'
import { type ProviderKind, type ProviderOptions, providerHeaders, recogniseProvider } from './provider.ts'
import { explainProvider, ProviderReplyError } from './provider-error.ts'
import { checkStopSequences } from './reply/stop-watch.ts'
import { type TokenCounts, toCounts, toMessageUsage } from './reply/usage.ts'
import { cacheKeyOf } from './request/body.ts'

export interface CompatibleOptions extends ProviderOptions {
  readonly name: string
  /** Of an API that is compatible with OpenAI's, such as `https://openrouter.ai/api/v1`. */
  readonly baseUrl: string
  readonly key?: string | undefined
  /** By default recognised by the URL. */
  readonly kind?: ProviderKind | undefined
  /** Headers of the user's. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Shared by upstreams, or one of its own that forgets with the process. */
  readonly capabilities?: LearnedCapabilities | undefined
  /** For the head of a reply, and between two pieces of it; 10 minutes by default: a local model reads a long prompt slowly. */
  readonly silenceMs?: number | undefined
  /** After the reply has ended, for its usage; 5 s by default. */
  readonly tailMs?: number | undefined
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  readonly now?: (() => Date) | undefined
  /** The random part of an id. */
  readonly newId?: (() => string) | undefined
}

/** Any model behind an API that is compatible with OpenAI's chat completions. */
export function compatible(options: CompatibleOptions): Upstream {
  return new CompatibleUpstream(options)
}

class CompatibleUpstream implements Upstream {
  readonly name: string
  readonly #options: CompatibleOptions
  readonly #baseUrl: string
  readonly #kind: ProviderKind
  readonly #capabilities: LearnedCapabilities
  readonly #client: ChatClient
  readonly #now: () => Date
  readonly #newId: () => string
  readonly #running = new Set<AbortController>()
  #isClosed = false

  constructor(options: CompatibleOptions) {
    const { baseUrl, key, headers, capabilities, silenceMs = defaultSilenceMs } = options
    const { now = () => new Date(), newId = randomId, fetch: fetchWith = (url, init) => fetch(url, init) } = options
    this.name = options.name
    this.#options = options
    this.#baseUrl = plainUrl(baseUrl)
    this.#kind = options.kind ?? recogniseProvider(baseUrl)
    this.#capabilities = capabilities ?? new LearnedCapabilities()
    this.#now = now
    this.#newId = newId
    const own = providerHeaders(this.#kind, options)
    const all = { ...own, ...(key && { authorization: `Bearer ${key}` }), ...headers }
    this.#client = new ChatClient({ baseUrl, headers: all, silenceMs, fetch: fetchWith, now })
  }

  async *send(request: MessagesRequest, context: UpstreamContext): AsyncGenerator<MessagesEvent, void, undefined> {
    const { signal } = context
    if (signal.aborted) throw abortedCall(signal)
    if (this.#isClosed) throw closed()
    const stop = new AbortController()
    const leave = (): void => stop.abort(abortedCall(signal))
    signal.addEventListener('abort', leave, { once: true })
    this.#running.add(stop)
    try {
      yield* this.#reply(withoutVolatileText(request), context, stop)
    } catch (error) {
      throw stop.signal.aborted ? abortedCall(stop.signal) : this.#explain(error)
    } finally {
      signal.removeEventListener('abort', leave)
      this.#running.delete(stop)
      stop.abort()
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const stop of this.#running) stop.abort(closed())
  }

  async *#reply(
    request: MessagesRequest,
    context: UpstreamContext,
    stop: AbortController,
  ): AsyncGenerator<MessagesEvent, void, undefined> {
    checkStopSequences(request.stop_sequences ?? [])
    const started = this.#now()
    const model = context.model ?? request.model
    const estimate = estimateInputTokens(request)
    const reply = await this.#open(request, model, context, stop)
    const { reader } = reply
    const counts = (): TokenCounts => toCounts(reader.usage, { input: estimate, output: estimateTokens(reader.length) })
    try {
      yield this.#messageStart(request.model, { ...counts(), output: 0 })
      yield { type: 'ping' }
      yield* reply.events()
      const usage = toMessageUsage(counts())
      const delta = { stop_reason: reader.stopReason, stop_sequence: reader.stopSequence ?? null }
      yield { type: 'message_delta', delta, usage }
      yield { type: 'message_stop' }
    } finally {
      await reply.close()
      const { input: inputTokens, cached: cachedInputTokens, output: outputTokens } = counts()
      const milliseconds = this.#now().getTime() - started.getTime()
      const call = { baseUrl: this.#baseUrl, model, inputTokens, cachedInputTokens, outputTokens, milliseconds }
      context.trace?.answered(call)
    }
  }

  async #open(
    request: MessagesRequest,
    model: string,
    context: UpstreamContext,
    stop: AbortController,
  ): Promise<OpenReply> {
    const { silenceMs = defaultSilenceMs, tailMs = 5000 } = this.#options
    const call = new AdaptiveCall({
      client: this.#client,
      capabilities: this.#capabilities,
      baseUrl: this.#baseUrl,
      kind: this.#kind,
      provider: this.#options,
      model,
      cacheKey: await cacheKeyOf(request),
      silenceMs,
      tailMs,
      newToolId: () => `toolu_${this.#newId()}`,
      note: (message, error) => context.trace?.note(message, error),
    })
    return call.open(request, stop)
  }

  #messageStart(model: string, counts: TokenCounts): MessagesEvent {
    const head = { id: `msg_${this.#newId()}`, type: 'message', role: 'assistant', model } as const
    const usage = toMessageUsage(counts)
    return { type: 'message_start', message: { ...head, content: [], stop_reason: null, stop_sequence: null, usage } }
  }

  #explain(error: unknown): UpstreamError {
    if (!(error instanceof ProviderReplyError)) return toUpstreamError(error)
    return explainProvider(error.failure, new URL(this.#baseUrl).host, this.#options.key)
  }
}

const defaultSilenceMs = 600_000

function closed(): UpstreamError {
  return new UpstreamError(503, 'The gateway is shutting down.')
}

function randomId(): string {
  return crypto.randomUUID().replaceAll('-', '')
}
