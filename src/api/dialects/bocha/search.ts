import { z } from 'zod'
import { sourcesOf } from '../../../domain/answer.ts'
import { resultsRequest, type SearchResult } from '../../../domain/search.ts'
import { searchDialect } from '../../dialect.ts'
import { freshnessField } from '../../fields/dates.ts'
import { booleanField, integerField, optional } from '../../fields/field.ts'
import { domainListField } from '../../fields/places.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'
import { estimatedTotal } from '../shared/estimated-total.ts'
import { formatWebPage } from '../shared/web-page.ts'

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

type BochaSearchInput = z.output<typeof schema>

/** Bocha's web search: the shape of Bing's within `data`. */
export const bochaSearch = searchDialect({
  schema,
  reference: {
    summary: 'Web search',
    example: { query: 'heat pumps in the cold', freshness: 'oneYear', count: 5 },
  },
  parse: ({ query, freshness, count, page = 1, include, exclude }) =>
    resultsRequest({
      query,
      limit: count,
      offset: (page - 1) * (count ?? defaultCount) || undefined,
      filters: { ...freshness, includeDomains: include, excludeDomains: exclude },
    }),
  format(answer, { id, input }) {
    const { query: originalQuery, count = defaultCount, page = 1 } = input
    const rows = sourcesOf(answer.searches).slice(0, count)
    const totalEstimatedMatches = estimatedTotal(rows.length, { count, offset: (page - 1) * count })
    return {
      code: 200,
      log_id: id,
      msg: null,
      data: {
        _type: 'SearchResponse',
        queryContext: { originalQuery },
        webPages: { totalEstimatedMatches, value: rows.map((row, at) => formatRow(row, at, input)) },
        images: { value: [] },
        videos: null,
      },
    }
  },
})

const defaultCount = 10

/** The summary has the further passages, where pages were read. Most clients ask for it always, so it asks for none. */
function formatRow(row: SearchResult, position: number, { summary }: BochaSearchInput): object {
  const { snippet, passages = [] } = row
  const page = formatWebPage(row, position)
  return summary ? { ...page, summary: (snippet ? [snippet, ...passages] : passages).join('\n') } : page
}
