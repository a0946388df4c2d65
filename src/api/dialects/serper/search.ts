import { z } from 'zod'
import { sourcesOf } from '../../../domain/answer.ts'
import { type Answer, resultsRequest, type SearchRequest, type SearchResult } from '../../../domain/search.ts'
import { parseUrl } from '../../../lib/url.ts'
import type { Dialect, Reply } from '../../dialect.ts'
import { booleanField, given, integerField } from '../../fields/field.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'
import { refused } from '../../http/refusal.ts'
import { withoutEffect } from '../../http/unread.ts'
import { googleFields, ignoredGoogleFields, readGoogleFilters } from '../shared/google-fields.ts'
import { longDate } from '../shared/long-date.ts'

const schema = z.object({
  q: queryField(ordinaryQuery),
  num: given(integerField(1, 100)),
  page: given(integerField(1, 100)),
  ...googleFields,
  autocorrect: withoutEffect(given(booleanField)),
  // The key, where a query string has it. The key check has read it.
  apiKey: given(z.unknown()),
})

export type SerperSearchInput = z.output<typeof schema>

type SearchKind = 'search' | 'news'

const defaultCount = 10
const example = { q: 'heat pumps in the cold', num: 5, tbs: 'qdr:y' }

/** Serper's search by a query string. */
export function serperSearch(kind: SearchKind): Dialect<SerperSearchInput> {
  return {
    schema,
    reference: { summary: kind === 'news' ? 'News search' : 'Web search', example },
    parse: (input) => readSearch(input, kind),
    ignored: ignoredGoogleFields,
    format: (answer, { input }) => formatSearch(sourcesOf(answer.searches), input, kind),
  }
}

const batchSchema = z.union([schema, z.array(schema)])

export type SerperBatchInput = z.output<typeof batchSchema>

/** The vendor takes a hundred. Here each is a search of its own, at the same time. */
const maxBatch = 10

/** Serper's search by a body: one, or a list of them, which gets a list of replies. */
export function serperSearches(kind: SearchKind): Dialect<SerperBatchInput> {
  return {
    schema: batchSchema,
    reference: {
      summary: `${kind === 'news' ? 'News search' : 'Web search'}, or a list of up to ${maxBatch}`,
      example,
    },
    parse(input) {
      const searches = [input].flat()
      if (searches.length > 0 && searches.length <= maxBatch) return searches.map((each) => readSearch(each, kind))
      const message = `Input should be one search, or a list of 1 to ${maxBatch}`
      throw refused([], message)
    },
    ignored: (input) => [input].flat().flatMap(ignoredGoogleFields),
    format: (answer, reply) => formatBatch(answer, reply, kind),
  }
}

/** No limit without a `num`: one search is enough. */
function readSearch(input: SerperSearchInput, kind: SearchKind): SearchRequest {
  const { q, num, page = 1 } = input
  return resultsRequest({
    query: q,
    limit: num,
    offset: (page - 1) * (num ?? defaultCount) || undefined,
    filters: { ...readGoogleFilters(input), category: kind === 'news' ? 'news' : undefined },
  })
}

function formatBatch({ searches }: Answer, { input }: Reply<SerperBatchInput>, kind: SearchKind): unknown {
  const inputs = [input].flat()
  // For one query the backend may search more than once.
  const lists = inputs.length > 1 ? searches.map(({ results }) => results) : [sourcesOf(searches)]
  const replies = inputs.map((each, at) => formatSearch(lists[at] ?? [], each, kind))
  return Array.isArray(input) ? replies : replies[0]
}

function formatSearch(results: readonly SearchResult[], input: SerperSearchInput, type: SearchKind): unknown {
  const { q, num, page, gl, hl, location } = input
  const rows = results.slice(0, num ?? defaultCount).map((row, at) => ({ ...formatRow(row, type), position: at + 1 }))
  return {
    searchParameters: { q, gl: gl?.toLowerCase(), hl, location, type, num, page, engine: 'google' },
    [type === 'news' ? 'news' : 'organic']: rows,
  }
}

function formatRow({ title, url, snippet = '', publishedAt }: SearchResult, type: SearchKind): object {
  const date = publishedAt && longDate(publishedAt)
  // The publisher's name is not known, but its site is.
  return { title, link: url, snippet, date, ...(type === 'news' && { source: parseUrl(url)?.hostname }) }
}
