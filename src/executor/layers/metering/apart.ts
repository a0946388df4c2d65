import { type SearchErrorCode, toSearchError, traitsOf } from '../../../domain/error.ts'
import type { SearchEvents, SearchRequest, Usage } from '../../../domain/search.ts'
import type { Executor, SearchContext } from '../../executor.ts'
import { layer } from '../layer.ts'
import type { Reservation } from './budget.ts'
import { nothing, type Spending } from './ledger.ts'

/**
 * The searches that executors make at once for one request, each entered for its own backend. The first one's is part of
 * the request's own entry; each other takes a further place, and fails where there is none.
 */
export class Apart {
  readonly #reserve: () => Promise<Reservation>
  /** Whose searches are in the request's entry, and how many. */
  #first: { readonly backend: string; searches: number } | undefined
  /** What the request's entry lacks. */
  #elsewhere = { inputTokens: 0, outputTokens: 0 }

  constructor(reserve: () => Promise<Reservation>) {
    this.#reserve = reserve
  }

  readonly counted = (executors: readonly Executor[]): readonly Executor[] =>
    executors.map((executor, place) =>
      layer(executor, {
        search: (request, context) => this.#search(executor, place === 0, request, context),
      }),
    )

  /** In whose name the request's entry is. Absent: nothing was counted apart. */
  get backend(): string | undefined {
    return this.#first?.backend
  }

  /** What is left of the spending for the request's entry. */
  own(spent: Spending): Spending {
    const { inputTokens, outputTokens } = this.#elsewhere
    return {
      ...spent,
      searches: this.#first?.searches ?? spent.searches,
      inputTokens: Math.max(0, spent.inputTokens - inputTokens),
      outputTokens: Math.max(0, spent.outputTokens - outputTokens),
    }
  }

  async *#search(executor: Executor, isFirst: boolean, request: SearchRequest, context: SearchContext): SearchEvents {
    if (isFirst) this.#first ??= { backend: executor.name, searches: 0 }
    const place = isFirst ? undefined : await this.#reserve()
    let failure: SearchErrorCode = 'cancelled'
    let usage: Usage | undefined
    try {
      for await (const event of executor.search(request, context)) {
        if (event.type === 'done') usage = event.usage
        yield event
      }
    } catch (error) {
      failure = toSearchError(error).code
      throw error
    } finally {
      const searches = usage ? Math.max(1, usage.searches) : Number(traitsOf(failure).mayHaveSearched)
      const { inputTokens, outputTokens } = usage ?? nothing
      if (!place) this.#addToFirst(searches)
      else {
        this.#elsewhere.inputTokens += inputTokens
        this.#elsewhere.outputTokens += outputTokens
        await place.settle(executor.name, { ...nothing, searches, inputTokens, outputTokens })
      }
    }
  }

  #addToFirst(searches: number): void {
    if (this.#first) this.#first.searches += searches
  }
}
