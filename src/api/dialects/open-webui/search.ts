import { z } from 'zod'
import { sourcesOf } from '../../../domain/answer.ts'
import { resultsRequest } from '../../../domain/search.ts'
import { searchDialect } from '../../dialect.ts'
import { integerField, optional } from '../../fields/field.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'

/** The request that Open WebUI sends to an external search engine. The reply is a bare list. */
export const openWebuiSearch = searchDialect({
  schema: z.object({
    query: queryField(ordinaryQuery),
    count: optional(integerField(1, 100)),
  }),
  reference: {
    summary: 'Web search, as an external engine',
    example: { query: 'heat pumps in the cold', count: 5 },
  },
  parse: ({ query, count }) => resultsRequest({ query, limit: count }),
  format(answer, { input }) {
    const rows = sourcesOf(answer.searches).slice(0, input.count ?? defaultCount)
    return rows.map(({ title, url, snippet }) => ({ link: url, title, snippet: snippet ?? '' }))
  },
})

const defaultCount = 10
