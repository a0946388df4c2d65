import type { ErrorBody, ErrorReply, Failure } from '../../http/failure.ts'
import { fieldPath } from '../../http/refusal.ts'
import { createsJobs, readsJob, speak, speakPages } from '../../speak.ts'
import type { Vendor } from '../../vendor.ts'

const search = speak(async () => (await import('./search.ts')).parallelSearch)
const extract = speakPages(async () => (await import('./extract.ts')).parallelExtract)

const tasks = async () => (await import('./tasks.ts')).parallelTasks

const createTask = createsJobs(tasks, (call) => call.reply({ status: 202 }))
const readTask = readsJob(tasks, 'The state of a run')
const readTaskInput = readsJob(tasks, 'What a run was asked', ({ context, view }) =>
  context.json(view.job.input as object),
)
const streamTask = readsJob(tasks, 'The events of a run', ({ streamed }) => streamed())
const awaitTask = readsJob(tasks, 'Waits for what a run brings, `timeout` seconds at most', async (call) => {
  const { formatResult } = await import('./tasks.ts')
  const view = await call.ended(secondsIn(call.context.req.query('timeout')))
  const { answer, failure, job } = view
  if (answer) return call.context.json(formatResult(view, answer) as object)
  const id = `trun_${job.id}`
  const isOver = job.endedAt !== undefined
  const message = failure?.message ?? (isOver ? 'The run was cancelled.' : 'The run is still active.')
  // Clients ask again after 408.
  return call.context.json({ type: 'error', error: { ref_id: id, message } }, isOver ? 404 : 408)
})

/** As the vendor has it: ten minutes where nothing is said. */
function secondsIn(timeout = '600'): number {
  return /^\d{1,6}$/.test(timeout) ? Math.min(Number(timeout), 3600) : 600
}

export const parallel: Vendor = {
  name: 'parallel',
  title: 'Parallel',
  base: '/parallel',
  formatError: parallelError,
  prefixes: ['/parallel'],
  routes: ['/parallel/v1/search', '/parallel/v1beta/search'].map((path) => ({ path, methods: { POST: search } })),
  jobRoutes: ['/parallel/v1/tasks/runs', '/parallel/v1beta/tasks/runs'].flatMap((path) => [
    { path, methods: { POST: createTask } },
    { path: `${path}/:id`, methods: { GET: readTask } },
    { path: `${path}/:id/input`, methods: { GET: readTaskInput } },
    { path: `${path}/:id/result`, methods: { GET: awaitTask } },
    { path: `${path}/:id/events`, methods: { GET: streamTask } },
  ]),
  pageRoutes: ['/parallel/v1/extract', '/parallel/v1beta/extract'].map((path) => ({
    path,
    methods: { POST: extract },
  })),
}

/** Parallel answers 422 to a wrong field. */
function parallelError({ code, status, message, issues }: Failure, { id }: ErrorReply): ErrorBody {
  const fields = issues.filter(({ path }) => path.length > 0).map(({ path }) => fieldPath(path))
  const detail = fields.length > 0 ? { fields } : undefined
  return {
    status: code === 'invalid-request' ? 422 : status,
    body: { type: 'error', error: { ref_id: id, message, detail } },
  }
}
