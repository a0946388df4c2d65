import { parseUrl } from '@csp/lib/url'
import { sourcesOf } from '../../../domain/answer.ts'
import type { Search } from '../../../domain/search.ts'

export interface SonarSources {
  readonly citations: readonly string[]
  readonly search_results: readonly unknown[]
}

/** The two lists that Perplexity's clients read sources from. A `[n]` marker names the n-th of either, from 1. */
export function sonarSources(searches: readonly Search[]): SonarSources {
  const sources = sourcesOf(searches)
  return {
    citations: sources.map(({ url }) => url),
    search_results: sources.map(({ title, url, snippet, publishedAt }) => ({
      title,
      url,
      snippet,
      date: publishedAt,
      source: 'web',
    })),
  }
}

/** Whether a client that asks for this model expects those lists. */
export function isSonar(model: string): boolean {
  return /^(perplexity\/)?sonar/.test(model.trim())
}

/** The usual address of a site's icon. It is on the site itself, so that no third party learns what was found. */
export function faviconOf(url: string): string | undefined {
  const site = parseUrl(url)
  return site ? `${site.origin}/favicon.ico` : undefined
}
