import type { Handler } from 'hono'
import type { AppEnvironment } from '../http/exchange.ts'
import type { RequestLog } from '../http/request-log.ts'

/** What counts the requests of an app, and says how it stands in a format that a scraper reads. */
export interface Metrics {
  /** The content type of `format`. */
  readonly type: string
  /** Hears of each request when its reply has ended. `route`: its path as it is mounted, `/r/:url{.+}`; absent if nothing is. */
  observe(entry: RequestLog, route: string | undefined): void
  format(): Promise<string>
}

/** Answers a scraper. */
export function metricsOf({ type, format }: Pick<Metrics, 'type' | 'format'>): Handler<AppEnvironment> {
  return async (context) => context.body(await format(), 200, { 'content-type': type })
}
