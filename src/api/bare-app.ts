import { type Context, type ErrorHandler, Hono, type MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import { TrieRouter } from 'hono/router/trie-router'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { getPath } from 'hono/utils/url'
import type { SearchError } from '../domain/error.ts'
import { native } from './dialects/native/vendor.ts'
import type { Metrics } from './endpoints/own-parts.ts'
import { Sent } from './exchange/body.ts'
import { clientName } from './exchange/client-name.ts'
import { type AppEnvironment, Exchange, type ExchangeOptions } from './exchange/exchange.ts'
import { Refusal } from './exchange/refusal.ts'
import type { RequestLog } from './exchange/request-log.ts'
import { failureHeaders, failureOf } from './http/failure-of.ts'
import { jsonReply } from './http/json-reply.ts'
import { mountEnvelopes } from './mount-envelopes.ts'

interface TrackOptions extends Pick<ExchangeOptions, 'log' | 'note'> {
  readonly now?: (() => Date) | undefined
  readonly metrics?: Pick<Metrics, 'observe'> | undefined
  /** The id that a request brings along, if it has one that is to be kept. */
  readonly idIn?: ((headers: Headers) => string | undefined) | undefined
  readonly newId?: (() => string) | undefined
}

/**
 * The path without a slash at its end. A base URL that ends in a slash, and a client that adds one more, make two, which
 * count as one.
 */
function pathOf(request: Request): string {
  const path = getPath(request).replaceAll(/\/{2,}/g, '/')
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

/** Gives every request its exchange and every error its envelope. */
export function createBareApp(options: TrackOptions): Hono<AppEnvironment> {
  // Hono's usual router compiles all routes into one expression first, which delays the first request by 3 ms.
  const app = new Hono<AppEnvironment>({ router: new TrieRouter(), getPath: pathOf })
  app.onError(formatError)
  app.notFound(({ req }) => {
    throw new Refusal('not-found', `There is nothing at ${req.method} ${req.path}. GET /openapi.json lists the routes.`)
  })
  app.use(trackExchange(options))
  mountEnvelopes(app)
  return app
}

/** Creates the exchange of each request, sets its headers at the end, and has it logged and counted. */
function trackExchange(options: TrackOptions): MiddlewareHandler<AppEnvironment> {
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
    const shared = { id, method, path, sent, now, envelope: native, client: clientName(raw.headers) }
    const exchange = new Exchange({ ...shared, log: report, note, connection, traceparent })
    context.set('exchange', exchange)
    await next()
    // Where the connection closes by itself, the server reads on before that.
    if (!connection && raw.body && !raw.body.locked) void raw.body.cancel().catch(() => {})
    const type = context.res.headers.get('content-type') ?? ''
    const isStream = exchange.isStreamed || type.startsWith('text/event-stream')
    // Files of the page say how they are kept.
    for (const [name, value] of Object.entries(exchange.headers(isStream)))
      if (name !== 'cache-control' || !context.res.headers.has(name)) context.header(name, value)
    // A stream logs itself when it ends.
    if (!isStream) exchange.finish(context.res.status)
  }
}

/** The path of a request as it is mounted, without what its caller wrote; `undefined` if nothing is mounted. */
function routeOf(context: Context<AppEnvironment>): string | undefined {
  return matchedRoutes(context).findLast(({ path }) => !path.endsWith('*'))?.path
}

/** The `traceparent` of a caller, if it has one that is well formed. */
function traceparentIn(headers: Headers): string | undefined {
  const value = headers.get('traceparent')?.trim()
  return value && traceparentPattern.test(value) ? value : undefined
}

/** Version 00: a trace that is not all zeros, a parent that is neither, flags. Later versions may add fields. */
const traceparentPattern = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/** An application that answers everything with the same failure. */
export function createClosedApp(failure: SearchError): Hono<AppEnvironment> {
  const app = createBareApp({})
  app.all('*', () => {
    throw failure
  })
  return app
}

const formatError: ErrorHandler<AppEnvironment> = (error, context) => {
  const exchange = context.get('exchange')
  const failure = failureOf(error)
  exchange.failed(failure.code, error)
  const { status, body, headers } = exchange.envelope.formatError(failure, exchange, context.req.method)
  for (const [name, value] of Object.entries({ ...headers, ...failureHeaders(failure) })) context.header(name, value)
  // Hono's type lacks 499, which is not registered; all statuses used here may have a body.
  return jsonReply(context, body, status as ContentfulStatusCode)
}
