import { z } from 'zod'
import { sourcesOf } from '../../../domain/answer.ts'
import { resultsRequest } from '../../../domain/search.ts'
import { searchDialect } from '../../dialect.ts'
import { integerField, optional } from '../../fields/field.ts'
import { countryField, domainField, languageField } from '../../fields/places.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'
import { validate } from '../../http/validate.ts'

const countField = optional(integerField(1, 100))

/** Jina's search. The content of a page is its excerpt. */
export const jinaSearch = searchDialect({
  schema: z.object({
    q: queryField(ordinaryQuery),
    num: countField,
    // Open WebUI's name for it.
    count: countField,
    page: optional(integerField(1, 100)),
    gl: optional(countryField),
    hl: optional(languageField),
  }),
  reference: {
    summary: 'Web search',
    example: { q: 'heat pumps in the cold', num: 5 },
    headers: { 'x-site': 'The only site to search' },
  },
  parse(input, _models, headers) {
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
  },
  format(answer, { input }) {
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
  },
})

const defaultCount = 5

const siteField = z.object({ 'x-site': domainField })
