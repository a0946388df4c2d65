import type { RequestLog } from '../../api/http/request-log.ts'
import { type RequestSpan, type SpanAttributes, type Tracer, traceparentIn } from '../../api/http/request-span.ts'
import { isSearchErrorCode, traitsOf } from '../../domain/error.ts'
import { preciseNow, randomHex, type Span } from './span.ts'

export interface TracerOptions {
  /** Takes the spans of a request when it is over. */
  readonly onSpans: (spans: readonly Span[]) => void
  /** Whether queries are kept. */
  readonly keepsQueries: boolean
}

/** Follows requests: the trace of the caller is taken over, and its wish not to be followed too. */
export function createTracer(options: TracerOptions): Tracer {
  return { start: (headers) => new ServerSpan(options, traceparentIn(headers)) }
}

class ServerSpan implements RequestSpan {
  readonly traceparent: string
  readonly #options: TracerOptions
  readonly #traceId: string
  readonly #spanId = randomHex(8)
  readonly #parentId: string | undefined
  readonly #isSampled: boolean
  readonly #startedAt = preciseNow()
  readonly #parts: Span[] = []
  #queries: readonly string[] = []

  constructor(options: TracerOptions, caller: string | undefined) {
    const [, traceId, parentId, flags = '01'] = caller?.split('-') ?? []
    this.#options = options
    this.#traceId = traceId ?? randomHex(16)
    this.#parentId = parentId
    this.#isSampled = (Number.parseInt(flags, 16) & 1) === 1
    this.traceparent = `00-${this.#traceId}-${this.#spanId}-${flags}`
  }

  begin(name: string, attributes: SpanAttributes = {}): () => void {
    const startedAt = preciseNow()
    return () => this.#add(name, startedAt, attributes)
  }

  record(name: string, milliseconds: number, attributes: SpanAttributes = {}): void {
    this.#add(name, preciseNow() - milliseconds, attributes)
  }

  asked(queries: readonly string[]): void {
    if (this.#options.keepsQueries) this.#queries = queries
  }

  end(entry: RequestLog, route: string | undefined): void {
    if (!this.#isSampled || isOfSupervisor.test(entry.path)) return
    const { status, code } = entry
    const span: Span = {
      traceId: this.#traceId,
      spanId: this.#spanId,
      parentId: this.#parentId,
      name: `${entry.method} ${route ?? ''}`.trimEnd(),
      kind: 'server',
      startedAt: this.#startedAt,
      endedAt: preciseNow(),
      attributes: { ...attributesOf(entry, route), ...this.#queryAttribute() },
      hasFailed: status >= 500 || (code !== undefined && isSearchErrorCode(code) && traitsOf(code).isFault),
    }
    this.#options.onSpans([span, ...this.#parts])
  }

  #add(name: string, startedAt: number, attributes: SpanAttributes): void {
    if (!this.#isSampled || this.#parts.length >= maxParts) return
    this.#parts.push({
      traceId: this.#traceId,
      spanId: randomHex(8),
      parentId: this.#spanId,
      name,
      kind: /^(?:backend|gateway) /.test(name) ? 'client' : 'internal',
      startedAt,
      endedAt: preciseNow(),
      attributes,
    })
  }

  #queryAttribute(): SpanAttributes {
    return this.#queries.length > 0 ? { 'csp.query': this.#queries.join('\n').slice(0, maxQuery) } : {}
  }
}

/** Supervisors and the page ask all the time. */
const isOfSupervisor = /^(?:\/v1)?\/(?:health(?:\/|$)|(?:usage|requests|metrics)$|page\/)/
const maxParts = 100
const maxQuery = 1000

/** No name of a caller, and no path: it may hold an address. */
function attributesOf(entry: RequestLog, route: string | undefined): SpanAttributes {
  return {
    'http.request.method': entry.method,
    'http.route': route,
    'http.response.status_code': entry.status,
    'error.type': entry.code,
    'csp.request_id': entry.id,
    'csp.dialect': entry.dialect,
    'csp.backend': entry.backend,
    'csp.cache': entry.cache,
    'csp.want': entry.want,
    'csp.effort': entry.effort,
    'csp.results': entry.results,
    'csp.pages': entry.pages,
    'csp.searches': entry.searches,
    'gen_ai.response.model': entry.model,
    'gen_ai.usage.input_tokens': entry.inputTokens,
    'gen_ai.usage.output_tokens': entry.outputTokens,
  }
}
