import { z } from 'zod'
import { sourcesOf } from '../../../domain/answer.ts'
import { type Answer, resultsRequest, type SearchRequest, type SearchResult } from '../../../domain/search.ts'
import type { Dialect, FoundPagesWish, Reply } from '../../dialect.ts'
import { calendarDate, type PublishedWithin, recentDays } from '../../fields/dates.ts'
import { ignoredFields, integerField, optional, Rejection, textField } from '../../fields/field.ts'
import { countryField, domainListField, languageField } from '../../fields/places.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'
import { invalid } from '../../http/refusal.ts'
import { formatPage, formatsOf, ignoredScrapeFields, readingsOf, scrapeFields } from './scrape-fields.ts'

/**
 * Firecrawl's `tbs`, which is Google's: `qdr:d`, `qdr:h6` or `cdr:1,cd_min:3/1/2026,cd_max:3/31/2026`. Other
 * parts, such as `sbd:1` for the order, are ignored.
 */
export const timeField = textField(readTime, 'qdr:d, qdr:h6, or cdr:1,cd_min:3/1/2026,cd_max:3/31/2026')

const daysIn = new Map([
  ['h', 1 / 24],
  ['d', 1],
  ['w', 7],
  ['m', 31],
  ['y', 366],
])

function readTime(text: string): PublishedWithin | Rejection {
  const parts = new Map(text.split(',').map((part) => splitAt(part.trim(), ':')))
  const [, unit = '', count = '1'] = /^([hdwmy])(\d{1,4})?$/.exec(parts.get('qdr') ?? '') ?? []
  const days = daysIn.get(unit)
  if (days !== undefined) return { freshness: recentDays(days * Number(count)) }
  if (parts.has('qdr')) return new Rejection('value_error', 'Input should be a time such as qdr:d or qdr:w')
  const publishedAfter = readDate(parts.get('cd_min'))
  const publishedBefore = readDate(parts.get('cd_max'))
  if (publishedAfter === null || publishedBefore === null) {
    return new Rejection('value_error', 'Input should have existing dates, as MM/DD/YYYY')
  }
  if (publishedAfter && publishedBefore && publishedAfter > publishedBefore) {
    return new Rejection('value_error', 'The end of the range should not be before its start')
  }
  return { publishedAfter, publishedBefore }
}

/** `undefined` when there is none, `null` when it does not exist. */
function readDate(text: string | undefined): string | null | undefined {
  if (!text) return undefined
  const [, month, day, year] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text) ?? []
  return calendarDate(Number(year), Number(month), Number(day)) ?? null
}

function splitAt(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

const sourceField = z.enum(['web', 'news', 'images'])

const schema = z.object({
  query: queryField(ordinaryQuery),
  limit: optional(integerField(1, 100)),
  sources: optional(z.array(z.union([sourceField, z.object({ type: sourceField }).transform(({ type }) => type)]))),
  includeDomains: domainListField(100),
  excludeDomains: domainListField(100),
  tbs: optional(timeField),
  country: optional(countryField),
  lang: optional(languageField),
  location: optional(z.unknown()),
  categories: optional(z.unknown()),
  scrapeOptions: optional(z.object(scrapeFields)),
})

export type FirecrawlSearchInput = z.output<typeof schema>

/** Firecrawl's search; version 1 has a bare list where version 2 has a list for each kind of source. */
export function firecrawlSearch(version: 1 | 2): Dialect<FirecrawlSearchInput> {
  return {
    schema,
    reference: {
      summary: 'Web search',
      example: { query: 'heat pumps in the cold', limit: 5 },
    },
    parse,
    ignored,
    pages,
    format: version === 1 ? formatList : formatBySource,
  }
}

const defaultLimit = 5

function parse(input: FirecrawlSearchInput): SearchRequest {
  const kind = kindOf(input)
  if (kind === 'images') {
    throw invalid({ path: ['sources'], type: 'value_error', message: 'Image search is not supported' })
  }
  const { includeDomains, excludeDomains } = input
  return resultsRequest({
    query: input.query,
    limit: input.limit,
    filters: {
      ...input.tbs,
      includeDomains,
      excludeDomains,
      country: input.country,
      language: input.lang,
      category: kind === 'news' ? 'news' : undefined,
    },
  })
}

function ignored(input: FirecrawlSearchInput): readonly string[] {
  const { scrapeOptions } = input
  const names = scrapeOptions
    ? [
        ...ignoredScrapeFields(scrapeOptions),
        ...ignoredFields(scrapeOptions, ['timeout']),
        // A found page is read once.
        ...(readingsOf(formatsOf(scrapeOptions)).length > 1 ? ['formats.html'] : []),
      ]
    : []
  return [...ignoredFields(input, ['location', 'categories']), ...names.map((name) => `scrapeOptions.${name}`)]
}

function pages({ scrapeOptions, limit: count = defaultLimit }: FirecrawlSearchInput): FoundPagesWish | undefined {
  const formats = scrapeOptions && formatsOf(scrapeOptions)
  if (!formats || formats.size === 0) return undefined
  const { onlyMainContent: mainContentOnly, maxAge } = scrapeOptions
  const [format] = readingsOf(formats)
  return { field: 'scrapeOptions', count, format, mainContentOnly, isFresh: maxAge === 0 }
}

function formatList(answer: Answer, reply: Reply<FirecrawlSearchInput>): unknown {
  return {
    success: true,
    data: rowsOf(answer, reply).map((row, index) => ({ ...formatRow(row, index), ...contentOf(row, reply) })),
  }
}

/** One search is made, so the rows go to one source, and every other requested source is empty. */
function formatBySource(answer: Answer, reply: Reply<FirecrawlSearchInput>): unknown {
  const kind = kindOf(reply.input)
  const formatKind = kind === 'news' ? formatNews : formatRow
  const rows = rowsOf(answer, reply).map((row, index) => ({ ...formatKind(row, index), ...contentOf(row, reply) }))
  const asked = (reply.input.sources ?? []).map((name) => [name, []] as const)
  return {
    success: true,
    data: { ...Object.fromEntries(asked), [kind]: rows },
    warning: null,
    id: reply.id,
    creditsUsed: 0,
  }
}

function rowsOf(answer: Answer, { input }: Reply<FirecrawlSearchInput>): readonly SearchResult[] {
  return sourcesOf(answer.searches).slice(0, input.limit ?? defaultLimit)
}

/** The source of the search. Pages come first: a search for pages finds news as well. */
function kindOf({ sources = [] }: FirecrawlSearchInput): z.output<typeof sourceField> {
  if (sources.length === 0 || sources.includes('web')) return 'web'
  return sources.includes('news') ? 'news' : 'images'
}

function formatRow({ title, url, snippet, publishedAt }: SearchResult, index: number): object {
  return { url, title, description: snippet ?? '', position: index + 1, publishedDate: publishedAt }
}

function formatNews({ title, url, snippet, publishedAt }: SearchResult, index: number): object {
  return { url, title, snippet: snippet ?? '', position: index + 1, date: publishedAt }
}

/** The text of a page that was read. */
function contentOf({ url }: SearchResult, { input, pages }: Reply<FirecrawlSearchInput>): object {
  const page = pages?.get(url)
  return page && input.scrapeOptions ? formatPage(url, [page], formatsOf(input.scrapeOptions)) : {}
}
