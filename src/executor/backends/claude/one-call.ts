import { SearchError } from '../../../domain/error.ts'
import type { SearchEvent, SearchResult } from '../../../domain/search.ts'
import type { TurnCost } from '../../answer/events.ts'
import { ReplySession } from '../../answer/reply-session.ts'
import { isRefusedTool, isRejected } from './cli/errors.ts'
import type { Task } from './engines.ts'
import { nativeSettings } from './native.ts'
import { answererPrompt } from './prompts.ts'
import { Lease } from './worker/pool.ts'
import type { AgentEvent } from './worker/turn.ts'
import { firstTurn, modelEvents } from './worker-reply.ts'

/**
 * An answer in one call of the model: it searches within it, rows come as soon as they are found, then the text with the
 * API's own citations. Returns nothing when it is complete. Where the model did not search, or the API does not let it,
 * nothing was emitted, and it returns what that cost: the answer has to be made in the other way.
 */
export async function* answerInOneCall(task: Task): AsyncGenerator<SearchEvent, TurnCost | undefined, undefined> {
  const { engines, request, shape, tools, caller, enough, signal, trace, pages } = task
  const { native } = engines
  const model = engines.modelFor(request)
  const session = new ReplySession({ request, shape, enough, searchReminder: '' })
  const seen = new Seen(shape === undefined)
  const onEvent = (event: AgentEvent) => {
    seen.read(event)
    if (event.type === 'end' && seen.searches > 0) native.note(model, seen)
  }
  // A fast answer rests on the pages that it cites, which are read anyway.
  const onRows = (rows: readonly SearchResult[]) => {
    if (request.effort !== 'fast') pages?.begin(rows)
  }
  const settings = nativeSettings(request, tools, native.places)
  const prompt = answererPrompt(request, engines.now(), !native.cites(model))
  native.begins(request, model)
  const lease = new Lease(engines.pool, 'answerer', model, caller, engines.answererPrompt(request))
  try {
    const correction = yield* firstTurn(task, session, lease, { prompt, settings, onEvent, onRows })
    if (!correction) return undefined
    if (!correction.startsFresh) {
      const asked = { prompt: correction.prompt, settings, isContinued: true, onEvent, onRows }
      return void (yield* session.lastTurn(modelEvents(task, lease, asked)))
    }
    native.note(model, seen)
    trace?.note('The model answered without a search, so the answer is made in the other way')
    return seen.cost
  } catch (error) {
    const isRefused = isRefusedTool(error)
    if (session.hasEmitted || signal.aborted || !(isRefused || isRejected(error))) throw error
    // The next search goes without the place: the tool itself works.
    if (native.places.note(request.filters, error))
      trace?.note('The API refuses the place of the search', toError(error))
    else if (isRefused) native.noteRefusal(model)
    else native.note(model, seen)
    trace?.note('The API takes no search within a call, so the answer is made in the other way', toError(error))
    return seen.cost
  } finally {
    native.ended(request, model)
    lease.end()
  }
}

function toError(error: unknown): SearchError | undefined {
  return error instanceof SearchError ? error : undefined
}

/** What the turns of an answer have shown. */
class Seen {
  readonly #isProse: boolean
  #length = 0
  #citations = 0
  searches = 0
  resultTokens: number | undefined
  cost: TurnCost = { stopReason: undefined, inputTokens: 0, outputTokens: 0 }

  constructor(isProse: boolean) {
    this.#isProse = isProse
  }

  get cites(): boolean | undefined {
    if (this.#citations > 0) return true
    return this.#isProse && this.#length >= longText ? false : undefined
  }

  read(event: AgentEvent): void {
    if (event.type === 'search-hits') this.searches++
    else if (event.type === 'text-delta') this.#length += event.text.length
    else if (event.type === 'text-cited') this.#citations++
    else if (event.type === 'end') {
      const { inputTokens, outputTokens } = event.result
      this.resultTokens = event.resultTokens
      this.cost = {
        stopReason: undefined,
        inputTokens: this.cost.inputTokens + inputTokens,
        outputTokens: this.cost.outputTokens + outputTokens,
      }
    }
  }
}

/** In characters. A text so long cites something, if it can. */
const longText = 500
