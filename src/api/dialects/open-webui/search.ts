import { z } from 'zod'
import { sourcesOf } from '../../../domain/answer.ts'
import type { Answer, SearchRequest } from '../../../domain/search.ts'
import { resultsRequest } from '../../../domain/search.ts'
import type { Dialect, Reply } from '../../dialect.ts'
import { integerField, optional } from '../../fields/field.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'

const schema = z.object({
  query: queryField(ordinaryQuery),
  count: optional(integerField(1, 100)),
})

export type OpenWebuiSearchInput = z.output<typeof schema>

/** The request that Open WebUI sends to an external search engine. The reply is a bare list. */
export const openWebuiSearch: Dialect<OpenWebuiSearchInput> = {
  schema,
  reference: {
    summary: 'Web search, as an external engine',
    example: { query: 'heat pumps in the cold', count: 5 },
  },
  parse,
  format,
}

const defaultCount = 10

function parse({ query, count }: OpenWebuiSearchInput): SearchRequest {
  return resultsRequest({ query, limit: count })
}

function format(answer: Answer, { input }: Reply<OpenWebuiSearchInput>): unknown {
  const rows = sourcesOf(answer.searches).slice(0, input.count ?? defaultCount)
  return rows.map(({ title, url, snippet }) => ({ link: url, title, snippet: snippet ?? '' }))
}
