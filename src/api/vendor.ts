import type { Handler } from 'hono'
import type { AppEnvironment } from './http/exchange.ts'
import type { Envelope } from './http/failure.ts'
import type { RouteReference } from './serve/reference.ts'
import type { RouteOptions } from './serve/serve-search.ts'

/**
 * The manifest of one vendor: every path that costs a search or reads pages, and what answers there. Importing it must
 * stay cheap, so it holds the error envelope and loads everything else when a path is first requested.
 */
export interface Vendor extends Envelope {
  /** As people write it. */
  readonly title: string
  /** What clients put behind the address of csp as their base URL: `/res/v1`. Empty: nothing. */
  readonly base: string
  readonly routes: readonly Route[]
  /** Paths that read pages and cost no search. */
  readonly pageRoutes?: readonly Route[] | undefined
  /** Paths of requests that are answered in the background. */
  readonly jobRoutes?: readonly Route[] | undefined
  /** Beginnings of paths without a route whose errors are this vendor's as well: `/res`. */
  readonly prefixes?: readonly string[] | undefined
  /** The field of a JSON body in which clients may send the key. It is read under `prefixes`. */
  readonly keyField?: string | undefined
  /** The parameter of a query string in which clients may send the key. It is read under `prefixes` and at `routes`. */
  readonly keyParameter?: string | undefined
}

export type Method = 'GET' | 'HEAD' | 'POST' | 'DELETE'

/** One path, in which `:name` stands for any segment, and a handler for each method. */
export interface Route {
  readonly path: string
  readonly methods: Readonly<Partial<Record<Method, LoadHandler>>>
  /** For a path that has other uses: what the paths of this vendor's requests look like. */
  readonly only?: RegExp | undefined
}

/** Loads a dialect when it is first requested: loading all of them takes longer than the rest of the start. */
export interface LoadHandler {
  (): Promise<CreateHandler>
  /** What the reference says of the route: an entry for each dialect that may answer. */
  readonly references: () => Promise<readonly RouteReference[]>
}

export type CreateHandler = (options: RouteOptions) => Handler<AppEnvironment>

/** The path and the same under `/v1`, since clients differ in their base URL. */
export function withV1(path: string): readonly string[] {
  return [path, `/v1${path}`]
}

/** A route at the path and at the same path under `/v1`. */
export function routesWithV1(path: string, methods: Route['methods']): readonly Route[] {
  return withV1(path).map((each) => ({ path: each, methods }))
}
