import { z } from 'zod'
import { sourcesOf } from '../../../domain/answer.ts'
import { type Category, resultsRequest, type SearchResult } from '../../../domain/search.ts'
import { parseUrl } from '../../../lib/url.ts'
import { searchDialect } from '../../dialect.ts'
import { given, integerField, nameField } from '../../fields/field.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'
import { estimatedTotal } from '../shared/estimated-total.ts'
import { googleFields, ignoredGoogleFields, readGoogleFilters } from '../shared/google-fields.ts'
import { longDate } from '../shared/long-date.ts'

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
export const serpapiSearch = searchDialect({
  schema,
  reference: {
    summary: 'Web search',
    example: { engine: 'google', q: 'heat pumps in the cold', num: 5, tbs: 'qdr:y' },
  },
  parse(input) {
    const { q, num, start } = input
    const filters = { ...readGoogleFilters(input), category: categoryOf(input) }
    return resultsRequest({ query: q, limit: num, offset: start || undefined, filters })
  },
  ignored: ignoredGoogleFields,
  format(answer, { id, createdAt, elapsedMs, input }) {
    const { engine = 'google', q, tbm, num, start, gl, hl, location } = input
    const count = num ?? defaultCount
    const rows = sourcesOf(answer.searches).slice(0, count)
    const group = categoryOf(input) === 'news' ? 'news_results' : 'organic_results'
    const seconds = elapsedMs() / 1000
    const created = createdAt.toISOString().replace(/T([\d:]+).*/, ' $1 UTC')
    return {
      search_metadata: { id, status: 'Success', created_at: created, total_time_taken: seconds },
      search_parameters: { engine, q, tbm, num, start, gl: gl?.toLowerCase(), hl, location_requested: location },
      search_information: {
        query_displayed: q,
        total_results: estimatedTotal(rows.length, { count, offset: start }),
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

const defaultCount = 10

function categoryOf({ engine = 'google', tbm }: SerpapiSearchInput): Category | undefined {
  return tbm === 'nws' ? 'news' : categories[engine]
}

function formatRow(row: SearchResult, input: SerpapiSearchInput): object {
  const { title, url, snippet = '', publishedAt } = row
  // The publisher's name is not known, but its site is.
  const site = parseUrl(url)?.hostname
  const date = publishedAt && longDate(publishedAt)
  if (categoryOf(input) !== 'news') return { title, link: url, displayed_link: url, snippet, date, source: site }
  return { title, link: url, source: input.tbm ? site : { name: site }, date, snippet }
}
