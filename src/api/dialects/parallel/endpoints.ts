import { createsJobs, readsJob } from '../../serve/jobs.ts'
import { formatResult, parallelTasks } from './tasks.ts'

export { parallelExtract } from './extract.ts'
export { parallelSearch } from './search.ts'

export const createTask = createsJobs(parallelTasks, (call) => call.reply({ status: 202 }))

export const readTask = readsJob(parallelTasks, 'The state of a run')

export const readTaskInput = readsJob(parallelTasks, 'What a run was asked', ({ context, view }) =>
  context.json(view.job.input as object),
)

export const streamTask = readsJob(parallelTasks, 'The events of a run', ({ streamed }) => streamed())

export const awaitTask = readsJob(
  parallelTasks,
  'Waits for what a run brings, `timeout` seconds at most',
  async (call) => {
    const view = await call.ended(secondsIn(call.context.req.query('timeout')))
    const { answer, failure, job } = view
    if (answer) return call.context.json(formatResult(view, answer) as object)
    const id = `trun_${job.id}`
    const isOver = job.endedAt !== undefined
    const message = failure?.message ?? (isOver ? 'The run was cancelled.' : 'The run is still active.')
    // Clients ask again after 408.
    return call.context.json({ type: 'error', error: { ref_id: id, message } }, isOver ? 404 : 408)
  },
)

/** As the vendor has it: ten minutes where nothing is said. */
function secondsIn(timeout = '600'): number {
  return /^\d{1,6}$/.test(timeout) ? Math.min(Number(timeout), 3600) : 600
}
