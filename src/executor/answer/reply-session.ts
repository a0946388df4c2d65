import { guardedText } from '@csp/grounding/answer-guard'
import { SourceIndex } from '@csp/grounding/source-index'
import { plainSnippet } from '@csp/lib/snippet'
import { SearchError } from '../../domain/error.ts'
import type { SearchEvent, SearchEvents, SearchRequest, SearchResult } from '../../domain/search.ts'
import { type AnswerText, GroundedAnswer, PlainAnswer } from './answer-text.ts'
import { mustCallTool } from './client-tools.ts'
import { ungrounded } from './errors.ts'
import { done, nothingFound, reportSearch, type TurnCost } from './events.ts'
import { JsonAnswer } from './json/answer.ts'
import type { JsonShape } from './json/shape.ts'
import { paced } from './paced.ts'
import { callReminder, schemaReminder } from './prompt/prompt.ts'

/** What must come of a reply. */
export interface ReplyBrief {
  readonly request: SearchRequest
  /** Set when the text must be JSON. */
  readonly shape: JsonShape | undefined
  /** The prompt for a model that answered without a search. Absent: it need not search. */
  readonly searchReminder?: string | undefined
  /** The pages that the prompt holds, and how many searches found them. */
  readonly sources?: readonly SearchResult[] | undefined
  readonly searches?: number | undefined
  /** Aborts when no more text is wanted: the reply then ends as it stands. */
  readonly enough: AbortSignal
}

/** What a model does in a turn, in no vendor's words. */
export type ModelEvent =
  | { readonly type: 'search-start'; readonly id: string; readonly query: string }
  | { readonly type: 'search-results'; readonly id: string; readonly results: readonly SearchResult[] }
  /** Does not end the turn: the model may search again, or write without. */
  | { readonly type: 'search-failed'; readonly error: SearchError }
  | { readonly type: 'text-delta'; readonly text: string }
  /** The text so far rests on this page, by the vendor's own account. `words`: what it cites of it, untrusted and short. */
  | { readonly type: 'text-cited'; readonly url: string; readonly words?: string | undefined }
  | { readonly type: 'tool-call-start'; readonly id: string; readonly name: string }
  | { readonly type: 'tool-call-delta'; readonly id: string; readonly arguments: string }
  | TurnEnd

/** The last event of a turn. */
export interface TurnEnd extends TurnCost {
  readonly type: 'end'
  readonly model: string
}

/** What is wrong with a turn that ended well, and how to ask again. */
export interface Correction {
  /** Thrown when the next turn is no better. */
  readonly error: SearchError
  /** What to say to the model. */
  readonly prompt: string
  /** Whether the model must not see what it wrote before. */
  readonly startsFresh: boolean
}

type Turn = AsyncGenerator<SearchEvent, Correction | undefined, undefined>

/**
 * A written reply over the turns that it takes: text that streams, JSON that fits, or calls of the caller's tools. It
 * grounds the text in what was searched, adds up what the turns cost, and asks for one correction at most. It knows
 * neither the CLI nor the Messages API: backends run the turns and translate their events.
 */
export class ReplySession {
  readonly #brief: ReplyBrief
  readonly #mustCall: boolean
  readonly #sources: SearchResult[]
  readonly #numbers = new SourceIndex()
  readonly #queries = new Map<string, string>()
  /** What the vendor has cited of each source, by its number. */
  readonly #words = new Map<number, readonly string[]>()
  /** The same for markers that are not out yet. */
  readonly #quotes = new Map<number, string[]>()
  #searches: number
  #inputTokens = 0
  #outputTokens = 0
  #text: AnswerText
  /** The last character written, which decides how a citation is set off. */
  #last = ''
  /** Text that waits for the tool call that must come. */
  #withheld = ''
  /** Whether any of the text may have been passed on. */
  #isWritten = false
  /** All that the model has said in a turn, for the case that it refuses. */
  #said = ''
  #hasCalled = false
  #hasEmitted = false
  #failure: SearchError | undefined

  constructor(brief: ReplyBrief) {
    const { request, sources = [], searches = 0 } = brief
    this.#brief = brief
    this.#mustCall = mustCallTool(request)
    this.#sources = [...sources]
    this.#numbers.add(sources)
    this.#searches = searches
    this.#text = this.#createText()
  }

  /** Whether anything has been emitted. A turn may be run again only before. */
  get hasEmitted(): boolean {
    return this.#hasEmitted
  }

  /** Reads a turn. Returns what to correct, or nothing when the reply is complete and `done` has been emitted. */
  async *turn(events: AsyncIterable<ModelEvent>): Turn {
    this.#text = this.#createText()
    this.#last = ''
    this.#withheld = ''
    this.#isWritten = false
    this.#said = ''
    this.#quotes.clear()
    for await (const event of paced(events)) {
      if (event.type === 'end') return yield* this.#finish(event)
      for (const emitted of this.#read(event)) {
        this.#hasEmitted = true
        yield emitted
      }
    }
    throw new SearchError('failed', 'The turn ended without a result.')
  }

  /** Reads the turn that follows a correction. Throws if that one needs a correction too. */
  async *lastTurn(events: AsyncIterable<ModelEvent>): SearchEvents {
    const correction = yield* this.turn(events)
    if (correction) throw correction.error
  }

  *#read(event: Exclude<ModelEvent, TurnEnd>): Generator<SearchEvent> {
    switch (event.type) {
      case 'search-start':
        this.#queries.set(event.id, event.query)
        break
      case 'search-results':
        this.#searches++
        this.#sources.push(...event.results)
        this.#numbers.add(event.results)
        this.#text.addSources(event.results)
        yield* reportSearch(event.id, this.#queries.get(event.id) ?? '', event.results)
        break
      case 'search-failed':
        this.#failure = event.error
        break
      case 'text-delta':
        yield* this.#write(event.text)
        break
      case 'text-cited':
        yield* this.#cite(event.url, event.words)
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

  /** Text before the first page that a search found has no sources and is dropped. Where a tool must be called, text waits for the call. */
  *#write(text: string): Generator<SearchEvent> {
    if (this.#hasCalled) return
    this.#said += text
    if (this.#lacksSearch) return
    this.#last = text.at(-1) ?? this.#last
    if (this.#foundNothing) return
    if (this.#mustCall) this.#withheld += text
    else {
      this.#isWritten ||= this.#brief.shape === undefined
      yield* this.#quoted(this.#text.push(text))
    }
  }

  *#cite(url: string, words?: string): Generator<SearchEvent> {
    const number = this.#numbers.numberOf(url)
    if (number === undefined) return
    const known = this.#words.get(number) ?? []
    if (words && known.length < maxWords) this.#words.set(number, [...known, words])
    if (this.#brief.shape || this.#last === '') return
    const waiting = this.#quotes.get(number) ?? []
    if (words) this.#quotes.set(number, waiting)
    if (words) waiting.push(words)
    yield* this.#write(`${/[\s\]]/.test(this.#last) ? '' : ' '}[${number}]`)
  }

  /** The vendor's words go with the marker that was written for them. */
  *#quoted(events: Iterable<SearchEvent>): Generator<SearchEvent> {
    for (const event of events) {
      const quote = event.type === 'citation' ? this.#quotes.get(event.citation.number)?.shift() : undefined
      if (event.type !== 'citation' || quote === undefined) yield event
      else yield { ...event, citation: { ...event.citation, quote } }
    }
  }

  /** The sources without an excerpt, with what was cited of them. */
  get #late(): readonly SearchResult[] {
    return this.#sources.flatMap((row) => {
      const words = row.snippet ? [] : (this.#words.get(this.#numbers.numberOf(row.url) ?? 0) ?? [])
      const snippet = plainSnippet(words.join(' … '))
      return snippet === undefined ? [] : [{ ...row, snippet: guardedText(snippet) }]
    })
  }

  /** The first tool call ends the text. */
  *#endText(): Generator<SearchEvent> {
    if (this.#hasCalled) return
    this.#hasCalled = true
    yield* this.#quoted(this.#text.push(this.#withheld))
    yield* this.#quoted(this.#text.end())
  }

  *#finish({ stopReason, model, inputTokens, outputTokens }: TurnEnd): Generator<SearchEvent, Correction | undefined> {
    this.#inputTokens += inputTokens
    this.#outputTokens += outputTokens
    const correction = this.#correction(stopReason)
    if (correction) return correction
    // What is said without a source, or is no JSON, is no answer, but why the model refuses is said.
    if (stopReason === 'refusal' && !this.#isWritten && !this.#hasCalled) yield* this.#refusal()
    else if (!this.#hasCalled) {
      if (this.#foundNothing) yield* this.#text.push(nothingFound)
      yield* this.#quoted(this.#text.end())
    }
    const result = { stopReason, inputTokens: this.#inputTokens, outputTokens: this.#outputTokens }
    yield done({ searches: this.#searches, model, result, calls: this.#hasCalled, late: this.#late })
    return undefined
  }

  *#refusal(): Generator<SearchEvent> {
    const text = this.#plainText()
    for (const event of [...text.push(this.#said), ...text.end()]) if (event.type === 'text-delta') yield event
  }

  #correction(stopReason: string | undefined): Correction | undefined {
    // A refusal stands: to ask again would cost another model call for the same answer.
    if (this.#hasCalled || this.#brief.enough.aborted || stopReason === 'refusal') return undefined
    // It broke off behind its search, and somebody else writes over what that found.
    if (this.#searches > 0 && (stopReason === 'unfinished' || stopReason === 'pause_turn')) return undefined
    if (this.#mustCall) {
      return { error: failed('The model called no tool in two attempts.'), prompt: callReminder, startsFresh: false }
    }
    if (this.#lacksSearch) {
      if (this.#failure) throw this.#failure // it did search: another call would change nothing
      return { error: ungrounded(), prompt: this.#brief.searchReminder ?? '', startsFresh: true }
    }
    const problems = this.#text.problems()
    if (problems.length === 0) return undefined
    const forOthers = 'The model wrote no JSON that fits the schema in two attempts.'
    const error = failed(`${forOthers.slice(0, -1)}: ${problems.slice(0, 3).join(' ')}`, forOthers)
    return { error, prompt: schemaReminder(problems), startsFresh: false }
  }

  /** What the caller's tools have given is a source, too, and JSON has to fit its schema. */
  get #foundNothing(): boolean {
    const { request, searchReminder, shape } = this.#brief
    const hasOther = shape !== undefined || (request.continuation ?? []).length > 0
    return searchReminder !== undefined && !hasOther && this.#searches > 0 && this.#sources.length === 0
  }

  get #lacksSearch(): boolean {
    return this.#brief.searchReminder !== undefined && this.#searches === 0
  }

  #createText(): AnswerText {
    const { request, shape } = this.#brief
    if (!shape) return this.#plainText()
    const text = new JsonAnswer(shape, request.want !== 'text')
    text.addSources(this.#sources)
    return text
  }

  #plainText(): AnswerText {
    const text = this.#brief.request.want === 'text' ? new PlainAnswer() : new GroundedAnswer()
    text.addSources(this.#sources)
    return text
  }
}

/** That are kept of one source. An excerpt has no room for more. */
const maxWords = 3

function failed(message: string, forOthers?: string): SearchError {
  return new SearchError('failed', message, { forOthers })
}
