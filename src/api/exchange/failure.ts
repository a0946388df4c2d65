import type { PageErrorCode } from '@csp/page-reader/page-error'
import type { SearchErrorCode } from '../../domain/error.ts'

/** An error in a vendor's own status, envelope and headers. */
export interface ErrorBody {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Why a request failed: an error of the search, or of HTTP. */
export interface Failure {
  readonly code: SearchErrorCode | HttpFailureCode
  /** Which kind of `page-unreadable` it is. */
  readonly page?: PageErrorCode | undefined
  /** The status that most vendors send; a vendor may send another. */
  readonly status: number
  readonly message: string
  /**
   * The invalid fields and their problems, for `invalid-request` and `unknown-model`. For `unauthorized` one issue of type
   * `missing` means that no key was sent; no issue means a wrong key. Empty for every other code.
   */
  readonly issues: readonly Issue[]
  /** Whole seconds, 1 or more. */
  readonly retryAfterSeconds?: number | undefined
  /** The same as a time, ISO 8601. */
  readonly retryAt?: string | undefined
  /** The message without that time, for another csp, which adds it itself. Absent: `message`. */
  readonly reason?: string | undefined
}

export type HttpFailureCode =
  | 'unknown-model'
  | 'not-found'
  | 'method-not-allowed'
  | 'too-large'
  | 'encoded-body' // the body is compressed
  | 'no-websocket' // the path is there, but not over WebSocket
  | 'forbidden'
  | 'page-unreadable' // the page itself cannot be read
  | 'pages-off' // this server reads no pages
  | 'jobs-off' // background jobs are off on this server

/** One error in a request. */
export interface Issue {
  /** Where: `['messages', 0, 'content']`. */
  readonly path: readonly (string | number)[]
  /** The type of error, as the vendors' validators name it: `missing`, `string_type`, `less_than_equal`, … */
  readonly type: string
  readonly message: string
  readonly input?: unknown
  /** The bound that was crossed: `{ le: 20 }`. */
  readonly context?: Readonly<Record<string, unknown>> | undefined
}

/** Data for an error reply, in addition to the failure. */
export interface ErrorReply {
  readonly id: string
  readonly createdAt: Date
}

/** How a vendor formats errors, under the name that the log gives it. */
export interface Envelope {
  readonly name: string
  /** `method` is that of the request, since Brave names the part of it that is wrong. */
  formatError(failure: Failure, reply: ErrorReply, method: string): ErrorBody
}
