import type { MessagesRequest } from '../messages-api/request.ts'
import type { CallKind } from './messages-request.ts'
import type { Scenario } from './scenario.ts'

/** A model call as received, for tests. Never contains a token or key. */
export interface RecordedRequest {
  readonly kind: CallKind
  /** How the sandbox replied. */
  readonly scenario: Scenario
  readonly body: MessagesRequest
  readonly headers: RecordedHeaders
  /** Length of the body. */
  readonly bytes: number
  readonly arrivedAt: Date
}

export interface SandboxStats {
  /** Requests of any kind that are not yet fully answered. */
  readonly open: number
  /** Model calls since the start or the last reset. */
  readonly calls: number
  readonly callsByKind: Readonly<Record<CallKind, number>>
  /** Requests other than model calls. */
  readonly otherRequests: number
  /** Total size of the bodies of model calls. */
  readonly bytes: number
}

/** Keeps the last 1,000 model calls and counts all of them. */
export class CallLog {
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

  /** Counts a request as open until the returned function is called. Calling it again does nothing. */
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

  /** Resolves as soon as the condition is true, immediately if it already is. */
  until(condition: (stats: SandboxStats) => boolean): Promise<void> {
    if (condition(this.stats)) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push({ condition, resolve }))
  }

  /** Clears everything except the count of open requests. */
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

/** The headers that describe a client, without its token or key. */
export interface RecordedHeaders {
  readonly auth: 'bearer' | 'api-key' | 'none'
  /** By name; headers that were not sent are absent. */
  readonly values: Readonly<Record<string, string>>
}

/** Keeps the headers that describe the client and its type of authentication, but not its credentials. */
export function recordedHeaders(headers: Headers): RecordedHeaders {
  const auth = headers.has('x-api-key')
    ? 'api-key'
    : headers.get('authorization')?.startsWith('Bearer ')
      ? 'bearer'
      : 'none'
  const values = Object.fromEntries(
    namesOfInterest.flatMap((name) => {
      const value = headers.get(name)
      return value === null ? [] : [[name, value]]
    }),
  )
  return { auth, values }
}

const namesOfInterest = [
  'user-agent',
  'anthropic-version',
  'anthropic-beta',
  'x-app',
  'x-claude-code-session-id',
  'x-stainless-retry-count',
]
