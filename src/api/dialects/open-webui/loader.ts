import { z } from 'zod'
import type { PageDialect, PageOutcome } from '../../dialect.ts'
import { urlsField } from '../../fields/urls.ts'

const schema = z.object({ urls: urlsField(100) })

export type OpenWebuiLoaderInput = z.output<typeof schema>

/** The request that Open WebUI sends to an external loader. The reply is a bare list. */
export const openWebuiLoader: PageDialect<OpenWebuiLoaderInput> = {
  schema,
  reference: {
    summary: 'Read pages, as an external document loader',
    example: { urls: ['https://example.com/heat-pumps'] },
  },
  parse: ({ urls }) => ({ requests: urls.map((url) => ({ url })) }),
  format,
}

/** The list has no place for errors, so only where no page could be read is the first of them the reply. */
function format(outcomes: readonly PageOutcome[]): unknown {
  const pages = outcomes.flatMap(({ page }) => page ?? [])
  const error = outcomes.find((outcome) => outcome.error)?.error
  if (pages.length === 0 && error) throw error
  return pages.map(({ content, url, title, description, language }) => ({
    page_content: content,
    metadata: { source: url, title, description, language },
  }))
}
