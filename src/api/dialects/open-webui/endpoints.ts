import { z } from 'zod'
import { pageDialect } from '../../dialect.ts'
import { integerField, optional } from '../../fields/field.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'
import { urlsField } from '../../fields/urls.ts'
import { listDialect } from '../../list-dialect.ts'

/** The request that Open WebUI sends to an external search engine. The reply is a bare list. */
export const openWebuiSearch = listDialect({
  schema: z.object({
    query: queryField(ordinaryQuery),
    count: optional(integerField(1, 100)),
  }),
  reference: {
    summary: 'Web search, as an external engine',
    example: { query: 'heat pumps in the cold', count: 5 },
  },
  pageSize: 10,
  page: ({ count }) => ({ rows: count }),
  request: ({ query }) => ({ query }),
  reply: (rows) => rows.map(({ title, url, snippet }) => ({ link: url, title, snippet: snippet ?? '' })),
})

/** The request that Open WebUI sends to an external loader. The reply is a bare list. */
export const openWebuiLoader = pageDialect({
  schema: z.object({ urls: urlsField(100) }),
  reference: {
    summary: 'Read pages, as an external document loader',
    example: { urls: ['https://example.com/heat-pumps'] },
  },
  parse: ({ urls }) => ({ requests: urls.map((url) => ({ url })) }),
  /** The list has no place for errors, so only where no page could be read is the first of them the reply. */
  format(outcomes) {
    const pages = outcomes.flatMap(({ page }) => page ?? [])
    const error = outcomes.find((outcome) => outcome.error)?.error
    if (pages.length === 0 && error) throw error
    return pages.map(({ content, url, title, description, language }) => ({
      page_content: content,
      metadata: { source: url, title, description, language },
    }))
  },
})
