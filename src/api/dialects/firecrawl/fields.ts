import type { Page, PageFormat } from '@csp/page-reader/page'
import { z } from 'zod'
import { booleanField, integerField, optional } from '../../fields/field.ts'

/** By its name, or an object with its settings. */
const formatField = z.union([z.string(), z.looseObject({ type: z.string() }).transform(({ type }) => type)])

/** How a page is to be read, in a scrape and in the `scrapeOptions` of a search. Other fields have no effect. */
export const scrapeFields = {
  formats: optional(z.array(formatField).max(20)),
  onlyMainContent: optional(booleanField),
  timeout: optional(integerField(1, 600_000)),
  /** In milliseconds. */
  maxAge: optional(integerField(0, Number.MAX_SAFE_INTEGER)),
  // An old client sends it with every request.
  origin: optional(z.unknown()),
}

const scrapeOptions = z.object(scrapeFields)
export type ScrapeOptions = z.output<typeof scrapeOptions>

/** What of a page's formats there is, each once. */
export function formatsOf({ formats }: ScrapeOptions): ReadonlySet<string> {
  return new Set((formats ?? []).filter((name) => known.has(name)))
}

const known = new Set(['markdown', 'html', 'links'])

export function ignoredScrapeFields(options: ScrapeOptions): readonly string[] {
  const unknown = (options.formats ?? []).filter((name) => !known.has(name) && /^[\w.@-]{1,64}$/.test(name))
  return unknown.map((name) => `formats.${name}`)
}

/** In which formats the page has to be read, so that there is all that was asked for. */
export function readingsOf(formats: ReadonlySet<string>): readonly PageFormat[] {
  const readings = (['markdown', 'html'] as const).filter((name) => formats.has(name))
  return readings.length > 0 ? readings : ['markdown']
}

/** A page in the vendor's words; `pages` is the same page in the formats in which it was read. */
export function formatPage(url: string, pages: readonly Page[], formats: ReadonlySet<string>): object {
  const [first] = pages
  const contentIn = (format: PageFormat) =>
    formats.has(format) ? pages.find((page) => page.format === format)?.content : undefined
  return {
    markdown: contentIn('markdown'),
    html: contentIn('html'),
    links: formats.has('links') ? first?.links : undefined,
    metadata: first && {
      title: first.title,
      description: first.description,
      author: first.author,
      language: first.language,
      ogSiteName: first.siteName,
      ogImage: first.image,
      publishedTime: first.publishedAt,
      modifiedTime: first.modifiedAt,
      sourceURL: url,
      url: first.finalUrl,
      statusCode: first.status,
      contentType: first.contentType,
    },
  }
}
