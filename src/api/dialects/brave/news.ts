import { z } from 'zod'
import { integerField, optional } from '../../fields/field.ts'
import { listDialect } from '../../list-dialect.ts'
import { braveRateLimit } from './error.ts'
import { formatBraveNews } from './rows.ts'
import {
  braveGogglesField,
  braveLocationHeaders,
  bravePageFields,
  bravePassagesFields,
  braveRows,
  braveSearchFields,
  defaultCount,
  formatBraveQuery,
  readBraveSearch,
} from './search.ts'

/** Brave's news search, `/res/v1/news/search`, by GET or POST. */
export const braveNews = listDialect({
  schema: z.object({
    ...braveSearchFields,
    ...bravePageFields,
    count: optional(integerField(1, 50)),
    goggles: braveGogglesField,
  }),
  reference: {
    summary: 'News search',
    example: { q: 'heat pumps', freshness: 'pw' },
    headers: braveLocationHeaders,
  },
  pageSize: defaultCount,
  page: braveRows,
  request: (input, headers) => readBraveSearch(input, headers, 'news'),
  passagesFields: bravePassagesFields,
  reply: (rows, { input }) => ({
    type: 'news',
    query: formatBraveQuery(input, rows.length),
    results: rows.map((row) => formatBraveNews(row, input)),
  }),
  headers: braveRateLimit(),
})
