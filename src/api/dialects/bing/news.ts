import { escapeUTF8 } from 'entities'
import { z } from 'zod'
import type { SearchResult } from '../../../domain/search.ts'
import { integerField, nameField, optional } from '../../fields/field.ts'
import { withoutEffect } from '../../http/unread.ts'
import { listDialect } from '../../list-dialect.ts'
import { midnightOf, siteOf } from '../shared/row.ts'
import { bingFields, bingHeaders, bingRows, defaultCount, readBing } from './fields.ts'

/** Bing's news search, version 7. */
export const bingNews = listDialect({
  schema: z.object({
    ...bingFields,
    count: optional(integerField(1, 100)),
    sortBy: optional(nameField(['Date', 'Relevance'])),
    category: withoutEffect(optional(z.string())),
  }),
  reference: { summary: 'News search', example: { q: 'heat pumps', freshness: 'Week' }, headers: bingHeaders },
  pageSize: defaultCount,
  page: bingRows,
  request: (input, headers) => readBing(input, headers, 'news'),
  ignored: (input) => (input.sortBy === 'Date' ? ['sortBy'] : []),
  reply(rows, { input, estimatedTotal: totalEstimatedMatches }) {
    const { q: originalQuery, textFormat } = input
    const write = textFormat === 'HTML' ? escapeUTF8 : (text: string) => text
    return {
      _type: 'News',
      queryContext: { originalQuery },
      totalEstimatedMatches,
      value: rows.map((row, at) => formatArticle(row, at, write)),
    }
  },
})

/** An article, as the news search and the group `news` of the web search have it. */
export function formatArticle(row: SearchResult, position: number, write: (text: string) => string): object {
  const { title, url, snippet = '' } = row
  return {
    id: `#News.${position}`,
    name: write(title),
    url,
    description: write(snippet),
    datePublished: midnightOf(row),
    provider: [{ _type: 'Organization', name: siteOf(row) }],
  }
}
