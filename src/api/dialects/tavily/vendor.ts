import type { ErrorBody, Failure } from '../../http/failure.ts'
import { createsJobs, readsJob, speak, speakPages } from '../../speak.ts'
import { routesWithV1, type Vendor, withV1 } from '../../vendor.ts'

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
      POST: createsJobs(research, (call) =>
        call.view.reply.input.stream ? call.streamed() : call.reply({ status: 201 }),
      ),
    }),
    ...routesWithV1('/tavily/research/:id', {
      GET: readsJob(research, 'A report, or its state', (call) => {
        const { status } = call.view.job
        return call.reply({ status: status === 'queued' || status === 'running' ? 202 : 200 })
      }),
    }),
  ],
  pageRoutes: routesWithV1('/tavily/extract', {
    POST: speakPages(async () => (await import('./extract.ts')).tavilyExtract),
  }),
}

function tavilyError({ status, message }: Failure): ErrorBody {
  return { status, body: { detail: { error: message } } }
}
