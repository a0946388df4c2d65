import { parseUrl } from '@csp/lib/url'
import type { SearchResult } from '../../../domain/search.ts'

/** The excerpt of a page and, where the page was read, its further passages. */
export function passagesOf({ snippet, passages = [] }: SearchResult): readonly string[] {
  return snippet ? [snippet, ...passages] : passages
}

/** The host name of a page, for vendors that name its publisher: nothing else is known of it. */
export function siteOf({ url }: Pick<SearchResult, 'url'>): string | undefined {
  return parseUrl(url)?.hostname
}

/** The day of a page as a time, for vendors that have no days. */
export function midnightOf({ publishedAt }: Pick<SearchResult, 'publishedAt'>): string | undefined {
  return publishedAt && `${publishedAt}T00:00:00`
}
