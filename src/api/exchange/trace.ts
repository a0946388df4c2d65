import type { SearchError } from '../../domain/error.ts'
import type { SearchTrace } from '../../executor/executor.ts'
import type { TraceSummary } from './request-log.ts'

/** Something that happened during a request, for the log at `debug`. */
export interface RequestNote {
  /** The id of the request. */
  readonly id: string
  readonly message: string
  /** What the message rests on: an error and its causes, outermost first. */
  readonly causes?: readonly string[] | undefined
}

interface Phase {
  running: number
  since: number
  ms: number
}

export interface RequestTraceOptions {
  readonly id: string
  /** Milliseconds. */
  readonly now: () => number
  readonly note: (message: string, error: unknown) => void
  readonly traceparent?: string | undefined
}

/** Gathers what the layers note about one request. */
export class RequestTrace implements SearchTrace {
  readonly #options: RequestTraceOptions
  readonly #queued: Phase = { running: 0, since: 0, ms: 0 }
  readonly #upstream: Phase = { running: 0, since: 0, ms: 0 }
  readonly #pages: Phase = { running: 0, since: 0, ms: 0 }
  #hasUpstream = false
  readonly #asked = new Set<string>()
  readonly #replaced: string[] = []
  #modelCalls = 0
  #uncached: string | undefined
  #defaultModel: string | undefined

  constructor(options: RequestTraceOptions) {
    this.#options = options
  }

  get id(): string {
    return this.#options.id
  }

  get traceparent(): string | undefined {
    return this.#options.traceparent
  }

  begin(name: 'queued' | 'upstream' | 'pages'): () => void {
    const { now } = this.#options
    const phase = { queued: this.#queued, upstream: this.#upstream, pages: this.#pages }[name]
    this.#hasUpstream ||= name === 'upstream'
    if (phase.running++ === 0) phase.since = now()
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      if (--phase.running === 0) phase.ms += now() - phase.since
    }
  }

  uncached(reason: string): void {
    this.#uncached = reason
  }

  asked(backend: string): void {
    // Several backends behind one name say themselves who is asked.
    if (!backend.includes(',')) this.#asked.add(backend)
  }

  /** The backends that were asked so far, in order. */
  get backendsAsked(): readonly string[] {
    return [...this.#asked]
  }

  replaced(backend: string, failure: SearchError): void {
    this.#replaced.push(`${backend}: ${failure.code}`)
    this.note(`${backend} failed`, failure)
  }

  modelCalled(): void {
    this.#modelCalls++
  }

  defaultModel(name: string): void {
    this.#defaultModel = name
  }

  note(message: string, error?: unknown): void {
    this.#options.note(message, error)
  }

  /** The model that writes in another csp, which answers this request. */
  get remoteDefaultModel(): string | undefined {
    return this.#defaultModel
  }

  /** What `server-timing` says of the search so far. `untilFirst`: ms until its first event, where nothing counts its time. */
  timings(untilFirst: number): readonly string[] {
    const queuedMs = this.#ms(this.#queued)
    const pagesMs = this.#ms(this.#pages)
    const searchMs = this.#hasUpstream ? this.#ms(this.#upstream) : untilFirst
    return [
      ...(queuedMs > 0 ? [`queue;dur=${queuedMs}`] : []),
      `search;dur=${searchMs}`,
      ...(pagesMs > 0 ? [`pages;dur=${pagesMs}`] : []),
    ]
  }

  /** What the log says of a request that took so many milliseconds. */
  summary(ms: number): TraceSummary {
    const queuedMs = this.#ms(this.#queued)
    const upstreamMs = this.#ms(this.#upstream)
    const pagesMs = this.#ms(this.#pages)
    return {
      modelCalls: this.#modelCalls || undefined,
      queuedMs,
      upstreamMs,
      pagesMs: pagesMs || undefined,
      ownMs: Math.max(0, ms - queuedMs - upstreamMs - pagesMs),
      uncached: this.#uncached,
      replaced: this.#replaced.length > 0 ? this.#replaced : undefined,
    }
  }

  /** In whole milliseconds; what still runs counts up to now. */
  #ms({ running, since, ms }: Phase): number {
    return Math.round(ms + (running > 0 ? this.#options.now() - since : 0))
  }
}
