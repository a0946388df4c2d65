import { RunningWork } from '@csp/lib/abort'
import { sha256 } from '@csp/lib/bytes'
import type { Fetch } from '@csp/lib/http-client'
import { plainUrl } from '@csp/lib/url'
import { estimateInputTokens } from '@csp/messages-api/estimate'
import type { MessagesEvent } from '@csp/messages-api/events'
import type { MessagesRequest } from '@csp/messages-api/request'
import { abortedCall, shuttingDown, toUpstreamError, UpstreamError } from '@csp/messages-api/upstream-error'
import { withoutVolatileText } from '@csp/messages-api/volatile'
import { type BodyFields, withBodyFields } from '../body-fields.ts'
import { explain } from '../catalogue/explain.ts'
import type { Upstream, UpstreamContext } from '../upstream.ts'
import { AdaptiveCall, type OpenReply } from './adaptive-call.ts'
import { LearnedCapabilities } from './capabilities.ts'
import { ProviderClient } from './provider-client.ts'
import { ProviderReplyError } from './provider-error.ts'
import { type TokenCounts, toMessageUsage } from './reply/token-counts.ts'
import { checkVendorTools } from './request/vendor-tools.ts'
import { ToolNames } from './tool-names.ts'
import type { ProviderBody, Wire } from './wire.ts'

export interface TranslatedOptions {
  readonly name: string
  /** The base URL of an API of OpenAI's kind, such as `https://openrouter.ai/api/v1`. */
  readonly baseUrl: string
  readonly key?: string | undefined
  /** Headers beside that of the key. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** What no error repeats, beside the key. */
  readonly secrets?: readonly string[] | undefined
  /** Fields that every body gets last; `null` takes one out. */
  readonly body?: BodyFields | undefined
  /** Shared by upstreams, or one of its own that forgets with the process. */
  readonly capabilities?: LearnedCapabilities | undefined
  /** For the head of a reply, and between two pieces of it; 10 minutes by default: a local model reads a long prompt slowly. */
  readonly silenceMs?: number | undefined
  /** After the reply has ended, for its usage; 5 s by default. */
  readonly tailMs?: number | undefined
  readonly fetch?: Fetch | undefined
  /** The random part of an id. */
  readonly newId?: (() => string) | undefined
}

/** A model behind an API that csp translates to. */
export function translated<Body extends ProviderBody, Item>(
  wire: Wire<Body, Item>,
  options: TranslatedOptions,
): Upstream {
  const { body: fields } = options
  if (!fields) return new TranslatedUpstream(wire, options)
  const withFields: typeof wire = {
    ...wire,
    body: (request, given) => withBodyFields(wire.body(request, given), fields, given.without),
  }
  return new TranslatedUpstream(withFields, options)
}

class TranslatedUpstream<Body extends ProviderBody, Item> implements Upstream {
  readonly name: string
  readonly #wire: Wire<Body, Item>
  readonly #options: TranslatedOptions
  readonly #baseUrl: string
  readonly #capabilities: LearnedCapabilities
  readonly #client: ProviderClient<Item>
  readonly #newId: () => string
  readonly #calls = new RunningWork(shuttingDown)

  constructor(wire: Wire<Body, Item>, options: TranslatedOptions) {
    const { baseUrl, key, headers, capabilities, silenceMs = defaultSilenceMs } = options
    const { newId = randomId, fetch: fetchWith = (url, init) => fetch(url, init) } = options
    this.name = options.name
    this.#wire = wire
    this.#options = options
    this.#baseUrl = plainUrl(baseUrl)
    this.#capabilities = capabilities ?? new LearnedCapabilities()
    this.#newId = newId
    const all = { ...(key && { authorization: `Bearer ${key}` }), ...headers }
    const { path, item } = wire
    this.#client = new ProviderClient({ baseUrl, path, item, headers: all, silenceMs, fetch: fetchWith })
  }

  async *send(request: MessagesRequest, context: UpstreamContext): AsyncGenerator<MessagesEvent, void, undefined> {
    const { signal } = context
    if (signal.aborted) throw abortedCall(signal)
    const call = this.#calls.begin(signal)
    try {
      yield* this.#reply(withoutVolatileText(request), context, call.signal)
    } catch (error) {
      throw call.signal.aborted ? abortedCall(call.signal) : this.#explain(error)
    } finally {
      call.end()
    }
  }

  async countTokens(request: MessagesRequest, { signal, model: asked }: UpstreamContext): Promise<number | undefined> {
    const { count } = this.#wire
    if (!count || this.#calls.isClosed) return undefined
    const model = asked ?? request.model
    const options = { model, thinker: { baseUrl: this.#baseUrl, model }, without: nothing, names: new ToolNames() }
    const body = count.body(withoutVolatileText(request), options)
    return count.read(await this.#client.ask(count.path, JSON.stringify(body), signal))
  }

  async close(): Promise<void> {
    this.#calls.close()
  }

  async *#reply(
    request: MessagesRequest,
    context: UpstreamContext,
    signal: AbortSignal,
  ): AsyncGenerator<MessagesEvent, void, undefined> {
    checkStopSequences(request.stop_sequences ?? [])
    checkVendorTools(request)
    const started = Date.now()
    const model = context.model ?? request.model
    const estimate = estimateInputTokens(request)
    const reply = await this.#open(request, model, estimate, context, signal)
    const { parser } = reply
    const counts = (): TokenCounts => parser.counts(estimate)
    try {
      yield this.#messageStart(request.model, { ...counts(), output: 0 })
      yield { type: 'ping' }
      yield* reply.events()
      const usage = toMessageUsage(counts())
      const delta = { stop_reason: parser.stopReason, stop_sequence: parser.stopSequence ?? null }
      yield { type: 'message_delta', delta, usage }
      yield { type: 'message_stop' }
    } finally {
      await reply.close()
      const { input: inputTokens, cached: cachedInputTokens, output: outputTokens } = counts()
      const milliseconds = Date.now() - started
      const call = { baseUrl: this.#baseUrl, model, inputTokens, cachedInputTokens, outputTokens, milliseconds }
      context.trace?.answered(call)
    }
  }

  async #open(
    request: MessagesRequest,
    model: string,
    promptTokens: number,
    context: UpstreamContext,
    signal: AbortSignal,
  ): Promise<OpenReply<Item>> {
    const { silenceMs = defaultSilenceMs, tailMs = 5000 } = this.#options
    const call = new AdaptiveCall({
      wire: this.#wire,
      client: this.#client,
      capabilities: this.#capabilities,
      thinker: { baseUrl: this.#baseUrl, model },
      cacheKey: await cacheKeyOf(request),
      promptTokens,
      silenceMs,
      tailMs,
      newId: this.#newId,
      note: (message, error) => context.trace?.note(message, error),
    })
    return call.open(request, signal)
  }

  #messageStart(model: string, counts: TokenCounts): MessagesEvent {
    const head = { id: `msg_${this.#newId()}`, type: 'message', role: 'assistant', model } as const
    const usage = toMessageUsage(counts)
    return { type: 'message_start', message: { ...head, content: [], stop_reason: null, stop_sequence: null, usage } }
  }

  #explain(error: unknown): UpstreamError {
    if (!(error instanceof ProviderReplyError)) return toUpstreamError(error)
    const { key, secrets } = this.#options
    return explain(error.failure, { name: new URL(this.#baseUrl).host, isNamed: true, key, secrets })
  }
}

const defaultSilenceMs = 600_000
const nothing: ReadonlySet<string> = new Set()

function randomId(): string {
  return crypto.randomUUID().replaceAll('-', '')
}

/** Refuses stop sequences that take long to look for. */
function checkStopSequences(sequences: readonly string[]): void {
  if (sequences.length > maxSequences) {
    throw new UpstreamError(400, `stop_sequences: must be at most ${maxSequences}, not ${sequences.length}`)
  }
  const index = sequences.findIndex(({ length }) => length > maxLength)
  if (index >= 0) throw new UpstreamError(400, `stop_sequences.${index}: must have at most ${maxLength} characters`)
}

const maxSequences = 64
const maxLength = 200

/** A key for the provider's cache of prompts: of the session, which it does not name. */
async function cacheKeyOf({ metadata }: MessagesRequest): Promise<string | undefined> {
  if (!metadata?.user_id) return undefined
  return (await sha256(metadata.user_id)).slice(0, 32)
}
