import { z } from 'zod'
import type { PageDialect, PageOutcome, Reply } from '../../dialect.ts'
import { booleanField, optional } from '../../fields/field.ts'

const schema = z.object({ url: z.string(), includeMarkdown: optional(booleanField) })

export type SerperScrapeInput = z.output<typeof schema>

/** Serper's reading of one page: its text, and Markdown if asked for. */
export const serperScrape: PageDialect<SerperScrapeInput> = {
  schema,
  reference: {
    summary: 'Read one page',
    example: { url: 'https://example.com/heat-pumps', includeMarkdown: true },
  },
  parse: ({ url, includeMarkdown }) => ({
    requests: [{ url, format: 'text' }, ...(includeMarkdown ? [{ url, format: 'markdown' } as const] : [])],
  }),
  format,
}

function format(outcomes: readonly PageOutcome[], { input }: Reply<SerperScrapeInput>): unknown {
  const [text, markdown] = outcomes.map(({ page, error }) => {
    if (error) throw error
    return page
  })
  return {
    text: text?.content ?? '',
    markdown: input.includeMarkdown ? (markdown?.content ?? '') : undefined,
    metadata: {
      title: text?.title,
      description: text?.description,
      author: text?.author,
      'og:site_name': text?.siteName,
      'article:published_time': text?.publishedAt,
      'article:modified_time': text?.modifiedAt,
    },
  }
}
