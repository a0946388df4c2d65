import type { Tracer } from '../../api/http/request-span.ts'
import { withoutLastSlashes } from '../../lib/url.ts'
import type { Config } from '../config/settings.ts'
import type { Log } from '../log/log.ts'
import type { Environment } from '../shell/shell.ts'
import { version } from '../version.ts'
import { SpanExporter } from './exporter.ts'
import { createTracer } from './tracer.ts'

/** Traces that are sent to a collector. */
export interface Telemetry {
  readonly tracer: Tracer
  /** Sends what waits, for 2 s at most. */
  close(): Promise<void>
}

/** As configured; `undefined` if OpenTelemetry is turned off for all programs, or its address is none. */
export function openTelemetry(config: Config, environment: Environment, log: Log): Telemetry | undefined {
  const { otelEndpoint, otelHeaders = '', otelServiceName, otelQueries } = config
  if (otelEndpoint === undefined) return undefined
  const { OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER } = environment
  if (OTEL_SDK_DISABLED?.toLowerCase() === 'true' || OTEL_TRACES_EXPORTER === 'none') return undefined
  const url = tracesUrl(otelEndpoint)
  const headers = headersFrom(otelHeaders)
  if (!url || !headers) {
    // The variables are those of all programs: what others can use must not stop csp.
    log('warning', `Tracing disabled: invalid OTLP ${url ? 'headers' : 'endpoint'}.`)
    return undefined
  }
  const onProblem = (message: string) => log('warning', message)
  const exporter = new SpanExporter({ url, headers, service: otelServiceName, version, onProblem })
  log('info', `traces are sent to ${new URL(url).host}`)
  return {
    tracer: createTracer({ onSpans: (spans) => exporter.add(spans), keepsQueries: otelQueries }),
    close: () => exporter.close(),
  }
}

/** The address of a collector, to which the path belongs unless it is there. */
function tracesUrl(endpoint: string): string | undefined {
  const url = URL.parse(endpoint)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return undefined
  if (!url.pathname.endsWith('/v1/traces')) url.pathname = `${withoutLastSlashes(url.pathname)}/v1/traces`
  return url.href
}

/** `name=value,name=value`, each percent-encoded. */
function headersFrom(text: string): Readonly<Record<string, string>> | undefined {
  try {
    const pairs = text.split(',').filter((pair) => pair.trim())
    const entries = pairs.map((pair) => {
      const at = pair.indexOf('=')
      return [decodeURIComponent(pair.slice(0, at)).trim(), decodeURIComponent(pair.slice(at + 1)).trim()]
    })
    return Object.fromEntries(new Headers(Object.fromEntries(entries)))
  } catch {
    return undefined
  }
}
