import { PageError } from '../../domain/page.ts'
import type { Executor } from '../../executor/executor.ts'
import { normaliseUrl } from '../../lib/url.ts'
import type { PageReader } from '../page-reader.ts'

/** The pages that searches of this csp have found lately, up to a number. */
export class FoundPages {
  readonly #max: number
  readonly #found = new Set<string>()

  constructor(max = 20_000) {
    this.#max = max
  }

  /** Two spellings of one address are the same page, as for results. */
  has(url: string): boolean {
    return this.#found.has(normaliseUrl(url) ?? url)
  }

  add(url: string): void {
    const key = normaliseUrl(url) ?? url
    this.#found.delete(key)
    this.#found.add(key)
    const [oldest] = this.#found
    if (this.#found.size > this.#max && oldest !== undefined) this.#found.delete(oldest)
  }

  /** The same executor, whose results are remembered here. */
  of(executor: Executor): Executor {
    const remember = (url: string): void => this.add(url)
    return {
      name: executor.name,
      supports: (request) => executor.supports?.(request) ?? true,
      health: () => executor.health(),
      close: () => executor.close(),
      async *search(request, context) {
        for await (const event of executor.search(request, context)) {
          if (event.type === 'search-results') for (const { url } of event.results) remember(url)
          yield event
        }
      },
    }
  }
}

/** Reads only what a search has found. */
export function onlyFound(inner: PageReader, found: FoundPages): PageReader {
  return {
    async read(request, context) {
      if (found.has(request.url)) return inner.read(request, context)
      const isAddress = normaliseUrl(request.url) !== undefined
      // What is no address at all has its own error.
      if (!isAddress) return inner.read(request, context)
      throw new PageError(
        'not-allowed',
        'This csp reads only pages that one of its searches has found (--pages search).',
      )
    },
    close: () => inner.close(),
  }
}
