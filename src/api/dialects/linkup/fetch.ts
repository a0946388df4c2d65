import { z } from 'zod'
import type { PageDialect, PageOutcome } from '../../dialect.ts'
import { booleanField, ignoredFields, optional } from '../../fields/field.ts'

const schema = z.object({
  url: z.string(),
  renderJs: optional(booleanField),
  includeRawHtml: optional(booleanField),
  extractImages: optional(booleanField),
})

export type LinkupFetchInput = z.output<typeof schema>

/** Linkup's reading of one page. Neither its HTML as the site sent it nor its images are kept. */
export const linkupFetch: PageDialect<LinkupFetchInput> = {
  schema,
  reference: { summary: 'Read one page', example: { url: 'https://example.com/heat-pumps' } },
  parse: ({ url }) => ({ requests: [{ url, format: 'markdown' }] }),
  ignored: (input) => ignoredFields(input, ['renderJs', 'includeRawHtml', 'extractImages']),
  format,
}

function format([outcome]: readonly PageOutcome[]): unknown {
  if (outcome?.error) throw outcome.error
  return { markdown: outcome?.page?.content ?? '' }
}
