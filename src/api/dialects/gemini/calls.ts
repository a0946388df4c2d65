import type { Context, Handler } from 'hono'
import type { AppEnvironment } from '../../exchange/exchange.ts'
import { Refusal } from '../../exchange/refusal.ts'
import type { HandlerEndpoint } from '../../serve/endpoint.ts'
import { searchReference } from '../../serve/reference.ts'
import { type RouteOptions, serve } from '../../serve/serve-search.ts'
import { modelAndMethod } from '../shared/vertex.ts'
import { withCamelCase } from './camel-case.ts'
import { countTokensReference, geminiCountTokens } from './count-tokens.ts'
import { geminiContent, geminiEvents, geminiList } from './generate.ts'

/** Google's paths have the model and what is wanted of it in one segment: `{model}:{method}`. */
export const geminiCalls: HandlerEndpoint = {
  kind: 'own',
  create: serveCalls,
  references: () => [
    { ...searchReference(geminiContent), title: 'generateContent' },
    { ...searchReference(geminiEvents), title: 'streamGenerateContent' },
    countTokensReference,
  ],
}

function serveCalls(options: RouteOptions): Handler<AppEnvironment> {
  const content = serve(geminiContent, options)
  const events = serve(geminiEvents, options)
  const list = serve(geminiList, options)
  const tokens = geminiCountTokens(options)
  const handlerFor = (method: string, context: Context<AppEnvironment>): Handler<AppEnvironment> | undefined => {
    switch (method) {
      case 'generateContent':
        return content
      case 'streamGenerateContent':
        return (context.req.query('alt') ?? context.req.query('$alt')) === 'sse' ? events : list
      case 'countTokens':
        return tokens
      default:
        return undefined
    }
  }
  return async (context, next) => {
    const [model, method] = modelAndMethod(context.req.param('id'))
    const handler = handlerFor(method, context)
    if (!handler) throw new Refusal('not-found', notFound(context.req.path))
    const { sent } = context.get('exchange')
    // Bounds the depth, before the names are changed at every depth.
    await sent.input(options.maximumBodyBytes)
    sent.change((fields) => ({ ...withCamelCase(fields), model }))
    return handler(context, next)
  }
}

function notFound(path: string): string {
  return `There is nothing at POST ${path}. Of a model, generateContent, streamGenerateContent and countTokens are supported.`
}
