import { z } from 'zod'
import { sourcesOf } from '../../../domain/answer.ts'
import { searchDialect } from '../../dialect.ts'
import { integerField, optional } from '../../fields/field.ts'
import { braveRateLimit } from './error.ts'
import { formatBraveNews } from './rows.ts'
import {
  braveGogglesField,
  bravePageFields,
  bravePassagesFields,
  braveSearchFields,
  defaultCount,
  formatBraveQuery,
  readBraveSearch,
} from './search.ts'

/** Brave's news search, `/res/v1/news/search`, by GET or POST. */
export const braveNews = searchDialect({
  schema: z.object({
    ...braveSearchFields,
    ...bravePageFields,
    count: optional(integerField(1, 50)),
    goggles: braveGogglesField,
  }),
  reference: {
    summary: 'News search',
    example: { q: 'heat pumps', freshness: 'pw' },
    headers: { 'x-loc-country': 'The country of the caller, where `country` does not name one' },
  },
  parse: (input, _models, headers) => readBraveSearch(input, headers, 'news'),
  passagesFields: bravePassagesFields,
  format(answer, { input }) {
    const rows = sourcesOf(answer.searches).slice(0, input.count ?? defaultCount)
    return {
      type: 'news',
      query: formatBraveQuery(input, rows.length),
      results: rows.map((row) => formatBraveNews(row, input)),
    }
  },
  headers: braveRateLimit(),
})
