import type { MessagesEvent } from '../messages/events.ts'
import type { MessagesRequest } from '../messages/request.ts'
import { UpstreamError } from '../upstream-error.ts'
import type { LearnedCapabilities } from './capabilities.ts'
import type { ChatClient, ChatItem } from './chat-client.ts'
import type { ProviderKind, ProviderOptions } from './provider.ts'
import { ProviderReplyError } from './provider-error.ts'
import { refusedFeature } from './refusal.ts'
import { ReplyReader } from './reply/reply-reader.ts'
import { type ChatBody, chatBody } from './request/body.ts'
import { readSignature, signThought } from './signature.ts'
import { toldTokenLimit } from './token-limit.ts'
import { ToolNames } from './tool-names.ts'

export interface AdaptiveCallOptions {
  readonly client: ChatClient
  readonly capabilities: LearnedCapabilities
  readonly baseUrl: string
  readonly kind: ProviderKind
  readonly provider: ProviderOptions
  readonly model: string
  readonly cacheKey: string | undefined
  readonly silenceMs: number
  readonly tailMs: number
  readonly newToolId: () => string
  readonly note: (message: string, error?: unknown) => void
}

/** A reply that has begun. */
export interface OpenReply {
  readonly reader: ReplyReader
  /** The events of its blocks, once. Throws when it breaks off or has no end. */
  events(): AsyncGenerator<MessagesEvent, void, undefined>
  /** Gives up what is left of it. */
  close(): Promise<void>
}

/**
 * One call of a model that finds out what the model takes. What is refused is left out, and the request is sent again, all
 * before the first byte of the reply; what helped is remembered once the reply has begun.
 */
export class AdaptiveCall {
  readonly #options: AdaptiveCallOptions
  readonly #names = new ToolNames()

  constructor(options: AdaptiveCallOptions) {
    this.#options = options
  }

  async open(request: MessagesRequest, stop: AbortController): Promise<OpenReply> {
    const known = await this.#known()
    const without = new Set(known)
    let maxTokens = knownLimit(without)
    for (let attempt = 1; ; attempt++) {
      const body = this.#body(request, without, maxTokens)
      try {
        const reply = await this.#begin(request, body, stop)
        if (!known || without.size > known.length) await this.#learn([...without])
        return reply
      } catch (error) {
        if (!(error instanceof ProviderReplyError) || attempt === maxAttempts || stop.signal.aborted) throw error
        const limit = toldTokenLimit(error.failure, askedTokens(body))
        if (limit) {
          maxTokens = limit.tokens
          if (limit.isOfModel) without.add(limitPrefix + limit.tokens)
          this.#note(`writes at most ${limit.tokens} tokens, asked again`)
          continue
        }
        const refused = refusedFeature(error.failure, body)
        if (refused === undefined || without.has(refused)) throw error
        this.#note(`refused ${refused}, asked again without`)
        without.add(refused)
      }
    }
  }

  #body(request: MessagesRequest, without: ReadonlySet<string>, maxTokens: number | undefined): ChatBody {
    const { kind, provider, model, cacheKey, baseUrl } = this.#options
    return chatBody(request, {
      kind,
      provider,
      model,
      without,
      maxTokens,
      names: this.#names,
      readThought: (thinking, signature) => readSignature(signature, thinking, { baseUrl, model }),
      cacheKey,
    })
  }

  /** Sends the request and reads up to the first piece of content: until then the call may be repeated. */
  async #begin(request: MessagesRequest, body: ChatBody, stop: AbortController): Promise<OpenReply> {
    const { client, silenceMs, tailMs, newToolId, note, baseUrl, model } = this.#options
    const reader = new ReplyReader({
      sign: (thought, thinking) => signThought(thought, thinking, { baseUrl, model }),
      toolName: (name) => this.#names.fromProvider(name),
      newToolId,
      stopSequences: (request.stop_sequences ?? []).filter((sequence) => !isAmong(body['stop'], sequence)),
      note,
    })
    const items = client.send(body, stop, () => (reader.finishReason === undefined ? silenceMs : tailMs))
    const first: MessagesEvent[] = []
    let hasEnd = false
    try {
      while (!hasEnd && !reader.hasContent && reader.finishReason === undefined) {
        const { done, value } = await items.next()
        if (done) throw brokenOff(stop.signal)
        if (value === 'end') hasEnd = true
        else first.push(...reader.read(value))
      }
    } catch (error) {
      await items.return()
      throw error
    }
    return {
      reader,
      events: () => eventsOf(reader, first, hasEnd ? undefined : items, stop.signal),
      close: async () => {
        await items.return()
      },
    }
  }

  async #known(): Promise<readonly string[] | undefined> {
    const { capabilities, baseUrl, model } = this.#options
    try {
      const known = await capabilities.refusedBy(baseUrl, model)
      this.#note(known ? `HIT${known.length > 0 ? `, without ${known.join(', ')}` : ''}` : 'MISS')
      return known
    } catch (error) {
      this.#note('cannot be read', error)
      return undefined
    }
  }

  async #learn(refused: readonly string[]): Promise<void> {
    const { capabilities, baseUrl, model } = this.#options
    this.#note(`learned${refused.length > 0 ? `, without ${refused.join(', ')}` : ''}`)
    await capabilities.learn({ baseUrl, model, refused }).catch((error: unknown) => this.#note('cannot be kept', error))
  }

  #note(message: string, error?: unknown): void {
    const { baseUrl, model, note } = this.#options
    note(`capabilities of ${model} at ${baseUrl}: ${message}`, error)
  }
}

const maxAttempts = 8

/** How a limit of tokens stands among what a model refuses: more than so many. */
const limitPrefix = 'max_tokens>'

function knownLimit(without: ReadonlySet<string>): number | undefined {
  const limits = [...without].flatMap((name) =>
    name.startsWith(limitPrefix) ? [Number(name.slice(limitPrefix.length))] : [],
  )
  return limits.length > 0 ? Math.min(...limits) : undefined
}

function isAmong(values: unknown, value: string): boolean {
  return Array.isArray(values) && values.includes(value)
}

function askedTokens(body: ChatBody): number | undefined {
  const asked = body['max_completion_tokens'] ?? body['max_tokens']
  return typeof asked === 'number' ? asked : undefined
}

async function* eventsOf(
  reader: ReplyReader,
  first: readonly MessagesEvent[],
  items: AsyncGenerator<ChatItem, void, undefined> | undefined,
  signal: AbortSignal,
): AsyncGenerator<MessagesEvent, void, undefined> {
  yield* first
  let hasEnd = items === undefined || reader.stopSequence !== undefined
  try {
    for await (const item of hasEnd ? [] : (items ?? [])) {
      if (item === 'end') hasEnd = true
      else yield* reader.read(item)
      if (reader.stopSequence !== undefined) break
    }
  } catch (error) {
    // The message is whole. Only its usage may be missing.
    if (reader.finishReason === undefined) throw error
  }
  // A provider that says that it has ended, and not why, has ended by itself.
  const isOver = reader.finishReason !== undefined || reader.stopSequence !== undefined || (hasEnd && reader.hasContent)
  if (!isOver) throw brokenOff(signal)
  yield* reader.end()
}

function brokenOff(signal: AbortSignal): unknown {
  return signal.aborted ? signal.reason : new UpstreamError(502, 'The provider broke off its reply.')
}
