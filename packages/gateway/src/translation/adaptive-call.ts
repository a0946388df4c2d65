import type { MessagesEvent } from '@csp/messages-api/events'
import type { MessagesRequest } from '@csp/messages-api/request'
import { UpstreamError } from '@csp/messages-api/upstream-error'
import { adapting } from './adapting.ts'
import { CallIds } from './call-ids.ts'
import type { LearnedCapabilities } from './capabilities.ts'
import type { ProviderClient } from './provider-client.ts'
import { ToolNames } from './tool-names.ts'
import type { ProviderBody, ReasoningOrigin, Wire, WireParser } from './wire.ts'

export interface AdaptiveCallOptions<Body extends ProviderBody, Item> {
  readonly wire: Wire<Body, Item>
  readonly client: ProviderClient<Item>
  readonly capabilities: LearnedCapabilities
  /** The base URL and the provider's name of the model. */
  readonly thinker: ReasoningOrigin
  readonly cacheKey: string | undefined
  /** About how many tokens the prompt has. */
  readonly promptTokens: number
  readonly silenceMs: number
  readonly tailMs: number
  /** The random part of an id. */
  readonly newId: () => string
  readonly note: (message: string, error?: unknown) => void
}

/** A reply that has begun. */
export interface OpenReply<Item> {
  readonly parser: WireParser<Item>
  /** The events of its blocks, once. Throws when it breaks off or has no end. */
  events(): AsyncGenerator<MessagesEvent, void, undefined>
  /** Gives up what is left of it. */
  close(): Promise<void>
}

/**
 * One call of a model that finds out what the model takes. What is refused is left out, and the request is sent again, all
 * before the first byte of the reply; what helped is remembered once the reply has begun.
 */
export class AdaptiveCall<Body extends ProviderBody, Item> {
  readonly #options: AdaptiveCallOptions<Body, Item>
  readonly #names = new ToolNames()

  constructor(options: AdaptiveCallOptions<Body, Item>) {
    this.#options = options
  }

  async open(request: MessagesRequest, signal: AbortSignal): Promise<OpenReply<Item>> {
    const { wire, capabilities, thinker, cacheKey, promptTokens, note } = this.#options
    return adapting({
      capabilities,
      place: this.#place,
      model: thinker.model,
      body: ({ without, maxTokens }) =>
        wire.body(request, { model: thinker.model, thinker, without, maxTokens, names: this.#names, cacheKey }),
      asked: askedTokens,
      refused: wire.refused,
      begin: (body) => this.#begin(request, body, signal),
      promptTokens: () => promptTokens,
      signal,
      note: (message, error) => note(`capabilities of ${thinker.model} at ${this.#place}: ${message}`, error),
    })
  }

  /** Sends the request and reads up to the first piece of content: until then the call may be repeated. */
  async #begin(request: MessagesRequest, body: Body, signal: AbortSignal): Promise<OpenReply<Item>> {
    const { wire, client, thinker, silenceMs, tailMs, newId, note } = this.#options
    const toolName = (name: string) => this.#names.fromProvider(name)
    const calls = new CallIds(request, newId)
    const parser = wire.parser({
      request,
      body,
      thinker,
      toolName,
      calls,
      note,
      onFeature: (name) => void this.#learn(name),
    })
    const items = client.send(JSON.stringify(body), signal, () => (parser.isFinished ? tailMs : silenceMs))
    const first: MessagesEvent[] = []
    let hasEnd = false
    try {
      while (!hasEnd && !parser.hasContent && !parser.isFinished) {
        const { done, value } = await items.next()
        if (done) throw brokenOff()
        if (value === 'end') hasEnd = true
        else first.push(...parser.read(value.item))
      }
    } catch (error) {
      await items.return()
      throw error
    }
    return {
      parser,
      events: () => eventsOf(parser, first, hasEnd ? undefined : items),
      close: async () => {
        await items.return()
      },
    }
  }

  async #learn(feature: string): Promise<void> {
    const { capabilities, thinker, note } = this.#options
    const baseUrl = this.#place
    const { model } = thinker
    try {
      const known = await capabilities.refusedBy(baseUrl, model)
      if (!known?.includes(feature)) await capabilities.learn({ baseUrl, model, refused: [feature] })
    } catch (error) {
      note('capabilities cannot be kept', error)
    }
  }

  /** One server may have several APIs, and a model refuses other things in each. */
  get #place(): string {
    const { wire, thinker } = this.#options
    return wire.path === '/chat/completions' ? thinker.baseUrl : thinker.baseUrl + wire.path
  }
}

function askedTokens(body: ProviderBody): number | undefined {
  const asked = body['max_completion_tokens'] ?? body['max_tokens'] ?? body['max_output_tokens']
  return typeof asked === 'number' ? asked : undefined
}

async function* eventsOf<Item>(
  parser: WireParser<Item>,
  first: readonly MessagesEvent[],
  items: ReturnType<ProviderClient<Item>['send']> | undefined,
): AsyncGenerator<MessagesEvent, void, undefined> {
  yield* first
  let hasEnd = items === undefined || parser.isOver
  try {
    for await (const item of hasEnd ? [] : (items ?? [])) {
      if (item === 'end') hasEnd = true
      else yield* parser.read(item.item)
      if (parser.isOver) break
    }
  } catch (error) {
    // The message is whole. Only its usage may be missing.
    if (!parser.isFinished) throw error
  }
  // A provider that says that it has ended, and not why, has ended by itself.
  const isWhole = parser.isFinished || parser.isOver || (hasEnd && parser.hasContent)
  if (!isWhole) throw brokenOff()
  yield* parser.end()
}

function brokenOff(): UpstreamError {
  return new UpstreamError(502, 'The provider broke off its reply.')
}
