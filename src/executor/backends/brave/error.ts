import type { HttpReply } from '@csp/lib/http-client'
import { parseJson } from '@csp/lib/json'
import { retryAfter, wholeSeconds } from '@csp/lib/retry-after'
import { z } from 'zod'
import { SearchError } from '../../../domain/error.ts'
import { braveReset } from './quota.ts'

/** What an error of the Brave Search API means. A wrong key gets 422. */
export function explainBrave({ status, headers, text }: HttpReply, now: Date): SearchError {
  if (status === 200) return new SearchError('failed', 'Brave Search sent something other than results.')
  const { code = '', detail = '', fields = [] } = errorIn(text)
  const cause = `${status} ${code} ${detail}`.trim()
  const isRefused =
    [401, 403].includes(status) || /^SUBSCRIPTION_/.test(code) || fields.includes('x-subscription-token')
  if (isRefused) {
    const message = 'Brave Search refuses the key. Set another with BRAVE_API_KEY.'
    return new SearchError('signed-out', message, { cause })
  }
  if (status === 402 || code === 'CREDIT_EXHAUSTED') {
    return new SearchError('rate-limited', 'The credit at Brave Search is used up.', { cause })
  }
  if (status === 429) {
    const retryAfterSeconds = retryAfter(headers, now) ?? wholeSeconds(braveReset(headers) ?? 1)
    const message =
      code === 'QUOTA_LIMITED' ? 'The quota at Brave Search is used up.' : 'Brave Search receives too many requests.'
    return new SearchError('rate-limited', message, { cause, retryAfterSeconds })
  }
  if (status === 422 || status === 400) {
    const named = fields.length > 0 ? ` (${fields.join(', ')})` : ''
    return new SearchError('invalid-request', `Brave Search refused the request${named}.`, { cause })
  }
  if (status === 404) return new SearchError('unavailable', 'Brave Search has nothing at this address.', { cause })
  const retryAfterSeconds = retryAfter(headers, now)
  return new SearchError('unavailable', `Brave Search failed (${status}).`, { cause, retryAfterSeconds })
}

const errorSchema = z
  .object({
    error: z.object({
      code: z.string().optional(),
      detail: z.string().optional(),
      meta: z
        .object({ errors: z.array(z.object({ loc: z.array(z.unknown()) })).catch([]) })
        .optional()
        .catch(undefined),
    }),
  })
  .transform(({ error: { code, detail, meta } }) => ({
    code,
    detail: detail?.slice(0, 300),
    fields: meta?.errors.map(({ loc }) => String(loc.at(-1)).toLowerCase().slice(0, 60)),
  }))

function errorIn(text: string): Partial<z.output<typeof errorSchema>> {
  return errorSchema.safeParse(parseJson(text)).data ?? {}
}
