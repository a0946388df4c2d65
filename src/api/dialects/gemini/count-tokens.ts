import type { Handler } from 'hono'
import { z } from 'zod'
import type { AppEnvironment } from '../../exchange/exchange.ts'
import { optional } from '../../fields/field.ts'
import { jsonReply } from '../../http/json-reply.ts'
import { validate } from '../../http/validate.ts'
import { estimatePromptTokens } from '../../serve/estimate.ts'
import type { RouteReference } from '../../serve/reference.ts'
import type { RouteOptions } from '../../serve/serve-search.ts'
import { geminiInput, readGemini } from './input.ts'

/** A request whole, or its contents alone. */
const wrapped = z.object({ model: optional(z.string()), generateContentRequest: geminiInput })

/** Estimates the tokens of a prompt. */
export function geminiCountTokens({ models, maximumBodyBytes }: RouteOptions): Handler<AppEnvironment> {
  return async (context) => {
    const sent = await context.get('exchange').sent.input(maximumBodyBytes)
    const isWrapped = typeof sent === 'object' && sent !== null && 'generateContentRequest' in sent
    const input = isWrapped ? readWrapped(sent) : validate(geminiInput, sent)
    return jsonReply(context, countOf(estimatePromptTokens(readGemini(input, models()))))
  }
}

function readWrapped(sent: unknown) {
  const { model, generateContentRequest } = validate(wrapped, sent)
  return { ...generateContentRequest, model }
}

function countOf(tokens: number) {
  return { totalTokens: tokens, promptTokensDetails: [{ modality: 'TEXT', tokenCount: tokens }] }
}

export const countTokensReference: RouteReference = {
  title: 'countTokens',
  summary: 'Estimate the tokens of a prompt; costs nothing',
  schema: geminiInput,
  example: { contents: [{ role: 'user', parts: [{ text: 'How do heat pumps work in the cold?' }] }] },
  reply: async () => countOf(11),
}
