import { z } from 'zod'
import type { SearchResult } from '../../../domain/search.ts'
import { type Dialect, onlyRequest } from '../../dialect.ts'
import { refused } from '../../exchange/refusal.ts'
import { booleanField, given, integerField } from '../../fields/field.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'
import { withoutEffect } from '../../http/unread.ts'
import { listDialect } from '../../list-dialect.ts'
import { googleFields, ignoredGoogleFields, readGoogleFilters } from '../shared/google-fields.ts'
import { longDate, siteOf } from '../shared/row.ts'

const schema = z.object({
  q: queryField(ordinaryQuery),
  num: given(integerField(1, 100)),
  page: given(integerField(1, 100)),
  ...googleFields,
  autocorrect: withoutEffect(given(booleanField)),
  // The key, where a query string has it. The key check has read it.
  apiKey: given(z.unknown()),
})

type SerperSearchInput = z.output<typeof schema>

type SearchKind = 'search' | 'news'

const example = { q: 'heat pumps in the cold', num: 5, tbs: 'qdr:y' }

/** A search by a query string. */
function searchOf(kind: SearchKind): Dialect<SerperSearchInput> {
  const category = kind === 'news' ? 'news' : undefined
  return listDialect({
    schema,
    reference: { summary: kind === 'news' ? 'News search' : 'Web search', example },
    pageSize: 10,
    page: ({ num, page }) => ({ rows: num, page }),
    request: (input) => ({ query: input.q, filters: { ...readGoogleFilters(input), category } }),
    ignored: ignoredGoogleFields,
    reply(rows, { input: { q, num, page, gl, hl, location } }) {
      return {
        searchParameters: { q, gl: gl?.toLowerCase(), hl, location, type: kind, num, page, engine: 'google' },
        [kind === 'news' ? 'news' : 'organic']: rows.map((row, at) => ({
          ...formatRow(row, kind),
          position: at + 1,
        })),
      }
    },
  })
}

const batchSchema = z.union([schema, z.array(schema)])

type SerperBatchInput = z.output<typeof batchSchema>

/** The vendor takes a hundred. Here each is a search of its own, at the same time. */
const maxBatch = 10

/** By a body: one, or a list of them, which gets a list of replies. */
function batchOf(one: Dialect<SerperSearchInput>): Dialect<SerperBatchInput> {
  return {
    kind: 'search',
    schema: batchSchema,
    reference: { ...one.reference, summary: `${one.reference.summary}, or a list of up to ${maxBatch}` },
    parse(input, models) {
      const searches = [input].flat()
      if (searches.length === 0 || searches.length > maxBatch) {
        throw refused([], `Input should be one search, or a list of 1 to ${maxBatch}`)
      }
      return searches.map((each) => onlyRequest(one.parse(each, models)))
    },
    ignored: (input) => [input].flat().flatMap(ignoredGoogleFields),
    format(answer, reply) {
      const { input } = reply
      if (!Array.isArray(input)) return one.format(answer, { ...reply, input })
      // For one query the backend may search more than once.
      const isOne = input.length === 1
      return input.map((each, at) => {
        const searches = isOne ? answer.searches : answer.searches.slice(at, at + 1)
        return one.format({ ...answer, searches }, { ...reply, input: each })
      })
    },
  }
}

/** Serper's searches, by a query string and by a body. */
export const serperSearch = searchOf('search')
export const serperNews = searchOf('news')
export const serperSearches = batchOf(serperSearch)
export const serperNewsSearches = batchOf(serperNews)

function formatRow(row: SearchResult, type: SearchKind): object {
  const { title, url, snippet = '', publishedAt } = row
  const date = publishedAt && longDate(publishedAt)
  return { title, link: url, snippet, date, ...(type === 'news' && { source: siteOf(row) }) }
}
