import { z } from 'zod'
import { sourcesOf } from '../../../domain/answer.ts'
import { resultsRequest } from '../../../domain/search.ts'
import { searchDialect } from '../../dialect.ts'
import { integerField, optional } from '../../fields/field.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'

/** Ollama's web search. */
export const ollamaSearch = searchDialect({
  schema: z.object({
    query: queryField(ordinaryQuery),
    max_results: optional(integerField(1, 20)),
  }),
  reference: {
    summary: 'Web search',
    example: { query: 'heat pumps in the cold', max_results: 5 },
  },
  parse: ({ query, max_results }) => resultsRequest({ query, limit: max_results }),
  format(answer, { input }) {
    const rows = sourcesOf(answer.searches).slice(0, input.max_results ?? defaultResults)
    return { results: rows.map(({ title, url, snippet }) => ({ title, url, content: snippet ?? '' })) }
  },
})

const defaultResults = 5
