import { createsJobs, readsJob } from '../../serve/jobs.ts'
import { tavilyResearch } from './research.ts'

export { tavilyExtract } from './extract.ts'
export { tavilySearch } from './search.ts'

export const createResearch = createsJobs(tavilyResearch, (call) =>
  call.view.reply.input.stream ? call.streamed() : call.reply({ status: 201 }),
)

export const readResearch = readsJob(tavilyResearch, 'A report, or its state', (call) => {
  const { status } = call.view.job
  return call.reply({ status: status === 'queued' || status === 'running' ? 202 : 200 })
})
