import type { Context, MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import { native } from './dialects/native/vendor.ts'
import type { Metrics } from './endpoints/own-parts.ts'
import { Sent } from './exchange/body.ts'
import { type AppEnvironment, Exchange, type ExchangeOptions } from './exchange/exchange.ts'
import type { RequestLog } from './exchange/request-log.ts'
import { traceparentIn } from './exchange/traceparent.ts'

export interface TrackOptions extends Pick<ExchangeOptions, 'log' | 'note'> {
  readonly now?: (() => Date) | undefined
  readonly metrics?: Pick<Metrics, 'observe'> | undefined
  /** The id that a request brings along, if it has one that is to be kept. */
  readonly idIn?: ((headers: Headers) => string | undefined) | undefined
  readonly newId?: (() => string) | undefined
}

/** Creates the exchange of each request, sets its headers at the end, and has it logged and counted. */
export function trackExchange(options: TrackOptions): MiddlewareHandler<AppEnvironment> {
  const { log, metrics, note, idIn, newId, now = () => new Date() } = options
  return async (context, next) => {
    const { method, path, raw } = context.req
    const id = idIn?.(raw.headers) ?? newId?.() ?? crypto.randomUUID()
    // Without bindings, Hono sets no object.
    const connection = context.env?.connection
    const route = metrics ? routeOf(context) : undefined
    const traceparent = traceparentIn(raw.headers)
    const report = (entry: RequestLog): void => {
      metrics?.observe(entry, route)
      log?.(entry)
    }
    const sent = new Sent(raw)
    const shared = { id, method, path, sent, now, envelope: native }
    const exchange = new Exchange({ ...shared, log: report, note, connection, traceparent })
    context.set('exchange', exchange)
    await next()
    // Where the connection closes by itself, the server reads on before that.
    if (!connection && raw.body && !raw.body.locked) void raw.body.cancel().catch(() => {})
    const type = context.res.headers.get('content-type') ?? ''
    const isStream = exchange.isStreamed || type.startsWith('text/event-stream')
    for (const [name, value] of Object.entries(exchange.headers(isStream))) context.header(name, value)
    // A stream logs itself when it ends.
    if (!isStream) exchange.finish(context.res.status)
  }
}

/** The path of a request as it is mounted, without what its caller wrote; `undefined` if nothing is mounted. */
function routeOf(context: Context<AppEnvironment>): string | undefined {
  return matchedRoutes(context).findLast(({ path }) => !path.endsWith('*'))?.path
}
