import { z } from 'zod'
import { sourcesOf } from '../../../domain/answer.ts'
import type { Answer, SearchRequest } from '../../../domain/search.ts'
import { resultsRequest } from '../../../domain/search.ts'
import type { Dialect, Reply } from '../../dialect.ts'
import { integerField, optional } from '../../fields/field.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'

const schema = z.object({
  query: queryField(ordinaryQuery),
  max_results: optional(integerField(1, 20)),
})

export type OllamaSearchInput = z.output<typeof schema>

/** Ollama's web search. */
export const ollamaSearch: Dialect<OllamaSearchInput> = {
  schema,
  reference: {
    summary: 'Web search',
    example: { query: 'heat pumps in the cold', max_results: 5 },
  },
  parse,
  format,
}

const defaultResults = 5

function parse({ query, max_results }: OllamaSearchInput): SearchRequest {
  return resultsRequest({ query, limit: max_results })
}

function format(answer: Answer, { input }: Reply<OllamaSearchInput>): unknown {
  const rows = sourcesOf(answer.searches).slice(0, input.max_results ?? defaultResults)
  return { results: rows.map(({ title, url, snippet }) => ({ title, url, content: snippet ?? '' })) }
}
