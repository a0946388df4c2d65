import { escapeUTF8 } from 'entities'
import { z } from 'zod'
import { sourcesOf } from '../../../domain/answer.ts'
import type { SearchResult } from '../../../domain/search.ts'
import { parseUrl } from '../../../lib/url.ts'
import { searchDialect } from '../../dialect.ts'
import { integerField, nameField, optional } from '../../fields/field.ts'
import { withoutEffect } from '../../http/unread.ts'
import { estimatedTotal } from '../shared/estimated-total.ts'
import { bingFields, bingHeaders, defaultCount, readBing } from './fields.ts'

/** Bing's news search, version 7. */
export const bingNews = searchDialect({
  schema: z.object({
    ...bingFields,
    count: optional(integerField(1, 100)),
    sortBy: optional(nameField(['Date', 'Relevance'])),
    category: withoutEffect(optional(z.string())),
  }),
  reference: { summary: 'News search', example: { q: 'heat pumps', freshness: 'Week' }, headers: bingHeaders },
  parse: (input, _models, headers) => readBing(input, headers, 'news'),
  ignored: (input) => (input.sortBy === 'Date' ? ['sortBy'] : []),
  format(answer, { input }) {
    const { q: originalQuery, count = defaultCount, offset, textFormat } = input
    const rows = sourcesOf(answer.searches).slice(0, count)
    const write = textFormat === 'HTML' ? escapeUTF8 : (text: string) => text
    return {
      _type: 'News',
      queryContext: { originalQuery },
      totalEstimatedMatches: estimatedTotal(rows.length, { count, offset }),
      value: rows.map((row, at) => formatArticle(row, at, write)),
    }
  },
})

/** An article, as the news search and the group `news` of the web search have it. */
export function formatArticle(
  { title, url, snippet = '', publishedAt }: SearchResult,
  position: number,
  write: (text: string) => string,
): object {
  return {
    id: `#News.${position}`,
    name: write(title),
    url,
    description: write(snippet),
    datePublished: publishedAt && `${publishedAt}T00:00:00`,
    // The publisher's name is not known, but its site is.
    provider: [{ _type: 'Organization', name: parseUrl(url)?.hostname }],
  }
}
