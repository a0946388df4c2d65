import { type SearchErrorCode, toSearchError, traitsOf } from '../../../domain/error.ts'
import type { SearchEvent, SearchEvents, Usage } from '../../../domain/search.ts'
import type { Account, CallKind, Executor, Layer } from '../../executor.ts'
import { layer } from '../layer.ts'
import type { Part, Reservation } from './budget.ts'
import { nothing, type Spending } from './ledger.ts'

/** An executor whose calls are entered in the account of their request. */
export function accounted(inner: Executor, kind: CallKind): Executor {
  return layer(inner, {
    search: (request, context) => {
      const start = (account?: Account) => inner.search(request, { ...context, account })
      return context.account?.enter(kind, inner.name, start) ?? start()
    },
  })
}

/** Around a backend, behind all that may hold a call back. */
export const reaching: Layer = (inner) =>
  layer(inner, {
    search: (request, context) => ({
      [Symbol.asyncIterator]() {
        context.account?.reached()
        return inner.search(request, context)[Symbol.asyncIterator]()
      },
    }),
  })

/**
 * What the calls cost that are made for one request, each entered for its own backend. The first list is part of the
 * request's own entry; each other takes a further place, and fails where there is none. A text takes none.
 */
export class OpenAccount implements Account {
  readonly #reserve: () => Promise<Reservation>
  /** Whose searches are in the request's entry, and how many. */
  #first: { readonly backend: string; searches: number } | undefined
  /** What further lists and texts cost; the lists are entered when they end. */
  readonly #lists: Part[] = []
  readonly #texts: Part[] = []
  /** Whether any call has reached its backend. */
  hasReached = false

  constructor(reserve: () => Promise<Reservation>) {
    this.#reserve = reserve
  }

  /** What is to be entered for a request that cost so much in all: its own part, and texts that others wrote. */
  of(backend: string, spent: Spending): readonly [Part, ...Part[]] {
    const name = this.#first?.backend ?? backend
    const texts = this.#texts.filter((text) => text.backend !== name)
    const left = (count: 'inputTokens' | 'outputTokens') =>
      [...this.#lists, ...texts].reduce((total, part) => Math.max(0, total - part[count]), spent[count])
    const tokens = { inputTokens: left('inputTokens'), outputTokens: left('outputTokens') }
    const searches = this.#first?.searches ?? spent.searches
    return [{ ...spent, backend: name, searches, ...tokens }, ...texts]
  }

  reached(): void {
    this.hasReached = true
  }

  /** The events of a call, whose cost is entered. */
  async *enter(kind: CallKind, backend: string, start: (account: Account) => AsyncIterable<SearchEvent>): SearchEvents {
    if (kind === 'text') return yield* this.#text(backend, start(this))
    if (kind === 'list') this.#first ??= { backend, searches: 0 }
    const place = kind === 'list' ? undefined : await this.#reserve()
    let failure: SearchErrorCode = 'cancelled'
    let usage: Usage | undefined
    let hasReached = false
    const reached = () => {
      hasReached = true
      this.reached()
    }
    const call: Account = { enter: (...asked) => this.enter(...asked), reached }
    try {
      for await (const event of start(call)) {
        if (event.type === 'done') usage = event.usage
        yield event
      }
    } catch (error) {
      failure = toSearchError(error).code
      throw error
    } finally {
      const searches = usage ? Math.max(1, usage.searches) : Number(hasReached && traitsOf(failure).mayHaveSearched)
      const part = partOf(backend, usage)
      if (place) {
        this.#lists.push(part)
        await place.settle([{ ...part, searches }])
      } else if (this.#first) this.#first.searches += searches
    }
  }

  async *#text(backend: string, events: AsyncIterable<SearchEvent>): SearchEvents {
    let payee = backend
    for await (const event of events) {
      if (event.type === 'backend') payee = event.name
      if (event.type === 'done') this.#texts.push({ ...partOf(payee, event.usage), requests: 1 })
      yield event
    }
  }
}

function partOf(
  backend: string,
  { inputTokens, outputTokens }: Pick<Usage, 'inputTokens' | 'outputTokens'> = nothing,
): Part {
  return { ...nothing, backend, inputTokens, outputTokens }
}
