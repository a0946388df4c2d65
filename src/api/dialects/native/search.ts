import { z } from 'zod'
import { sourcesOf } from '../../../domain/answer.ts'
import type { Answer, SearchRequest, SearchResult } from '../../../domain/search.ts'
import { freshnessCodes } from '../../../executor/backends/brave/facts.ts'
import type { Dialect, Reply } from '../../dialect.ts'
import { freshnessField } from '../../fields/dates.ts'
import { integerField, listField, optional } from '../../fields/field.ts'
import { domainField, languageField } from '../../fields/places.ts'
import { oneQueryField, ordinaryQuery, queryField } from '../../fields/query.ts'
import { invalid } from '../../http/refusal.ts'
import { perplexityFilterFields, readPerplexityFilters } from '../shared/perplexity-filters.ts'
import { faviconOf } from '../shared/sources.ts'

const countField = optional(integerField(1, 20))

const schema = z.object({
  q: optional(queryField(ordinaryQuery)),
  query: optional(oneQueryField),
  count: countField,
  limit: countField,
  n: countField,
  max_results: countField,
  offset: optional(integerField(0, 200)),
  freshness: optional(
    freshnessField({ ...freshnessCodes, hour: 'hour', day: 'day', week: 'week', month: 'month', year: 'year' }),
  ),
  include_domains: optional(listField(domainField, 20)),
  exclude_domains: optional(listField(domainField, 20)),
  language: optional(languageField),
  ...perplexityFilterFields,
})

export type NativeSearchInput = z.output<typeof schema>

/**
 * Our own search, asked by GET (`query`) or POST (`body`). A Perplexity client whose base URL ends with `/v1` posts
 * here too, so its fields are read, and the reply to a POST has Perplexity's fields.
 */
export function nativeSearch(place: 'query' | 'body'): Dialect<NativeSearchInput, SearchRequest> {
  return {
    schema,
    parse,
    format: place === 'body' ? formatForPerplexity : formatSearch,
  }
}

const defaultCount = 10

/** No limit without a count: one search is enough, since a second one doubles the cost. */
function parse(input: NativeSearchInput): SearchRequest {
  const theirs = readPerplexityFilters(input)
  return {
    query: queryOf(input),
    history: [],
    want: 'results',
    effort: 'fast',
    limit: countOf(input),
    offset: input.offset,
    filters: {
      ...theirs,
      ...input.freshness,
      includeDomains: input.include_domains ?? theirs.includeDomains,
      excludeDomains: input.exclude_domains ?? theirs.excludeDomains,
      language: input.language ?? theirs.language,
    },
  }
}

function formatSearch(answer: Answer, reply: Reply<NativeSearchInput>) {
  const { input } = reply
  const rows = sourcesOf(answer.searches).slice(0, countOf(input) ?? defaultCount)
  return {
    query: queryOf(input),
    backend: answer.backend ?? rows[0]?.source ?? null,
    total_results: rows.length,
    elapsed_ms: reply.elapsedMs(),
    results: rows.map((row, index) => formatRow(row, (input.offset ?? 0) + index + 1)),
  }
}

function formatForPerplexity(answer: Answer, reply: Reply<NativeSearchInput>) {
  const ours = formatSearch(answer, reply)
  const results = ours.results.map((row) => ({
    ...row,
    snippet: row.snippet ?? '',
    // Left out when unknown: null breaks the vendor's own MCP server.
    date: row.published_date ?? undefined,
  }))
  return { id: reply.id, ...ours, results }
}

function formatRow({ title, url, snippet, publishedAt, source }: SearchResult, rank: number) {
  const site = URL.parse(url)
  return {
    title,
    url,
    snippet: snippet ?? null,
    published_date: publishedAt ?? null,
    source,
    rank,
    favicon_url: site && faviconOf(site),
  }
}

function queryOf(input: NativeSearchInput): string {
  const query = input.q ?? input.query
  if (query === undefined) throw invalid({ path: ['q'], type: 'missing', message: 'Field required' })
  return query
}

function countOf({ count, limit, n, max_results }: NativeSearchInput): number | undefined {
  return count ?? limit ?? n ?? max_results
}
