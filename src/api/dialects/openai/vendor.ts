import { refused } from '../../http/refusal.ts'
import { readsJob, speak, withReferences } from '../../speak.ts'
import type { Route, Vendor } from '../../vendor.ts'
import { openaiError } from '../shared/errors.ts'

async function loadResponses() {
  const [{ createOpenaiResponses }, { backgroundOr, backgroundResponses }] = await Promise.all([
    import('./responses.ts'),
    import('./background.ts'),
  ])
  const dialect = createOpenaiResponses()
  return { dialect, backgroundOr, jobs: backgroundResponses(dialect) }
}
const job = async () => (await loadResponses()).jobs

const chat = speak(async () => (await import('./chat.ts')).openaiChat)

/** Azure's deployments stand for models. */
const deployment = withReferences(
  async () => (await import('./azure.ts')).ofDeployment(await chat()),
  async () =>
    (await chat.references()).map((each) => ({ ...each, path: { model: 'The deployment: the name of a model' } })),
)

/** Also for `/responses`, which `shared-routes.ts` divides between OpenAI and Perplexity. */
export const loadOpenaiResponses = withReferences(
  async () => {
    const [{ dialect, backgroundOr, jobs }, { serve }] = await Promise.all([
      loadResponses(),
      import('../../serve/serve-search.ts'),
    ])
    return (options) => backgroundOr(serve(dialect, options), jobs, options)
  },
  async () => [(await import('../../serve/reference.ts')).searchReference((await loadResponses()).dialect)],
)

/** Where clients made for Azure find everything: the address of csp and one of these. */
export const azureBases = ['/openai', '/openai/v1'] as const

function atResponses(path: string, methods: Route['methods']): readonly Route[] {
  return ['', '/v1', ...azureBases].map((base) => ({ path: `${base}/responses${path}`, methods }))
}

export const openai: Vendor = {
  name: 'openai',
  title: 'OpenAI',
  base: '/v1',
  formatError: openaiError,
  prefixes: ['/v1', '/openai'],
  routes: [
    ...['/v1', '/openai/v1'].map((base) => ({ path: `${base}/chat/completions`, methods: { POST: chat } })),
    { path: '/openai/deployments/:model/chat/completions', methods: { POST: deployment } },
    ...azureBases.map((base) => ({ path: `${base}/responses`, methods: { POST: loadOpenaiResponses } })),
  ],
  jobRoutes: [
    ...atResponses('/:id', {
      GET: readsJob(
        job,
        'A response that was asked for with `background`; with `?stream=true` its events, from `starting_after` on',
        (call) => {
          const { stream, starting_after: after } = call.context.req.query()
          return stream === 'true' ? call.streamed(framesUpTo(after)) : call.reply()
        },
      ),
      DELETE: readsJob(job, 'Forget a response, and stop the work', async ({ context, jobs, view: { job } }) => {
        await jobs.remove(job.id)
        return context.json({ id: `resp_${job.id}`, object: 'response', deleted: true })
      }),
    }),
    ...atResponses('/:id/cancel', {
      POST: readsJob(job, 'Stop the work on a response', async (call) => {
        await call.jobs.cancel(call.view.job.id)
        return call.reply({ view: await call.again() })
      }),
    }),
  ],
}

/** How many frames a reader has that names the last one. */
function framesUpTo(event: string | undefined): number {
  if (!event) return 0
  if (!/^\d{1,15}$/.test(event)) throw refused(['starting_after'], 'Input should be the sequence number of an event')
  return Number(event) + 1
}
