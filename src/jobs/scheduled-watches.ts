import { collect, sourcesOf } from '../domain/answer.ts'
import { toSearchError } from '../domain/error.ts'
import { newsIn, type Watch } from '../domain/watch.ts'
import type { Watches } from '../domain/watches.ts'
import type { Executor } from '../executor/executor.ts'
import { messageOf } from '../lib/errors.ts'
import { freshRows, isMonitor, type MonitoringOptions, monitorRuns, nextRun } from './monitors.ts'
import type { WatchStore } from './watch-store.ts'

export interface ScheduledWatchesOptions extends MonitoringOptions {
  /** Opened at the first use. */
  readonly openStore: () => WatchStore
  /** Whether there is anything to open. */
  readonly isThere: () => boolean
  readonly executor: Executor
  /** A short digest of a text. */
  readonly hash: (text: string) => string
  readonly log: (level: 'info' | 'warning', message: string) => void
  readonly now?: (() => number) | undefined
}

/** Watches that this process runs. */
export interface ScheduledWatches extends Watches {
  /** Runs what is due, and sets the timer for what comes next. */
  resume(): void
  close(): Promise<void>
}

/** Until then no other process makes the same run. */
const claimMs = 600_000
/** Timers stand still while a laptop sleeps, so none is longer. */
const maxWaitMs = 300_000

/** Searches again when it is time, one watch after another. A run that was missed is made once. No timer without watches. */
export function scheduledWatches(options: ScheduledWatchesOptions): ScheduledWatches {
  const { executor, hash, isThere, log, now = Date.now } = options
  const stopped = new AbortController()
  let opened: WatchStore | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let working: Promise<void> | undefined
  let isWorking = false
  let isAsked = false
  let hasDelivered = false
  const store = (): WatchStore => (opened ??= options.openStore())
  const monitors = monitorRuns({ ...options, store, now, resume, signal: stopped.signal })

  function resume(): void {
    if (stopped.signal.aborted || !isThere()) return
    clearTimeout(timer)
    // One that was made meanwhile is not overlooked.
    if (isWorking) isAsked = true
    else working = work()
  }

  /** Never rejects. */
  async function work(): Promise<void> {
    isWorking = true
    try {
      if (!hasDelivered) monitors.resumeDeliveries()
      hasDelivered = true
      do {
        isAsked = false
        for (let watch = claim(); watch; watch = claim()) await run(watch)
      } while (isAsked)
      if (stopped.signal.aborted) return
      const next = store().nextAt()
      if (next !== undefined) timer = setTimeout(resume, Math.min(Math.max(next - now(), 1000), maxWaitMs))
    } catch (error) {
      log('warning', `The watches cannot be read: ${messageOf(error)}`)
      if (!stopped.signal.aborted) timer = setTimeout(resume, maxWaitMs)
    } finally {
      isWorking = false
    }
  }

  function claim(): Watch | undefined {
    return stopped.signal.aborted ? undefined : store().claim(now(), now() + claimMs)
  }

  async function run(watch: Watch): Promise<void> {
    const { id, request, everyMs } = watch
    const monitor = isMonitor(watch) ? watch : undefined
    const begun = monitor && monitors.begin(monitor)
    // It may have been changed meanwhile.
    const next = () => nextRun(store().get(id) ?? watch, now())
    try {
      if (monitor) await monitors.admit(monitor)
      const context = {
        signal: stopped.signal,
        cache: 'no-cache',
        isWhole: true,
        caller: monitor?.monitor.owner,
      } as const
      const search = executor.search(request, context)
      const rows = sourcesOf((await collect(search)).searches)
      const { entries, seen } = newsIn(rows, watch.seen, hash)
      const results = freshRows(entries, rows)
      const summary = monitor && (await monitors.summarise(monitor, results))
      store().keep(id, now(), next(), entries, seen)
      if (begun) monitors.end(monitor, begun, { results, summary })
      log('info', `watch: ${entries.length} new`)
    } catch (error) {
      // It is due again at once when csp starts.
      if (stopped.signal.aborted) return store().fail(id, now(), watch.problem ?? '')
      const failure = toSearchError(error)
      const { code, message, retryAfterSeconds = 0 } = failure
      const waitMs = Math.max(retryAfterSeconds * 1000, Math.min(everyMs || claimMs, claimMs))
      // A monitor is not told of the same failure again and again: only a limit that ends brings its next run forward.
      const mayWait = !monitor || (retryAfterSeconds > 0 && everyMs > 0)
      store().fail(id, mayWait ? now() + waitMs : next(), message)
      if (begun) monitors.end(monitor, begun, { failure: { code, message } })
      log('warning', `a watch failed: ${message}`)
    }
  }

  return {
    resume,
    async list() {
      const found = isThere() ? store().list() : []
      // Another process may have made one.
      resume()
      return found
    },
    async feed(id) {
      const found = isThere() ? store().feed(id) : undefined
      return found?.watch.monitor ? undefined : found
    },
    counts: async () => (isThere() ? store().counts() : { count: 0, failing: 0 }),
    monitors,
    async close() {
      stopped.abort()
      clearTimeout(timer)
      await working
      opened?.close()
      opened = undefined
    },
  }
}
