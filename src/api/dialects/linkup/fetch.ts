import { z } from 'zod'
import { pageDialect } from '../../dialect.ts'
import { booleanField, optional } from '../../fields/field.ts'
import { withoutEffect } from '../../http/unread.ts'

/** Linkup's reading of one page. Neither its HTML as the site sent it nor its images are kept. */
export const linkupFetch = pageDialect({
  schema: z.object({
    url: z.string(),
    renderJs: withoutEffect(optional(booleanField)),
    includeRawHtml: withoutEffect(optional(booleanField)),
    extractImages: withoutEffect(optional(booleanField)),
  }),
  reference: { summary: 'Read one page', example: { url: 'https://example.com/heat-pumps' } },
  parse: ({ url }) => ({ requests: [{ url, format: 'markdown' }] }),
  format([outcome]) {
    if (outcome?.error) throw outcome.error
    return { markdown: outcome?.page?.content ?? '' }
  },
})
