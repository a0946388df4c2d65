import type { CreateHandler } from '../../serve/endpoint.ts'

/** Serves a path of Azure's that names a deployment: csp takes it for the model. */
export function ofDeployment(route: CreateHandler): CreateHandler {
  return (options) => {
    const handler = route(options)
    return (context, next) => {
      const model = context.req.param('model')
      context.get('exchange').sent.change((sent) => ({ ...sent, model }))
      return handler(context, next)
    }
  }
}
