import { readInput, withFields } from '../../http/body.ts'
import type { CreateHandler } from '../../vendor.ts'

/** Serves a path of Azure's that names a deployment: csp takes it for the model. */
export function ofDeployment(route: CreateHandler): CreateHandler {
  return (options) => {
    const handler = route(options)
    return async (context, next) => {
      const { raw } = context.req
      const sent = await readInput(raw, options.maximumBodyBytes)
      context.req.raw = withFields(raw, sent, { model: context.req.param('model') })
      return handler(context, next)
    }
  }
}
