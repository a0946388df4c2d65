import { collect, sourcesOf } from '../domain/answer.ts'
import { toSearchError } from '../domain/error.ts'
import { newsIn, type Watch } from '../domain/watch.ts'
import type { Watches } from '../domain/watches.ts'
import type { Executor } from '../executor/executor.ts'
import { messageOf } from '../lib/errors.ts'
import type { WatchStore } from './watch-store.ts'

export interface ScheduledWatchesOptions {
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
  const store = (): WatchStore => (opened ??= options.openStore())

  function resume(): void {
    if (stopped.signal.aborted || !isThere()) return
    clearTimeout(timer)
    // Work that goes on takes what was made meanwhile.
    if (!isWorking) working = work()
  }

  /** Never rejects. */
  async function work(): Promise<void> {
    isWorking = true
    try {
      for (let watch = claim(); watch; watch = claim()) await run(watch)
      const next = store().nextAt()
      if (next !== undefined) timer = setTimeout(resume, Math.min(Math.max(next - now(), 1000), maxWaitMs))
    } catch (error) {
      log('warning', `The watches cannot be read: ${messageOf(error)}`)
      timer = setTimeout(resume, maxWaitMs)
    } finally {
      isWorking = false
    }
  }

  function claim(): Watch | undefined {
    return stopped.signal.aborted ? undefined : store().claim(now(), now() + claimMs)
  }

  async function run(watch: Watch): Promise<void> {
    const { id, request, everyMs } = watch
    try {
      const search = executor.search(request, { signal: stopped.signal, cache: 'no-cache', isWhole: true })
      const rows = sourcesOf((await collect(search)).searches)
      const { entries, seen } = newsIn(rows, watch.seen, hash)
      store().keep(id, now(), now() + everyMs, entries, seen)
      log('info', `watch: ${entries.length} new`)
    } catch (error) {
      // It is due again at once when csp starts.
      if (stopped.signal.aborted) return store().fail(id, now(), watch.problem ?? '')
      const { forOthers, retryAfterSeconds = 0 } = toSearchError(error)
      store().fail(id, now() + Math.max(retryAfterSeconds * 1000, Math.min(everyMs, claimMs)), forOthers)
      log('warning', `a watch failed: ${forOthers}`)
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
    feed: async (id) => (isThere() ? store().feed(id) : undefined),
    counts: async () => (isThere() ? store().counts() : { count: 0, failing: 0 }),
    async close() {
      stopped.abort()
      await working
      clearTimeout(timer)
      opened?.close()
      opened = undefined
    },
  }
}
