import {
  createsJobs,
  type LoadHandler,
  listsJobs,
  readsJob,
  routesWithV1,
  speak,
  speakPages,
  type Vendor,
  withReferences,
  withV1,
} from '../../vendor.ts'
import { exaError } from './error.ts'
import type { exaMonitors } from './monitors.ts'

const research = async () => (await import('./research.ts')).exaResearch

function monitors(name: keyof typeof exaMonitors): LoadHandler {
  return withReferences(
    async () => (await import('./monitors.ts')).exaMonitors[name],
    async () => [(await import('./monitors.ts')).monitorReference(name)],
  )
}

export const exa: Vendor = {
  name: 'exa',
  title: 'Exa',
  base: '/exa',
  formatError: exaError,
  prefixes: withV1('/exa'),
  routes: [
    ...routesWithV1('/exa/search', { POST: speak(async () => (await import('./search.ts')).exaSearch) }),
    ...routesWithV1('/exa/findSimilar', {
      POST: speak(async () => (await import('./find-similar.ts')).exaFindSimilar),
    }),
    ...routesWithV1('/exa/answer', { POST: speak(async () => (await import('./answer.ts')).exaAnswer) }),
  ],
  jobRoutes: [
    ...routesWithV1('/exa/research/v1', {
      POST: createsJobs(research),
      GET: listsJobs(
        research,
        'The researches of the caller, `limit` of them behind `cursor`',
        ({ data, next: nextCursor = null }) => ({ data, nextCursor, hasMore: nextCursor !== null }),
      ),
    }),
    ...routesWithV1('/exa/research/v1/:id', {
      GET: readsJob(
        research,
        'A research; its events so far with `?events=true`, all as they come with `?stream=true`',
        async (call) => {
          const { stream, events } = call.context.req.query()
          if (stream === 'true') return call.streamed()
          return call.reply(events === 'true' ? { dialect: (await import('./research.ts')).withEvents } : {})
        },
      ),
    }),
    ...routesWithV1('/exa/monitors', { POST: monitors('create'), GET: monitors('list') }),
    ...routesWithV1('/exa/monitors/:id', {
      GET: monitors('get'),
      PATCH: monitors('update'),
      DELETE: monitors('delete'),
    }),
    ...routesWithV1('/exa/monitors/:id/trigger', { POST: monitors('trigger') }),
    ...routesWithV1('/exa/monitors/:id/runs', { GET: monitors('runs') }),
    ...routesWithV1('/exa/monitors/:id/runs/:run', { GET: monitors('run') }),
  ],
  pageRoutes: routesWithV1('/exa/contents', {
    POST: speakPages(async () => (await import('./contents.ts')).exaContents),
  }),
}
