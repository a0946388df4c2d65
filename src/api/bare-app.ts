import { type ErrorHandler, Hono } from 'hono'
import { TrieRouter } from 'hono/router/trie-router'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { SearchError } from '../domain/error.ts'
import type { AppEnvironment } from './exchange/exchange.ts'
import { Refusal } from './exchange/refusal.ts'
import { failureHeaders, failureOf } from './http/failure-of.ts'
import { jsonReply } from './http/json-reply.ts'
import { mountEnvelopes } from './mount-envelopes.ts'
import { type TrackOptions, trackExchange } from './track-exchange.ts'

/** Gives every request its exchange and every error its envelope. */
export function createBareApp(options: TrackOptions): Hono<AppEnvironment> {
  // Hono's usual router compiles all routes into one expression first, which delays the first request by 3 ms.
  const app = new Hono<AppEnvironment>({ strict: false, router: new TrieRouter() })
  app.onError(formatError)
  app.notFound(({ req }) => {
    throw new Refusal('not-found', `There is nothing at ${req.method} ${req.path}. GET /openapi.json lists the routes.`)
  })
  app.use(trackExchange(options))
  mountEnvelopes(app)
  return app
}

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
