import { BoundedMap } from '@csp/lib/bounded-map'
import { normaliseUrl, pageKey } from '@csp/lib/url'
import { PageError } from '../page-error.ts'
import type { PageReader } from '../page-reader.ts'
import type { PageScope } from './page-key.ts'

export type { PageScope } from './page-key.ts'

/** The pages that searches of this csp have found lately, up to a number. */
export class FoundPages {
  readonly #scope: PageScope
  /** Addresses as they were found, by what two spellings of one have in common. */
  readonly #found: BoundedMap<string, string>

  /** `scope`: who may read what another caller's search found. */
  constructor(scope: PageScope = 'all', max = 20_000) {
    this.#scope = scope
    this.#found = new BoundedMap(max)
  }

  /** The address as a search found it. Two spellings of one address are the same page, as for results. */
  find(url: string, caller: string | undefined): string | undefined {
    return this.#found.get(this.#keyOf(url, caller))
  }

  /** Notes that this caller's search found an address. */
  add(url: string, caller: string | undefined): void {
    this.#found.set(this.#keyOf(url, caller), url)
  }

  #keyOf(url: string, caller = ''): string {
    return JSON.stringify([this.#scope === 'key' ? caller : '', pageKey(url)])
  }
}

/**
 * Reads only what a search has found, and by the very address that it found: in another spelling, such as one with a
 * `utm_` parameter, a caller could tell the site something.
 */
export function onlyFound(inner: PageReader, found: FoundPages): PageReader {
  return {
    async read(request, context) {
      const url = found.find(request.url, context.caller)
      if (url !== undefined) return { ...(await inner.read({ ...request, url }, context)), url: request.url }
      const isAddress = normaliseUrl(request.url) !== undefined
      // What is no address at all has its own error.
      if (!isAddress) return inner.read(request, context)
      const message = 'This csp reads only pages that one of its searches has found.'
      throw new PageError('not-allowed', message, { remedy: 'search-first' })
    },
    close: () => inner.close(),
  }
}
