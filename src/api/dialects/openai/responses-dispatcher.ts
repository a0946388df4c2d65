import type { Handler } from 'hono'
import { parseJson } from '../../../lib/json.ts'
import { readBody, withBody } from '../../http/body.ts'
import type { AppEnvironment } from '../../http/exchange.ts'
import { isSonar } from '../shared/sonar-sources.ts'

export interface ResponsesDoor {
  readonly openai: Handler<AppEnvironment>
  readonly agent: Handler<AppEnvironment>
}

/**
 * Serves the path that OpenAI's Responses API and Perplexity's Agent API share. Their replies are not interchangeable:
 * OpenAI's clients refuse a reply with Perplexity's items, and Perplexity's look for exactly those.
 */
export function responsesDoor({ openai, agent }: ResponsesDoor, maximumBodyBytes: number): Handler<AppEnvironment> {
  return async (context, next) => {
    const { raw } = context.req
    if (saysPerplexity(raw.headers)) return agent(context, next)
    const bytes = await readBody(raw, maximumBodyBytes)
    context.req.raw = withBody(raw, bytes)
    return (asksPerplexity(bytes) ? agent : openai)(context, next)
  }
}

/** Perplexity's own clients say who they are: `perplexity-node`, `pplx-mcp-server`, … */
function saysPerplexity(headers: Headers): boolean {
  return headers.has('x-pplx-integration') || /perplexity|pplx/i.test(headers.get('x-source') ?? '')
}

/** Whether a body has what only Perplexity's does. What is no JSON has nothing. */
function asksPerplexity(bytes: Uint8Array): boolean {
  const body = parseJson(new TextDecoder().decode(bytes))
  if (typeof body !== 'object' || body === null) return false
  if ('preset' in body && typeof body.preset === 'string') return true
  return 'model' in body && typeof body.model === 'string' && isPerplexityModel(body.model)
}

function isPerplexityModel(model: string): boolean {
  return isSonar(model) || model.trim().startsWith('perplexity/')
}
