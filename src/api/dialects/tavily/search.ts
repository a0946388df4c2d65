import { z } from 'zod'
import type { Effort, Freshness, SearchFilters, SearchResult } from '../../../domain/search.ts'
import type { Reply } from '../../dialect.ts'
import { refused } from '../../exchange/refusal.ts'
import { isoDateField, publishedBetween, recentDays } from '../../fields/dates.ts'
import { booleanField, ignoredFields, integerField, nameField, optional } from '../../fields/field.ts'
import { countryNameField, domainListField, languageField } from '../../fields/places.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'
import { listDialect } from '../../list-dialect.ts'
import { withoutMarkers } from '../shared/cited-text.ts'
import { evidenceField } from '../shared/evidence.ts'
import { passagesOf } from '../shared/row.ts'
import { faviconOf } from '../shared/sources.ts'

type TavilyInput = z.output<typeof tavilyInput>

/** The fields of Tavily's search. Fields that only tune the vendor's own search are not read. */
export const tavilyInput = z.object({
  query: queryField(ordinaryQuery),
  max_results: optional(integerField(0, 20)),
  topic: optional(z.enum(['general', 'news', 'finance'])),
  include_answer: optional(z.union([z.boolean(), z.enum(['basic', 'advanced'])])),
  include_favicon: optional(booleanField),
  include_usage: optional(booleanField),
  include_domains: domainListField(300),
  exclude_domains: domainListField(300),
  time_range: optional(z.enum(['day', 'week', 'month', 'year', 'd', 'w', 'm', 'y'])),
  days: optional(integerField(1, 100_000)),
  max_hours: optional(integerField(1, 1_000_000)),
  start_date: optional(isoDateField),
  end_date: optional(isoDateField),
  country: optional(countryNameField),
  // The vendor does not document the format of a language, so an unknown one is ignored.
  language: optional(languageField).catch(undefined),
  // Any other depth only tunes the vendor's own search.
  search_depth: optional(z.string()),
  chunks_per_source: optional(integerField(1, 5)),
  include_raw_content: optional(z.union([booleanField, nameField(['markdown', 'text'])])),
  // The key, where a client sends it so. The key check has read it.
  api_key: optional(z.unknown()),
})

/** Translates the filters. Throws a `Refusal` for filters that exclude each other. */
export function readTavilyFilters(input: TavilyInput): SearchFilters {
  const { start_date, end_date } = input
  if (input.time_range && (start_date || end_date)) {
    throw refused(['time_range'], 'Give either a time range or dates, not both')
  }
  return {
    ...publishedBetween(start_date, end_date, ['end_date']),
    includeDomains: input.include_domains,
    excludeDomains: input.exclude_domains,
    freshness: start_date || end_date ? undefined : freshnessOf(input),
    country: input.country,
    language: input.language,
    category: input.topic === 'general' ? undefined : input.topic,
  }
}

function freshnessOf({ time_range, days, max_hours, topic }: TavilyInput): Freshness | undefined {
  if (time_range) return timeRanges[time_range]
  if (max_hours) return recentDays(max_hours / 24)
  // As the vendor does: old clients send `days: 7` with every request, and it counts for news only.
  return days && topic === 'news' ? recentDays(days) : undefined
}

const timeRanges = {
  day: 'day',
  d: 'day',
  week: 'week',
  w: 'week',
  month: 'month',
  m: 'month',
  year: 'year',
  y: 'year',
} as const satisfies Record<string, Freshness>

const defaultResults = 5

/** Tavily's search, with a written answer when one is asked for. */
export const tavilySearch = listDialect({
  schema: tavilyInput,
  reference: {
    summary: 'Web search, with a written answer if asked for',
    example: { query: 'heat pumps in the cold', max_results: 5 },
  },
  pageSize: defaultResults,
  // The vendor allows 0, for callers that want the answer only.
  page: ({ max_results }) => ({ rows: max_results }),
  request(input) {
    const effort = answerEffort(input)
    return { query: input.query, filters: readTavilyFilters(input), ...(effort && { want: 'answer', effort }) }
  },
  ignored: (input) => [
    ...(input.days && input.topic !== 'news' ? ['days'] : []),
    ...(wantsChunks(input) || input.search_depth === 'basic' ? [] : ignoredFields(input, depthFields)),
  ],
  pages({ include_raw_content: kind, max_results: count = defaultResults }) {
    if (!kind) return undefined
    return { field: 'include_raw_content', count, format: kind === true ? 'markdown' : kind } as const
  },
  passagesFields: (input) => (wantsChunks(input) ? ignoredFields(input, depthFields) : []),
  reply(rows, reply) {
    const { input, answer } = reply
    return {
      query: input.query,
      follow_up_questions: null,
      // The vendor's answers have no markers, and with few results ours would point past the end.
      answer: answerEffort(input) ? withoutMarkers(answer) : null,
      images: [],
      results: rows.map((row, index) => formatRow(row, index, reply)),
      response_time: reply.elapsedMs() / 1000,
      // A subscription is not billed by the request.
      usage: input.include_usage ? { credits: 0 } : undefined,
      request_id: reply.id,
      ...evidenceField(answer),
    }
  },
})

function formatRow(row: SearchResult, index: number, { input, pages }: Reply<TavilyInput>): unknown {
  const { title, url, snippet } = row
  const page = pages?.get(url)
  const publishedAt = row.publishedAt ?? page?.publishedAt
  return {
    url,
    title,
    content: wantsChunks(input) ? chunksOf(row, input) : (snippet ?? ''),
    // How near a page is to the query is not known, only their order: the first has 1, each next a hundredth less.
    score: (100 - index) / 100,
    raw_content: page?.content ?? null,
    published_date: publishedAt && new Date(publishedAt).toUTCString(),
    favicon: input.include_favicon ? faviconOf(url) : undefined,
  }
}

const depthFields = ['search_depth', 'chunks_per_source'] as const

/** Pages are not read for a written answer. */
function wantsChunks(input: TavilyInput): boolean {
  return input.search_depth === 'advanced' && answerEffort(input) === undefined
}

/** Several passages of a page, as the vendor joins them. */
function chunksOf(row: SearchResult, { chunks_per_source = 3 }: TavilyInput): string {
  return passagesOf(row).slice(0, chunks_per_source).join(' [...] ')
}

function answerEffort({ include_answer }: TavilyInput): Effort | undefined {
  if (!include_answer) return undefined
  return include_answer === 'advanced' ? 'standard' : 'fast'
}
