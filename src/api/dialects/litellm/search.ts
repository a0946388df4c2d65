import { z } from 'zod'
import { optional } from '../../fields/field.ts'
import { oneQueryField } from '../../fields/query.ts'
import { listDialect } from '../../list-dialect.ts'
import {
  categoryOf,
  ignoredFilters,
  perplexityFilterFields,
  readPerplexityFilters,
  searchModeField,
} from '../shared/perplexity-filters.ts'

/** A search tool of LiteLLM's proxy, whatever its name: Perplexity's fields, and a reply with an `object`. */
export const litellmSearch = listDialect({
  schema: z.object({
    query: oneQueryField,
    max_results: optional(z.int().min(1).max(20)),
    search_mode: searchModeField,
    ...perplexityFilterFields,
  }),
  reference: {
    summary: 'Web search; the name of the tool is free',
    example: { query: 'heat pumps in the cold', max_results: 5 },
  },
  pageSize: 10,
  page: ({ max_results }) => ({ rows: max_results }),
  request: (input) => ({
    query: input.query,
    filters: { ...readPerplexityFilters(input), category: categoryOf(input.search_mode) },
  }),
  ignored: ignoredFilters,
  reply: (rows) => ({
    object: 'search',
    results: rows.map(({ title, url, snippet, publishedAt }) => ({
      title,
      url,
      snippet: snippet ?? '',
      date: publishedAt,
    })),
  }),
})
