import { z } from 'zod'
import { optional } from '../../fields/field.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'
import { listDialect } from '../../list-dialect.ts'
import { interleave } from '../shared/interleave.ts'
import {
  categoryOf,
  ignoredFilters,
  perplexityFilterFields,
  readPerplexityFilters,
  searchModeField,
} from '../shared/perplexity-filters.ts'

const oneQuery = queryField(ordinaryQuery)

const schema = z.object({
  query: z
    .union([oneQuery.transform((query) => [query]), z.array(oneQuery).min(1).max(5)])
    .transform((queries) => [...new Set(queries)]),
  max_results: optional(z.int().min(1).max(20)),
  search_mode: searchModeField,
  search_type: optional(z.enum(['web', 'people'])),
  display_server_time: optional(z.boolean()),
  max_tokens: optional(z.int().min(1)),
  max_tokens_per_page: optional(z.int().min(1)),
  ...perplexityFilterFields,
})

type PerplexitySearchInput = z.output<typeof schema>

/** Perplexity's Search API: pages, no written answer. Each of several queries is a search of its own. */
export const perplexitySearch = listDialect({
  schema,
  reference: {
    summary: 'Web search, up to five queries at once',
    example: { query: 'heat pumps in the cold', max_results: 5 },
  },
  pageSize: 10,
  page: ({ max_results }) => ({ rows: max_results }),
  request(input) {
    const { search_mode, search_type } = input
    const category = search_type === 'people' ? 'people' : categoryOf(search_mode)
    const filters = { ...readPerplexityFilters(input), category }
    return input.query.map((query) => ({ query, filters }))
  },
  ignored: ignoredFilters,
  reply(rows, { id, createdAt, input, answer, count }) {
    const isOne = input.query.length === 1
    const shown = isOne ? rows : interleave(answer.searches.map(({ results }) => results.slice(0, count)))
    const cut = snippetCutter(input)
    return {
      id,
      results: shown.map(({ title, url, snippet, publishedAt }) => ({
        title,
        url,
        snippet: cut(snippet ?? ''),
        // Left out when unknown: the vendor's own MCP server refuses null.
        date: publishedAt,
      })),
      ...(input.display_server_time && { server_time: createdAt.toISOString() }),
    }
  },
})

/** Cuts snippets to the tokens for each page, and to what is left of the tokens for all. */
function snippetCutter({ max_tokens, max_tokens_per_page }: PerplexitySearchInput): (snippet: string) => string {
  const perPage = (max_tokens_per_page ?? Number.POSITIVE_INFINITY) * charactersPerToken
  let left = (max_tokens ?? Number.POSITIVE_INFINITY) * charactersPerToken
  return (snippet) => {
    const text = snippet.slice(0, Math.min(perPage, left)).toWellFormed()
    left -= text.length
    return text
  }
}

const charactersPerToken = 4
