import { counted } from '@csp/lib/text'
import type { SearchErrorCode } from './error.ts'
import type { MemoryHealth } from './memory.ts'

/**
 * The health of an executor; each layer adds its own part.
 * @example const broken = ({ backends }: ExecutorHealth) => backends.filter(({ ready }) => !ready)
 */
export interface ExecutorHealth {
  /** Whether a search is expected to work now. */
  readonly ready: boolean
  readonly backends: readonly BackendHealth[]
  readonly queue?: QueueHealth | undefined
  readonly cache?: CacheHealth | undefined
  readonly budget?: BudgetHealth | undefined
  /** Why the last receipt could not be stored, if it could not. Absent if receipts are off. */
  readonly receipts?: { readonly problem?: string | undefined } | undefined
  /** The pages that csp has seen. Absent if memory is off. */
  readonly memory?: MemoryHealth | undefined
}

/**
 * The health of one backend. Unknown fields are absent.
 * @example const lineOf = ({ name, problem = 'ready' }: BackendHealth) => `${name}: ${problem}`
 */
export interface BackendHealth {
  readonly name: string
  readonly ready: boolean
  /** Why it is not ready and what to do about it, in plain words. */
  readonly problem?: string | undefined
  /** Whether the program that it needs is not installed, as where csp is a gateway alone. */
  readonly isMissing?: boolean | undefined
  readonly version?: string | undefined
  /** Absent if the backend has no login, or it is not known yet. */
  readonly signedIn?: boolean | undefined
  /** How it is signed in, in the backend's own words: `oauth_token`, `claude.ai`, `api_key`, … */
  readonly authMethod?: string | undefined
  readonly subscription?: string | undefined
  /** Its engines and their state: `direct: ready`, `agent: 1 worker`. */
  readonly engines?: Readonly<Record<string, string>> | undefined
  /** The usage limit, as the backend last reported it. */
  readonly rateLimit?: RateLimitHealth | undefined
  /** The reserved part of the plan, and what it holds back now. */
  readonly plan?: PlanHealth | undefined
  readonly lastError?: LastError | undefined
  /** Whether the last search failed, not counting failures that callers caused; absent before the first has ended. */
  readonly lastSearchFailed?: boolean | undefined
  /** Whether it found nothing so often lately that the others are asked before it. */
  readonly isAskedLast?: boolean | undefined
  /** Whether it is a named writer. */
  readonly writes?: boolean | undefined
  /** Its circuit breaker, which decides whether it is asked at all. */
  readonly breaker?: BreakerHealth | undefined
  /** Its own queue, if backends have one each. */
  readonly queue?: QueueHealth | undefined
}

export interface BreakerHealth {
  /** `half-open`: the next search shows whether it is back. */
  readonly state: 'closed' | 'open' | 'half-open'
  /** ISO 8601, when it is open. */
  readonly retryAt?: string | undefined
  /** Consecutive failures so far. */
  readonly failures: number
}

export interface RateLimitHealth extends LimitWindowHealth {
  /** `allowed`, `allowed_warning`, `rejected`. */
  readonly status: string
  /** Every reported window. Absent if the backend has only one. */
  readonly windows?: readonly LimitWindowHealth[] | undefined
  /** Extra usage beyond the plan. Absent if nothing was reported. */
  readonly overage?: OverageHealth | undefined
}

/** Usage that is paid on top of the plan. */
export interface OverageHealth {
  /** Whether searches are paid as extra usage now. */
  readonly inUse: boolean
  /** `allowed`, `allowed_warning`, `rejected`. */
  readonly status?: string | undefined
  /** Why it is not available: `out_of_credits`, `org_level_disabled`, … */
  readonly disabledReason?: string | undefined
  /** ISO 8601. */
  readonly resetsAt?: string | undefined
  /** Whether the organisation has paused it for today. */
  readonly dailyCapPaused?: boolean | undefined
}

/** The part of a plan that is reserved for its owner. */
export interface PlanHealth {
  /** The reserved part of each window, 0 to 1. */
  readonly reserve: number
  /** Whether csp refuses searches that would be paid as extra usage. */
  readonly planOnly: boolean
  /** What is held back now, and why, in plain words. */
  readonly paused?:
    | { readonly kinds: readonly SearchKind[]; readonly reason: string; readonly until: string }
    | undefined
  /** When the plan was last reported, ISO 8601. Absent before the first report. */
  readonly readAt?: string | undefined
}

/** Kinds of searches by their cost to the plan, the most expensive first: the order in which they stop. */
export const searchKinds = ['deep', 'answers', 'lists'] as const
export type SearchKind = (typeof searchKinds)[number]

/** Kinds of searches in plain words: `deep searches, written answers`. */
export function kindsInWords(kinds: readonly SearchKind[]): string {
  const words: Readonly<Record<SearchKind, string>> = {
    deep: 'deep searches',
    answers: 'written answers',
    lists: 'lists',
  }
  return kinds.map((kind) => words[kind]).join(', ')
}

/** The fullest window. */
export function tightestOf(windows: readonly LimitWindowHealth[]): LimitWindowHealth | undefined {
  return windows.toSorted((a, b) => (b.utilization ?? 0) - (a.utilization ?? 0))[0]
}

export interface LimitWindowHealth {
  readonly status?: string | undefined
  /** `five_hour`, `seven_day`, … */
  readonly window?: string | undefined
  /** The used part, 0 to 1. */
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
  /** Estimated wait of a new search, from recent ones; the longer of the two lanes. */
  readonly estimatedWaitSeconds?: number | undefined
  /** How long the oldest search in the queue has waited. */
  readonly oldestWaitSeconds?: number | undefined
  /** Set if lists have a lane of their own. Both lanes share one queue; the figures above cover both. */
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
  /** Limits that all callers share. */
  readonly limits: readonly LimitHealth[]
  /** The limits that are nearly reached, in plain words. */
  readonly warning?: string | undefined
  /** Why the last write or read of the ledger failed, if it did. */
  readonly problem?: string | undefined
}

/** One of csp's own limits, and its usage. */
export interface LimitHealth {
  /** The key that it belongs to. Absent for a limit that all callers share. */
  readonly caller?: string | undefined
  readonly kind: 'searches' | 'tokens'
  readonly window: 'minute' | 'day'
  readonly limit: number
  readonly used: number
  /** 0 or more. */
  readonly left: number
  /** When the day ends, or when the minute has room for one more. ISO 8601. */
  readonly resetsAt: string
}

/** A limit in words: `daily limit of 500 searches`, `limit of 1 search a minute of the key "phone"`. */
export function limitInWords({ caller, kind, window, limit }: LimitHealth): string {
  const what = counted(limit, kind === 'searches' ? 'search' : 'token', kind)
  const whose = caller === undefined ? '' : ` of the key "${caller}"`
  return window === 'day' ? `daily limit of ${what}${whose}` : `limit of ${what} a ${window}${whose}`
}

/** Those that have not ended. */
export interface JobCounts {
  readonly queued: number
  readonly running: number
}

/** What csp does while nobody waits. */
export interface BackgroundHealth {
  readonly jobs?: JobCounts | undefined
}

/** The state of one part in words. Times are separate, so that each reader can use its own time zone. */
export interface HealthRow {
  readonly name: string
  readonly level: 'ok' | 'warning' | 'bad'
  readonly text: string
  readonly details?: readonly string[] | undefined
  /** The used part of a limit, 0 to 1. */
  readonly used?: number | undefined
  /** The remedy that the page offers. */
  readonly action?: 'sign-in' | undefined
  /** `label`: what happens or happened then, such as `Resets`. */
  readonly when?: { readonly label: string; readonly at: string } | undefined
}

/** The name of a window in plain words: `5-hour limit`, `7-day opus limit`. An unknown window keeps its own name. */
export function windowInWords(window = 'usage'): string {
  const words = window.replace(/^five_hour/, '5-hour').replace(/^seven_day/, '7-day')
  return `${words.replaceAll('_', ' ')} limit`
}

/** What the sandbox says of itself, wherever csp meets a person. */
export const sandboxNotice = 'Sandbox: nothing here comes from the web.'
