import { z } from 'zod'
import type { SearchResult } from '../../../domain/search.ts'
import { freshnessField } from '../../fields/dates.ts'
import { booleanField, integerField, optional } from '../../fields/field.ts'
import { domainListField } from '../../fields/places.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'
import { listDialect } from '../../list-dialect.ts'
import { formatWebPage, passagesOf } from '../shared/row.ts'

/** Domains with `|` or a comma between them. */
const domainsField = z.preprocess(
  (value) =>
    typeof value === 'string'
      ? value
          .split(/[|,]/)
          .map((part) => part.trim())
          .filter(Boolean)
      : value,
  domainListField(100),
)

const schema = z.object({
  query: queryField(ordinaryQuery),
  freshness: optional(
    freshnessField({ noLimit: undefined, oneDay: 'day', oneWeek: 'week', oneMonth: 'month', oneYear: 'year' }, '..'),
  ),
  summary: optional(booleanField),
  count: optional(integerField(1, 50)),
  page: optional(integerField(1, 100)),
  include: domainsField,
  exclude: domainsField,
})

/** Bocha's web search: the shape of Bing's within `data`. */
export const bochaSearch = listDialect({
  schema,
  reference: { example: { query: 'heat pumps in the cold', freshness: 'oneYear', count: 5 } },
  pageSize: 10,
  page: ({ count, page }) => ({ rows: count, page }),
  request: ({ query, freshness, include, exclude }) => ({
    query,
    filters: { ...freshness, includeDomains: include, excludeDomains: exclude },
  }),
  reply: (rows, { id, input, estimatedTotal: totalEstimatedMatches }) => ({
    code: 200,
    log_id: id,
    msg: null,
    data: {
      _type: 'SearchResponse',
      queryContext: { originalQuery: input.query },
      webPages: { totalEstimatedMatches, value: rows.map((row, at) => formatRow(row, at, input)) },
      images: { value: [] },
      videos: null,
    },
  }),
})

/** The summary has the further passages, where pages were read. Most clients ask for it always, so it asks for none. */
function formatRow(row: SearchResult, position: number, { summary }: z.output<typeof schema>): object {
  const page = formatWebPage(row, position)
  return summary ? { ...page, summary: passagesOf(row).join('\n') } : page
}
