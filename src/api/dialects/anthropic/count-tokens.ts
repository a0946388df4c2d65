import type { Handler } from 'hono'
import type { SearchRequest, Turn } from '../../../domain/search.ts'
import { readInput } from '../../http/body.ts'
import type { AppEnvironment } from '../../http/exchange.ts'
import { validate } from '../../http/validate.ts'
import type { RouteOptions } from '../../serve/route.ts'
import { anthropicPrompt, readPrompt } from './input.ts'

/** Estimates the tokens of a prompt, one for every 3.5 characters, since the CLI cannot count them. */
export function anthropicCountTokens({ models, maximumBodyBytes }: RouteOptions): Handler<AppEnvironment> {
  return async (context) => {
    const input = validate(anthropicPrompt, await readInput(context.req.raw, maximumBodyBytes))
    return context.json({ input_tokens: estimateTokens(readPrompt(input, models)) })
  }
}

const charactersPerToken = 3.5

function estimateTokens({
  query,
  history,
  continuation = [],
  instructions = '',
  tools,
  schema,
}: SearchRequest): number {
  const turns = [...history, ...continuation].map(textOf)
  const structures = [tools, schema].flatMap((structure) => (structure ? [JSON.stringify(structure)] : []))
  return Math.ceil([instructions, query, ...turns, ...structures].join('').length / charactersPerToken)
}

function textOf(turn: Turn): string {
  return turn.role === 'assistant' && turn.toolCalls ? turn.text + JSON.stringify(turn.toolCalls) : turn.text
}
