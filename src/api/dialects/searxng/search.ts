import { parseUrl as toUrl } from '@csp/lib/url'
import { z } from 'zod'
import type { Category, SearchResult } from '../../../domain/search.ts'
import { categories, safeSearchLevels } from '../../../executor/backends/searxng/facts.ts'
import { Refusal } from '../../exchange/refusal.ts'
import { given, integerField, listField, nameField } from '../../fields/field.ts'
import { languageField } from '../../fields/places.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'
import { listDialect } from '../../list-dialect.ts'
import { midnightOf } from '../shared/row.ts'

const schema = z.object({
  q: queryField(ordinaryQuery),
  format: given(z.string()),
  categories: given(listField(z.string(), 50)),
  language: given(languageField, ['all', 'auto']),
  pageno: given(integerField(1, 50)),
  time_range: given(nameField(['day', 'week', 'month', 'year'])),
  safesearch: given(integerField(0, 2)),
  // Not the vendor's own, but OpenClaw sends it.
  results_per_page: given(integerField(1, 50)),
})

type SearxngSearchInput = z.output<typeof schema>

/** SearXNG's search, asked by GET, by a form or by a POST with nothing but a query string. JSON is its only format. */
export const searxngSearch = listDialect({
  schema,
  reference: { example: { q: 'heat pumps in the cold', format: 'json' }, isForm: true },
  pageSize: 10,
  page: ({ results_per_page, pageno }) => ({ rows: results_per_page, page: pageno }),
  request(input) {
    // The vendor answers 403 for a disabled format, and its default is HTML.
    if (input.format?.toLowerCase() !== 'json') throw new Refusal('forbidden', 'Only format=json is served here.')
    return {
      query: input.q,
      filters: {
        category: categoryOf(input),
        language: input.language,
        freshness: input.time_range,
        safeSearch: input.safesearch === undefined ? undefined : safeSearchLevels[input.safesearch],
      },
    }
  },
  ignored(input) {
    const narrows = input.categories?.some((name) => name.trim().toLowerCase() !== 'general') ?? false
    return narrows && !categoryOf(input) ? ['categories'] : []
  },
  reply(rows, { input }) {
    const category = input.categories?.[0] ?? 'general'
    // Clients sort by it, so it is the measure of one backend for all rows.
    const isScored = rows.every(({ score }) => score !== undefined)
    return {
      query: input.q,
      number_of_results: 0,
      results: rows.map((row, index) => ({
        ...formatRow(row, index + 1, category),
        // Without one, the vendor's score for a page that one engine found at this position.
        score: isScored ? row.score : 1 / (index + 1),
      })),
      answers: [],
      corrections: [],
      infoboxes: [],
      suggestions: [],
      unresponsive_engines: [],
    }
  },
})

function formatRow(row: SearchResult, position: number, category: string) {
  const { title, url, snippet, source } = row
  return {
    url,
    title,
    content: snippet ?? '',
    publishedDate: midnightOf(row) ?? null,
    thumbnail: '',
    engine: source,
    engines: [source],
    positions: [position],
    category,
    template: 'default.html',
    parsed_url: parseUrl(url),
  }
}

/** As Python's `urlparse` has it: scheme, host, path, parameters, query, fragment. */
function parseUrl(text: string): readonly string[] {
  const url = toUrl(text)
  return url
    ? [url.protocol.slice(0, -1), url.host, url.pathname, '', url.search.slice(1), url.hash.slice(1)]
    : ['', '', text, '', '', '']
}

/** The first known category; `general` means any. */
function categoryOf({ categories = [] }: SearxngSearchInput): Category | undefined {
  const names = categories.map((name) => name.trim().toLowerCase())
  return names.includes('general') ? undefined : names.map((name) => knownCategories.get(name)).find(Boolean)
}

const knownCategories = new Map<string, Category>([...categories, ['scientific publications', 'academic']])
