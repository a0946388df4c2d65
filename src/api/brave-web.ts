import { sourcesOf } from '../domain/answer.ts'
import type { Answer, SearchRequest, SearchResult } from '../domain/search.ts'
import { type BravePlace, braveError } from './brave-error.ts'
import { braveRateLimit } from './brave-rate-limit.ts'
import { type BraveWebInput, braveWebInput } from './brave-web-input.ts'
import type { Dialect, Reply } from './dialect.ts'
import { faviconOf } from './favicon.ts'

/** Brave's web search, `/res/v1/web/search`, asked by GET (`query`) or POST (`body`). */
export function braveWeb(place: BravePlace): Dialect<BraveWebInput> {
  return {
    name: 'brave',
    schema: braveWebInput,
    parse,
    format,
    formatError: braveError(place),
    headers: braveRateLimit(),
  }
}

const defaultCount = 20
const lastPage = 9

function parse(input: BraveWebInput): SearchRequest {
  const count = input.count ?? defaultCount
  return {
    query: input.q,
    history: [],
    want: 'results',
    effort: 'fast',
    limit: count,
    // The vendor counts pages, not results.
    offset: (input.offset ?? 0) * count,
    filters: {
      ...input.freshness,
      country: input.country === 'ALL' ? undefined : input.country,
      language: languageOf(input),
      safeSearch: input.safesearch,
    },
  }
}

function format(answer: Answer, { input }: Reply<BraveWebInput>): unknown {
  const count = input.count ?? defaultCount
  const wanted = input.result_filter?.includes('web') ?? true
  const rows = wanted ? sourcesOf(answer.searches).slice(0, count) : []
  const language = languageOf(input) ?? 'en'
  return {
    type: 'search',
    query: {
      original: input.q,
      more_results_available: rows.length === count && (input.offset ?? 0) < lastPage,
    },
    // A group with nothing in it is left out, as the vendor does.
    web:
      rows.length > 0
        ? { type: 'search', results: rows.map((row) => formatRow(row, language)), family_friendly: true }
        : undefined,
  }
}

function formatRow({ title, url, snippet, publishedAt }: SearchResult, language: string): unknown {
  return {
    type: 'search_result',
    subtype: 'generic',
    title,
    url,
    // Required by the vendor's model and its client's types, and printed unguarded by some clients; hence never absent.
    // It bears no <strong>, whatever `text_decorations` says: which words matched is not known here.
    description: snippet ?? '',
    age: publishedAt && longDate(publishedAt),
    page_age: publishedAt && `${publishedAt}T00:00:00`,
    language,
    family_friendly: true,
    is_source_local: false,
    is_source_both: false,
    is_live: false,
    meta_url: formatUrl(url),
  }
}

/** `2026-05-01` as `May 1, 2026`. By hand: `Intl` takes longer than all the rest of a row. */
function longDate(date: string): string {
  const [year, month, day] = date.split('-').map(Number)
  return `${months[(month ?? 1) - 1]} ${day}, ${year}`
}

const months = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
]

function formatUrl(text: string): unknown {
  const url = URL.parse(text)
  if (!url) return undefined
  const steps = url.pathname.split('/').filter(Boolean)
  return {
    scheme: url.protocol.slice(0, -1),
    netloc: url.host,
    hostname: url.hostname,
    favicon: faviconOf(url),
    path: steps.map((step) => `› ${step.includes('%') ? decode(step) : step}`).join(' '),
  }
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}

/** `jp` is the vendor's own spelling of Japanese. */
function languageOf({ search_lang }: BraveWebInput): string | undefined {
  return search_lang === 'jp' ? 'ja' : search_lang
}
