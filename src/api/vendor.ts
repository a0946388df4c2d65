import type { Handler } from 'hono'
import type { Dialect, Envelope, PageDialect } from './dialect.ts'
import type { AppEnvironment } from './http/exchange.ts'
import type { JobDialect } from './serve/job-dialect.ts'
import type * as jobHandlers from './serve/jobs.ts'
import type { ListedJobs, RespondWithJob } from './serve/jobs.ts'
import type { RouteReference } from './serve/reference.ts'
import type { RouteOptions } from './serve/route.ts'

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

/** Serves a path in one dialect. */
export function speak<Input>(load: () => Promise<Dialect<Input>>): LoadHandler {
  return withReferences(
    async () => {
      const [dialect, { serve }] = await Promise.all([load(), import('./serve/route.ts')])
      return (options) => serve(dialect, options)
    },
    async () => [(await import('./serve/reference.ts')).searchReference(await load())],
  )
}

/** Serves a path that reads pages in one dialect. */
export function speakPages<Input>(load: () => Promise<PageDialect<Input>>): LoadHandler {
  return withReferences(
    async () => {
      const [dialect, { servePages }] = await Promise.all([load(), import('./serve/pages.ts')])
      return (options) => servePages(dialect, options)
    },
    async () => [(await import('./serve/reference.ts')).pagesReference(await load())],
  )
}

type LoadJobs<Input> = () => Promise<JobDialect<Input>>

/** Serves a path where jobs are asked for. By default the reply is the job as JSON, here and below. */
export function createsJobs<Input>(load: LoadJobs<Input>, respond?: RespondWithJob<Input>): LoadHandler {
  return speakJobs(load, undefined, (dialect, options, { createJob }) => createJob(dialect, options, respond))
}

/** Serves a path that names one job. */
export function readsJob<Input>(load: LoadJobs<Input>, summary: string, respond?: RespondWithJob<Input>): LoadHandler {
  return speakJobs(load, summary, (dialect, options, { withJob }) => withJob(dialect, options, respond))
}

/** Serves the list of the caller's jobs. */
export function listsJobs<Input>(
  load: LoadJobs<Input>,
  summary: string,
  respond: (page: ListedJobs) => unknown,
): LoadHandler {
  return speakJobs(load, summary, (dialect, options, { listJobs }) => listJobs(dialect, options, respond))
}

/** Without a `summary`, the reference has that of the dialect. */
function speakJobs<Input>(
  load: LoadJobs<Input>,
  summary: string | undefined,
  create: (dialect: JobDialect<Input>, options: RouteOptions, serve: typeof jobHandlers) => Handler<AppEnvironment>,
): LoadHandler {
  return withReferences(
    async () => {
      const [dialect, handlers] = await Promise.all([load(), import('./serve/jobs.ts')])
      return (options) => create(dialect, options, handlers)
    },
    async () => [(await import('./serve/reference.ts')).jobReference(await load(), summary)],
  )
}

/** Joins a loader of a handler and what the reference says of it. */
export function withReferences(load: () => Promise<CreateHandler>, references: LoadHandler['references']): LoadHandler {
  return Object.assign(load, { references })
}
