import { escapeUTF8 } from 'entities'
import { z } from 'zod'
import type { Freshness, SearchFilters, SearchResult } from '../../../domain/search.ts'
import { invalid } from '../../exchange/refusal.ts'
import { calendarDate, type PublishedWithin, recentDays } from '../../fields/dates.ts'
import { integerField, nameField, optional, Rejection, textField } from '../../fields/field.ts'
import { daysIn } from '../../fields/google-time.ts'
import { countryField, languageField, readDomain } from '../../fields/places.ts'
import { ordinaryQuery, queryField, readQuery } from '../../fields/query.ts'
import { readSiteOperators } from '../../fields/site-operators.ts'
import { withoutEffect } from '../../http/unread.ts'
import { listDialect } from '../../list-dialect.ts'
import { siteOf } from '../shared/row.ts'

/** A parsed value; absent if the field is accepted but has no effect. */
interface Understood<Value> {
  readonly value?: Value | undefined
}

/** `d5`, `w2`, `m6`, `y1`. More than a year has no effect. */
const dateRestrictField = textField((text): Understood<Freshness> | Rejection | undefined => {
  if (!text.trim()) return undefined
  const [, unit = '', count] = /^([dwmy])\[?(\d{1,4})\]?$/i.exec(text.trim()) ?? []
  const days = daysIn.get(unit.toLowerCase())
  return days === undefined
    ? new Rejection('value_error', 'Input should be a number of days, weeks, months or years, such as d5 or m6')
    : { value: recentDays(days * Number(count)) }
}, 'd5, w2, m6, y1')

/** `countryDE` or `lang_de`. Several of them, with operators, have no effect: a search has one. */
function restrictField(prefix: 'country' | 'lang_', value: RegExp, example: string) {
  const one = new RegExp(`^${prefix}(${value.source})$`, 'i')
  return textField((sent): Understood<string> | Rejection | undefined => {
    const text = sent.trim()
    if (!text) return undefined
    const [, found] = one.exec(text) ?? []
    const isSeveral = text.includes(prefix) && /[|.()-]/.test(text)
    if (found || isSeveral) return { value: found }
    return new Rejection('value_error', `Input should be a value such as ${example}`)
  }, example)
}

/** The vendor sorts by fields of the pages; here the range of dates acts, which it can hold as well. */
const sortField = textField((text): Understood<PublishedWithin> | Rejection | undefined => {
  if (!text.trim()) return undefined
  const [, from, to] = /^date:r:(\d{8})?:(\d{8})?$/.exec(text.trim()) ?? []
  const [publishedAfter, publishedBefore] = [from, to].map((day) => day && dayOf(day))
  if ((from && !publishedAfter) || (to && !publishedBefore)) {
    return new Rejection('value_error', 'Input should have existing dates, as date:r:20260301:20260331')
  }
  return { value: from || to ? { publishedAfter, publishedBefore } : undefined }
}, 'date:r:20260301:20260331')

function dayOf(digits: string): string | undefined {
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})$/.exec(digits) ?? []
  return calendarDate(Number(year), Number(month), Number(day))
}

/** A site; a path behind it has no effect. */
const siteField = textField((text) => {
  if (!text.trim()) return undefined
  const domain = readDomain(text)
  const bare = text.trim().replace(/^https?:\/\//i, '')
  return typeof domain === 'string' ? { domain, hasPath: /\/[^/]/.test(bare) } : domain
}, 'domain name: example.com')

/** One word, since it becomes an operator of the query. */
const fileTypeField = textField((text) => {
  const [, extension] = /^\.?([a-z0-9]{1,10})$/i.exec(text.trim()) ?? []
  return extension?.toLowerCase() ?? new Rejection('value_error', 'Input should be a file extension such as pdf')
}, 'file extension: pdf')

const termsField = optional(z.string().max(2_000))

const schema = z.object({
  q: queryField(ordinaryQuery),
  num: optional(integerField(1, 10)),
  start: optional(integerField(1, 100)),
  dateRestrict: optional(dateRestrictField),
  sort: optional(sortField),
  siteSearch: optional(siteField),
  siteSearchFilter: optional(nameField(['i', 'e'])),
  lr: optional(restrictField('lang_', /[a-z]{2}(?:[-_][a-z]{2,4})?/, 'lang_de')),
  hl: optional(languageField),
  cr: optional(restrictField('country', /[a-z]{2}/, 'countryDE')),
  gl: optional(countryField),
  safe: optional(nameField(['active', 'off', 'high', 'medium'])),
  searchType: optional(z.string()),
  exactTerms: termsField,
  excludeTerms: termsField,
  orTerms: termsField,
  hq: termsField,
  fileType: optional(fileTypeField),
  alt: optional(nameField(['json'])),
  // The key, which the key check has read.
  key: optional(z.unknown()),
  cx: withoutEffect(optional(z.string())),
})

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

/** A row. The fields in HTML are escaped; the matched words are not known, so none is bold. */
function formatItem(row: SearchResult): unknown {
  const { title, url, snippet = '', publishedAt } = row
  return {
    kind: 'customsearch#result',
    title,
    htmlTitle: escapeUTF8(title),
    link: url,
    displayLink: siteOf(row),
    snippet,
    htmlSnippet: escapeUTF8(snippet),
    formattedUrl: url,
    htmlFormattedUrl: escapeUTF8(url),
    // The only place in which the vendor has a date.
    pagemap: publishedAt ? { metatags: [{ 'article:published_time': publishedAt }] } : undefined,
  }
}
