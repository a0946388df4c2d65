import { about, text, toggle } from '../setting-types.ts'

const telemetry = { group: 'Other', commands: ['connect'] } as const

/** Where traces go. The aliases are the variables of OpenTelemetry, which all programs read. */
export const telemetryFields = {
  otelEndpoint: text('the address of a collector, such as http://127.0.0.1:4318')
    .optional()
    .register(about, {
      ...telemetry,
      hint: 'URL',
      help: 'Send traces to this OpenTelemetry collector; else OTEL_EXPORTER_OTLP_ENDPOINT',
      alias: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    }),
  otelHeaders: text('headers such as name=value,name=value')
    .optional()
    .register(about, {
      ...telemetry,
      hint: 'HEADERS',
      help: 'Headers for it: name=value,name=value; else OTEL_EXPORTER_OTLP_HEADERS',
      secret: true,
      isFlag: false,
      alias: 'OTEL_EXPORTER_OTLP_HEADERS',
    }),
  otelServiceName: text('a name')
    .default('csp')
    .register(about, {
      ...telemetry,
      hint: 'NAME',
      help: 'What csp is called in traces; else OTEL_SERVICE_NAME',
      alias: 'OTEL_SERVICE_NAME',
    }),
  otelQueries: toggle()
    .default(false)
    .register(about, { ...telemetry, help: 'Keep queries in traces' }),
}
