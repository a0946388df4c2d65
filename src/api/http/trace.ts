import type { SearchError } from '../../domain/error.ts'
import type { SearchTrace } from '../../executor/executor.ts'

/** Something that happened during a request, for the log at `debug`. */
export interface RequestNote {
  /** Of the request. */
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
}

/** Gathers what the layers note about one request. */
export class RequestTrace implements SearchTrace {
  readonly #options: RequestTraceOptions
  readonly #queued: Phase = { running: 0, since: 0, ms: 0 }
  readonly #upstream: Phase = { running: 0, since: 0, ms: 0 }
  readonly #replaced: string[] = []
  /** How often a model was called. */
  modelCalls = 0
  #uncached: string | undefined
  #defaultModel: string | undefined

  constructor(options: RequestTraceOptions) {
    this.#options = options
  }

  get id(): string {
    return this.#options.id
  }

  begin(name: 'queued' | 'upstream'): () => void {
    const { now } = this.#options
    const phase = name === 'queued' ? this.#queued : this.#upstream
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

  replaced(backend: string, failure: SearchError): void {
    this.#replaced.push(`${backend}: ${failure.code}`)
    this.note(`${backend} failed`, failure)
  }

  modelCalled(): void {
    this.modelCalls++
  }

  defaultModel(name: string): void {
    this.#defaultModel = name
  }

  note(message: string, error?: unknown): void {
    this.#options.note(message, error)
  }

  /** In whole milliseconds; what still runs counts up to now. */
  ms(name: 'queued' | 'upstream'): number {
    const { running, since, ms } = name === 'queued' ? this.#queued : this.#upstream
    return Math.round(ms + (running > 0 ? this.#options.now() - since : 0))
  }

  /** The model that writes in another csp, which answers this request. */
  get remoteDefaultModel(): string | undefined {
    return this.#defaultModel
  }

  /** Why no cached answer was used. */
  get uncachedBecause(): string | undefined {
    return this.#uncached
  }

  /** Which backends failed before another answered, and how. */
  get failures(): readonly string[] {
    return this.#replaced
  }
}
