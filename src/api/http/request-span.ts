import type { RequestLog } from './request-log.ts'

/** What a part of a request is about. Never a query, a key or a text, unless `asked` is to be kept. */
export type SpanAttributes = Readonly<Record<string, string | number | undefined>>

/** One request in a tracing system. */
export interface RequestSpan {
  /** What other servers that work for this request take over, in the W3C's form. */
  readonly traceparent: string
  /** Begins a part of the work; the function returned ends it. */
  begin(name: string, attributes?: SpanAttributes): () => void
  /** Notes a part that has just ended. */
  record(name: string, milliseconds: number, attributes?: SpanAttributes): void
  /** Notes what is searched for, which is kept where the operator asks for it. */
  asked(queries: readonly string[]): void
  /** Ends the request. */
  end(entry: RequestLog, route: string | undefined): void
}

/** Follows requests for a tracing system. */
export interface Tracer {
  start(headers: Headers): RequestSpan
}

/** The `traceparent` of a caller, if it has one that is well formed. */
export function traceparentIn(headers: Headers): string | undefined {
  const value = headers.get('traceparent')?.trim()
  return value && traceparentPattern.test(value) ? value : undefined
}

/** Version 00: a trace that is not all zeros, a parent that is neither, flags. Later versions may add fields. */
const traceparentPattern = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/
