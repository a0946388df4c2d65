/** The types that all modules share: requests, events and results. */

import type { Evidence, Passage } from '@csp/evidence/evidence'
import type { Citation } from '@csp/grounding/grounded-part'
import type { MemoryWish } from './memory.ts'
import type { ResearchEffort, ResearchStep } from './research-step.ts'
import type { PagesAwaited } from './unread-pages.ts'

export type { Citation } from '@csp/grounding/grounded-part'

/**
 * The kind of reply that the caller wants.
 * - `results`: a list of pages.
 * - `answer`: text written from pages that this search found.
 * - `text`: plain inference without a search.
 */
export type Want = 'results' | 'answer' | 'text'

/**
 * How much work an answer may cost.
 * - `fast`: one model call.
 * - `standard`: at most two, one to search and one to write.
 * - `deep`: as many searches as the model needs.
 */
export type Effort = 'fast' | 'standard' | 'deep'

/** Fields of every request. */
interface Asked {
  readonly query: string
  /** Earlier turns, oldest first; empty for a plain search. */
  readonly history: readonly Turn[]
  readonly effort: Effort
  readonly filters: SearchFilters
  /** The caller's system and developer messages. */
  readonly instructions?: string | undefined
  /** A model as the backend names it (`sonnet`, `claude-opus-…`). Absent: the configured one. */
  readonly model?: string | undefined
  /** Asks memory alone. `never`: memory does not answer at all. `last`, the default: only if nothing else can. */
  readonly memory?: MemoryWish | 'last' | 'never' | undefined
}

/** Fields that shape a search. */
interface Searched {
  /** The most results to return, 1 or more. Absent: all that the backend finds. */
  readonly limit?: number | undefined
  /** The number of results to skip, 0 or more (not a page number). */
  readonly offset?: number | undefined
  /** Addresses that the caller already has: left out of the results, and named in the prompt. */
  readonly exclude?: readonly string[] | undefined
  /** How many backends are asked at once, for one list of theirs; absent or 1: one after another. */
  readonly merge?: number | undefined
  /** The source of excerpts in a list. Absent: as configured. */
  readonly excerpts?: ExcerptSource | undefined
}

/** The starting point of a further search of csp itself. Only the paging layer sets it, never a dialect. */
interface Continued {
  /** The number of results that earlier searches of this list returned. A backend with pages continues after them. */
  readonly cursor?: number | undefined
  /** How many of these each backend listed, by its name. Never on the wire. */
  readonly listedBy?: Readonly<Record<string, number>> | undefined
}

/** Fields for a model that writes. */
interface Written {
  /** The turns after the question: the model's tool calls and the results of the caller's functions. */
  readonly continuation?: readonly Turn[] | undefined
  /** Pages with their text, given in advance: the answer is written from these without a search. */
  readonly sources?: readonly SearchResult[] | undefined
  /** The caller's functions: the model may call them, and only the caller runs them. */
  readonly tools?: readonly Tool[] | undefined
  readonly toolChoice?: ToolChoice | undefined
  /** The text must be JSON that matches this schema. */
  readonly schema?: JsonSchema | undefined
  /** The text ends before the first of these. */
  readonly stop?: readonly string[] | undefined
}

/** Fields of answers only. */
interface Answered {
  /** Notes of the search model beside the `sources`, for the writer. Only where an answer is put together, never on the wire. */
  readonly notes?: string | undefined
  /** The most searches, 1 or more. If the model decides when to search, its prompt says so. */
  readonly maxSearches?: number | undefined
  /** Compares its sentences with the pages they cite. Absent: as configured. */
  readonly evidence?: EvidenceMode | undefined
}

/**
 * - `report`: verdicts are sent with the answer.
 * - `judge`: a model is asked once, too, whether the passages bear the sentences out.
 * - `off`: nothing is compared.
 */
export type EvidenceMode = 'report' | 'judge' | 'off'

/** A sentence to be judged, with passages of the pages that it cites. All of it untrusted. */
export interface JudgedClaim {
  readonly sentence: string
  readonly passages: readonly Passage[]
}

/** Fields of plain text only. */
interface Judged {
  /** Sentences to judge by passages of their pages, with a schema. Only the judge sets it. */
  readonly claims?: readonly JudgedClaim[] | undefined
}

/** Fields of a report, and of each list and plan in it. */
interface Researched {
  /** Asks for a research report. If none can be made, the reply is an answer with this `effort`. */
  readonly research?: ResearchEffort | undefined
}

/** Fields of other kinds of request: they can be read of any, and are set of none. */
type Without<Fields> = { readonly [Name in keyof Fields]?: undefined }

/** Asks for a list of pages. */
export interface ListRequest
  extends Asked,
    Searched,
    Continued,
    Researched,
    Without<Written>,
    Without<Answered>,
    Without<Judged> {
  readonly want: 'results'
}

/** Asks for text written from pages that this search finds, or from `sources`. */
export interface AnswerRequest
  extends Asked,
    Searched,
    Written,
    Answered,
    Researched,
    Without<Continued>,
    Without<Judged> {
  readonly want: 'answer'
}

/** Asks for plain inference without a search, perhaps over `sources`. */
export interface TextRequest
  extends Asked,
    Written,
    Judged,
    Researched,
    Without<Searched>,
    Without<Continued>,
    Without<Answered> {
  readonly want: 'text'
}

/**
 * A search request, independent of any vendor's API.
 * @example const listsOnly = ({ want }: SearchRequest) => want === 'results'
 */
export type SearchRequest = ListRequest | AnswerRequest | TextRequest

/** Fields that an answer and plain text have in common. */
interface Prompted extends Asked, Written, Researched {}

/**
 * An answer where it is to be searched for, otherwise plain text.
 * @param ofAnswer What only an answer has.
 */
export function answerOrText(
  isSearched: boolean,
  prompted: Prompted,
  ofAnswer: Searched & Answered = {},
): AnswerRequest | TextRequest {
  return isSearched ? { ...prompted, ...ofAnswer, want: 'answer' } : { ...prompted, want: 'text' }
}

/**
 * - `lines`: the model of the search call writes a line about each page.
 * - `pages`: csp reads the pages; `lines` if it may read none.
 * - `none`: only excerpts that the search itself returned.
 */
export type ExcerptSource = 'lines' | 'pages' | 'none'

/** A request for a list of pages. Without a `limit` it returns all that one search finds, at the same cost. */
export function resultsRequest(asked: Pick<ListRequest, 'query'> & Partial<ListRequest>): ListRequest {
  return { history: [], want: 'results', effort: 'fast', filters: {}, ...asked }
}

/**
 * Filters of a search. A backend ignores those it does not know; results are filtered again afterwards.
 * @example const filters: SearchFilters = { freshness: 'week', includeDomains: ['bun.sh'], language: 'en' }
 */
export interface SearchFilters {
  /** Host names; each includes its subdomains. */
  readonly includeDomains?: readonly string[] | undefined
  readonly excludeDomains?: readonly string[] | undefined
  /** The maximum age of a page. */
  readonly freshness?: Freshness | undefined
  /** `YYYY-MM-DD`, inclusive. */
  readonly publishedAfter?: string | undefined
  /** `YYYY-MM-DD`, inclusive. */
  readonly publishedBefore?: string | undefined
  /** ISO 3166-1 alpha-2, upper case. */
  readonly country?: string | undefined
  /** The place of the searcher, by name, on one line: few backends know more than the country. */
  readonly city?: string | undefined
  readonly region?: string | undefined
  /** An IANA name: `Europe/Berlin`. */
  readonly timezone?: string | undefined
  /** ISO 639-1, or with a region or script: `en`, `pt-br`, `zh-hans`. */
  readonly language?: string | undefined
  readonly safeSearch?: 'off' | 'moderate' | 'strict' | undefined
  /** The kind of pages. Absent: any. */
  readonly category?: Category | undefined
}

export type Category = 'news' | 'academic' | 'finance' | 'videos' | 'images' | 'code' | 'people'
export type Freshness = 'hour' | 'day' | 'week' | 'month' | 'year'

/** One of the caller's functions. */
export interface Tool {
  /** `[A-Za-z0-9_-]`, 1 to 64 of them. */
  readonly name: string
  readonly description?: string | undefined
  /** The schema of its arguments, always an object. */
  readonly parameters: JsonSchema
}

/** The model may, must or must not call a tool, or must call the named one. Absent: `auto`. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string }

export type JsonSchema = Readonly<Record<string, unknown>>

/** The model's call of one of the caller's functions. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  /** A JSON object as text. */
  readonly arguments: string
}

/** One turn of a conversation. A `tool` turn has the result of a call in an earlier assistant turn. */
export type Turn =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly toolCalls?: readonly ToolCall[] | undefined }
  | { readonly role: 'tool'; readonly text: string; readonly callId: string }

/**
 * A page that a search found. Its title and URL come from the search tool, never from text that a model wrote.
 * @example const lineOf = ({ title, url, publishedAt = 'undated' }: SearchResult) => `${title} (${publishedAt}): ${url}`
 */
export interface SearchResult {
  readonly title: string
  /** http or https. */
  readonly url: string
  /** An excerpt of the page, if known. */
  readonly snippet?: string | undefined
  /** Further passages of the page for this query, best first. Never empty; does not include `snippet`. */
  readonly passages?: readonly string[] | undefined
  /** `YYYY-MM-DD`, if known. */
  readonly publishedAt?: string | undefined
  /** For a result from memory: when csp saw the page, ISO 8601. */
  readonly seenAt?: string | undefined
  /** The backend's own relevance score; higher is better. */
  readonly score?: number | undefined
  /** The backend that found it: `claude`, `searxng`, …; in a merged list all that did, with commas between them. */
  readonly source: string
}

/**
 * The usage that the backend reported; 0 if it reported none.
 * @example const tokens = ({ inputTokens, outputTokens }: Usage) => inputTokens + outputTokens
 */
export interface Usage {
  readonly searches: number
  readonly inputTokens: number
  readonly outputTokens: number
}

/** `tool-calls`: the model waits for the caller to run its functions. */
export type FinishReason = 'stop' | 'length' | 'refusal' | 'tool-calls'

/** The origin of an answer: new, or from an earlier, equal search. */
export type CacheStatus = 'hit' | 'stale' | 'miss'

/**
 * An event that an executor yields while it works.
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
      /** For a stale answer that replaces a failed search: the error code of that search. */
      readonly reason?: string | undefined
    }
  | { readonly type: 'backend'; readonly name: string }
  | {
      readonly type: 'search-start'
      readonly id: string
      readonly query: string
      /** The model that makes the search, if it may differ from the one that writes. */
      readonly model?: string | undefined
    }
  /** The pages of a list are being read for excerpts. Progress only, not part of the answer. */
  | ({ readonly type: 'reading' } & PagesAwaited)
  /** A step of a research. Progress only, not part of the answer. */
  | { readonly type: 'research'; readonly step: ResearchStep }
  | {
      readonly type: 'search-results'
      readonly id: string
      readonly results: readonly SearchResult[]
      /** Notes of the search model beside its results, for the writer. They end where the answer is put together. */
      readonly notes?: string | undefined
    }
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
      /** A stand-in for a better answer that may be possible soon: must not be cached. */
      readonly isDegraded?: boolean | undefined
      /** Results whose page was read only while the text was written: now with its words. */
      readonly late?: readonly SearchResult[] | undefined
      /** The verdict on each sentence that cites pages. Absent if evidence is off. */
      readonly evidence?: readonly Evidence[] | undefined
      /** The id of its receipt and the account that may read it. Absent if receipts are off. */
      readonly receipt?: { readonly id: string; readonly owner: string } | undefined
    }

/**
 * One web search made while answering.
 * @example const found = ({ query, results }: Search) => `${query}: ${results.length} pages`
 */
export interface Search {
  readonly id: string
  readonly query: string
  /** The model that made the search, if it may differ from the one that wrote. */
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
  /** The model that wrote it, as the backend names it. */
  readonly model: string
  /** The sequence of the request's `stop` that ended the text. */
  readonly stopSequence?: string | undefined
  /** The backend that answered, if there are several. */
  readonly backend?: string | undefined
  /** A stand-in for a better answer that may be possible soon: must not be cached. */
  readonly isDegraded?: boolean | undefined
  /** The verdict on each sentence that cites pages. Absent if evidence is off. */
  readonly evidence?: readonly Evidence[] | undefined
  /** The id of its receipt and the account that may read it. Absent if receipts are off. */
  readonly receipt?: { readonly id: string; readonly owner: string } | undefined
}

/** A running search. Ends after `done`, or throws a `SearchError`. */
export type SearchEvents = AsyncGenerator<SearchEvent, void, undefined>
