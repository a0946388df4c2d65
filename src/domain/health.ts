import type { SearchErrorCode } from './error.ts'
import type { MemoryHealth } from './memory.ts'

/**
 * The health of an executor; each layer adds its own part.
 * @example const broken = ({ backends }: ExecutorHealth) => backends.filter(({ ready }) => !ready)
 */
export interface ExecutorHealth {
  /** Whether a search made now may be expected to work. */
  readonly ready: boolean
  readonly backends: readonly BackendHealth[]
  readonly queue?: QueueHealth | undefined
  readonly cache?: CacheHealth | undefined
  readonly budget?: BudgetHealth | undefined
  /** Why the last receipt could not be kept, if it could not. Absent: none is kept. */
  readonly receipts?: { readonly problem?: string | undefined } | undefined
  /** The pages that csp has seen. Absent: none are kept. */
  readonly memory?: MemoryHealth | undefined
}

/**
 * The health of one backend; what is not known is absent.
 * @example const lineOf = ({ name, problem = 'ready' }: BackendHealth) => `${name}: ${problem}`
 */
export interface BackendHealth {
  readonly name: string
  readonly ready: boolean
  /** Why it is not ready, and what to do about it, for a person to read. */
  readonly problem?: string | undefined
  readonly version?: string | undefined
  /** Absent where the backend has no login, or it is not known yet. */
  readonly signedIn?: boolean | undefined
  /** How it is signed in: `oauth_token`, `claude.ai`, `api_key`, … in the backend's own words. */
  readonly authMethod?: string | undefined
  readonly subscription?: string | undefined
  /** What serves what: `direct: ready`, `agent: 1 worker`. */
  readonly engines?: Readonly<Record<string, string>> | undefined
  /** The usage limit, as the backend last reported it. */
  readonly rateLimit?: RateLimitHealth | undefined
  /** What is kept of the plan, and what waits for that. */
  readonly plan?: PlanHealth | undefined
  readonly lastError?: LastError | undefined
  /** The last search failed by no fault of its caller, and none has succeeded since. */
  readonly lastSearchFailed?: boolean | undefined
  /** Its circuit breaker, which decides whether it is asked at all. */
  readonly breaker?: BreakerHealth | undefined
  /** Its own queue, where there are several. */
  readonly queue?: QueueHealth | undefined
}

export interface BreakerHealth {
  /** `half-open`: the next search shows whether it is back. */
  readonly state: 'closed' | 'open' | 'half-open'
  /** ISO 8601, when it is open. */
  readonly retryAt?: string | undefined
  /** Failures in a row, so far. */
  readonly failures: number
}

export interface RateLimitHealth extends LimitWindowHealth {
  /** `allowed`, `allowed_warning`, `rejected`. */
  readonly status: string
  /** Each window that is reported. Absent where the backend has only one. */
  readonly windows?: readonly LimitWindowHealth[] | undefined
  /** What is paid beyond the plan. Absent where nothing was reported of it. */
  readonly overage?: OverageHealth | undefined
}

/** Use that is paid beyond what a plan includes. */
export interface OverageHealth {
  /** Whether searches are paid that way now. */
  readonly inUse: boolean
  /** `allowed`, `allowed_warning`, `rejected`. */
  readonly status?: string | undefined
  /** Why there is none: `out_of_credits`, `org_level_disabled`, … */
  readonly disabledReason?: string | undefined
  /** ISO 8601. */
  readonly resetsAt?: string | undefined
  /** The organisation has paused its use for today. */
  readonly dailyCapPaused?: boolean | undefined
}

/** How much of a plan is kept for its owner. */
export interface PlanHealth {
  /** The kept part of each window, 0 to 1. */
  readonly reserve: number
  /** Whether nothing is searched that would be paid beyond the plan. */
  readonly planOnly: boolean
  /** What is not searched now, and why, for a person to read. */
  readonly paused?:
    | { readonly kinds: readonly SearchKind[]; readonly reason: string; readonly until?: string }
    | undefined
  /** When the plan was last heard of, ISO 8601. Absent: not yet. */
  readonly readAt?: string | undefined
}

/** What costs a plan much, some and little, in the order in which it stops. */
export const searchKinds = ['deep', 'answers', 'lists'] as const
export type SearchKind = (typeof searchKinds)[number]

/** Kinds of searches for a person to read: `deep searches, written answers`. */
export function kindsInWords(kinds: readonly SearchKind[]): string {
  const words: Readonly<Record<SearchKind, string>> = {
    deep: 'deep searches',
    answers: 'written answers',
    lists: 'lists',
  }
  return kinds.map((kind) => words[kind]).join(', ')
}

/** The window of which most is used. */
export function tightestOf(windows: readonly LimitWindowHealth[]): LimitWindowHealth | undefined {
  return windows.toSorted((a, b) => (b.utilization ?? 0) - (a.utilization ?? 0))[0]
}

export interface LimitWindowHealth {
  readonly status?: string | undefined
  /** `five_hour`, `seven_day`, … */
  readonly window?: string | undefined
  /** The used part of it, 0 to 1. */
  readonly utilization?: number | undefined
  /** ISO 8601. */
  readonly resetsAt?: string | undefined
}

export interface LastError {
  readonly code: SearchErrorCode
  readonly message: string
  /** ISO 8601. */
  readonly at: string
}

export interface QueueHealth {
  readonly running: number
  readonly waiting: number
  readonly concurrency: number
  readonly capacity: number
  /** Callers with waiting searches. */
  readonly callers?: number | undefined
  /** For a search that came now, estimated from recent ones; of the lanes the longer. */
  readonly estimatedWaitSeconds?: number | undefined
  /** The longest wait in the queue now. */
  readonly oldestWaitSeconds?: number | undefined
  /** Where searches that cost little have places of their own; the queue is one, and the figures above are of both. */
  readonly lanes?: Readonly<Record<'main' | 'light', LaneHealth>> | undefined
}

export interface LaneHealth {
  readonly running: number
  readonly waiting: number
  readonly concurrency: number
  readonly estimatedWaitSeconds: number
}

export interface CacheHealth {
  readonly hits: number
  readonly stale: number
  readonly misses: number
  /** Why the last read or write of the store failed, if it did. */
  readonly problem?: string | undefined
}

export interface BudgetHealth {
  /** Those for all callers together. */
  readonly limits: readonly LimitHealth[]
  /** Which of them are nearly reached, for a person to read. */
  readonly warning?: string | undefined
  /** Why the last write or read of the ledger failed, if it did. */
  readonly problem?: string | undefined
}

/** A limit of our own, and how far it is used. */
export interface LimitHealth {
  /** Whose it is; absent: of all callers together. */
  readonly caller?: string | undefined
  readonly kind: 'searches' | 'tokens'
  readonly window: 'minute' | 'day'
  readonly limit: number
  readonly used: number
  /** 0 or more. */
  readonly left: number
  /** When the day ends, or when there is room for one more within the minute. ISO 8601. */
  readonly resetsAt: string
}

/** The state of one part in words. Times stand apart, for each reader to show in its own time zone. */
export interface HealthRow {
  readonly name: string
  readonly level: 'ok' | 'warning' | 'bad'
  readonly text: string
  readonly details?: readonly string[] | undefined
  /** The used part of a limit, 0 to 1. */
  readonly used?: number | undefined
  /** What the page offers to do about it. */
  readonly action?: 'sign-in' | undefined
  /** `label`: what happens or happened at that time, `Resets`. */
  readonly when?: { readonly label: string; readonly at: string } | undefined
}

/** The name of a window for a person: `5-hour limit`, `7-day opus limit`; unknown ones by their own. */
export function windowInWords(window = 'usage'): string {
  const words = window.replace(/^five_hour/, '5-hour').replace(/^seven_day/, '7-day')
  return `${words.replaceAll('_', ' ')} limit`
}
