import { parseUrl, percentDecoded } from '@csp/lib/url'
import type { SearchResult } from '../../../domain/search.ts'
import { longDate, midnightOf } from '../shared/row.ts'
import { faviconOf } from '../shared/sources.ts'

export interface BraveRowOptions {
  /** Whether further passages of the page were asked for. */
  readonly extra_snippets?: boolean | undefined
}

/** The fields of every row. */
export function formatBraveRow(row: SearchResult, { extra_snippets }: BraveRowOptions) {
  const { title, url, snippet, passages, publishedAt, seenAt } = row
  return {
    title,
    url,
    // Required by the vendor's model and its client's types, and some clients print it unchecked; so never absent.
    // Without <strong>, whatever `text_decorations` says: the matched words are not known.
    description: snippet ?? '',
    age: publishedAt && longDate(publishedAt),
    ...(seenAt && { page_fetched: seenAt }),
    page_age: midnightOf(row),
    family_friendly: true,
    meta_url: formatBraveUrl(url),
    extra_snippets: extra_snippets ? passages?.slice(0, maxExtraSnippets) : undefined,
  }
}

/** The vendor's own limit. */
const maxExtraSnippets = 5

/** A row of news, as the news search and the group `news` of the web search have it. */
export function formatBraveNews(result: SearchResult, options: BraveRowOptions): unknown {
  return { type: 'news_result', ...formatBraveRow(result, options), breaking: false, is_live: false }
}

/** A URL in its parts. */
export function formatBraveUrl(text: string): unknown {
  const url = parseUrl(text)
  if (!url) return undefined
  const steps = url.pathname.split('/').filter(Boolean)
  return {
    scheme: url.protocol.slice(0, -1),
    netloc: url.host,
    hostname: url.hostname,
    favicon: faviconOf(text),
    path: steps.map((step) => `› ${step.includes('%') ? percentDecoded(step) : step}`).join(' '),
  }
}
