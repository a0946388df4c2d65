import type { MessagesEvent, StopReason } from '@csp/messages-api/events'
import type { MessagesRequest } from '@csp/messages-api/request'
import type { Refusal, Refused } from './adapting.ts'
import type { CallIds } from './call-ids.ts'
import type { TokenCounts } from './reply/token-counts.ts'
import type { ToolNames } from './tool-names.ts'

/** One API of OpenAI's kind, both ways: a request of the Messages API there, a reply back. Holds nothing of a call. */
export interface Wire<Body extends ProviderBody, Item> {
  /** Below a base URL. */
  readonly path: string
  body(request: MessagesRequest, options: BodyOptions): Body
  /** Reads the data of an event, or a reply that does not stream. Throws `ProviderReplyError` if it holds an error. */
  item(data: string): Item
  parser(options: ParserOptions<Body>): WireParser<Item>
  /** How the provider counts the tokens of a prompt. Absent if it does not. */
  readonly count?: TokenCounter | undefined
  /** The feature of a body that the provider does not take, if its error says so. */
  refused(refusal: Refusal, body: Body, without: ReadonlySet<string>): Refused | undefined
}

export interface TokenCounter {
  /** Below a base URL. */
  readonly path: string
  body(request: MessagesRequest, options: BodyOptions): unknown
  /** The count in a reply. */
  read(reply: unknown): number | undefined
}

/** The body of a call. Streamed, since a whole reply is the fold of its stream; unless the provider refuses to stream. */
export interface ProviderBody {
  readonly model: string
  readonly stream: boolean
  readonly [parameter: string]: unknown
}

export interface BodyOptions {
  /** The provider's name of the model. */
  readonly model: string
  readonly thinker: ReasoningOrigin
  /** The features that this model at this provider has refused. */
  readonly without: ReadonlySet<string>
  /** The most tokens that the model may write. */
  readonly maxTokens?: number | undefined
  readonly names: ToolNames
  /** The same for every request of a conversation, if known. */
  readonly cacheKey?: string | undefined
}

/** Identifies the model that produced a reasoning block; only that model receives it again. */
export interface ReasoningOrigin {
  readonly baseUrl: string
  readonly model: string
}

export interface ParserOptions<Body> {
  readonly request: MessagesRequest
  readonly body: Body
  readonly thinker: ReasoningOrigin
  /** The caller's name of a tool. */
  readonly toolName: (name: string) => string
  readonly calls: CallIds
  /** Called when a reply shows what later requests have to have. */
  readonly onFeature: (feature: string) => void
  readonly note: (message: string) => void
}

/** Turns the items of one reply into the blocks of a message. */
export interface WireParser<Item> {
  read(item: Item): Iterable<MessagesEvent>
  /** Closes what is open. */
  end(): Iterable<MessagesEvent>
  /** Whether anything has come that is part of a message. */
  readonly hasContent: boolean
  /** Whether the provider has said why its reply ended: what comes then is its usage at most. */
  readonly isFinished: boolean
  /** Whether nothing more is wanted. */
  readonly isOver: boolean
  readonly stopReason: StopReason
  /** The stop sequence at which the reply ended, where csp looked for it. */
  readonly stopSequence: string | undefined
  /** The tokens so far, with the estimate of the input if the provider does not report it. */
  counts(estimatedInput: number): TokenCounts
}
