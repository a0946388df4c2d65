import { z } from 'zod'
import { integerField, optional } from '../../fields/field.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'
import { listDialect } from '../../list-dialect.ts'

/** The request that Open WebUI sends to an external search engine. The reply is a bare list. */
export const openWebuiSearch = listDialect({
  schema: z.object({
    query: queryField(ordinaryQuery),
    count: optional(integerField(1, 100)),
  }),
  reference: {
    summary: 'Web search, as an external engine',
    example: { query: 'heat pumps in the cold', count: 5 },
  },
  pageSize: 10,
  page: ({ count }) => ({ rows: count }),
  request: ({ query }) => ({ query }),
  reply: (rows) => rows.map(({ title, url, snippet }) => ({ link: url, title, snippet: snippet ?? '' })),
})
