import { SearchError } from './error.ts'
import type { Answer, Citation, Search, SearchEvent, SearchResult, ToolCall, Usage } from './search.ts'

/**
 * Folds a whole event stream into one answer. Every reply that is not streamed is made here.
 * @example
 * const backend = searxng({ url: 'http://127.0.0.1:8080' })
 * const app = createApp({ backends: backend })
 * const { searches } = await collect(app.stream({ query: 'bun 1.4 release notes' }))
 */
export async function collect(events: AsyncIterable<SearchEvent>): Promise<Answer> {
  const fold = new AnswerFold()
  for await (const event of events) fold.add(event)
  return fold.finish()
}

/** The fold, one event at a time, for code that also passes the events on. */
export class AnswerFold {
  readonly #searches = new Map<string, Search>()
  readonly #citations: Citation[] = []
  readonly #toolCalls = new Map<string, ToolCall>()
  #text = ''
  #backend: string | undefined
  #done: Extract<SearchEvent, { type: 'done' }> | undefined

  add(event: SearchEvent): void {
    switch (event.type) {
      case 'cache':
      case 'reading':
      case 'research':
        break
      case 'backend':
        this.#backend = event.name
        break
      case 'search-start': {
        const { type: _, ...search } = event
        this.#searches.set(event.id, { ...search, results: [] })
        break
      }
      case 'search-results': {
        const { id, results } = event
        this.#searches.set(id, { id, query: '', ...this.#searches.get(id), results })
        break
      }
      case 'text-delta':
        this.#text += event.text
        break
      case 'citation':
        this.#citations.push(event.citation)
        break
      case 'tool-call-start':
        this.#toolCalls.set(event.id, { id: event.id, name: event.name, arguments: '' })
        break
      case 'tool-call-delta': {
        const call = this.#toolCalls.get(event.id)
        if (call) this.#toolCalls.set(event.id, { ...call, arguments: call.arguments + event.arguments })
        break
      }
      case 'done':
        this.#done = event
        break
    }
  }

  /** The searches so far, for a stream that has to show its sources before it ends. */
  get searches(): readonly Search[] {
    return [...this.#searches.values()]
  }

  /** Throws `failed` when no `done` event came. */
  finish(): Answer {
    if (!this.#done) throw new SearchError('failed', 'The search ended without a result.')
    const { reason, usage, model, stopSequence, isDegraded, late = [], evidence, receipt } = this.#done
    const toolCalls = [...this.#toolCalls.values()]
    return {
      text: this.#text,
      searches: withLate(this.searches, late),
      citations: this.#citations,
      toolCalls,
      reason,
      usage,
      model,
      ...(this.#backend !== undefined && { backend: this.#backend }),
      ...(stopSequence !== undefined && { stopSequence }),
      ...(isDegraded && { isDegraded }),
      ...(evidence && { evidence }),
      ...(receipt && { receipt }),
    }
  }
}

function withLate(searches: readonly Search[], late: readonly SearchResult[]): readonly Search[] {
  const byUrl = new Map(late.map((row) => [row.url, row]))
  const filled = (row: SearchResult) => (row.snippet ? row : (byUrl.get(row.url) ?? row))
  return late.length === 0 ? searches : searches.map((search) => ({ ...search, results: search.results.map(filled) }))
}

/** Unfolds an answer into events: the inverse of `collect`. */
export function* replay(answer: Answer): Generator<SearchEvent, void, undefined> {
  if (answer.backend !== undefined) yield { type: 'backend', name: answer.backend }
  for (const { results, ...search } of answer.searches) {
    yield { type: 'search-start', ...search }
    yield { type: 'search-results', id: search.id, results }
  }
  if (answer.text) yield { type: 'text-delta', text: answer.text }
  for (const citation of answer.citations) yield { type: 'citation', citation }
  for (const { id, name, arguments: text } of answer.toolCalls) {
    yield { type: 'tool-call-start', id, name }
    if (text) yield { type: 'tool-call-delta', id, arguments: text }
  }
  const { reason, usage, model, stopSequence, isDegraded, evidence, receipt } = answer
  const more = {
    ...(stopSequence !== undefined && { stopSequence }),
    ...(isDegraded && { isDegraded }),
    ...(evidence && { evidence }),
    ...(receipt && { receipt }),
  }
  yield { type: 'done', reason, usage, model, ...more }
}

/**
 * The distinct pages of all searches, in the order found. A `[n]` marker names the n-th, counted from 1.
 * @example const list = ({ searches }: Answer) => sourcesOf(searches).map(({ url }, index) => `[${index + 1}] ${url}`)
 */
export function sourcesOf(searches: readonly Search[]): readonly SearchResult[] {
  const byUrl = new Map<string, SearchResult>()
  for (const { results } of searches) {
    for (const result of results) if (!byUrl.has(result.url)) byUrl.set(result.url, result)
  }
  return [...byUrl.values()]
}

/** The usage of several answers, added up. */
export function totalUsage(usages: readonly Usage[]): Usage {
  const sum = (field: keyof Usage) => usages.reduce((total, usage) => total + usage[field], 0)
  return { searches: sum('searches'), inputTokens: sum('inputTokens'), outputTokens: sum('outputTokens') }
}
