import type { Handler } from 'hono'
import type { Dialect, PageDialect } from '../dialect.ts'
import type { AppEnvironment } from '../exchange/exchange.ts'
import { servePages } from './pages.ts'
import { pagesReference, type RouteReference, searchReference } from './reference.ts'
import { type RouteOptions, serve } from './serve-search.ts'

/** What answers at a route: a dialect, or what has a handler of its own. */
export type Endpoint = Dialect<unknown> | PageDialect<unknown> | HandlerEndpoint

export interface HandlerEndpoint {
  /** `own` is described as a search. */
  readonly kind: 'job' | 'own'
  readonly create: CreateHandler
  /** What the reference says of the route: an entry for each dialect that may answer. */
  references(): readonly RouteReference[]
}

export type CreateHandler = (options: RouteOptions) => Handler<AppEnvironment>

/** The handler of what answers at a route. */
export function handlerOf(endpoint: Endpoint, options: RouteOptions): Handler<AppEnvironment> {
  switch (endpoint.kind) {
    case 'search':
      return serve(endpoint, options)
    case 'page':
      return servePages(endpoint, options)
    default:
      return endpoint.create(options)
  }
}

/** What the reference of the routes says of it. */
export function referencesOf(endpoint: Endpoint): readonly RouteReference[] {
  switch (endpoint.kind) {
    case 'search':
      return [searchReference(endpoint)]
    case 'page':
      return [pagesReference(endpoint)]
    default:
      return endpoint.references()
  }
}
