import { deferred } from '@csp/lib/deferred'
import { abortError } from '../../../domain/abort.ts'
import { SearchError, toSearchError } from '../../../domain/error.ts'
import type { SearchEvent, SearchEvents } from '../../../domain/search.ts'

/**
 * One run of a search that any number of followers follow, each at its own pace and from the first event. It starts with
 * the first follower. When the last one has left, its signal aborts; until then a follower that leaves does not affect the
 * others.
 */
export class SharedRun {
  /** In whose name it runs. */
  readonly caller: string | undefined
  readonly #start: (signal: AbortSignal) => AsyncIterable<SearchEvent>
  readonly #onEnd: () => void
  readonly #controller = new AbortController()
  readonly #events: SearchEvent[] = []
  #kept = 0
  #followers = 0
  /** Resolves when the run has ended and all its work has stopped. */
  #running: Promise<void> | undefined
  #hasEnded = false
  #error: SearchError | undefined
  #news = deferred<void>()

  constructor(start: (signal: AbortSignal) => AsyncIterable<SearchEvent>, onEnd: () => void, caller?: string) {
    this.#start = start
    this.#onEnd = onEnd
    this.caller = caller
  }

  /** Whether a new follower may still join: it has neither ended nor been abandoned. */
  get isOpen(): boolean {
    return !this.#hasEnded && !this.#controller.signal.aborted
  }

  /**
   * The events so far, then the live ones. A failure of the run is the same `SearchError` for every follower. A follower
   * whose signal aborts leaves at once; only the last one waits until the work has stopped.
   */
  async *read(signal: AbortSignal): SearchEvents {
    if (signal.aborted) throw abortError(signal)
    const leave = this.#join(signal)
    try {
      for (let index = 0; ; ) {
        if (signal.aborted) throw abortError(signal)
        const event = this.#events[index]
        if (event) {
          index++
          yield event
        } else if (this.#error) throw this.#error
        else if (this.#hasEnded) return
        else await this.#news.promise
      }
    } finally {
      leave()
      if (this.#followers === 0) await this.#running
    }
  }

  /** Counts a follower, and returns the function that removes it; an abort removes it too, even if it is not reading. */
  #join(signal: AbortSignal): () => void {
    let hasLeft = false
    const leave = (): void => {
      signal.removeEventListener('abort', leave)
      if (hasLeft) return
      hasLeft = true
      if (--this.#followers === 0 && !this.#hasEnded) this.#controller.abort(signal.reason)
      this.#notify()
    }
    signal.addEventListener('abort', leave)
    this.#followers++
    this.#running ??= this.#run()
    return leave
  }

  async #run(): Promise<void> {
    try {
      for await (const event of this.#start(this.#controller.signal)) {
        this.#keep(event)
        this.#notify()
      }
    } catch (error) {
      this.#error = toSearchError(error)
    }
    this.#hasEnded = true
    this.#onEnd()
    this.#notify()
  }

  #keep(event: SearchEvent): void {
    this.#events.push(event)
    this.#kept += sizeOf(event)
    // Leaving the loop stops the work.
    if (this.#kept > maxKeptCharacters) throw new SearchError('failed', 'The answer is too long.')
  }

  #notify(): void {
    this.#news.resolve()
    this.#news = deferred<void>()
  }
}

/** Kept of one search, for followers that come later or read slowly. */
const maxKeptCharacters = 10_000_000

function sizeOf(event: SearchEvent): number {
  if (event.type === 'text-delta') return event.text.length
  if (event.type === 'tool-call-delta') return event.arguments.length
  if (event.type !== 'search-results') return 100
  return event.results.reduce(
    (sum, { url, title, snippet = '' }) => sum + url.length + title.length + snippet.length,
    0,
  )
}
