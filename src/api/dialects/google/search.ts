import { z } from 'zod'
import type { SearchFilters } from '../../../domain/search.ts'
import { invalid } from '../../exchange/refusal.ts'
import { Rejection } from '../../fields/field.ts'
import { countryField, languageField } from '../../fields/places.ts'
import { ordinaryQuery, readQuery } from '../../fields/query.ts'
import { readSiteOperators } from '../../fields/site-operators.ts'
import { listDialect } from '../../list-dialect.ts'
import { googleFields } from './fields.ts'
import { formatItem } from './item.ts'

const schema = z.object(googleFields)

type GoogleSearchInput = z.output<typeof schema>

/** Google's Custom Search JSON API. It searches the whole web, whatever sites the engine `cx` has. */
export const googleSearch = listDialect({
  schema,
  reference: { example: { q: 'heat pumps in the cold', num: 5, dateRestrict: 'y1' } },
  pageSize: 10,
  page: ({ num, start = 1 }) => ({ rows: num, offset: start - 1 }),
  request(input) {
    const { searchType } = input
    if (searchType) {
      const message = searchType === 'image' ? 'Image search is not supported' : "Input should be absent, or 'image'"
      throw invalid({ path: ['searchType'], type: 'value_error', message, input: searchType })
    }
    return { query: queryOf(input), filters: filtersOf(input) }
  },
  ignored(input) {
    const understood = ['dateRestrict', 'sort', 'lr', 'cr'] as const
    return [
      ...understood.filter((name) => input[name] && input[name].value === undefined),
      ...(input.siteSearch?.hasPath ? ['siteSearch'] : []),
      ...(input.siteSearchFilter && !input.siteSearch?.domain ? ['siteSearchFilter'] : []),
    ]
  },
  reply(rows, { input, elapsedMs, count, offset, estimatedTotal: total }) {
    const start = offset + 1
    const next = start + count
    // A page of which one search found half is not filled up, and another may follow it.
    const isLast = rows.length < count / 2 || next > maxRows
    const seconds = elapsedMs() / 1000
    return {
      kind: 'customsearch#search',
      url: { type: 'application/json', template },
      queries: {
        previousPage: start > 1 ? [formatQuery(input, count, Math.max(1, start - count), total)] : undefined,
        request: [formatQuery(input, rows.length, start, total)],
        nextPage: isLast ? undefined : [formatQuery(input, count, next, total)],
      },
      searchInformation: {
        searchTime: seconds,
        formattedSearchTime: seconds.toFixed(2),
        totalResults: String(total),
        formattedTotalResults: String(total),
      },
      // Absent without rows, as the vendor has it.
      items: rows.length > 0 ? rows.map(formatItem) : undefined,
    }
  },
})

/** The vendor shows no more than its first hundred rows. */
const maxRows = 100

/** The terms that have parameters of their own, in the words of the query. */
function queryOf({ q, hq, exactTerms, orTerms, excludeTerms, fileType }: GoogleSearchInput): string {
  const words = (text = '') => text.replaceAll('"', ' ').split(/\s+/).filter(Boolean)
  const exact = words(exactTerms).join(' ')
  const query = [
    q,
    ...words(hq),
    ...(exact ? [`"${exact}"`] : []),
    ...(words(orTerms).length > 0 ? [`(${words(orTerms).join(' OR ')})`] : []),
    ...words(excludeTerms).map((word) => `-${word}`),
    ...(fileType ? [`filetype:${fileType}`] : []),
  ].join(' ')
  const read = readQuery(query, ordinaryQuery)
  if (!(read instanceof Rejection)) return read
  throw invalid({ path: ['q'], type: read.type, message: `With all its terms: ${read.message}`, context: read.context })
}

function filtersOf(input: GoogleSearchInput): SearchFilters {
  const { dateRestrict, sort, siteSearch, siteSearchFilter, lr, hl, cr, gl, safe } = input
  const { sites } = readSiteOperators(input.q)
  const site = siteSearch?.domain
  const isExcluded = siteSearchFilter === 'e'
  return {
    ...sort?.value,
    freshness: dateRestrict?.value,
    includeDomains: site && !isExcluded ? [site] : sites?.includeDomains,
    excludeDomains: site && isExcluded ? [...(sites?.excludeDomains ?? []), site] : sites?.excludeDomains,
    language: languageField.safeParse(lr?.value).data ?? hl,
    country: countryField.safeParse(cr?.value).data ?? gl,
    safeSearch: safe && safeSearchLevels[safe],
  }
}

const safeSearchLevels = { off: 'off', medium: 'moderate', high: 'strict', active: 'strict' } as const

/** Relative: the reply names no other server than the one that sent it. */
const template = 'customsearch/v1?q={searchTerms}&num={count?}&start={startIndex?}&safe={safe?}&cx={cx?}&alt=json'

function formatQuery({ q, safe, cx }: GoogleSearchInput, count: number, startIndex: number, total: number): unknown {
  return {
    title: `Custom Search - ${q}`,
    totalResults: String(total),
    searchTerms: q,
    count,
    startIndex,
    inputEncoding: 'utf8',
    outputEncoding: 'utf8',
    safe: safe ?? 'off',
    cx,
  }
}
