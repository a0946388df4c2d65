import { z } from 'zod'
import { sourcesOf } from '../../../domain/answer.ts'
import { type Answer, resultsRequest, type SearchRequest } from '../../../domain/search.ts'
import type { Dialect, Reply } from '../../dialect.ts'
import { integerField, optional } from '../../fields/field.ts'
import { countryField, languageField } from '../../fields/places.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'

const countField = optional(integerField(1, 100))

const schema = z.object({
  q: queryField(ordinaryQuery),
  num: countField,
  // Open WebUI's name for it.
  count: countField,
  gl: optional(countryField),
  hl: optional(languageField),
})

export type JinaSearchInput = z.output<typeof schema>

/** Jina's search. The content of a page is its excerpt. */
export const jinaSearch: Dialect<JinaSearchInput> = {
  schema,
  reference: {
    summary: 'Web search',
    example: { q: 'heat pumps in the cold', num: 5 },
  },
  parse,
  format,
}

const defaultCount = 5

function parse({ q, num, count, gl, hl }: JinaSearchInput): SearchRequest {
  return resultsRequest({ query: q, limit: num ?? count, filters: { country: gl, language: hl } })
}

function format(answer: Answer, { input }: Reply<JinaSearchInput>): unknown {
  const rows = sourcesOf(answer.searches).slice(0, input.num ?? input.count ?? defaultCount)
  return {
    code: 200,
    status: 20_000,
    data: rows.map(({ title, url, snippet = '', publishedAt }) => ({
      title,
      url,
      description: snippet,
      content: snippet,
      date: publishedAt,
    })),
  }
}
