import type { MessagesEvent } from '@csp/messages-api/events'
import type { MessagesRequest } from '@csp/messages-api/request'
import type { UpstreamError } from '@csp/messages-api/upstream-error'

/**
 * A model behind the Messages API: events of the Messages API; a whole reply is their fold.
 *
 * Contract, checked by `packages/gateway/test/contract/upstream.ts` for every implementation:
 * - Lazy and single use: nothing starts before the first `next()`, and each call of `send` returns a fresh iterable.
 * - It always streams, whatever `request.stream` says, and leaves the request as it is.
 * - Events come in the order that `MessagesEvent` names: `message_start` first, indices from 0 without gaps, a block closed
 *   before the next begins, `message_stop` once and last.
 * - The message names the model of the request (`context.model` is what the provider calls it).
 * - Failure throws an `UpstreamError`, and nothing follows it. Until the first event nothing has been promised: its status,
 *   type and `retryAfterSeconds` are the provider's. A reply that breaks off or has no end is a failure.
 * - When the signal aborts, or the consumer returns early, the provider's call has been given up before the iterator settles.
 *   An abort throws status 499, or 504 when the signal's reason is a `TimeoutError`.
 */
export interface Upstream {
  readonly name: string
  /** Sends a request and streams the reply's events. Nothing happens before the first `next()`. */
  send(request: MessagesRequest, context: UpstreamContext): AsyncIterable<MessagesEvent>
  /**
   * The provider's own count of a prompt's tokens, which costs none; `undefined` if it does not tell. Absent if it has no
   * such thing.
   */
  countTokens?(request: MessagesRequest, context: UpstreamContext): Promise<number | undefined>
  /** Gives up what is running. Calls after it fail. Idempotent. */
  close(): Promise<void>
}

/** The circumstances of a request: who asks, when to stop, what to log. */
export interface UpstreamContext {
  readonly signal: AbortSignal
  /** The provider's name of the model. By default the one in the request. */
  readonly model?: string | undefined
  /** Who asks, so that callers take turns where they have to wait. */
  readonly caller?: string | undefined
  /** The request's `anthropic-version` and `anthropic-beta`, for upstreams that speak the Messages API. */
  readonly headers?: Headers | undefined
  /** Receives what happens during the call, for the log. */
  readonly trace?: UpstreamTrace | undefined
}

/** Receives what happens during a call, for the log. */
export interface UpstreamTrace {
  /** Something that only debugging needs, with the error that caused it. Holds no key and nothing of the conversation. */
  note(message: string, error?: unknown): void
  /** The provider has replied, whole or up to where it failed. Called once for each reply that began. */
  answered(call: UpstreamCall): void
  /** A stream that passes through ends with an error event. */
  brokeOff?(error: UpstreamError): void
}

/** The cost of one reply of a provider, in tokens and time. */
export interface UpstreamCall {
  /** The upstream's name; absent if it stands in no stack. */
  readonly upstream?: string | undefined
  readonly baseUrl: string
  /** The provider's name of it. */
  readonly model: string
  /** All of the prompt, cached or not. */
  readonly inputTokens: number
  readonly cachedInputTokens: number
  readonly outputTokens: number
  /** From sending the request to the end of the reply. */
  readonly milliseconds: number
}
