import { escapeUTF8 } from 'entities'
import type { SearchResult } from '../../../domain/search.ts'
import { siteOf } from '../shared/row.ts'

/** A row. The fields in HTML are escaped; the matched words are not known, so none is bold. */
export function formatItem(row: SearchResult): unknown {
  const { title, url, snippet = '', publishedAt } = row
  return {
    kind: 'customsearch#result',
    title,
    htmlTitle: escapeUTF8(title),
    link: url,
    displayLink: siteOf(row),
    snippet,
    htmlSnippet: escapeUTF8(snippet),
    formattedUrl: url,
    htmlFormattedUrl: escapeUTF8(url),
    // The only place in which the vendor has a date.
    pagemap: publishedAt ? { metatags: [{ 'article:published_time': publishedAt }] } : undefined,
  }
}
