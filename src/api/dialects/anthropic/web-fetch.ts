import { addressesIn } from '@csp/lib/addresses'
import { mayVisit } from '@csp/lib/domain-lists'
import type { PageErrorCode } from '@csp/page-reader/page-error'
import { z } from 'zod'
import type { PageOutcome, PageWish } from '../../dialect.ts'
import type { Issue } from '../../exchange/failure.ts'
import { refused } from '../../exchange/refusal.ts'
import { optional } from '../../fields/field.ts'
import { domainField } from '../../fields/places.ts'
import { maxNamedPages, maxPageCharacters } from '../shared/named-pages.ts'
import type { FetchResultBlock } from './content.ts'

/** The vendor's server tool that reads pages. Its dated versions differ only in what csp does not do. */
export const webFetchTool = z
  .object({
    name: z.literal('web_fetch'),
    max_uses: optional(z.int().min(1)),
    allowed_domains: optional(z.array(domainField)),
    blocked_domains: optional(z.array(domainField)),
    max_content_tokens: optional(z.int().min(1)),
    use_cache: optional(z.boolean()),
    citations: optional(z.object({ enabled: optional(z.boolean()) })),
    url_sources: optional(z.object({ user_input: optional(z.object({ type: z.enum(['all', 'none']) })) })),
  })
  .transform((tool) => ({ kind: 'web-fetch' as const, ...tool }))

export type WebFetchTool = z.output<typeof webFetchTool>

/** What a page adds to a prompt is given in tokens. */
export const charactersPerToken = 4

/** Throws a `Refusal` for contradictions. */
export function checkWebFetch(tool: WebFetchTool, path: Issue['path']): void {
  if (tool.allowed_domains?.length && tool.blocked_domains?.length) {
    const message = 'Give either allowed_domains or blocked_domains, not both'
    throw refused([...path, 'blocked_domains'], message)
  }
}

/** The addresses in what the user says last: nothing else is read, so that no page and no model can name one. */
export function fetchWish(tool: WebFetchTool, said: string): PageWish | undefined {
  const {
    max_uses = maxNamedPages,
    max_content_tokens = maxPageCharacters / charactersPerToken,
    use_cache,
    url_sources,
  } = tool
  if (url_sources?.user_input?.type === 'none') return undefined
  const maxCharacters = Math.min(max_content_tokens * charactersPerToken, maxPageCharacters)
  const urls = addressesIn(said).slice(0, Math.min(max_uses, maxNamedPages))
  if (urls.length === 0) return undefined
  return {
    requests: urls.map((url) => ({ url, maxCharacters })),
    isFresh: use_cache === false,
    mayVisit: (url) => mayVisit(url, { allowed: tool.allowed_domains, blocked: tool.blocked_domains }),
  }
}

/** `isCited`: whether the text behind it cites it. */
export function formatFetched({ url, page, error }: PageOutcome, retrievedAt: Date, isCited = false): FetchResultBlock {
  if (!page) return { type: 'web_fetch_tool_result_error', error_code: fetchErrorCode(error.code) }
  const source = { type: 'text', media_type: 'text/plain', data: page.content } as const
  return {
    type: 'web_fetch_result',
    url,
    retrieved_at: retrievedAt.toISOString(),
    content: { type: 'document', source, title: page.title ?? null, citations: isCited ? { enabled: true } : null },
  }
}

/** The vendor's code for a page that could not be read. */
export function fetchErrorCode(code: PageErrorCode) {
  return errorCodes[code] ?? 'url_not_accessible'
}

const errorCodes: Partial<Record<PageErrorCode, string>> = {
  'invalid-url': 'invalid_tool_input',
  'not-allowed': 'url_not_allowed',
  'too-large': 'content_too_large',
  'unsupported-type': 'unsupported_content_type',
  busy: 'too_many_requests',
  cancelled: 'unavailable',
  failed: 'unavailable',
}
