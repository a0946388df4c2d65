import type { Freshness, SearchFilters, SearchRequest } from '../../../domain/search.ts'
import { oldestDay } from '../../answer/prompt/filter-hints.ts'
import { withDomains } from '../http/domain-operators.ts'

/** What one request brings at most, and costs no more than fewer would. */
export const rowsPerPage = 20

/** Where a search of its kind is asked for. */
export function bravePath({ filters }: SearchRequest): string {
  if (filters.category === 'news') return 'v1/news/search'
  return filters.category === 'videos' ? 'v1/videos/search' : 'v1/web/search'
}

/** The parameters of a page, the first of which is 0. Nothing goes out that Brave would refuse. */
export function braveQuery(request: SearchRequest, page: number, now: Date): URLSearchParams {
  const { filters } = request
  const isWeb = bravePath(request) === 'v1/web/search'
  const parameters = {
    q: shortened(request.query, filters),
    count: String(rowsPerPage),
    offset: page > 0 ? String(page) : undefined,
    freshness: freshness(filters, now),
    country: countries.has(filters.country ?? '') ? filters.country : undefined,
    search_lang: language(filters.language),
    safesearch: filters.safeSearch,
    extra_snippets: 'true',
    ...(isWeb && { text_decorations: 'false', result_filter: 'web' }),
  }
  return new URLSearchParams(Object.entries(parameters).flatMap(([name, value]) => (value ? [[name, value]] : [])))
}

/** Brave takes so much and no more; the operators go first, since the rows are filtered anyway. */
function shortened(query: string, filters: SearchFilters): string {
  const plain = fitting(query.trim().split(/\s+/))
  const whole = withDomains(plain, filters)
  return fitting(whole.split(' ')) === whole ? whole : plain
}

function fitting(words: readonly string[]): string {
  const text = words.slice(0, mostWords).join(' ')
  if (text.length <= mostCharacters) return text
  const cut = text.lastIndexOf(' ', mostCharacters)
  return text.slice(0, cut > 0 ? cut : mostCharacters).toWellFormed()
}

const mostWords = 50
const mostCharacters = 400

function freshness({ freshness: within, publishedAfter, publishedBefore }: SearchFilters, now: Date) {
  if (!publishedAfter && !publishedBefore) return within && periods[within]
  const oldest = within ? oldestDay(within, now) : '1990-01-01'
  const from = publishedAfter && publishedAfter > oldest ? publishedAfter : oldest
  return `${from}to${publishedBefore ?? now.toISOString().slice(0, 10)}`
}

const periods: Readonly<Record<Freshness, string>> = { hour: 'pd', day: 'pd', week: 'pw', month: 'pm', year: 'py' }

/** With its region or script where Brave knows that, else without. */
function language(wanted: string | undefined): string | undefined {
  if (wanted === undefined) return undefined
  const [base = ''] = wanted.split('-')
  const named = [wanted, base, defaults[base] ?? ''].find((name) => languages.has(name))
  return named === 'ja' ? 'jp' : named
}

const defaults: Readonly<Record<string, string>> = { pt: 'pt-pt', zh: 'zh-hans', no: 'nb' }

const languages: ReadonlySet<string> = new Set(
  (
    'ar eu bn bg ca zh-hans zh-hant hr cs da nl en en-gb et fi fr gl de el gu he hi hu is it ja kn ko lv lt ms ml mr ' +
    'nb pl pt-br pt-pt pa ro ru sr sk sl es sv ta te th tr uk vi'
  ).split(' '),
)

const countries: ReadonlySet<string> = new Set(
  (
    'AR AU AT BE BR CA CL DK FI FR DE GR HK IN ID IT JP KR MY MX NL NZ NO CN PL PT PH RU SA ZA ES SE CH TW TR GB US ' +
    'ALL'
  ).split(' '),
)
