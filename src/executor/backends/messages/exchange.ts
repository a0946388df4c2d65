import { SearchError } from '../../../domain/error.ts'
import type { SearchEvent, SearchRequest } from '../../../domain/search.ts'
import { type AnswerText, GroundedAnswer, PlainAnswer } from '../../answer/answer-text.ts'
import { done, tellSearch } from '../../answer/events.ts'
import { SourceIndex } from '../../answer/grounding/source-index.ts'
import { JsonAnswer } from '../../answer/json/json-answer.ts'
import type { JsonShape } from '../../answer/json/json-shape.ts'
import { schemaReminder } from '../../answer/prompt/prompt.ts'
import { selectRows } from '../../answer/select-rows.ts'
import { explainToolError, ungrounded } from '../claude/cli/errors.ts'
import { mustSearch, offeredName } from './request.ts'
import { toRow } from './rows.ts'
import type { Happening, MessageTurn } from './turn.ts'

/** What is wrong with a message that ended well, and what to say to the model about it. */
export interface Objection {
  readonly error: SearchError
  readonly reminder: string
  /** Whether the model is to forget what it wrote. */
  readonly isAfresh: boolean
}

/** A written reply over the messages that it takes: holds the text to what was searched, and counts what it cost. */
export class MessagesExchange {
  readonly #request: SearchRequest
  readonly #shape: JsonShape | undefined
  readonly #now: Date
  readonly #mustSearch: boolean
  readonly #index = new SourceIndex()
  readonly #text: AnswerText
  #lastCharacter = ''
  #searches = 0
  #inputTokens = 0
  #outputTokens = 0
  #hasCalled = false
  #failure: SearchError | undefined

  constructor(request: SearchRequest, shape: JsonShape | undefined, now: Date) {
    this.#request = request
    this.#shape = shape
    this.#now = now
    this.#mustSearch = mustSearch(request)
    this.#text = textFor(request, shape)
  }

  *read(happening: Happening): Generator<SearchEvent> {
    switch (happening.type) {
      case 'text':
        yield* this.#write(happening.text)
        break
      case 'cited':
        yield* this.#cite(happening.url)
        break
      case 'found':
        yield* this.#find(happening)
        break
      case 'search-failed':
        this.#failure = explainToolError(happening.code)
        break
      case 'call-start':
        if (!this.#hasCalled) yield* this.#text.end()
        this.#hasCalled = true
        yield { type: 'tool-call-start', id: happening.id, name: this.#nameOf(happening.name) }
        break
      case 'call-delta':
        yield { type: 'tool-call-delta', id: happening.id, arguments: happening.json }
        break
    }
  }

  /** Counts a message. A reply may take several. */
  count({ inputTokens, outputTokens }: MessageTurn): void {
    this.#inputTokens += inputTokens
    this.#outputTokens += outputTokens
  }

  /** Ends the reply, or says why it cannot end like this. `isEnough`: no more was wanted. */
  *finish({ stopReason, model }: MessageTurn, isEnough: boolean): Generator<SearchEvent, Objection | undefined> {
    const objection = isEnough || this.#hasCalled ? undefined : this.#objection(stopReason)
    if (objection) return objection
    if (!this.#hasCalled) yield* this.#text.end()
    const result = { stopReason, inputTokens: this.#inputTokens, outputTokens: this.#outputTokens }
    yield done({ searches: this.#searches, model, result, calls: this.#hasCalled })
    return undefined
  }

  #objection(stopReason: string | undefined): Objection | undefined {
    if (stopReason === 'refusal') return undefined
    if (this.#mustSearch && this.#searches === 0) {
      if (this.#failure) throw this.#failure // it did search: to ask again would only cost another call
      return { error: ungrounded(), reminder: insistence, isAfresh: true }
    }
    const problems = this.#shape ? this.#text.problems() : []
    if (problems.length === 0) return undefined
    const words = `Claude wrote no JSON that fits the schema, twice: ${problems.slice(0, 3).join(' ')}`
    return { error: new SearchError('failed', words), reminder: schemaReminder(problems), isAfresh: false }
  }

  /** What is written before the first search rests on nothing. */
  *#write(text: string): Generator<SearchEvent> {
    if (this.#hasCalled || (this.#mustSearch && this.#searches === 0)) return
    this.#lastCharacter = text.at(-1) ?? this.#lastCharacter
    yield* this.#text.push(text)
  }

  *#cite(url: string): Generator<SearchEvent> {
    const number = this.#index.numberOf(url)
    if (number === undefined || this.#shape || this.#lastCharacter === '') return
    yield* this.#write(`${/[\s\]]/.test(this.#lastCharacter) ? '' : ' '}[${number}]`)
  }

  *#find({ id, query, hits }: Extract<Happening, { type: 'found' }>): Generator<SearchEvent> {
    const { limit: _, offset: __, ...request } = this.#request
    const rows = selectRows(
      hits.map((hit) => toRow(hit, this.#now)),
      request,
      this.#now,
    )
    this.#searches++
    this.#index.add(rows)
    this.#text.addSources(rows)
    yield* tellSearch(id, query, rows)
  }

  #nameOf(called: string): string {
    return this.#request.tools?.find(({ name }) => offeredName(name) === called)?.name ?? called
  }
}

function textFor({ want }: SearchRequest, shape: JsonShape | undefined): AnswerText {
  const claimsSources = want !== 'text'
  if (shape) return new JsonAnswer(shape, claimsSources)
  return claimsSources ? new GroundedAnswer() : new PlainAnswer()
}

const insistence = 'You must call web_search before you write anything.'
