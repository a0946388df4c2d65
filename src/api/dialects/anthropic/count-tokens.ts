import type { Handler } from 'hono'
import type { AppEnvironment } from '../../exchange/exchange.ts'
import { jsonReply } from '../../http/json-reply.ts'
import { validate } from '../../http/validate.ts'
import { estimatePromptTokens } from '../../serve/estimate.ts'
import type { RouteReference } from '../../serve/reference.ts'
import type { RouteOptions } from '../../serve/serve-search.ts'
import { anthropicPrompt, readPrompt } from './input.ts'

/** Estimates the tokens of a prompt. */
export function anthropicCountTokens({ models, maximumBodyBytes }: RouteOptions): Handler<AppEnvironment> {
  return async (context) => {
    const input = validate(anthropicPrompt, await context.get('exchange').sent.input(maximumBodyBytes))
    return jsonReply(context, { input_tokens: estimatePromptTokens(readPrompt(input, models())) })
  }
}

export const countTokensReference: RouteReference = {
  summary: 'Estimate the tokens of a prompt; costs nothing',
  schema: anthropicPrompt,
  example: { model: 'sonnet', messages: [{ role: 'user', content: 'How do heat pumps work in the cold?' }] },
  reply: async () => ({ input_tokens: 11 }),
}
