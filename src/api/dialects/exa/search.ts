import { z } from 'zod'
import { sourcesOf } from '../../../domain/answer.ts'
import {
  type Answer,
  type Category,
  resultsRequest,
  type SearchRequest,
  type SearchResult,
} from '../../../domain/search.ts'
import type { Dialect, Reply } from '../../dialect.ts'
import { isoDateField } from '../../fields/dates.ts'
import { ignoredFields, integerField, optional } from '../../fields/field.ts'
import { countryField, domainListField } from '../../fields/places.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'
import { invalid } from '../../http/refusal.ts'

/** A kind of content: requested by `true` or by its settings, of which only the length has an effect. */
const contentField = optional(z.union([z.boolean(), z.object({ maxCharacters: optional(integerField(1, 1_000_000)) })]))

const schema = z.object({
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
    optional(z.object({ text: contentField, highlights: contentField, summary: contentField })),
  ),
  stream: optional(z.boolean()),
  outputSchema: optional(z.looseObject({})),
  includeText: optional(z.unknown()),
  excludeText: optional(z.unknown()),
  startCrawlDate: optional(z.unknown()),
  endCrawlDate: optional(z.unknown()),
})

export type ExaSearchInput = z.output<typeof schema>

type Content = z.output<typeof contentField>

/** Exa's search. Requested page content is the excerpt, since no page is fetched. */
export const exaSearch: Dialect<ExaSearchInput> = {
  schema,
  parse,
  ignored,
  format,
}

const defaultResults = 10

function parse(input: ExaSearchInput): SearchRequest {
  if (input.outputSchema) throw refused('outputSchema', 'Use /answer for structured output')
  if (input.stream) throw refused('stream', 'Use /answer for streaming')
  const { startPublishedDate, endPublishedDate, includeDomains, excludeDomains } = input
  if (startPublishedDate && endPublishedDate && startPublishedDate > endPublishedDate) {
    throw refused('endPublishedDate', 'The end date should not be before the start date')
  }
  return resultsRequest({
    query: input.query,
    limit: input.numResults,
    filters: {
      includeDomains,
      excludeDomains,
      publishedAfter: startPublishedDate,
      publishedBefore: endPublishedDate,
      country: input.userLocation,
      category: categories.get(input.category ?? ''),
    },
  })
}

function ignored(input: ExaSearchInput): readonly string[] {
  return [
    ...ignoredFields(input, ['includeText', 'excludeText', 'startCrawlDate', 'endCrawlDate']),
    ...(input.type && input.type !== 'auto' ? ['type'] : []),
    ...(input.category && !categories.has(input.category) ? ['category'] : []),
  ]
}

/** The vendor's categories with an equivalent here; the others have no effect. */
const categories = new Map<string, Category>([
  ['news', 'news'],
  ['research paper', 'academic'],
  ['financial report', 'finance'],
  ['github', 'code'],
  ['people', 'people'],
  ['linkedin profile', 'people'],
])

function format(answer: Answer, { id, input }: Reply<ExaSearchInput>): unknown {
  const rows = sourcesOf(answer.searches).slice(0, input.numResults ?? defaultResults)
  return {
    requestId: id,
    resolvedSearchType: 'neural',
    searchType: input.type ?? 'auto',
    results: rows.map((row) => ({ ...exaRow(row), ...formatContents(row, input) })),
    costDollars: exaCost,
  }
}

function formatContents({ snippet = '' }: SearchResult, { contents }: ExaSearchInput): object {
  const { text, highlights, summary } = contents ?? {}
  const excerpts = [cut(snippet, highlights)].filter(Boolean)
  return {
    ...(text && { text: cut(snippet, text) }),
    ...(highlights && { highlights: excerpts, highlightScores: excerpts.map(() => 1) }),
    ...(summary && { summary: snippet }),
  }
}

/** Counts code points, so that no emoji is cut in half. */
function cut(snippet: string, content: Content): string {
  return typeof content === 'object' ? Array.from(snippet).slice(0, content.maxCharacters).join('') : snippet
}

function refused(field: keyof ExaSearchInput, message: string) {
  return invalid({ path: [field], type: 'value_error', message })
}

/** A page in Exa's replies. Its author is not known. */
export function exaRow({ title, url, publishedAt }: SearchResult) {
  return { id: url, title, url, publishedDate: publishedAt && `${publishedAt}T00:00:00.000Z`, author: null }
}

/** A subscription is not billed by the request. */
export const exaCost = { total: 0 }
