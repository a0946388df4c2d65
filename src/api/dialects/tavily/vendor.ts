import type { ErrorBody, Failure } from '../../dialect.ts'
import { routesWithV1, speak, speakJobs, speakPages, type Vendor, withV1 } from '../../vendor.ts'

const research = async () => (await import('./research.ts')).tavilyResearch

export const tavily: Vendor = {
  name: 'tavily',
  title: 'Tavily',
  base: '/tavily',
  formatError: tavilyError,
  prefixes: withV1('/tavily'),
  keyField: 'api_key',
  routes: routesWithV1('/tavily/search', { POST: speak(async () => (await import('./search.ts')).tavilySearch) }),
  jobRoutes: [
    ...routesWithV1('/tavily/research', {
      POST: speakJobs(research, (dialect, options, { createJob, jobReply }) =>
        createJob(dialect, options, (call) =>
          call.view.reply.input.stream ? call.streamed() : jobReply(dialect, call, 201),
        ),
      ),
    }),
    ...routesWithV1('/tavily/research/:id', {
      GET: speakJobs(
        research,
        (dialect, options, { withJob, jobReply }) =>
          withJob(dialect, options, (call) => {
            const { status } = call.view.job
            return jobReply(dialect, call, status === 'queued' || status === 'running' ? 202 : 200)
          }),
        'A report, or its state',
      ),
    }),
  ],
  pageRoutes: routesWithV1('/tavily/extract', {
    POST: speakPages(async () => (await import('./extract.ts')).tavilyExtract),
  }),
}

function tavilyError({ status, message }: Failure): ErrorBody {
  return { status, body: { detail: { error: message } } }
}
