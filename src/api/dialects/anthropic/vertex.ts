import type { Handler } from 'hono'
import type { AppEnvironment } from '../../exchange/exchange.ts'
import { Refusal } from '../../exchange/refusal.ts'
import type { CreateHandler } from '../../serve/endpoint.ts'
import { modelAndMethod } from '../shared/vertex.ts'

/**
 * Serves `{model}:rawPredict` and `{model}:streamRawPredict`, the Messages API on Vertex AI: its requests have the model in
 * the path, and the version of the API in the body.
 */
export function vertexCalls(messages: CreateHandler, countTokens: CreateHandler): CreateHandler {
  return (options) => {
    const [answer, count] = [messages(options), countTokens(options)]
    const handlerFor = (model: string, method: string): Handler<AppEnvironment> | undefined => {
      if (method === 'rawPredict') return model === 'count-tokens' ? count : answer
      return method === 'streamRawPredict' ? answer : undefined
    }
    return (context, next) => {
      const [model, method] = modelAndMethod(context.req.param('model'))
      const handler = handlerFor(model, method)
      if (!handler) throw new Refusal('not-found', notFound(context.req.path))
      context.get('exchange').sent.change(({ anthropic_version: _, ...fields }) => {
        const named = handler === count ? fields['model'] : model
        return {
          ...fields,
          ...(typeof named === 'string' && { model: modelName(named) }),
          ...(method === 'streamRawPredict' && { stream: true }),
        }
      })
      return handler(context, next)
    }
  }
}

/** Vertex AI writes `claude-sonnet-4-5@20250929` for `claude-sonnet-4-5-20250929`. */
function modelName(name: string): string {
  return name.replace(/@(?:default|latest)$/, '').replace(/@(?=\d{8}$)/, '-')
}

function notFound(path: string): string {
  return `There is nothing at POST ${path}. Of a model, rawPredict and streamRawPredict are supported.`
}
