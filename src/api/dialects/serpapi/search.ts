import { z } from 'zod'
import type { Category, SearchResult } from '../../../domain/search.ts'
import { given, integerField, nameField } from '../../fields/field.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'
import { listDialect } from '../../list-dialect.ts'
import { googleFields, ignoredGoogleFields, readGoogleFilters } from '../shared/google-fields.ts'
import { longDate, siteOf } from '../shared/row.ts'

/** The vendor's engines that have these parameters, and rows that can be found here. */
const engineNames = [
  ...(['google', 'google_light', 'google_news', 'google_news_light', 'google_scholar'] as const),
  ...(['bing', 'bing_news', 'duckduckgo', 'duckduckgo_light'] as const),
] as const

const categories: Partial<Readonly<Record<(typeof engineNames)[number], Category>>> = {
  google_news: 'news',
  google_news_light: 'news',
  google_scholar: 'academic',
  bing_news: 'news',
}

const schema = z.object({
  q: queryField(ordinaryQuery),
  engine: given(nameField(engineNames)),
  tbm: given(z.enum(['nws'])),
  num: given(integerField(1, 100)),
  start: given(integerField(0, 200)),
  ...googleFields,
  output: given(nameField(['json'])),
  // The key, which the key check has read.
  api_key: given(z.unknown()),
})

type SerpapiSearchInput = z.output<typeof schema>

/** SerpApi's search. Its engines differ in what they search, not in who searches. */
export const serpapiSearch = listDialect({
  schema,
  reference: { example: { engine: 'google', q: 'heat pumps in the cold', num: 5, tbs: 'qdr:y' } },
  pageSize: 10,
  page: ({ num, start }) => ({ rows: num, offset: start }),
  request: (input) => ({ query: input.q, filters: { ...readGoogleFilters(input), category: categoryOf(input) } }),
  ignored: ignoredGoogleFields,
  reply(rows, { id, createdAt, elapsedMs, input, estimatedTotal }) {
    const { engine = 'google', q, tbm, num, start, gl, hl, location } = input
    const group = categoryOf(input) === 'news' ? 'news_results' : 'organic_results'
    const seconds = elapsedMs() / 1000
    const created = createdAt.toISOString().replace(/T([\d:]+).*/, ' $1 UTC')
    return {
      search_metadata: { id, status: 'Success', created_at: created, total_time_taken: seconds },
      search_parameters: { engine, q, tbm, num, start, gl: gl?.toLowerCase(), hl, location_requested: location },
      search_information: {
        query_displayed: q,
        total_results: estimatedTotal,
        time_taken_displayed: seconds,
        organic_results_state: rows.length > 0 ? 'Results for exact spelling' : 'Fully empty',
      },
      // The vendor says so in the words that its clients look for, and leaves the list out.
      ...(rows.length > 0
        ? { [group]: rows.map((row, at) => ({ position: at + 1, ...formatRow(row, input) })) }
        : { error: "Google hasn't returned any results for this query." }),
    }
  },
})

function categoryOf({ engine = 'google', tbm }: SerpapiSearchInput): Category | undefined {
  return tbm === 'nws' ? 'news' : categories[engine]
}

function formatRow(row: SearchResult, input: SerpapiSearchInput): object {
  const { title, url, snippet = '', publishedAt } = row
  const site = siteOf(row)
  const date = publishedAt && longDate(publishedAt)
  if (categoryOf(input) !== 'news') return { title, link: url, displayed_link: url, snippet, date, source: site }
  return { title, link: url, source: input.tbm ? site : { name: site }, date, snippet }
}
