/** The vocabulary of every room: requests, events and results. */
import type { JsonSchema, Tool, ToolCall, ToolChoice, Turn } from './conversation.ts'
import type { Draft, Evidence, EvidenceMode } from './evidence.ts'
import type { MemoryWish } from './memory.ts'
import type { ResearchEffort, ResearchStep } from './research-step.ts'
import type { SearchFilters } from './search-filters.ts'

export type { JsonSchema, Tool, ToolCall, ToolChoice, Turn } from './conversation.ts'
export type { Category, Freshness, SearchFilters } from './search-filters.ts'

/**
 * What the caller is after.
 * - `results`: a list of pages.
 * - `answer`: written text that rests on pages found by this search.
 * - `text`: plain inference, no search.
 */
export type Want = 'results' | 'answer' | 'text'

/**
 * How much work an answer may cost.
 * - `fast`: one model call; the search call's own summary is the answer.
 * - `standard`: search, then write: two model calls.
 * - `deep`: the agent loop; it searches as often as it needs.
 */
export type Effort = 'fast' | 'standard' | 'deep'

/**
 * One question for the web, in no vendor's words.
 * @example const listsOnly = ({ want }: SearchRequest) => want === 'results'
 */
export interface SearchRequest {
  readonly query: string
  /** Earlier turns, oldest first; empty for a plain search. */
  readonly history: readonly Turn[]
  /** What has happened since the question: the model's tool calls and what the caller's functions gave. */
  readonly continuation?: readonly Turn[] | undefined
  readonly want: Want
  readonly effort: Effort
  /** The answer is a report of a research. Where none can be made, it is an answer of this `effort`. */
  readonly research?: ResearchEffort | undefined
  /** Pages that are known already, with their words: the answer is written over these, without a search. */
  readonly sources?: readonly SearchResult[] | undefined
  readonly filters: SearchFilters
  /** At most so many results, 1 or more. Absent: as many as the backend finds. */
  readonly limit?: number | undefined
  /** Results to skip first, 0 or more: a result offset, never a page number. */
  readonly offset?: number | undefined
  /** The caller's system and developer messages. */
  readonly instructions?: string | undefined
  /** A model in the backend's own words (`sonnet`, `claude-opus-…`). Absent: the configured one. */
  readonly model?: string | undefined
  /** How often an answer may search, 1 or more. Where the model decides when to search, its prompt says so. */
  readonly maxSearches?: number | undefined
  /** Pages that the caller has already: they are left out, and the prompt says so. */
  readonly exclude?: readonly string[] | undefined
  /**
   * Rows of this list that earlier searches brought, 0 or more: a backend with pages begins with the page behind them.
   * Absent: at the first page. Set by the paging layer alone, never by a dialect.
   */
  readonly cursor?: number | undefined
  /** Where the excerpts of a list come from. Absent: as configured. */
  readonly excerpts?: ExcerptSource | undefined
  /** Answered from memory alone. `never`: not even where nothing else can answer. `last`, or absent: only then. */
  readonly memory?: MemoryWish | 'last' | 'never' | undefined
  /** Whether the sentences of an answer are compared with the pages that they cite. Absent: as configured. */
  readonly evidence?: EvidenceMode | undefined
  /** An answer that is to be written again over its `sources`. Set by the evidence layer alone. */
  readonly draft?: Draft | undefined
  /** The caller's own functions, which the model may ask for and only the caller runs. */
  readonly tools?: readonly Tool[] | undefined
  readonly toolChoice?: ToolChoice | undefined
  /** The text must be JSON that fits this schema. */
  readonly schema?: JsonSchema | undefined
  /** The text ends before the first of these. */
  readonly stop?: readonly string[] | undefined
}

/**
 * - `lines`: the search call's model writes a line for each page.
 * - `pages`: csp reads the pages; `lines` where it may read none.
 * - `none`: rows have an excerpt only where the search itself brought one.
 */
export type ExcerptSource = 'lines' | 'pages' | 'none'

/** A search for pages alone. Without a `limit` the backend returns what one search finds, which costs no more. */
export function resultsRequest(
  asked: Pick<SearchRequest, 'query'> & Partial<Pick<SearchRequest, 'limit' | 'offset' | 'filters'>>,
): SearchRequest {
  return { history: [], want: 'results', effort: 'fast', filters: {}, ...asked }
}

/**
 * A page that a search found. Title and URL come from the search tool, never from a model's text.
 * @example const lineOf = ({ title, url, publishedAt = 'undated' }: SearchResult) => `${title} (${publishedAt}): ${url}`
 */
export interface SearchResult {
  readonly title: string
  /** http or https. */
  readonly url: string
  /** An excerpt of the page, when one is known. */
  readonly snippet?: string | undefined
  /** Further passages of the page that bear on the query, the best first. Not empty, and `snippet` is not among them. */
  readonly passages?: readonly string[] | undefined
  /** `YYYY-MM-DD`, when the date is known. */
  readonly publishedAt?: string | undefined
  /** ISO 8601: when csp saw this of the page, where it comes from memory. */
  readonly seenAt?: string | undefined
  /** How well it fits, in the backend's own measure; more is better. */
  readonly score?: number | undefined
  /** The backend that found it: `claude`, `searxng`, … */
  readonly source: string
}

/**
 * A `[n]` marker in the text and the page it rests on. Offsets are UTF-16, end-exclusive, and span the marker.
 * @example const footnote = ({ number, title, url }: Citation) => `[${number}] ${title}: ${url}`
 */
export interface Citation {
  /** 1-based place in the answer's sources. */
  readonly number: number
  readonly url: string
  readonly title: string
  readonly start: number
  readonly end: number
  /** What the page has of the sentence before the marker, where that was known by then. Untrusted. */
  readonly quote?: string | undefined
}

/**
 * What an answer cost, as the backend reported it; 0 where it did not say.
 * @example const tokens = ({ inputTokens, outputTokens }: Usage) => inputTokens + outputTokens
 */
export interface Usage {
  readonly searches: number
  readonly inputTokens: number
  readonly outputTokens: number
}

/** `tool-calls`: the model waits for the caller to run its functions. */
export type FinishReason = 'stop' | 'length' | 'refusal' | 'tool-calls'

/** Where an answer came from: this search, or an earlier equal one. */
export type CacheStatus = 'hit' | 'stale' | 'miss'

/**
 * What an executor yields while it works.
 *
 * Order: at most one `cache`, then at most one `backend`, first; then any mix; then exactly one `done`, last. The
 * `search-results` of an id follow its `search-start`; a `citation` follows the text it points into and the results it
 * names.
 * Failure is never an event: the iterable throws a `SearchError` instead.
 * @example const textOf = (event: SearchEvent) => (event.type === 'text-delta' ? event.text : '')
 */
export type SearchEvent =
  | {
      readonly type: 'cache'
      readonly status: CacheStatus
      readonly ageSeconds: number
      /** Of a stale answer that stands in for a search that failed: the code of that failure. */
      readonly reason?: string | undefined
    }
  | { readonly type: 'backend'; readonly name: string }
  | {
      readonly type: 'search-start'
      readonly id: string
      readonly query: string
      /** The model that makes it, where that may be another than the one that writes. */
      readonly model?: string | undefined
    }
  /** The pages of a list are read now, for its excerpts; it is for those who wait, and no part of the answer. */
  | { readonly type: 'reading'; readonly pages: number }
  /** What a research does, for those who wait as well. */
  | { readonly type: 'research'; readonly step: ResearchStep }
  | { readonly type: 'search-results'; readonly id: string; readonly results: readonly SearchResult[] }
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'citation'; readonly citation: Citation }
  | { readonly type: 'tool-call-start'; readonly id: string; readonly name: string }
  | { readonly type: 'tool-call-delta'; readonly id: string; readonly arguments: string }
  | {
      readonly type: 'done'
      readonly reason: FinishReason
      readonly usage: Usage
      readonly model: string
      /** The sequence of the request's `stop` that ended the text. */
      readonly stopSequence?: string | undefined
      /** It replaces a better answer that may be possible soon: not to be cached. */
      readonly isDegraded?: boolean | undefined
      /** Rows that had no words when they were given, with those of their pages, which came while the text was written. */
      readonly late?: readonly SearchResult[] | undefined
      /** What its sentences have on the pages that they cite. Absent where nothing was compared. */
      readonly evidence?: readonly Evidence[] | undefined
      /** The id of its receipt, and the account that may read it. Absent where none is kept. */
      readonly receipt?: { readonly id: string; readonly owner: string } | undefined
    }

/**
 * One web search made while answering.
 * @example const found = ({ query, results }: Search) => `${query}: ${results.length} pages`
 */
export interface Search {
  readonly id: string
  readonly query: string
  /** The model that made it, where that may be another than the one that wrote. */
  readonly model?: string | undefined
  readonly results: readonly SearchResult[]
}

/**
 * A whole reply: the fold of a finished event stream, less its `cache` event.
 * @example const cited = ({ citations }: Answer) => new Set(citations.map(({ url }) => url))
 */
export interface Answer {
  readonly text: string
  readonly searches: readonly Search[]
  readonly citations: readonly Citation[]
  readonly toolCalls: readonly ToolCall[]
  readonly reason: FinishReason
  readonly usage: Usage
  /** The model that wrote it, in the backend's own words. */
  readonly model: string
  /** The sequence of the request's `stop` that ended the text. */
  readonly stopSequence?: string | undefined
  /** The backend that answered, where one of several could. */
  readonly backend?: string | undefined
  /** It replaces a better one that may be possible soon: not to be cached. */
  readonly isDegraded?: boolean | undefined
  /** What its sentences have on the pages that they cite. Absent where nothing was compared. */
  readonly evidence?: readonly Evidence[] | undefined
  /** The id of its receipt, and the account that may read it. Absent where none is kept. */
  readonly receipt?: { readonly id: string; readonly owner: string } | undefined
}

/** One search as it happens. It ends after `done`, or throws a `SearchError`. */
export type SearchEvents = AsyncGenerator<SearchEvent, void, undefined>
