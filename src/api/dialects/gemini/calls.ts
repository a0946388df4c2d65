import type { Context, Handler } from 'hono'
import { z } from 'zod'
import type { AppEnvironment } from '../../exchange/exchange.ts'
import { Refusal } from '../../exchange/refusal.ts'
import { optional } from '../../fields/field.ts'
import { jsonReply } from '../../http/json-reply.ts'
import { validate } from '../../http/validate.ts'
import type { HandlerEndpoint } from '../../serve/endpoint.ts'
import { estimatePromptTokens } from '../../serve/estimate.ts'
import { type RouteReference, searchReference } from '../../serve/reference.ts'
import { type RouteOptions, serve } from '../../serve/serve-search.ts'
import { modelAndMethod } from '../shared/vertex.ts'
import { withCamelCase } from './camel-case.ts'
import { geminiContent, geminiEvents, geminiList } from './generate.ts'
import { geminiInput, readGemini } from './input.ts'

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

/** Estimates the tokens of a prompt. */
function geminiCountTokens({ models, maximumBodyBytes }: RouteOptions): Handler<AppEnvironment> {
  return async (context) => {
    const sent = await context.get('exchange').sent.input(maximumBodyBytes)
    const isWrapped = typeof sent === 'object' && sent !== null && 'generateContentRequest' in sent
    const input = isWrapped ? readWrapped(sent) : validate(geminiInput, sent)
    return jsonReply(context, countOf(estimatePromptTokens(readGemini(input, models()))))
  }
}

/** A request whole, or its contents alone. */
const wrapped = z.object({ model: optional(z.string()), generateContentRequest: geminiInput })

function readWrapped(sent: unknown) {
  const { model, generateContentRequest } = validate(wrapped, sent)
  return { ...generateContentRequest, model }
}

const countTokensReference: RouteReference = {
  title: 'countTokens',
  summary: 'Estimate the tokens of a prompt; costs nothing',
  schema: geminiInput,
  example: { contents: [{ role: 'user', parts: [{ text: 'How do heat pumps work in the cold?' }] }] },
  reply: async () => countOf(11),
}

function countOf(tokens: number) {
  return { totalTokens: tokens, promptTokensDetails: [{ modality: 'TEXT', tokenCount: tokens }] }
}
