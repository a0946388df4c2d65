import type { PageErrorCode } from '@csp/page-reader/page-error'
import type { CacheStatus, SearchRequest } from '../../domain/search.ts'
import type { Failure } from './failure.ts'
import type { FailureReport } from './failure-report.ts'

/** Where the time of a request went, and what happened to it. */
export interface TraceSummary {
  /** How often a model was called for it; absent if none was, or it is not known. */
  readonly modelCalls?: number | undefined
  /** The parts of its milliseconds: waiting for a place, at work in the backend, waiting for pages, and the rest. */
  readonly queuedMs: number
  readonly upstreamMs: number
  /** Absent if no page was waited for. */
  readonly pagesMs?: number | undefined
  readonly ownMs: number
  /** Why no cached answer was used. */
  readonly uncached?: string | undefined
  /** Backends that failed before another one answered, each with its code. */
  readonly replaced?: readonly string[] | undefined
}

/** What is known of a request when it is over. Never a query, a key or the text of an answer. */
export interface RequestLog extends Partial<TraceSummary> {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly dialect: string
  readonly status: number
  /** Why it failed, if it did; a stream may fail after its status has gone out. */
  readonly code?: Failure['code'] | undefined
  readonly cache?: CacheStatus | undefined
  readonly ms: number
  /** Rows found, when a search was made. */
  readonly results?: number | undefined
  /** Pages that were read, and pages that could not be, when any was asked for. */
  readonly pages?: number | undefined
  readonly unread?: number | undefined
  readonly unreadCodes?: readonly PageErrorCode[] | undefined
  /** The name of the key, or of the home's edge; absent if none is known. */
  readonly caller?: string | undefined
  readonly backend?: string | undefined
  readonly want?: SearchRequest['want'] | undefined
  readonly effort?: SearchRequest['effort'] | undefined
  /** A research report was asked for. */
  readonly isReport?: true | undefined
  /** The program that asked, where its headers tell; one of csp's own names for programs. */
  readonly client?: string | undefined
  /** The one that worked, in the backend's own words. */
  readonly model?: string | undefined
  /** What this request spent: nothing, when the answer came from the cache. */
  readonly searches?: number | undefined
  readonly inputTokens?: number | undefined
  readonly outputTokens?: number | undefined
  /** Replies of upstreams of the gateway, each of which has a line of its own in the log. */
  readonly upstreamCalls?: number | undefined
  /** Why a stale answer stands in for a search. */
  readonly staleReason?: string | undefined
  readonly failure?: FailureReport | undefined
}
