import type { Envelope } from '../dialect.ts'
import { anthropicError } from '../dialects/anthropic/error.ts'
import { type BravePlace, braveError } from '../dialects/brave/error.ts'
import { exaError } from '../dialects/exa/error.ts'
import { firecrawlError } from '../dialects/firecrawl/error.ts'
import { nativeError } from '../dialects/native/error.ts'
import { executeError } from '../dialects/native/execute-error.ts'
import { openaiError } from '../dialects/openai/error.ts'
import { perplexityError } from '../dialects/perplexity/error.ts'
import { messageError } from '../dialects/shared/message-error.ts'
import { tavilyError } from '../dialects/tavily/error.ts'
import { mcpError } from '../endpoints/mcp/error.ts'

/** How the client that calls this path expects an error to look, also when the path leads nowhere. */
export function envelopeFor(method: string, path: string, headers: Headers): Envelope {
  const vendor = vendors.find(([beginning]) => beginning.test(path))
  if (vendor) return vendor[1]
  // Its clients say so on every path that two vendors share.
  if (headers.has('anthropic-version')) return { name: 'anthropic', formatError: anthropicError }
  if (method !== 'POST' && /^\/search\/?$/.test(path)) return { name: 'searxng', formatError: messageError }
  const place: BravePlace = method === 'POST' ? 'body' : 'query'
  if (/^(\/v1)?\/res(\/|$)/.test(path)) return { name: 'brave', formatError: braveError(place) }
  if (/^(\/v1)?\/messages(\/|$)/.test(path)) return { name: 'anthropic', formatError: anthropicError }
  if (/^\/(chat\/completions|search)\/?$/.test(path)) return { name: 'perplexity', formatError: perplexityError }
  if (/^(\/v1)?\/(sonar|agent)(\/|$)/.test(path)) return { name: 'perplexity', formatError: perplexityError }
  if (/^\/responses(\/|$)/.test(path)) return { name: 'openai', formatError: openaiError }
  if (/^\/v1\/(search|health|usage)\/?$/.test(path)) return { name: 'native', formatError: nativeError }
  if (/^(\/v1)?\/mcp\/?$/.test(path)) return { name: 'mcp', formatError: mcpError }
  if (/^\/v1(\/|$)/.test(path)) return { name: 'openai', formatError: openaiError }
  return { name: 'native', formatError: nativeError }
}

/** Those whose paths begin with a name of their own, bare or under `/v1`. */
const vendors: readonly (readonly [beginning: RegExp, envelope: Envelope])[] = [
  [/^(\/v1)?\/searxng(\/|$)/, { name: 'searxng', formatError: messageError }],
  [/^(\/v1)?\/tavily(\/|$)/, { name: 'tavily', formatError: tavilyError }],
  [/^(\/v1)?\/exa(\/|$)/, { name: 'exa', formatError: exaError }],
  [/^(\/v1)?\/api(\/|$)/, { name: 'ollama', formatError: messageError }],
  [/^(\/v1)?\/open-webui(\/|$)/, { name: 'open-webui', formatError: messageError }],
  [/^\/(firecrawl|v2)(\/|$)/, { name: 'firecrawl', formatError: firecrawlError }],
  [/^(\/v1)?\/execute(\/|$)/, { name: 'execute', formatError: executeError }],
  [/^\/search\/[^/]/, { name: 'litellm', formatError: openaiError }],
]
