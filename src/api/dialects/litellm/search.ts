import { z } from 'zod'
import { sourcesOf } from '../../../domain/answer.ts'
import { resultsRequest } from '../../../domain/search.ts'
import { searchDialect } from '../../dialect.ts'
import { optional } from '../../fields/field.ts'
import { oneQueryField } from '../../fields/query.ts'
import {
  categoryOf,
  ignoredFilters,
  perplexityFilterFields,
  readPerplexityFilters,
  searchModeField,
} from '../shared/perplexity-filters.ts'

/** A search tool of LiteLLM's proxy, whatever its name: Perplexity's fields, and a reply with an `object`. */
export const litellmSearch = searchDialect({
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
  parse(input) {
    const filters = { ...readPerplexityFilters(input), category: categoryOf(input.search_mode) }
    return resultsRequest({ query: input.query, limit: input.max_results, filters })
  },
  ignored: ignoredFilters,
  format(answer, { input }) {
    const rows = sourcesOf(answer.searches).slice(0, input.max_results ?? defaultResults)
    return {
      object: 'search',
      results: rows.map(({ title, url, snippet, publishedAt }) => ({
        title,
        url,
        snippet: snippet ?? '',
        date: publishedAt,
      })),
    }
  },
})

const defaultResults = 10
