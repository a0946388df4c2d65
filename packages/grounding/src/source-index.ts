import { normaliseUrl } from '@csp/lib/url'
import { siteOf } from './urls.ts'

/** The part of a page that a citation names. */
export interface Source {
  readonly url: string
  readonly title: string
}

/** The distinct pages of a search, numbered from 1 in the order found. A page keeps its number. */
export class SourceIndex {
  readonly #sources: Source[] = []
  readonly #known = new Set<string>()
  readonly #sites = new Set<string>()
  readonly #numbers = new Map<string, number>()

  /** Adds the pages whose URL is not known yet. Each gets the next number. */
  add(results: readonly Source[]): void {
    for (const { url, title } of results) {
      if (this.#known.has(url)) continue
      this.#known.add(url)
      const number = this.#sources.push({ url, title })
      this.#sites.add(siteOf(url))
      const key = normaliseUrl(url)
      if (key !== undefined && !this.#numbers.has(key)) this.#numbers.set(key, number)
    }
  }

  /** Whether a page of a site is a source. */
  hasSite(site: string): boolean {
    return this.#sites.has(site)
  }

  /** The number of pages. */
  get count(): number {
    return this.#sources.length
  }

  /** The source with a number, counted from 1. */
  at(number: number): Source | undefined {
    return this.#sources[number - 1]
  }

  /** The number of the source with a URL, in any spelling of it. */
  numberOf(url: string): number | undefined {
    const key = normaliseUrl(url)
    return key === undefined ? undefined : this.#numbers.get(key)
  }
}
