import { SearchError } from '../../../domain/error.ts'
import type { SearchEvent, SearchEvents, SearchResult } from '../../../domain/search.ts'
import { type AnswerText, GroundedAnswer, PlainAnswer } from '../../answer/answer-text.ts'
import { done, tellSearch } from '../../answer/events.ts'
import { JsonAnswer } from '../../answer/json/json-answer.ts'
import { callReminder, schemaReminder } from '../../answer/prompt/prompt.ts'
import { ungrounded } from './cli/errors.ts'
import type { Task } from './engines.ts'
import { readOutput } from './rows.ts'
import type { Lease } from './worker/lease.ts'
import { type AgentEvent, runTurn } from './worker/turn.ts'

/** What a worker is asked, and what must come of it. */
export interface Errand {
  readonly lease: Lease
  readonly prompt: string
  /** The pages that the prompt brings, and the searches that found them. */
  readonly sources: readonly SearchResult[]
  readonly searches: number
  /** Said to a cleared session when the model answered without a search. Absent: it need not search. */
  readonly insist?: string | undefined
}

/**
 * Has a worker write the reply: text that streams, JSON that fits, or calls of the caller's tools. When the model does
 * not do what it has to, it is told so, once; when it dies before it has told anything, another takes its place, once.
 * It yields a whole reply, `done` included.
 */
export async function* converse(task: Task, errand: Errand): SearchEvents {
  const exchange = new Exchange(task, errand)
  const objection = yield* exchange.firstTurn()
  if (!objection) return
  if (objection.afresh) await errand.lease.worker.clear(task.signal)
  const again = yield* exchange.turn(objection.prompt)
  if (again) throw again.error
}

/** What is wrong with a turn that ended well. */
interface Objection {
  readonly error: SearchError
  /** What to say next, and whether the session is to forget what was said before. */
  readonly prompt: string
  readonly afresh: boolean
}

type End = Extract<AgentEvent, { readonly type: 'end' }>

class Exchange {
  readonly #task: Task
  readonly #errand: Errand
  readonly #mustCall: boolean
  readonly #sources: SearchResult[]
  readonly #queries = new Map<string, string>()
  #searches: number
  #inputTokens = 0
  #outputTokens = 0
  #text: AnswerText
  #unheard = ''
  #hasCalled = false
  #hasTold = false
  #failure: SearchError | undefined

  constructor(task: Task, errand: Errand) {
    const { tools, request } = task
    this.#task = task
    this.#errand = errand
    this.#mustCall = tools !== undefined && (request.toolChoice ?? 'auto') !== 'auto'
    this.#sources = [...errand.sources]
    this.#searches = errand.searches
    this.#text = this.#newText()
  }

  /** The turn with the errand's prompt. Once something was told, nobody can take it back and begin anew. */
  async *firstTurn(): AsyncGenerator<SearchEvent, Objection | undefined, undefined> {
    const { lease, prompt } = this.#errand
    try {
      return yield* this.turn(prompt)
    } catch (error) {
      if (this.#hasTold || lease.worker.alive || this.#task.signal.aborted) throw error
      lease.exchange()
      return yield* this.turn(prompt)
    }
  }

  /** Returns what is wrong with the turn; nothing when the reply is complete. */
  async *turn(prompt: string): AsyncGenerator<SearchEvent, Objection | undefined, undefined> {
    const { engines } = this.#task
    this.#text = this.#newText()
    this.#unheard = ''
    for await (const event of runTurn(this.#errand.lease.worker, engines.turn(this.#task, prompt))) {
      if (event.type !== 'end') yield* this.#read(event)
      else return yield* this.#finish(event)
    }
    throw new SearchError('failed', 'The turn ended without a result.')
  }

  *#read(event: Exclude<AgentEvent, End>): Generator<SearchEvent> {
    for (const told of this.#tell(event)) {
      this.#hasTold = true
      yield told
    }
  }

  *#tell(event: Exclude<AgentEvent, End>): Generator<SearchEvent> {
    switch (event.type) {
      case 'search-start':
        this.#queries.set(event.id, event.query)
        break
      case 'search-output': {
        const { rows } = readOutput(event.output, this.#task.request, this.#task.engines.now())
        this.#searches++
        this.#sources.push(...rows)
        this.#text.addSources(rows)
        yield* tellSearch(event.id, this.#queries.get(event.id) ?? '', rows)
        break
      }
      case 'search-failed':
        this.#failure = event.error
        break
      case 'text-delta':
        yield* this.#write(event.text)
        break
      case 'tool-call-start':
        yield* this.#endText()
        yield event
        break
      case 'tool-call-delta':
        yield event
        break
    }
  }

  /** What is written before the first search rests on nothing; what must be a call waits until it is one. */
  *#write(text: string): Generator<SearchEvent> {
    if (this.#hasCalled || (this.#mustSearch && this.#searches === 0)) return
    if (this.#mustCall) this.#unheard += text
    else yield* this.#text.push(text)
  }

  /** The first call of a tool ends the text. */
  *#endText(): Generator<SearchEvent> {
    if (this.#hasCalled) return
    this.#hasCalled = true
    yield* this.#text.push(this.#unheard)
    yield* this.#text.end()
  }

  *#finish({ result, model }: End): Generator<SearchEvent, Objection | undefined> {
    this.#inputTokens += result.inputTokens
    this.#outputTokens += result.outputTokens
    const objection = this.#objection(result.stopReason)
    if (objection) return objection
    if (!this.#hasCalled) yield* this.#text.end()
    const { stopReason } = result
    const tokens = { inputTokens: this.#inputTokens, outputTokens: this.#outputTokens }
    yield done({ searches: this.#searches, model, result: { stopReason, ...tokens }, calls: this.#hasCalled })
    return undefined
  }

  #objection(stopReason: string | undefined): Objection | undefined {
    const { request, enough } = this.#task
    if (this.#hasCalled || enough.aborted) return undefined
    if (this.#mustCall) {
      if (stopReason === 'refusal') return undefined
      return { error: failed('Claude did not call a tool, twice.'), prompt: callReminder, afresh: false }
    }
    if (this.#mustSearch && this.#searches === 0) {
      if (this.#failure) throw this.#failure // it did search: to ask again would only cost another call
      return { error: ungrounded(), prompt: this.#errand.insist ?? '', afresh: true }
    }
    const problems = request.schema && stopReason !== 'refusal' ? this.#text.problems() : []
    if (problems.length === 0) return undefined
    const error = failed(`Claude wrote no JSON that fits the schema, twice: ${problems.slice(0, 3).join(' ')}`)
    return { error, prompt: schemaReminder(problems), afresh: false }
  }

  get #mustSearch(): boolean {
    return this.#errand.insist !== undefined
  }

  #newText(): AnswerText {
    const { shape, request } = this.#task
    const claimsSources = request.want !== 'text'
    const plain = claimsSources ? new GroundedAnswer() : new PlainAnswer()
    const text = shape ? new JsonAnswer(shape, claimsSources) : plain
    text.addSources(this.#sources)
    return text
  }
}

function failed(message: string): SearchError {
  return new SearchError('failed', message)
}
