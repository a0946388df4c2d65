import { Refusal } from '../../exchange/refusal.ts'
import type { CreateHandler } from '../../serve/endpoint.ts'

/**
 * Middleware of Anthropic's routes: sets the header with the request id that the vendor's client reads, and rejects
 * Claude Code. csp runs Claude Code itself; if its `ANTHROPIC_BASE_URL` pointed here, it would call itself forever.
 */
export function anthropicMiddleware(route: CreateHandler): CreateHandler {
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
