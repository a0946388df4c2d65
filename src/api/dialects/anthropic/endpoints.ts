import type { Handler } from 'hono'
import type { AppEnvironment } from '../../exchange/exchange.ts'
import { Refusal } from '../../exchange/refusal.ts'
import { jsonReply } from '../../http/json-reply.ts'
import { validate } from '../../http/validate.ts'
import type { CreateHandler, HandlerEndpoint } from '../../serve/endpoint.ts'
import { estimatePromptTokens } from '../../serve/estimate.ts'
import { type RouteReference, searchReference } from '../../serve/reference.ts'
import { type RouteOptions, serve } from '../../serve/serve-search.ts'
import { gatewayFirst } from '../shared/gateway/gateway-first.ts'
import { modelAndMethod } from '../shared/vertex.ts'
import { countUpstreamTokens, serveUpstream } from './gateway/serve-upstream.ts'
import { anthropicPrompt, readPrompt } from './input.ts'
import { anthropicMessages } from './messages.ts'

const reference = searchReference(anthropicMessages)

export const messages: HandlerEndpoint = {
  kind: 'own',
  create: gatewayFirst(
    anthropicMiddleware((options) => serve(anthropicMessages, options)),
    serveUpstream,
  ),
  references: () => [reference],
}

/**
 * Middleware of Anthropic's routes: sets the header with the request id that the vendor's client reads, and rejects
 * Claude Code. csp runs Claude Code itself; if its `ANTHROPIC_BASE_URL` pointed here, it would call itself forever.
 */
function anthropicMiddleware(route: CreateHandler): CreateHandler {
  return (options) => {
    const handler = route(options)
    return (context, next) => {
      context.header('request-id', context.get('exchange').id)
      if (/^claude-cli\//i.test(context.req.header('user-agent') ?? '')) throw new Refusal('invalid-request', loop)
      return handler(context, next)
    }
  }
}

const loop =
  'Claude Code cannot be served here: this server runs Claude Code to answer. Take its address out of the ANTHROPIC_BASE_URL that Claude Code sees, or give this server a model of another provider (OPENAI_BASE_URL, docs/gateway.md).'

export const countTokens: HandlerEndpoint = {
  kind: 'own',
  create: gatewayFirst(anthropicMiddleware(anthropicCountTokens), countUpstreamTokens),
  references: () => [countTokensReference],
}

/** Estimates the tokens of a prompt. */
function anthropicCountTokens({ models, maximumBodyBytes }: RouteOptions): Handler<AppEnvironment> {
  return async (context) => {
    const input = validate(anthropicPrompt, await context.get('exchange').sent.input(maximumBodyBytes))
    return jsonReply(context, { input_tokens: estimatePromptTokens(readPrompt(input, models())) })
  }
}

const countTokensReference: RouteReference = {
  summary: 'Estimate the tokens of a prompt; costs nothing',
  schema: anthropicPrompt,
  example: { model: 'sonnet', messages: [{ role: 'user', content: 'How do heat pumps work in the cold?' }] },
  reply: async () => ({ input_tokens: 11 }),
}

export const vertex: HandlerEndpoint = {
  kind: 'own',
  create: vertexCalls(messages.create, countTokens.create),
  references: () => [
    {
      ...reference,
      summary: 'The same by the paths of Vertex AI; the model `count-tokens` estimates the tokens of a prompt',
      path: { model: 'The model with `:rawPredict`, or with `:streamRawPredict` for a stream' },
    },
  ],
}

/**
 * Serves `{model}:rawPredict` and `{model}:streamRawPredict`, the Messages API on Vertex AI: its requests have the model in
 * the path, and the version of the API in the body.
 */
function vertexCalls(messages: CreateHandler, countTokens: CreateHandler): CreateHandler {
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
