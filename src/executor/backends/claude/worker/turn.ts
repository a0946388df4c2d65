import type { SearchError } from '../../../../domain/error.ts'
import type { RateLimitHealth } from '../../../../domain/health.ts'
import type { ClientTools } from '../../../answer/client-tools.ts'
import { searchToolError } from '../../../answer/errors.ts'
import { type NativeFound, type NativeHit, nativeCitations } from '../../../answer/native-search.ts'
import { withoutJoiners } from '../../../answer/prompt/fence.ts'
import type { SearchTrace } from '../../../executor.ts'
import { brokenOff, explainFailure } from '../cli/errors.ts'
import type { ToolOutput } from '../search-output.ts'
import type { TurnSettings } from './controls.ts'
import type { CliEvent, TurnResult } from './events.ts'
import type { Worker } from './worker.ts'

/** An event of a worker's turn, as a search sees it. */
export type AgentEvent =
  | { readonly type: 'search-start'; readonly id: string; readonly query: string }
  | { readonly type: 'search-output'; readonly id: string; readonly output: ToolOutput }
  /** Of a search that the API made within the message. */
  | { readonly type: 'search-hits'; readonly id: string; readonly hits: readonly NativeHit[] }
  | { readonly type: 'search-failed'; readonly id: string; readonly error: SearchError }
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'text-cited'; readonly url: string; readonly words: string }
  | { readonly type: 'tool-call-start'; readonly id: string; readonly name: string }
  | { readonly type: 'tool-call-delta'; readonly id: string; readonly arguments: string }
  | {
      readonly type: 'end'
      readonly result: TurnResult
      readonly model: string
      /** What the results of its one search weigh, in tokens. Absent where that cannot be told. */
      readonly resultTokens?: number | undefined
    }

export interface TurnOptions {
  readonly prompt: string
  readonly model: string
  /** The caller's. The turn ends with the message that calls them. */
  readonly tools: ClientTools | undefined
  readonly signal: AbortSignal
  /** What the worker's CLI works with in this turn; absent where its kind has none. */
  readonly settings?: TurnSettings | undefined
  /** Ends the turn early, without a failure: only its `end` follows. */
  readonly enough: AbortSignal
  /** Whether a message is passed on only when the model has ended it, so that one that breaks off leaves nothing. */
  readonly holdsMessages?: boolean | undefined
  /** Whether the reply has searched in an earlier turn. */
  readonly isContinued?: boolean | undefined
  readonly now: () => Date
  readonly onRateLimit: (limit: RateLimitHealth) => void
  /** Where each message of the model is noted, and each search, which is a model call of its own. */
  readonly trace?: SearchTrace | undefined
}

/** Runs one prompt on a worker. Throws a `SearchError` when the turn fails; otherwise the last event is `end`. */
export async function* runTurn(worker: Worker, options: TurnOptions): AsyncGenerator<AgentEvent, void, undefined> {
  const { prompt, enough } = options
  const turn = new Turn(worker, options)
  const leave = () => turn.leave()
  enough.addEventListener('abort', leave)
  try {
    for await (const event of worker.turn(prompt, options)) yield* turn.read(event)
  } finally {
    enough.removeEventListener('abort', leave)
  }
}

/** The state between the events of a turn. */
class Turn {
  readonly #worker: Worker
  readonly #options: TurnOptions
  readonly #searches = new Set<string>()
  /** The calls of the caller's tools in the current message, by block. */
  readonly #calls = new Map<number, { readonly id: string; isEmpty: boolean }>()
  /** What the texts in the current message rest on, by block. */
  readonly #cited = new Map<number, unknown[]>()
  /** What the message that is being written has said, where it is held. */
  readonly #held: AgentEvent[] = []
  #message: 'ended' | 'open' | 'broken' = 'ended'
  /** Whether text or a call of the open message stands somewhere: at the consumer, or in the CLI's conversation. */
  #isLeftOver = false
  /** Whether the consumer has text or a call of this turn. */
  #hasSaid = false
  /** Whether the API has searched within the open message. */
  #hasSearched = false
  /** Whether the API has found something within a message of this reply. */
  #hasFound: boolean
  readonly #weight = new ResultWeight()
  #stopReason = ''
  /** Whether the open message has text. */
  #hasText = false
  /** In the messages that have ended. */
  #wroteText = false
  #betweenMessages = false
  #hasLeft = false
  #limit: RateLimitHealth | undefined

  constructor(worker: Worker, options: TurnOptions) {
    this.#worker = worker
    this.#options = options
    this.#hasFound = options.isContinued ?? false
  }

  /** Skips the rest of this turn up to its end. */
  leave(): void {
    this.#hasLeft = true
    this.#worker.interrupt()
  }

  *read(event: CliEvent): Generator<AgentEvent> {
    if (event.type === 'rate-limit') {
      this.#limit = event.limit
      this.#options.onRateLimit(event.limit)
    } else if (event.type === 'result') yield* this.#finish(event.result)
    else if (!this.#hasLeft) yield* this.#readMessage(event)
  }

  *#readMessage(event: CliEvent): Generator<AgentEvent> {
    switch (event.type) {
      case 'message-start':
        if (this.#hasEnough) return this.#leaveOver()
        this.#dropBroken()
        this.#weight.begin(event.inputTokens)
        this.#open()
        break
      case 'retry':
        // The result of a search that the CLI runs, while a message is still open.
        if (this.#message === 'broken' && this.#hasEnough) this.#leaveOver()
        else if (this.#message === 'broken') this.#dropBroken()
        break
      case 'text-delta':
        yield* this.#say({
          type: 'text-delta',
          text: withoutJoiners(this.#betweenMessages ? `\n\n${event.text}` : event.text),
        })
        this.#betweenMessages = false
        this.#hasText = true
        break
      case 'text-kept':
        this.#isLeftOver = true
        break
      case 'native-search':
        this.#betweenMessages ||= this.#hasText
        yield { type: 'search-start', id: event.id, query: withoutJoiners(event.query) }
        break
      case 'native-found':
        yield this.#readFound(event.found)
        break
      case 'citation':
        this.#cited.set(event.index, [...(this.#cited.get(event.index) ?? []), event.citation])
        break
      case 'tool-use':
        if (event.name !== 'WebSearch') break
        this.#searches.add(event.id)
        yield { type: 'search-start', id: event.id, query: withoutJoiners(event.query) }
        break
      case 'tool-result':
        if (!this.#searches.has(event.id)) break
        this.#options.trace?.modelCalled()
        yield* this.#readSearch(event.id, event.output)
        break
      case 'message-end':
        this.#message = 'ended'
        this.#stopReason = event.stopReason
        this.#weight.end(event.inputTokens)
        this.#wroteText ||= this.#hasText
        this.#hasSaid ||= this.#held.length > 0
        yield* this.#held.splice(0)
        // The CLI asks once more by itself, but a refusal stands.
        if (event.stopReason === refusal) this.leave()
        // And where there is no text, which would be another search.
        else if (event.stopReason !== pauseTurn && this.#hasSearched && !this.#hasSaid) this.#leaveOver()
        break
      case 'message-stop':
        if (this.#message === 'open') this.#breakOff()
        // The CLI sends each call as soon as it is written, and waits for the answer: the message is complete by now.
        else if (this.#calls.size > 0) this.leave()
        break
      case 'block-stop':
        for (const cited of nativeCitations(this.#cited.get(event.index) ?? []))
          yield* this.#say({ type: 'text-cited', ...cited })
        yield* this.#readCall(event)
        break
      default:
        yield* this.#readCall(event)
    }
  }

  /** Rows are passed on at once, also where text is held: their pages are read while it is written. */
  #readFound(found: NativeFound): AgentEvent {
    if ('code' in found) return { type: 'search-failed', id: found.id, error: searchToolError(found.code) }
    if (!this.#hasFound && this.#calls.size === 0) this.#forgetAnnouncement()
    this.#hasFound = true
    this.#hasSearched = true
    this.#weight.searched()
    return { type: 'search-hits', ...found }
  }

  /** What a model says before its first search rests on nothing, and is no part of the answer. */
  #forgetAnnouncement(): void {
    this.#held.length = 0
    this.#hasSaid = false
    this.#isLeftOver = false
    this.#hasText = false
    this.#betweenMessages = false
  }

  #open(): void {
    this.#options.trace?.modelCalled()
    this.#message = 'open'
    this.#isLeftOver = false
    this.#hasSearched = false
    this.#cited.clear()
    this.#hasText = false
    // A text that reached its limit, or was paused, continues where it ended.
    this.#betweenMessages = this.#wroteText && !goesOn.includes(this.#stopReason)
  }

  *#say(event: AgentEvent): Generator<AgentEvent> {
    if (this.#options.holdsMessages) return void this.#held.push(event)
    this.#isLeftOver = true
    this.#hasSaid = true
    yield event
  }

  /**
   * A message broke off. The CLI asks for it again within a moment: one that has searched is left, since that would be
   * another search.
   */
  #breakOff(): void {
    this.#message = 'broken'
    if (this.#hasEnough) this.#leaveOver()
    else if (this.#hasSearched) this.#dropBroken()
  }

  /** Forgets a message that broke off, for the CLI to ask for it again. Throws if a part of it would stay. */
  #dropBroken(): void {
    if (this.#message === 'ended') return
    if (this.#isLeftOver) throw brokenOff()
    this.#message = 'broken'
    this.#held.length = 0
    this.#calls.clear()
  }

  /** Whether the open message has searched, and nothing was said: what was found can be written over. */
  get #hasEnough(): boolean {
    return this.#message !== 'ended' && this.#hasSearched && !this.#hasSaid
  }

  /** Leaves a message that broke off behind its search, for what it has found. */
  #leaveOver(): void {
    this.#stopReason = unfinished
    this.leave()
  }

  *#readCall(event: CliEvent): Generator<AgentEvent> {
    if (event.type === 'call-start') {
      const name = this.#options.tools?.nameOf(event.name)
      if (name === undefined) return
      this.#calls.set(event.index, { id: event.id, isEmpty: true })
      yield* this.#say({ type: 'tool-call-start', id: event.id, name })
    } else if (event.type === 'call-delta' || event.type === 'block-stop') {
      const call = this.#calls.get(event.index)
      const json = event.type === 'call-delta' ? withoutJoiners(event.json) : call?.isEmpty && '{}'
      if (!call || !json) return
      call.isEmpty = false
      yield* this.#say({ type: 'tool-call-delta', id: call.id, arguments: json })
    }
  }

  /** A failed search does not fail the turn: the model continues without it, and may search again. */
  *#readSearch(id: string, output: ToolOutput | string | undefined): Generator<AgentEvent> {
    if (typeof output === 'string') {
      const error = explainFailure({ text: output, resetsAt: this.#resetsAt }, this.#options.now())
      yield { type: 'search-failed', id, error }
    } else if (output?.error) yield { type: 'search-failed', id, error: searchToolError(output.error) }
    else if (output?.searched) yield { type: 'search-output', id, output }
  }

  *#finish(result: TurnResult): Generator<AgentEvent> {
    const { failed, text, apiStatus, stopReason = '' } = result
    if (!this.#hasLeft && this.#hasEnough) this.#stopReason = unfinished
    const isOver = this.#hasLeft || this.#stopReason === unfinished || this.#stopReason === pauseTurn
    if (failed && !endsOfText.includes(stopReason) && !isOver) {
      throw explainFailure({ text, apiStatus, resetsAt: this.#resetsAt }, this.#options.now())
    }
    if (!isOver) this.#dropBroken()
    // Without partial messages, or after they broke off, the CLI still sends the whole text at the end.
    const isUnsent = (!this.#wroteText || this.#message === 'broken') && text !== '' && !failed && !isOver
    if (isUnsent) yield { type: 'text-delta', text: withoutJoiners(text) }
    // A turn that was left has the stop reason of the interruption, if any.
    const ended = ownEnds.includes(this.#stopReason) ? { ...result, stopReason: this.#stopReason } : result
    yield { type: 'end', result: ended, model: this.#worker.model, resultTokens: this.#weight.tokens }
  }

  /** When the limit that was reached ends. Earlier reports may be about another limit. */
  get #resetsAt(): Date | undefined {
    const { status, resetsAt } = this.#limit ?? {}
    return status === 'rejected' && resetsAt !== undefined ? new Date(resetsAt) : undefined
  }
}

/**
 * What the results of a search within a message weigh. The prompt counts in each reading of the model, the results in the
 * one that follows them: the sum is twice the prompt and once the results.
 */
class ResultWeight {
  #messages = 0
  #searches = 0
  #prompt = 0
  #read = 0

  begin(inputTokens = 0): void {
    this.#messages++
    this.#prompt = inputTokens
  }

  searched(): void {
    this.#searches++
  }

  end(inputTokens = 0): void {
    this.#read = inputTokens
  }

  /** Known of a turn that was one message with one search. */
  get tokens(): number | undefined {
    const tokens = this.#read - 2 * this.#prompt
    return this.#messages === 1 && this.#searches === 1 && this.#prompt > 0 && tokens > 0 ? tokens : undefined
  }
}

/** The API pauses a message with long searches; it is continued with the next turn of the session. */
export const pauseTurn = 'pause_turn'
/** The stop reason of a message that broke off behind its search. */
const unfinished = 'unfinished'
const refusal = 'refusal'
/** Stop reasons that a turn's `result` does not have. */
const ownEnds: readonly string[] = [refusal, pauseTurn, unfinished]
/** Stop reasons that the CLI reports as a failure, although the text is valid. */
const endsOfText: readonly string[] = [refusal, 'max_tokens']
/** Stop reasons of a message whose text the next one continues. */
const goesOn: readonly string[] = ['max_tokens', pauseTurn]
