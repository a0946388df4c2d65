import { z } from 'zod'
import { sourcesOf } from '../../../domain/answer.ts'
import type { ModelMap } from '../../../domain/model.ts'
import { type Answer, resultsRequest, type SearchRequest } from '../../../domain/search.ts'
import type { Dialect, Reply } from '../../dialect.ts'
import { integerField, optional } from '../../fields/field.ts'
import { countryField, domainField, languageField } from '../../fields/places.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'
import { validate } from '../../http/validate.ts'

const countField = optional(integerField(1, 100))

const schema = z.object({
  q: queryField(ordinaryQuery),
  num: countField,
  // Open WebUI's name for it.
  count: countField,
  page: optional(integerField(1, 100)),
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
    headers: { 'x-site': 'The only site to search' },
  },
  parse,
  format,
}

const defaultCount = 5

function parse(input: JinaSearchInput, _models: ModelMap, headers?: Headers): SearchRequest {
  const { q, num, count, page = 1, gl, hl } = input
  const limit = num ?? count
  const site = headers?.get('x-site')
  return resultsRequest({
    query: q,
    limit,
    offset: (page - 1) * (limit ?? defaultCount) || undefined,
    filters: {
      country: gl,
      language: hl,
      includeDomains: site ? [validate(siteField, { 'x-site': site })['x-site']] : undefined,
    },
  })
}

const siteField = z.object({ 'x-site': domainField })

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
