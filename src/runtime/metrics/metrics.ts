import type { Gateway } from '@csp/gateway/gateway'
import type { UpstreamCall } from '@csp/gateway/upstream'
import { backgroundOf } from '../../api/endpoints/health.ts'
import type { TunnelHealth } from '../../api/endpoints/health-rows.ts'
import type { Metrics } from '../../api/endpoints/own-parts.ts'
import type { ExecutorHealth } from '../../domain/health.ts'
import type { Jobs } from '../../domain/job.ts'
import type { Executor } from '../../executor/executor.ts'
import { formatFamilies, gauge, metricsType } from './families.ts'
import { healthFamilies } from './health-metrics.ts'
import { processFamilies } from './process-metrics.ts'
import { type KnownNames, RequestMetrics } from './request-metrics.ts'

export interface MetricsOptions {
  readonly executor: Executor
  readonly gateway?: Gateway | undefined
  readonly tunnel?: (() => TunnelHealth) | undefined
  readonly jobs?: Pick<Jobs, 'counts'> | undefined
  readonly version: string
  readonly known: KnownNames
  /** Hears what each scrape finds. */
  readonly onHealth?: ((found: ExecutorHealth) => void) | undefined
  readonly now?: (() => Date) | undefined
}

/** As the app knows them, and what the gateway's upstreams report. */
interface ServerMetrics extends Metrics {
  observeCall(call: UpstreamCall): void
}

/** The metrics of one server. Until somebody asks they are only counted; nothing runs for them. */
export function createMetrics(options: MetricsOptions): ServerMetrics {
  const { executor, gateway, tunnel, version, known, onHealth, now = () => new Date() } = options
  const upstreams = gateway?.upstreams ?? []
  const models = upstreams.flatMap(({ patterns }) => patterns.map(([, model]) => model))
  const requests = new RequestMetrics({
    backends: [...known.backends, ...upstreams.map(({ name }) => name)],
    models: [...known.models, ...models],
  })
  return {
    type: metricsType,
    observe: (entry, route) => requests.observe(entry, route),
    observeCall: (call) => requests.observeCall(call),
    async format() {
      const found = await executor.health()
      onHealth?.(found)
      return formatFamilies([
        gauge('csp_info', 'The version of csp.', [{ labels: { version }, value: 1 }]),
        ...requests.families,
        ...healthFamilies({
          executor: found,
          upstreams: gateway?.health() ?? [],
          tunnel: tunnel?.(),
          background: await backgroundOf(options),
          now: now(),
        }),
        ...(await processFamilies()),
      ])
    },
  }
}
