import { z } from 'zod'
import type { SearchResult } from '../../../domain/search.ts'
import { freshnessCodes } from '../../../executor/backends/brave/facts.ts'
import { safeSearchLevels } from '../../../executor/backends/searxng/facts.ts'
import type { Dialect } from '../../dialect.ts'
import { missingField, refused } from '../../exchange/refusal.ts'
import { freshnessField } from '../../fields/dates.ts'
import { integerField, listField, nameField, optional, Rejection, textField } from '../../fields/field.ts'
import {
  atMost,
  countField,
  countryWords,
  freshnessWords,
  languageWords,
  lenient,
  maxCount,
} from '../../fields/lenient.ts'
import { readLocale } from '../../fields/locale.ts'
import { codeOf } from '../../fields/names.ts'
import { countryField, domainField, languageField } from '../../fields/places.ts'
import { oneQueryField, ordinaryQuery, queryField } from '../../fields/query.ts'
import { listDialect, type RowsReply } from '../../list-dialect.ts'
import { ignoredFilters, perplexityFilterFields, readPerplexityFilters } from '../shared/perplexity-filters.ts'
import { faviconOf } from '../shared/sources.ts'

const counts = ['count', 'limit', 'n', 'max_results'] as const
const rowsField = optional(countField())

/** A country such as `DE`, or with a language in either order: `en-US`, DuckDuckGo's `us-en` and `wt-wt`. */
const regionField = textField(
  (text) =>
    readLocale(codeOf(text) ?? text, 'country') ??
    new Rejection('value_error', 'Input should be a region such as DE, de-AT or us-en'),
  'region: DE, de-AT, us-en, wt-wt',
)

/** By its name; by its number, as SearXNG counts; or on and off. Vendors that know only "on" mean strict by it. */
const safeSearchWords: Readonly<Record<string, (typeof safeSearchLevels)[number]>> = {
  0: 'off',
  1: 'moderate',
  2: 'strict',
  false: 'off',
  no: 'off',
  true: 'strict',
  on: 'strict',
  yes: 'strict',
  active: 'strict',
}

const safeSearchField = z.preprocess(
  (value) => safeSearchWords[String(value).toLowerCase()] ?? value,
  nameField(safeSearchLevels),
)

const fields = z.object({
  q: optional(queryField(ordinaryQuery)),
  query: optional(oneQueryField),
  count: rowsField,
  limit: rowsField,
  n: rowsField,
  max_results: rowsField,
  offset: optional(integerField(0, 200)),
  page: optional(integerField(1, 20)),
  freshness: optional(
    freshnessWords(
      freshnessField({ ...freshnessCodes, hour: 'hour', day: 'day', week: 'week', month: 'month', year: 'year' }),
    ),
  ),
  include_domains: optional(listField(domainField, 20)),
  exclude_domains: optional(listField(domainField, 20)),
  language: optional(languageWords(languageField)),
  ...perplexityFilterFields,
  country: optional(countryWords(countryField)),
  region: optional(regionField),
  safesearch: optional(safeSearchField),
  category: optional(nameField(['general', 'news', 'academic', 'finance', 'videos', 'images', 'code', 'people'])),
})

const schema = lenient(fields, ['q', 'query'])

export type NativeSearchInput = z.output<typeof schema>

/**
 * Our own search, asked by GET (`query`) or POST (`body`). A Perplexity client whose base URL ends with `/v1` posts
 * here too, as do LiteLLM's and Firecrawl's clients with csp's bare address, so its fields are read, and the reply to a
 * POST has the fields of all three.
 */
function searchFrom(place: 'query' | 'body'): Dialect<NativeSearchInput> {
  return listDialect({
    schema,
    reference: {
      summary: 'Web search, in csp’s own fields and those that other search APIs use for the same',
      example: { q: 'heat pumps in the cold', count: 5, freshness: 'year' },
    },
    pageSize: 10,
    page: (input) => ({ rows: countOf(input), page: input.page, offset: input.offset }),
    request: readSearch,
    ignored: (input) => [...ignoredFilters(input), ...counts.filter((name) => (input[name] ?? 0) > maxCount)],
    reply: place === 'body' ? formatForPerplexity : formatSearch,
  })
}

export const nativeSearchByQuery = searchFrom('query')
export const nativeSearch = searchFrom('body')

function readSearch(input: NativeSearchInput) {
  const theirs = readPerplexityFilters(input)
  if (input.page !== undefined && input.offset !== undefined) {
    throw refused(['page'], 'Give either a page or an offset, not both')
  }
  const { country, language } = input.region ?? {}
  return {
    query: queryOf(input),
    filters: {
      ...theirs,
      ...input.freshness,
      includeDomains: input.include_domains ?? theirs.includeDomains,
      excludeDomains: input.exclude_domains ?? theirs.excludeDomains,
      country: theirs.country ?? country,
      language: input.language ?? theirs.language ?? language,
      safeSearch: input.safesearch,
      category: input.category === 'general' ? undefined : input.category,
    },
  }
}

function formatSearch(rows: readonly SearchResult[], reply: RowsReply<NativeSearchInput>) {
  const { input, answer, offset } = reply
  return {
    query: queryOf(input),
    backend: answer.backend ?? rows[0]?.source ?? null,
    total_results: rows.length,
    cached: reply.cache !== undefined && reply.cache.status !== 'miss',
    age_seconds: reply.cache?.ageSeconds ?? 0,
    elapsed_ms: reply.elapsedMs(),
    results: rows.map((row, index) => formatRow(row, offset + index + 1)),
  }
}

function formatForPerplexity(rows: readonly SearchResult[], reply: RowsReply<NativeSearchInput>) {
  const ours = formatSearch(rows, reply)
  const results = ours.results.map((row) => ({
    ...row,
    // Left out when unknown: null breaks the vendor's own MCP server.
    date: row.published_date ?? undefined,
  }))
  // LiteLLM's clients check `object`; Firecrawl's read `success` and `data`.
  const data = ours.results.map(({ title, url, snippet }) => ({ url, title, description: snippet }))
  return { id: reply.id, object: 'search', success: true, ...ours, results, data }
}

function formatRow({ title, url, snippet, publishedAt, seenAt, score, source }: SearchResult, rank: number) {
  return {
    title,
    url,
    snippet: snippet ?? '',
    published_date: publishedAt ?? null,
    ...(seenAt && { seen_at: seenAt }),
    ...(score !== undefined && { score }),
    source,
    rank,
    favicon_url: faviconOf(url) ?? null,
  }
}

function queryOf(input: NativeSearchInput): string {
  const query = input.q ?? input.query
  if (query === undefined) throw missingField(['q'])
  return query
}

function countOf({ count, limit, n, max_results }: NativeSearchInput): number | undefined {
  const wanted = count ?? limit ?? n ?? max_results
  return wanted && atMost(wanted)
}
