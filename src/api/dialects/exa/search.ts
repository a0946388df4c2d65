import type { Page } from '@csp/page-reader/page'
import { z } from 'zod'
import type { Category, SearchResult } from '../../../domain/search.ts'
import { refused } from '../../exchange/refusal.ts'
import { isoDateField, publishedBetween } from '../../fields/dates.ts'
import { ignoredFields, integerField, optional } from '../../fields/field.ts'
import { countryField, domainListField } from '../../fields/places.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'
import { listDialect } from '../../list-dialect.ts'
import { contentsFields, formatContents, ignoredContents, readingOf } from './fields.ts'

/** The fields of a search. */
export const exaSearchSchema = z.object({
  query: queryField(ordinaryQuery),
  type: optional(z.string()),
  numResults: optional(integerField(1, 100)),
  category: optional(z.string()),
  includeDomains: domainListField(1200),
  excludeDomains: domainListField(1200),
  startPublishedDate: optional(isoDateField),
  endPublishedDate: optional(isoDateField),
  userLocation: optional(countryField),
  contents: z.preprocess(
    // The client sends this for no content.
    (value) => (value === false ? undefined : value),
    optional(z.object(contentsFields)),
  ),
  stream: optional(z.boolean()),
  outputSchema: optional(z.looseObject({})),
})

type ExaSearchInput = z.output<typeof exaSearchSchema>

const defaultResults = 10

/** Exa's search. The content of a page that is not read is its excerpt. */
export const exaSearch = listDialect({
  schema: exaSearchSchema,
  reference: {
    summary: 'Web search, with the text of the pages if `contents` asks for it',
    example: { query: 'heat pumps in the cold', numResults: 5 },
  },
  pageSize: defaultResults,
  page: ({ numResults }) => ({ rows: numResults }),
  request(input) {
    if (input.outputSchema) throw refused(['outputSchema'], 'Use /answer for structured output')
    if (input.stream) throw refused(['stream'], 'Use /answer for streaming')
    const { startPublishedDate: start, endPublishedDate: end, includeDomains, excludeDomains } = input
    return {
      query: input.query,
      filters: {
        includeDomains,
        excludeDomains,
        ...publishedBetween(start, end, ['endPublishedDate']),
        country: input.userLocation,
        category: categories.get(input.category ?? ''),
      },
    }
  },
  ignored(input) {
    const { contents } = input
    return [
      ...(contents ? [...ignoredContents(contents), ...ignoredFields(contents, ['livecrawlTimeout'])] : []).map(
        (name) => `contents.${name}`,
      ),
      ...(input.type && input.type !== 'auto' ? ['type'] : []),
      ...(input.category && !categories.has(input.category) ? ['category'] : []),
    ]
  },
  pages: ({ contents, numResults: count = defaultResults }) => {
    const reading = contents && readingOf(contents)
    return (
      reading && {
        field: contents.text ? 'contents.text' : contents.extras && 'contents.extras',
        count,
        ...reading,
      }
    )
  },
  reply: (rows, { id, input, pages }) => ({
    requestId: id,
    resolvedSearchType: 'neural',
    searchType: input.type ?? 'auto',
    results: rows.map((row) => formatRow(row, pages?.get(row.url), input)),
    costDollars: exaCost,
  }),
})

/** The vendor's categories with an equivalent here; the others have no effect. */
const categories = new Map<string, Category>([
  ['news', 'news'],
  ['research paper', 'academic'],
  ['financial report', 'finance'],
  ['github', 'code'],
  ['people', 'people'],
  ['linkedin profile', 'people'],
])

function formatRow(row: SearchResult, page: Page | undefined, { contents, query }: ExaSearchInput): unknown {
  const publishedAt = row.publishedAt ?? page?.publishedAt
  return {
    ...exaRow({ ...row, publishedAt }),
    ...(page?.author && { author: page.author }),
    ...(contents && formatContents(contents, page, row.snippet ?? '', query)),
  }
}

/** A page in Exa's replies. Its author is not known. */
export function exaRow({ title, url, publishedAt }: Pick<SearchResult, 'title' | 'url' | 'publishedAt'>) {
  return { id: url, title, url, publishedDate: publishedAt && `${publishedAt}T00:00:00.000Z`, author: null }
}

/** A subscription is not billed by the request. */
export const exaCost = { total: 0 }
