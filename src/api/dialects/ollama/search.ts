import { z } from 'zod'
import { integerField, optional } from '../../fields/field.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'
import { listDialect } from '../../list-dialect.ts'

/** Ollama's web search. */
export const ollamaSearch = listDialect({
  schema: z.object({
    query: queryField(ordinaryQuery),
    max_results: optional(integerField(1, 20)),
  }),
  reference: { example: { query: 'heat pumps in the cold', max_results: 5 } },
  pageSize: 5,
  page: ({ max_results }) => ({ rows: max_results }),
  request: ({ query }) => ({ query }),
  reply: (rows) => ({ results: rows.map(({ title, url, snippet }) => ({ title, url, content: snippet ?? '' })) }),
})
