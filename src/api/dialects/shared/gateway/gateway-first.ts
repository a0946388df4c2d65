import type { GatewayRoute } from '@csp/gateway/gateway'
import type { Context, Handler } from 'hono'
import { isKnownModel } from '../../../../domain/model.ts'
import type { AppEnvironment } from '../../../exchange/exchange.ts'
import { Refusal } from '../../../exchange/refusal.ts'
import type { CreateHandler } from '../../../serve/endpoint.ts'
import type { RouteOptions } from '../../../serve/serve-search.ts'
import { maxGatewayBytes } from './bounds.ts'

/** Serves a request whose model belongs to an upstream. */
export type ServeUpstream = (
  context: Context<AppEnvironment>,
  sent: unknown,
  route: GatewayRoute,
  options: RouteOptions,
) => Promise<Response>

/**
 * Lets the gateway serve the requests whose model belongs to one of its upstreams, and leaves the others, with what is
 * left of their body, to csp's own handler. Without a gateway it is that handler.
 */
export function gatewayFirst(own: CreateHandler, serve: ServeUpstream): CreateHandler {
  return (options) => {
    const ownHandler = own(options)
    return options.gateway ? handlerFor(ownHandler, serve, options) : ownHandler
  }
}

function handlerFor(
  own: Handler<AppEnvironment>,
  serve: ServeUpstream,
  options: RouteOptions,
): Handler<AppEnvironment> {
  const isOwn = (name: string) => isKnownModel(name, options.models())
  return async (context, next) => {
    const sent = await context.get('exchange').sent.json(maxGatewayBytes)
    const model = modelOf(sent)
    const route = model === undefined ? 'own' : (options.gateway?.routeOf(model, isOwn) ?? 'own')
    if (route === 'own') return own(context, next)
    context.header('request-id', context.get('exchange').id)
    if (route === 'unknown') throw noUpstream(model ?? '')
    return serve(context, sent, route, options)
  }
}

function modelOf(sent: unknown): string | undefined {
  const model: unknown = typeof sent === 'object' && sent !== null ? Reflect.get(sent, 'model') : undefined
  return typeof model === 'string' && model.trim() !== '' ? model : undefined
}

function noUpstream(model: string): Refusal {
  const message = `No upstream of the gateway has the model '${model}'. csp status --models lists what goes where; {"name": "claude"} in the list gateway serves Claude's models by the Claude Code CLI.`
  return new Refusal('unknown-model', message, [{ path: ['model'], type: 'value_error', message, input: model }])
}
