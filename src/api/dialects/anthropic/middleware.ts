import { Refusal } from '../../http/refusal.ts'
import type { CreateHandler } from '../../vendor.ts'

/**
 * Stands before Anthropic's routes: names the request in the header that the vendor's client reads, and keeps Claude
 * Code out. csp runs Claude Code itself; one whose `ANTHROPIC_BASE_URL` leads back here would ask itself without end.
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
  'Claude Code cannot be served here: this server runs Claude Code to answer. Take its address out of the ANTHROPIC_BASE_URL that Claude Code sees.'
