import type { SearchErrorCode } from './error.ts'
import type { JobCounts } from './health.ts'
import type { SearchEvent, SearchRequest } from './search.ts'

/** `queued` too while a limit is waited for, and between two processes. The last three are final. */
export type JobStatus = 'queued' | 'running' | 'completed' | 'failed' | 'cancelled'

/** What a caller has asked for, to be answered behind its back. Plain data. */
export interface JobDraft {
  /** The account that it belongs to, and that is charged. */
  readonly owner: string
  /** Whose routes show it: `openai`, `tavily`, … */
  readonly vendor: string
  readonly request: SearchRequest
  /** What the caller sent, from which its vendor's replies are written. JSON. */
  readonly input: unknown
}

/** A draft that is kept. All times are milliseconds since 1970. */
export interface Job extends JobDraft {
  /** 32 hexadecimal digits that nobody can guess. */
  readonly id: string
  readonly status: JobStatus
  readonly createdAt: number
  readonly startedAt?: number | undefined
  readonly endedAt?: number | undefined
  readonly failure?: JobFailure | undefined
}

/** What changes of a job. */
export type JobState = Pick<Job, 'status' | 'endedAt' | 'failure'>

export interface JobFailure {
  readonly code: SearchErrorCode
  readonly message: string
}

/**
 * An event of a job. A run that was interrupted starts again with the next `run`, from its last checkpoint, and sends all
 * its events again: the answer is the fold of the last run. One that continues from what a search has found sends the
 * rest under the same number.
 */
export interface JobEvent {
  readonly run: number
  /** From 1, without a gap, over all runs. */
  readonly sequence: number
  readonly at: number
  readonly event: SearchEvent
}

/** A page of a list of jobs. */
export interface JobQuery {
  readonly owner?: string | undefined
  readonly vendor?: string | undefined
  readonly limit: number
  /** Only jobs older than this one. */
  readonly before?: string | undefined
}

/** Requests that are answered in the background. Whoever calls it compares owners. */
export interface Jobs {
  /** Keeps a job and starts it as soon as there is room. Throws `busy` where too many wait. */
  create(draft: JobDraft): Promise<Job>
  get(id: string): Promise<Job | undefined>
  /** How far a job is: what is asked again and again while it is waited for. */
  state(id: string): Promise<JobState | undefined>
  /** The newest first. */
  list(query: JobQuery): Promise<readonly Job[]>
  /** The events so far. */
  events(id: string, after?: number): Promise<readonly JobEvent[]>
  /** Counts who waits for a job, until the returned function is called. Throws `busy` where many do. */
  wait(id: string): () => void
  /** Resolves as soon as the job may have changed, or the signal aborts. */
  changed(id: string, signal: AbortSignal): Promise<void>
  /** Stops the work. A job that has ended stays as it is. */
  cancel(id: string): Promise<Job | undefined>
  /** How many have not ended, of all owners. */
  counts(): Promise<JobCounts>
  /** Stops the work and forgets the job. */
  remove(id: string): Promise<void>
}
