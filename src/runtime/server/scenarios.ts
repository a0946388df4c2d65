import { SearchError } from '../../domain/error.ts'
import type { SearchEvents } from '../../domain/search.ts'
import type { Executor } from '../../executor/executor.ts'

/** The executor of one scenario. */
interface Played {
  readonly executor: Executor
  searches: number
}

/**
 * Serves a request that asks for a scenario by an executor of that scenario's own, which has its own CLI. So a usage
 * limit or a login that ended holds for those who asked for it alone. The executors that are not in use are closed when
 * others are needed.
 */
export class ScenarioExecutors {
  readonly #create: (scenario: string) => Executor
  readonly #capacity: number
  /** By scenario; the one used last stands last. */
  readonly #played = new Map<string, Played>()

  constructor(create: (scenario: string) => Executor, capacity = 4) {
    this.#create = create
    this.#capacity = capacity
  }

  /** Serves requests that ask for a scenario, and passes on all others. */
  around(inner: Executor): Executor {
    const search: Executor['search'] = (request, context) => {
      const { scenario = 'ok' } = context
      return scenario === 'ok'
        ? inner.search(request, context)
        : this.#play(scenario, (executor) => executor.search(request, context))
    }
    const close = async () => {
      await Promise.all([inner.close(), ...[...this.#played.values()].map(({ executor }) => executor.close())])
    }
    return { ...inner, search, close }
  }

  async *#play(scenario: string, search: (executor: Executor) => ReturnType<Executor['search']>): SearchEvents {
    const played = await this.#take(scenario)
    try {
      yield* search(played.executor)
    } finally {
      played.searches -= 1
    }
  }

  async #take(scenario: string): Promise<Played> {
    const known = this.#played.get(scenario)
    const unused = known ? undefined : this.#makeRoom()
    const played = known ?? { executor: this.#create(scenario), searches: 0 }
    this.#played.delete(scenario)
    this.#played.set(scenario, played)
    played.searches += 1
    await unused?.close()
    return played
  }

  /** Forgets the executor that has been unused for longest, if there are too many. Returns it, to be closed. */
  #makeRoom(): Executor | undefined {
    if (this.#played.size < this.#capacity) return undefined
    const unused = [...this.#played].find(([, { searches }]) => searches === 0)
    if (!unused) {
      const message = `Requests for ${this.#capacity} other scenarios are running. Try again when one has ended.`
      throw new SearchError('busy', message, { retryAfterSeconds: 5 })
    }
    this.#played.delete(unused[0])
    return unused[1].executor
  }
}
