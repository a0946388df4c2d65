import { type BravePlace, braveError } from './brave-error.ts'
import type { Envelope } from './dialect.ts'
import { mcpError } from './mcp-error.ts'
import { nativeError } from './native-error.ts'
import { openaiError } from './openai-error.ts'
import { perplexityError } from './perplexity-error.ts'

/** How the client that calls this path expects an error to look, also when the path leads nowhere. */
export function envelopeFor(method: string, path: string): Envelope {
  const place: BravePlace = method === 'POST' ? 'body' : 'query'
  if (/^(\/v1)?\/res(\/|$)/.test(path)) return { name: 'brave', formatError: braveError(place) }
  if (/^\/(chat\/completions|search)\/?$/.test(path)) return { name: 'perplexity', formatError: perplexityError }
  if (/^\/v1\/(search|health)\/?$/.test(path)) return { name: 'native', formatError: nativeError }
  if (/^(\/v1)?\/mcp\/?$/.test(path)) return { name: 'mcp', formatError: mcpError }
  if (/^\/v1(\/|$)/.test(path)) return { name: 'openai', formatError: openaiError }
  return { name: 'native', formatError: nativeError }
}
