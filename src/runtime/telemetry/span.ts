import { randomBytes } from 'node:crypto'
import type { SpanAttributes } from '../../api/http/request-span.ts'

/** A part of a trace that is over. */
export interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentId: string | undefined
  readonly name: string
  readonly kind: 'internal' | 'server' | 'client'
  /** Milliseconds since 1970, with fractions. */
  readonly startedAt: number
  readonly endedAt: number
  readonly attributes: SpanAttributes
  readonly hasFailed?: boolean | undefined
}

/** Random, in hexadecimal. */
export function randomHex(bytes: number): string {
  return randomBytes(bytes).toString('hex')
}

/** Milliseconds since 1970, with fractions, that do not go back while this process runs. */
export function preciseNow(): number {
  return performance.timeOrigin + performance.now()
}

const kinds = { internal: 1, server: 2, client: 3 } as const

/** The spans as a request of OTLP in JSON, as a collector takes it at `/v1/traces`. */
export function formatSpans(spans: readonly Span[], service: string, version: string): unknown {
  return {
    resourceSpans: [
      {
        resource: { attributes: attributesOf({ 'service.name': service, 'service.version': version }) },
        scopeSpans: [{ scope: { name: 'claude-search-proxy', version }, spans: spans.map(formatSpan) }],
      },
    ],
  }
}

function formatSpan(span: Span) {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentId !== undefined && { parentSpanId: span.parentId }),
    name: span.name,
    kind: kinds[span.kind],
    startTimeUnixNano: nanoseconds(span.startedAt),
    endTimeUnixNano: nanoseconds(span.endedAt),
    attributes: attributesOf(span.attributes),
    status: span.hasFailed ? { code: 2 } : {},
  }
}

/** Beyond what a number holds exactly, so as text. */
function nanoseconds(milliseconds: number): string {
  return String(BigInt(Math.round(milliseconds * 1000)) * 1000n)
}

function attributesOf(attributes: SpanAttributes): readonly { readonly key: string; readonly value: unknown }[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : { key, value: formatValue(value) },
  )
}

function formatValue(value: string | number) {
  if (typeof value === 'string') return { stringValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}
