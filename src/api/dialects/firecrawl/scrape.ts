import { z } from 'zod'
import type { PageDialect, PageOutcome, PageWish, Reply } from '../../dialect.ts'
import { refused } from '../../http/refusal.ts'
import { formatPage, formatsOf, ignoredScrapeFields, readingsOf, scrapeFields } from './scrape-fields.ts'

const schema = z.object({ url: z.string(), ...scrapeFields })

export type FirecrawlScrapeInput = z.output<typeof schema>

/** Firecrawl's reading of one page, alike in both versions. */
export const firecrawlScrape: PageDialect<FirecrawlScrapeInput> = {
  schema,
  reference: {
    summary: 'Read one page',
    example: { url: 'https://example.com/heat-pumps', formats: ['markdown'] },
  },
  parse,
  ignored: ignoredScrapeFields,
  format,
}

function parse(input: FirecrawlScrapeInput): PageWish {
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
}

/** Without a wish, Markdown. */
function wanted(input: FirecrawlScrapeInput): ReadonlySet<string> {
  return input.formats && input.formats.length > 0 ? formatsOf(input) : new Set(['markdown'])
}

function format(outcomes: readonly PageOutcome[], { input }: Reply<FirecrawlScrapeInput>): unknown {
  const pages = outcomes.map(({ page, error }) => {
    if (error) throw error
    return page
  })
  return { success: true, data: formatPage(input.url, pages, wanted(input)) }
}
