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

/** `2026-05-01` as `May 1, 2026`. By hand: `Intl` takes longer than all the rest of a row. */
export function longDate(date: string): string {
  const [year, month, day] = date.split('-').map(Number)
  return `${months[(month ?? 1) - 1]} ${day}, ${year}`
}

const months = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
]

/** A page as Bing has it, and Bocha after it. What is not known is left out. `write` prepares text for its reader. */
export function formatWebPage(row: SearchResult, position: number, write = (text: string) => text) {
  const { title, url, snippet = '' } = row
  return {
    id: `#WebPages.${position}`,
    name: write(title),
    url,
    displayUrl: url,
    snippet: write(snippet),
    datePublished: midnightOf(row),
  }
}
