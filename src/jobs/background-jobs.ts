import { randomId } from '@csp/lib/bytes'
import { messageOf } from '@csp/lib/errors'
import { abortError } from '../domain/abort.ts'
import { SearchError, toSearchError } from '../domain/error.ts'
import type { Job, Jobs } from '../domain/job.ts'
import type { ResearchProgress } from '../domain/research.ts'
import type { SearchEvent } from '../domain/search.ts'
import type { Executor } from '../executor/executor.ts'
import { goingOn, isText, joinedText, searchesMade } from './going-on.ts'
import { JobListeners } from './job-listeners.ts'
import type { ClaimedJob, JobStore, RunEnd, RunningLimits } from './job-store.ts'

export interface BackgroundJobsOptions {
  /** Opened at the first use. */
  readonly openStore: () => JobStore
  readonly executor: Executor
  readonly limits: RunningLimits
  readonly log: (level: 'info' | 'warning', message: string) => void
  readonly now?: (() => number) | undefined
  /** How often claims are renewed while jobs run; 2 s by default. */
  readonly renewMs?: number | undefined
}

/** Jobs that this process runs. */
export interface BackgroundJobs extends Jobs {
  /** Goes on with what an earlier process has left. */
  resume(): void
  /** Interrupts what runs; it continues when csp starts again. */
  close(): Promise<void>
}

/** Jobs that have not ended, of one owner and of all. */
const maxUnfinished = { each: 20, all: 200 }
/** Requests that wait for one job. Each is told of each event, and looks once a second. */
const maxWaiting = 20
/** A job that ends csp each time, or its process, is not begun for ever. */
const maxIdleRuns = 5
/** For a limit without a known end. */
const unknownWaitMs = 600_000
/** How often a csp that runs no job looks for those that may go on. */
const wakeMs = 10_000
/** A limit of a plan ends after five hours. */
const maxWaitMs = 6 * 3_600_000

/** Runs jobs over an executor, so many at once. A limit that is reached makes a job wait, no other failure does. */
export function backgroundJobs(options: BackgroundJobsOptions): BackgroundJobs {
  const { executor, limits, log, now = Date.now, renewMs = 2000 } = options
  const running = new Map<string, { readonly abort: AbortController; readonly ended: Promise<void> }>()
  const listeners = new JobListeners()
  const waiting = new Map<string, number>()
  let opened: JobStore | undefined
  let renewing: ReturnType<typeof setInterval> | undefined
  let waking: ReturnType<typeof setTimeout> | undefined
  let isClosed = false
  let lastProblem: string | undefined
  /** Jobs whose run has ended, which could not be kept. */
  const unkept = new Set<string>()
  const store = (): JobStore => (opened ??= options.openStore())
  /** Starts what may start, and sets the timers for the rest. */
  function fill(): void {
    if (isClosed) return
    const mine = store().renew(now())
    for (const [id, { abort }] of running) if (!mine.has(id)) abort.abort(gone)
    for (const id of unkept) {
      store().end(id, 0, now(), { status: 'queued', notBefore: now() + wakeMs }, [])
      unkept.delete(id)
    }
    for (let next = store().claim(limits, now()); next; next = store().claim(limits, now())) begin(next)
    if (running.size > 0) renewing ??= setInterval(look, renewMs)
    else {
      clearInterval(renewing)
      renewing = undefined
    }
    clearTimeout(waking)
    // Jobs that wait for a limit, or that another process runs, which may end. No timer where none is left.
    if (running.size === 0 && store().unfinished() > 0) waking = setTimeout(look, wakeMs)
  }

  function begin(claimed: ClaimedJob): void {
    const { id } = claimed.job
    const abort = new AbortController()
    const ended = run(claimed, abort.signal).finally(() => {
      running.delete(id)
      listeners.announce(id)
      look()
    })
    running.set(id, { abort, ended })
    listeners.announce(id)
  }

  /** Never rejects. */
  async function run({ job, run: latest, idleRuns, progress }: ClaimedJob, signal: AbortSignal): Promise<void> {
    const { id, owner: caller, request } = job
    const held: SearchEvent[] = []
    const began = now()
    let run = latest
    const finish = (end: RunEnd, events: readonly SearchEvent[] = []): boolean => {
      const isKept = guarded(() => store().end(id, run, now(), end, events))
      if (!isKept) unkept.add(id)
      return isKept
    }
    try {
      if (idleRuns > maxIdleRuns)
        throw new SearchError('failed', `csp stopped ${idleRuns - 1} times while this job was running.`)
      const research = { progress, onProgress: (made: ResearchProgress) => guarded(() => store().checkpoint(id, made)) }
      const made = latest > 1 ? searchesMade(request, store().events(id, 0)) : undefined
      // Earlier results are part of this run, so that its searches appear only once.
      run = made?.run ?? latest
      for await (const event of goingOn(executor, request, made?.searches, {
        signal,
        caller,
        isWhole: true,
        research,
      })) {
        if (event.type === 'cache' || event.type === 'reading') continue
        // A run that is interrupted writes its text again: what a reader has seen is never taken back.
        if (isText(event)) {
          held.push(event)
          continue
        }
        store().append(id, run, now(), [event])
        listeners.announce(id)
      }
      if (finish({ status: 'completed' }, joinedText(held)))
        log('info', `job ${id} completed after ${Math.round((now() - began) / 1000)} s`)
    } catch (error) {
      if (signal.reason === closing) return void finish({ status: 'queued', notBefore: 0 })
      if (signal.aborted) return
      const failure = toSearchError(error)
      const waitMs = failure.code === 'rate-limited' ? (failure.retryAfterSeconds ?? 0) * 1000 || unknownWaitMs : 0
      if (waitMs > 0 && waitMs <= maxWaitMs && now() - job.createdAt < maxWaitMs * 4) {
        log('info', `job ${id} waits: ${failure.forOthers}`)
        return void finish({ status: 'queued', notBefore: now() + waitMs })
      }
      log('warning', `job ${id} failed: ${failure.forOthers}`)
      finish({ status: 'failed', failure: { code: failure.code, message: failure.message } })
    }
  }

  /** Returns true if it could be done. The same problem is logged once. */
  function guarded(work: () => void): boolean {
    try {
      work()
      lastProblem = undefined
      return true
    } catch (error) {
      const problem = messageOf(error)
      if (problem !== lastProblem) log('warning', `The jobs cannot be kept: ${problem}`)
      lastProblem = problem
      return false
    }
  }

  /** Starts what may start, now or when the disk has room again. */
  function look(): void {
    if (guarded(fill) || isClosed) return
    clearTimeout(waking)
    waking = setTimeout(look, wakeMs)
  }

  const stop = async (id: string): Promise<void> => {
    const found = running.get(id)
    found?.abort.abort(gone)
    listeners.announce(id)
    await found?.ended
    look()
  }

  return {
    async create(draft) {
      if (isClosed) throw new SearchError('unavailable', 'csp is stopping.')
      const jobs = store()
      for (const [most, owner] of [[maxUnfinished.each, draft.owner] as const, [maxUnfinished.all] as const]) {
        if (jobs.unfinished(owner) < most) continue
        throw new SearchError('busy', `${most} jobs have not ended yet.`, { retryAfterSeconds: 60 })
      }
      const id = randomId()
      const job = jobs.add({ ...draft, id, createdAt: now() })
      jobs.sweep(now())
      // Its reply goes first.
      setTimeout(look)
      return job
    },
    get: async (id) => store().get(id),
    counts: async () => store().counts(),
    state: async (id) => store().state(id),
    async list(query) {
      const found: Job[] = []
      for (const id of store().ids(query)) {
        const job = store().get(id)
        if (job) found.push(job)
        // Each may be large.
        await new Promise((resolve) => setTimeout(resolve))
      }
      return found
    },
    events: async (id, after = 0) => store().events(id, after),
    wait(id) {
      const count = waiting.get(id) ?? 0
      if (count >= maxWaiting) throw new SearchError('busy', `${count} requests wait for this job already.`)
      waiting.set(id, count + 1)
      return () => {
        const left = (waiting.get(id) ?? 1) - 1
        if (left > 0) waiting.set(id, left)
        else waiting.delete(id)
      }
    },
    changed: (id, signal) => listeners.changed(id, signal),
    async cancel(id) {
      store().cancel(id, now())
      await stop(id)
      return store().get(id)
    },
    async remove(id) {
      store().remove(id)
      await stop(id)
    },
    resume: look,
    async close() {
      isClosed = true
      clearInterval(renewing)
      clearTimeout(waking)
      for (const { abort } of running.values()) abort.abort(closing)
      await Promise.all([...running.values()].map(({ ended }) => ended))
      opened?.close()
      opened = undefined
    },
  }
}

/** Why a run is aborted: the job was cancelled or removed, or another process has it. */
const gone = abortError(AbortSignal.abort())
/** csp ends, and the job continues later. */
const closing = new SearchError('cancelled', 'csp is stopping.')

/** True if a job has ended. */
export function hasEnded({ status }: Pick<Job, 'status'>): boolean {
  return status !== 'queued' && status !== 'running'
}
