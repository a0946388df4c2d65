import { z } from 'zod'
import { pageDialect } from '../../dialect.ts'
import { booleanField, optional } from '../../fields/field.ts'
import { pageOf } from '../shared/named-pages.ts'

/** Serper's reading of one page: its text, and Markdown if asked for. */
export const serperScrape = pageDialect({
  schema: z.object({ url: z.string(), includeMarkdown: optional(booleanField) }),
  reference: {
    summary: 'Read one page',
    example: { url: 'https://example.com/heat-pumps', includeMarkdown: true },
  },
  parse: ({ url, includeMarkdown }) => ({
    requests: [{ url, format: 'text' }, ...(includeMarkdown ? [{ url, format: 'markdown' } as const] : [])],
  }),
  format(outcomes, { input }) {
    const [text, markdown] = outcomes.map(pageOf)
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
  },
})
