import type { Handler } from 'hono'
import type { Dialect, PageDialect } from './dialect.ts'
import type { AppEnvironment } from './http/exchange.ts'
import type { JobDialect } from './serve/job-dialect.ts'
import type * as jobHandlers from './serve/jobs.ts'
import type { ListedJobs, RespondWithJob } from './serve/jobs.ts'
import type { RouteOptions } from './serve/serve-search.ts'
import type { CreateHandler, LoadHandler } from './vendor.ts'

/** Serves a path in one dialect. */
export function speak<Input>(load: () => Promise<Dialect<Input>>): LoadHandler {
  return withReferences(
    async () => {
      const [dialect, { serve }] = await Promise.all([load(), import('./serve/serve-search.ts')])
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
