import { z } from 'zod'
import { pageDialect } from '../../dialect.ts'
import { refused } from '../../exchange/refusal.ts'
import { pageOf } from '../shared/named-pages.ts'
import { formatPage, formatsOf, ignoredScrapeFields, readingsOf, scrapeFields } from './fields.ts'

const schema = z.object({ url: z.string(), ...scrapeFields })

type FirecrawlScrapeInput = z.output<typeof schema>

/** Firecrawl's reading of one page, alike in both versions. */
export const firecrawlScrape = pageDialect({
  schema,
  reference: {
    summary: 'Read one page',
    example: { url: 'https://example.com/heat-pumps', formats: ['markdown'] },
  },
  parse(input) {
    const { url, onlyMainContent: mainContentOnly, timeout: timeoutMs, maxAge } = input
    const formats = wanted(input)
    if (formats.size === 0) {
      throw refused(['formats'], 'Only markdown, html and links are supported')
    }
    return {
      requests: readingsOf(formats).map((format) => ({ url, format, mainContentOnly })),
      timeoutMs,
      isFresh: maxAge === 0,
    }
  },
  ignored: ignoredScrapeFields,
  format(outcomes, { input }) {
    return { success: true, data: formatPage(input.url, outcomes.map(pageOf), wanted(input)) }
  },
})

/** Without a wish, Markdown. */
function wanted(input: FirecrawlScrapeInput): ReadonlySet<string> {
  return input.formats && input.formats.length > 0 ? formatsOf(input) : new Set(['markdown'])
}
