import type { SearchResult } from '../../../domain/search.ts'
import { listDialect } from '../../list-dialect.ts'
import { braveRateLimit } from './error.ts'
import { formatBraveNews, formatBraveRow } from './rows.ts'
import {
  type BraveWebInput,
  braveLocationHeaders,
  bravePassagesFields,
  braveRows,
  braveWebInput,
  defaultCount,
  formatBraveQuery,
  readBraveSearch,
  readLanguage,
} from './search.ts'
import { writeSummaryKey } from './summarizer.ts'

/** Brave's web search, `/res/v1/web/search`, by GET or POST. */
export const braveWeb = listDialect({
  schema: braveWebInput,
  reference: {
    example: { q: 'heat pumps in the cold', count: 5, freshness: 'py' },
    headers: braveLocationHeaders,
  },
  pageSize: defaultCount,
  page: braveRows,
  request(input, headers) {
    const group = groupOf(input)
    return group ? readBraveSearch(input, headers, group === 'news' ? 'news' : undefined) : []
  },
  passagesFields: bravePassagesFields,
  reply: (rows, { input }) => ({
    type: 'search',
    query: formatBraveQuery(input, rows.length),
    // An empty group is left out, as the vendor does.
    ...(rows.length > 0 && formatGroup(rows, input)),
    summarizer: mayBeSummarised(input) ? { type: 'summarizer', key: writeSummaryKey(input) } : undefined,
  }),
  headers: braveRateLimit(),
})

/** The group of the rows. Only pages and news can be found here. */
function groupOf({ result_filter = [] }: BraveWebInput): 'web' | 'news' | undefined {
  if (result_filter.length === 0 || result_filter.includes('web')) return 'web'
  return result_filter.includes('news') ? 'news' : undefined
}

function mayBeSummarised({ summary = false, result_filter = [] }: BraveWebInput): boolean {
  return summary && (result_filter.length === 0 || result_filter.includes('summarizer'))
}

function formatGroup(rows: readonly SearchResult[], input: BraveWebInput): Readonly<Record<string, unknown>> {
  if (groupOf(input) === 'news')
    return { news: { type: 'news', results: rows.map((row) => formatBraveNews(row, input)) } }
  const language = readLanguage(input.search_lang) ?? 'en'
  return {
    web: { type: 'search', results: rows.map((row) => formatPage(row, language, input)), family_friendly: true },
  }
}

function formatPage(row: SearchResult, language: string, input: BraveWebInput): unknown {
  return {
    type: 'search_result',
    subtype: 'generic',
    ...formatBraveRow(row, input),
    language,
    is_source_local: false,
    is_source_both: false,
    is_live: false,
  }
}
