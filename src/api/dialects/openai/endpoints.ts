import { refused } from '../../exchange/refusal.ts'
import type { CreateHandler, HandlerEndpoint } from '../../serve/endpoint.ts'
import { readsJob } from '../../serve/jobs.ts'
import { searchReference } from '../../serve/reference.ts'
import { serve } from '../../serve/serve-search.ts'
import { backgroundOr, backgroundResponses } from './background.ts'
import { openaiChat } from './chat.ts'
import { gatewayModelOr } from './gateway/serve-model.ts'
import { KeptItems } from './kept-items.ts'
import { createOpenaiResponses } from './responses.ts'

export { alphaSearch } from './alpha-search.ts'
export { openaiChat as chat } from './chat.ts'

/** Azure's deployments stand for models. */
export const deployment: HandlerEndpoint = {
  kind: 'own',
  create: ofDeployment((options) => serve(openaiChat, options)),
  references: () => [{ ...searchReference(openaiChat), path: { model: 'The deployment: the name of a model' } }],
}

/** Serves a path of Azure's that names a deployment: csp takes it for the model. */
function ofDeployment(route: CreateHandler): CreateHandler {
  return (options) => {
    const handler = route(options)
    return (context, next) => {
      const model = context.req.param('model')
      context.get('exchange').sent.change((sent) => ({ ...sent, model }))
      return handler(context, next)
    }
  }
}

/** Each app keeps the items of its own callers. */
export const responses: HandlerEndpoint = {
  kind: 'own',
  create(options) {
    const kept = new KeptItems()
    const dialect = createOpenaiResponses(kept)
    const own = backgroundOr(serve(dialect, options), backgroundResponses(dialect), options)
    return gatewayModelOr(own, options, kept)
  },
  references: () => [searchReference(createOpenaiResponses())],
}

const inBackground = backgroundResponses(createOpenaiResponses())

export const readResponse = readsJob(
  inBackground,
  'A response that was asked for with `background`; with `?stream=true` its events, from `starting_after` on',
  (call) => {
    const { stream, starting_after: after } = call.context.req.query()
    return stream === 'true' ? call.streamed(framesUpTo(after)) : call.reply()
  },
)

export const deleteResponse = readsJob(
  inBackground,
  'Forget a response, and stop the work',
  async ({ context, jobs, view: { job } }) => {
    await jobs.remove(job.id)
    return context.json({ id: `resp_${job.id}`, object: 'response', deleted: true })
  },
)

export const cancelResponse = readsJob(inBackground, 'Stop the work on a response', async (call) => {
  await call.jobs.cancel(call.view.job.id)
  return call.reply({ view: await call.again() })
})

/** How many frames a reader has that names the last one. */
function framesUpTo(event: string | undefined): number {
  if (!event) return 0
  if (!/^\d{1,15}$/.test(event)) throw refused(['starting_after'], 'Input should be the sequence number of an event')
  return Number(event) + 1
}
