import { z } from 'zod'
import type { SearchResult } from '../../../domain/search.ts'
import type { Dialect, FoundPagesWish, Reply } from '../../dialect.ts'
import { refused } from '../../exchange/refusal.ts'
import { given, ignoredFields, integerField, optional } from '../../fields/field.ts'
import { isAnyTime, timeField } from '../../fields/google-time.ts'
import { ignoredPlace, readPlace } from '../../fields/location.ts'
import { countryField, domainListField, languageField } from '../../fields/places.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'
import { type ListWish, listDialect } from '../../list-dialect.ts'
import { formatPage, formatsOf, ignoredScrapeFields, readingsOf, scrapeFields } from './fields.ts'

const sourceField = z.enum(['web', 'news', 'images'])

const defaultLimit = 5

const schema = z.object({
  query: queryField(ordinaryQuery),
  limit: optional(integerField(1, 100)),
  sources: optional(z.array(z.union([sourceField, z.object({ type: sourceField }).transform(({ type }) => type)]))),
  includeDomains: domainListField(100),
  excludeDomains: domainListField(100),
  tbs: optional(timeField),
  country: optional(countryField),
  location: given(z.string()),
  lang: optional(languageField),
  scrapeOptions: optional(z.object(scrapeFields)),
})

type FirecrawlSearchInput = z.output<typeof schema>

/** Firecrawl's search; version 1 has a bare list where version 2 has a list for each kind of source. */
function searchOf(version: 1 | 2): Dialect<FirecrawlSearchInput> {
  return listDialect({
    schema,
    reference: { example: { query: 'heat pumps in the cold', limit: 5 } },
    pageSize: defaultLimit,
    page: ({ limit }) => ({ rows: limit }),
    request: readSearch,
    ignored,
    pages,
    reply: version === 1 ? formatList : formatBySource,
  })
}

export const firecrawlSearchV1 = searchOf(1)
export const firecrawlSearch = searchOf(2)

function readSearch(input: FirecrawlSearchInput): ListWish {
  const kind = kindOf(input)
  if (kind === 'images') {
    throw refused(['sources'], 'Image search is not supported')
  }
  const { includeDomains, excludeDomains } = input
  return {
    query: input.query,
    filters: {
      ...input.tbs,
      includeDomains,
      excludeDomains,
      ...readPlace(input.location, input.country),
      language: input.lang,
      category: kind === 'news' ? 'news' : undefined,
    },
  }
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
  return [
    ...ignoredPlace(input.location, input.country),
    ...(input.tbs && isAnyTime(input.tbs) ? ['tbs'] : []),
    ...names.map((name) => `scrapeOptions.${name}`),
  ]
}

function pages({ scrapeOptions, limit: count = defaultLimit }: FirecrawlSearchInput): FoundPagesWish | undefined {
  const formats = scrapeOptions && formatsOf(scrapeOptions)
  if (!formats || formats.size === 0) return undefined
  const { onlyMainContent: mainContentOnly, maxAge } = scrapeOptions
  const [format] = readingsOf(formats)
  return { field: 'scrapeOptions', count, format, mainContentOnly, isFresh: maxAge === 0 }
}

function formatList(rows: readonly SearchResult[], reply: Reply<FirecrawlSearchInput>): unknown {
  return {
    success: true,
    data: rows.map((row, index) => ({ ...formatRow(row, index), ...contentOf(row, reply) })),
  }
}

/** One search is made, so the rows go to one source, and every other requested source is empty. */
function formatBySource(found: readonly SearchResult[], reply: Reply<FirecrawlSearchInput>): unknown {
  const kind = kindOf(reply.input)
  const formatKind = kind === 'news' ? formatNews : formatRow
  const rows = found.map((row, index) => ({ ...formatKind(row, index), ...contentOf(row, reply) }))
  const asked = (reply.input.sources ?? []).map((name) => [name, []] as const)
  return {
    success: true,
    data: { ...Object.fromEntries(asked), [kind]: rows },
    warning: null,
    id: reply.id,
    creditsUsed: 0,
  }
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
