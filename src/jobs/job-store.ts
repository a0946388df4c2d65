import type { JobCounts } from '../domain/health.ts'
import type { Job, JobDraft, JobEvent, JobFailure, JobQuery, JobState, JobStatus } from '../domain/job.ts'
import type { ResearchProgress } from '../domain/research.ts'
import type { SearchEvent } from '../domain/search.ts'

/** A job that this process runs. */
export interface ClaimedJob {
  readonly job: Job
  /** From 1: how often it has begun. */
  readonly run: number
  /** Runs in a row that kept no checkpoint. */
  readonly idleRuns: number
  /** The last checkpoint. */
  readonly progress?: ResearchProgress | undefined
}

/** How many jobs may run at once. */
export interface RunningLimits {
  readonly all: number
  /** Jobs of one owner. */
  readonly each: number
}

/** What ends a run. */
export type RunEnd =
  | { readonly status: Extract<JobStatus, 'completed' | 'failed'>; readonly failure?: JobFailure | undefined }
  /** It continues later, in this process or another. */
  | { readonly status: 'queued'; readonly notBefore: number }

/**
 * Where jobs are kept. Several processes may share it: each job is run by one of them, which renews its claim. What a
 * process writes to a job that it no longer runs is dropped.
 */
export interface JobStore {
  add(draft: JobDraft & Pick<Job, 'id' | 'createdAt'>): Job
  get(id: string): Job | undefined
  state(id: string): JobState | undefined
  /** The newest first. */
  ids(query: JobQuery): readonly string[]
  /** Jobs that have not ended, of one owner or of all. */
  unfinished(owner?: string): number
  /** How many wait and run, of all owners. */
  counts(): JobCounts
  /** The next job that may run, the one of the owner with the fewest first; it is this process's now. */
  claim(limits: RunningLimits, now: number): ClaimedJob | undefined
  /** Keeps the claims of this process, and takes those of processes that have ended. Returns the jobs that are still its own. */
  renew(now: number): ReadonlySet<string>
  append(id: string, run: number, at: number, events: readonly SearchEvent[]): void
  checkpoint(id: string, progress: ResearchProgress): void
  /** Ends a run, with the events that were held back until then. */
  end(id: string, run: number, at: number, end: RunEnd, events: readonly SearchEvent[]): void
  events(id: string, after: number): readonly JobEvent[]
  cancel(id: string, at: number): void
  remove(id: string): void
  /** Forgets what ended too long ago, and the oldest beyond so many of an owner. */
  sweep(now: number): void
  close(): void
}
