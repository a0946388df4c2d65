import { z } from 'zod'
import { sourcesOf } from '../domain/answer.ts'
import type { Answer, SearchRequest } from '../domain/search.ts'
import type { Dialect, Reply } from './dialect.ts'
import { optional } from './field.ts'
import { perplexityError } from './perplexity-error.ts'
import { perplexityFilterFields, readPerplexityFilters } from './perplexity-filters.ts'
import { oneQueryField } from './query-field.ts'

const schema = z.object({
  query: oneQueryField,
  max_results: optional(z.int().min(1).max(20)),
  ...perplexityFilterFields,
})

export type PerplexitySearchInput = z.output<typeof schema>

/** Perplexity's Search API: pages, no written answer. */
export const perplexitySearch: Dialect<PerplexitySearchInput> = {
  name: 'perplexity-search',
  schema,
  parse,
  format,
  formatError: perplexityError,
}

const defaultResults = 10

function parse(input: PerplexitySearchInput): SearchRequest {
  return {
    query: input.query,
    history: [],
    want: 'results',
    effort: 'fast',
    limit: input.max_results ?? defaultResults,
    filters: readPerplexityFilters(input),
  }
}

function format(answer: Answer, { id, input }: Reply<PerplexitySearchInput>): unknown {
  const rows = sourcesOf(answer.searches).slice(0, input.max_results ?? defaultResults)
  return {
    id,
    results: rows.map(({ title, url, snippet, publishedAt }) => ({
      title,
      url,
      snippet: snippet ?? '',
      // Left out when unknown: the vendor's own MCP server refuses null.
      date: publishedAt,
    })),
  }
}
