import type { CallKind } from './classify.ts'
import type { MessagesRequest } from './messages-request.ts'
import type { RecordedHeaders } from './recorded-headers.ts'
import type { Scenario } from './scenario.ts'

/** A model call as it came, for tests to look at. Never holds a token or key. */
export interface RecordedRequest {
  readonly kind: CallKind
  /** What the sandbox made of it. */
  readonly scenario: Scenario
  readonly body: MessagesRequest
  readonly headers: RecordedHeaders
  /** Length of the body. */
  readonly bytes: number
  readonly arrivedAt: Date
}

export interface SandboxStats {
  /** Requests of any kind that are not answered to the end yet. */
  readonly open: number
  /** Model calls since the start or the last reset. */
  readonly calls: number
  readonly callsByKind: Readonly<Record<CallKind, number>>
  /** Requests that were no model call. */
  readonly otherRequests: number
  /** Bytes of all bodies of model calls. */
  readonly bytes: number
}

/** Keeps the last 1,000 model calls, and counts all. */
export class RequestLog {
  #recorded: RecordedRequest[] = []
  #callsByKind: Record<CallKind, number> = { search: 0, decide: 0, write: 0 }
  #otherRequests = 0
  #bytes = 0
  #open = 0
  #waiting: { readonly condition: (stats: SandboxStats) => boolean; readonly resolve: () => void }[] = []

  get recorded(): readonly RecordedRequest[] {
    return [...this.#recorded]
  }

  get stats(): SandboxStats {
    const callsByKind = { ...this.#callsByKind }
    return {
      open: this.#open,
      calls: callsByKind.search + callsByKind.decide + callsByKind.write,
      callsByKind,
      otherRequests: this.#otherRequests,
      bytes: this.#bytes,
    }
  }

  /** Counts a request as open until the function that this returns is called; a second call of that does nothing. */
  open(): () => void {
    let isOpen = true
    this.#open += 1
    this.#changed()
    return () => {
      if (!isOpen) return
      isOpen = false
      this.#open -= 1
      this.#changed()
    }
  }

  record(request: RecordedRequest): void {
    this.#recorded.push(request)
    if (this.#recorded.length > capacity) this.#recorded.shift()
    this.#callsByKind[request.kind] += 1
    this.#bytes += request.bytes
    this.#changed()
  }

  recordOther(): void {
    this.#otherRequests += 1
    this.#changed()
  }

  /** Resolves as soon as the condition holds, perhaps at once. */
  until(condition: (stats: SandboxStats) => boolean): Promise<void> {
    if (condition(this.stats)) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push({ condition, resolve }))
  }

  /** Forgets everything but the requests that are still open. */
  clear(): void {
    this.#recorded = []
    this.#callsByKind = { search: 0, decide: 0, write: 0 }
    this.#otherRequests = 0
    this.#bytes = 0
    this.#changed()
  }

  #changed(): void {
    const { stats } = this
    this.#waiting = this.#waiting.filter(({ condition, resolve }) => {
      if (!condition(stats)) return true
      resolve()
      return false
    })
  }
}

const capacity = 1000
