import { counted } from '@csp/lib/text'
import { abortError } from '../domain/abort.ts'
import { collect, sourcesOf, totalUsage } from '../domain/answer.ts'
import { SearchError, toSearchError, traitsOf } from '../domain/error.ts'
import type { ResearchProgress, ResearchSearch } from '../domain/research.ts'
import type { ResearchEffort } from '../domain/research-step.ts'
import {
  type Answer,
  type AnswerRequest,
  resultsRequest,
  type Search,
  type SearchEvent,
  type SearchEvents,
  type SearchRequest,
  type SearchResult,
  type Usage,
} from '../domain/search.ts'
import { nothingFound } from '../executor/answer/events.ts'
import type { Executor, SearchContext } from '../executor/executor.ts'
import { gapRequest, outlineRequest, questionsIn } from './planner.ts'

/** What a research may cost at most, whatever its model and its pages say. */
interface ResearchBounds {
  /** Questions of the outline. */
  readonly questions: number
  /** Rounds after the first, and how many questions each may add. */
  readonly furtherRounds: number
  readonly furtherQuestions: number
  /** Rows that each search has read, and those that the report may rest on. */
  readonly rows: number
  readonly rowsKept: number
  /** For all searches together; the report is written over what has come by then. */
  readonly searchMs: number
  /** Once so many tokens are used no further round is planned. */
  readonly tokens: number
}

/** By effort. */
export const boundsOf: Readonly<Record<ResearchEffort, ResearchBounds>> = {
  low: { ...{ questions: 3, furtherRounds: 0, furtherQuestions: 0 }, rows: 5, rowsKept: 4, ...limits(60, 30_000) },
  medium: { ...{ questions: 5, furtherRounds: 1, furtherQuestions: 3 }, rows: 6, rowsKept: 4, ...limits(150, 60_000) },
  high: { ...{ questions: 10, furtherRounds: 2, furtherQuestions: 4 }, rows: 6, rowsKept: 3, ...limits(400, 150_000) },
}

function limits(seconds: number, tokens: number) {
  return { searchMs: seconds * 1000, tokens }
}

/**
 * One research: an outline, its searches all at once, what is missing, those searches, and a report over the pages that were
 * read. Bounded by its effort, and told after each step how far it is.
 */
export class Research {
  readonly #inner: Executor
  readonly #request: AnswerRequest
  readonly #bounds: ResearchBounds
  readonly #context: SearchContext
  readonly #startedAt = performance.now()
  #progress: ResearchProgress
  /** What its searches found, each page once; the numbers of the report's sources count them. */
  readonly #found: Search[] = []

  constructor(inner: Executor, request: AnswerRequest, effort: ResearchEffort, context: SearchContext) {
    this.#inner = inner
    this.#request = request
    this.#bounds = boundsOf[effort]
    this.#context = context
    const { progress } = context.research ?? {}
    this.#progress = progress?.version === 1 ? progress : begun
  }

  /** What it has to search for first; nothing is asked where that is known. Throws what the model's call throws. */
  async outline(): Promise<void> {
    if (this.#progress.rounds > 0) return
    const most = Math.min(this.#bounds.questions, this.#searchesLeft)
    const { text, backend, model } = await this.#infer(outlineRequest(this.#request, most))
    const questions = questionsIn(text, most)
    this.#note({ backend, model, ...this.#withQuestions(questions.length > 0 ? questions : [this.#request.query]) })
  }

  /** The research after its outline. */
  async *run(): SearchEvents {
    const { backend, searches } = this.#progress
    if (backend !== undefined) yield { type: 'backend', name: backend }
    yield outlined(searches)
    yield* this.#searchAll()
    while (this.#mayGoOn) {
      const further = await this.#findGaps()
      if (further.length > 0) yield outlined(further)
      yield* this.#searchAll()
    }
    yield* this.#write()
  }

  async #findGaps(): Promise<readonly ResearchSearch[]> {
    const { searches } = this.#progress
    const most = Math.min(this.#bounds.furtherQuestions, this.#searchesLeft)
    const asked = searches.map(({ query }) => query)
    const { text } = await this.#infer(gapRequest(this.#request, asked, sourcesOf(this.#found), most))
    const questions = questionsIn(text, most, asked)
    this.#note({ ...this.#withQuestions(questions), isEnough: questions.length === 0 })
    return this.#progress.searches.slice(searches.length)
  }

  #withQuestions(questions: readonly string[]) {
    const { searches, rounds } = this.#progress
    const further = questions.map((query, index) => ({ id: `search-${searches.length + index + 1}`, query }))
    return { searches: [...searches, ...further], rounds: rounds + 1 }
  }

  get #searchesLeft(): number {
    const { maxSearches = Number.POSITIVE_INFINITY } = this.#request
    return maxSearches - this.#progress.searches.length
  }

  get #mayGoOn(): boolean {
    const { rounds, isEnough, usage } = this.#progress
    const { furtherRounds, tokens, searchMs } = this.#bounds
    const hasRoom = usage.inputTokens + usage.outputTokens < tokens && this.#elapsedMs < searchMs
    return !isEnough && rounds <= furtherRounds && this.#searchesLeft > 0 && hasRoom
  }

  get #elapsedMs(): number {
    return (this.#context.research?.progress?.elapsedMs ?? 0) + performance.now() - this.#startedAt
  }

  /** What the model plans: no text where it wrote something else, or refused. */
  async #infer(request: SearchRequest): Promise<Pick<Answer, 'text' | 'backend' | 'model'>> {
    try {
      const answer = await collect(this.#searchInner(request, this.#context.signal))
      this.#spend(answer.usage)
      return answer
    } catch (error) {
      const failure = toSearchError(error)
      const { isCallerFault, isOutage } = traitsOf(failure.code)
      if (isCallerFault || isOutage) throw failure
      this.#context.trace?.note('The model planned no searches', failure)
      return { text: '', backend: undefined, model: '' }
    }
  }

  /** Makes the searches that are left, all at once, and reports them in the order of the outline. */
  async *#searchAll(): SearchEvents {
    const { signal } = this.#context
    const stop = new AbortController()
    const timeUp = () => stop.abort(new DOMException('The searches took too long.', 'TimeoutError'))
    const timer = setTimeout(timeUp, Math.max(0, this.#bounds.searchMs - this.#elapsedMs))
    const searches = this.#progress.searches.slice(this.#found.length)
    const running = searches.map((search) => this.#search(search, AbortSignal.any([signal, stop.signal])))
    try {
      for (const { id, query } of searches) yield { type: 'search-start', id, query }
      const failures: SearchError[] = []
      for (const [index, search] of searches.entries()) {
        const outcome = await running[index]
        if (signal.aborted) throw abortError(signal)
        if (outcome instanceof SearchError) {
          // What the others find is paid for, and kept for the run that goes on.
          if (outcome.code === 'rate-limited') throw await Promise.all(running).then(() => outcome)
          failures.push(outcome)
        }
        yield* this.#report(search, outcome ?? [])
      }
      const [first] = failures
      if (first && failures.length === searches.length && sourcesOf(this.#found).length === 0) throw first
      this.#note({ searches: this.#progress.searches.map((search) => ({ rows: [], ...search })) })
    } finally {
      clearTimeout(timer)
      stop.abort()
      await Promise.all(running)
    }
  }

  /** The rows with words that a search finds, or why it failed. */
  async #search({ id, query, rows: known }: ResearchSearch, signal: AbortSignal) {
    if (known) return known
    try {
      const rows = await this.#rowsFor(query, signal)
      const { searches } = this.#progress
      this.#note({ searches: searches.map((search) => (search.id === id ? { ...search, rows } : search)) })
      return rows
    } catch (error) {
      return toSearchError(error)
    }
  }

  /** Where none of its pages could be read, a search that a model made is made once more, for lines. */
  async #rowsFor(query: string, signal: AbortSignal): Promise<readonly SearchResult[]> {
    const { filters, research, merge } = this.#request
    const list = { ...resultsRequest({ query, filters, limit: this.#bounds.rows }), research, merge }
    for (const request of [list, { ...list, excerpts: 'lines' } as const]) {
      const { searches, usage } = await collect(this.#searchInner(request, signal))
      this.#spend(usage)
      const rows = sourcesOf(searches)
      const read = rows.filter(({ snippet }) => snippet)
      const hasModel = searches.some(({ model }) => model !== undefined)
      if (read.length > 0 || rows.length === 0 || !hasModel) return read
    }
    return []
  }

  *#report({ id, query }: ResearchSearch, outcome: readonly SearchResult[] | SearchError) {
    const known = new Set(sourcesOf(this.#found).map(({ url }) => url))
    const rows = outcome instanceof SearchError ? [] : outcome.filter(({ url }) => !known.has(url))
    const results = rows.slice(0, this.#bounds.rowsKept)
    this.#found.push({ id, query, results })
    yield { type: 'search-results', id, results } as const
    for (const { url, title } of results) yield { type: 'research', step: { kind: 'page', url, title } } as const
    if (outcome instanceof SearchError) yield noted(`The search for “${query}” failed. ${outcome.message}`)
  }

  async *#write(): SearchEvents {
    const sources = sourcesOf(this.#found)
    const { usage, model = '' } = this.#progress
    if (sources.length === 0) {
      yield { type: 'text-delta', text: nothingFound }
      return yield { type: 'done', reason: 'stop', usage, model }
    }
    yield noted(`Writing over ${counted(sources.length, 'page')}`)
    const { limit: _, maxSearches: __, ...request } = this.#request
    for await (const event of this.#searchInner({ ...request, sources }, this.#context.signal, this.#context.isWhole)) {
      if (event.type === 'done') yield { ...event, usage: totalUsage([usage, event.usage]) }
      else if (event.type === 'text-delta' || event.type === 'citation') yield event
    }
  }

  #searchInner(request: SearchRequest, signal: AbortSignal, isWhole = true): AsyncIterable<SearchEvent> {
    return this.#inner.search(request, { ...this.#context, research: undefined, signal, isWhole })
  }

  #spend(usage: Usage): void {
    this.#note({ usage: totalUsage([this.#progress.usage, usage]) }, false)
  }

  #note(news: Partial<ResearchProgress>, isStep = true): void {
    this.#progress = { ...this.#progress, ...news, elapsedMs: Math.round(this.#elapsedMs) }
    if (isStep) this.#context.research?.onProgress?.(this.#progress)
  }
}

const begun: ResearchProgress = {
  version: 1,
  searches: [],
  rounds: 0,
  isEnough: false,
  elapsedMs: 0,
  usage: { searches: 0, inputTokens: 0, outputTokens: 0 },
}

function outlined(searches: readonly ResearchSearch[]): SearchEvent {
  return { type: 'research', step: { kind: 'outline', questions: searches.map(({ query }) => query) } }
}

function noted(text: string): SearchEvent {
  return { type: 'research', step: { kind: 'note', text } }
}
