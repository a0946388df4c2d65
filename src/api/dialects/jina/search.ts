import { z } from 'zod'
import { given, integerField, optional } from '../../fields/field.ts'
import { ignoredPlace, readPlace } from '../../fields/location.ts'
import { countryField, domainField, languageField } from '../../fields/places.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'
import { validate } from '../../http/validate.ts'
import { listDialect } from '../../list-dialect.ts'

const countField = optional(integerField(1, 100))

/** Jina's search. The content of a page is its excerpt. */
export const jinaSearch = listDialect({
  schema: z.object({
    q: queryField(ordinaryQuery),
    num: countField,
    // Open WebUI's name for it.
    count: countField,
    page: optional(integerField(1, 100)),
    gl: optional(countryField),
    location: given(z.string()),
    hl: optional(languageField),
  }),
  reference: {
    example: { q: 'heat pumps in the cold', num: 5 },
    headers: { 'x-site': 'The only site to search' },
  },
  pageSize: 5,
  page: ({ num, count, page }) => ({ rows: num ?? count, page }),
  ignored: ({ location, gl }) => ignoredPlace(location, gl),
  request({ q: query, gl, hl: language, location }, headers) {
    const site = headers.get('x-site')
    const includeDomains = site ? [validate(siteField, { 'x-site': site })['x-site']] : undefined
    return { query, filters: { ...readPlace(location, gl), language, includeDomains } }
  },
  reply: (rows) => ({
    code: 200,
    status: 20_000,
    data: rows.map(({ title, url, snippet = '', publishedAt }) => ({
      title,
      url,
      description: snippet,
      content: snippet,
      date: publishedAt,
    })),
  }),
})

const siteField = z.object({ 'x-site': domainField })
