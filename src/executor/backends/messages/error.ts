import type { HttpReply } from '@csp/lib/http-client'
import { parseJson } from '@csp/lib/json'
import { retryAfter } from '@csp/lib/retry-after'
import { errorStatus, errorTypeOf, isErrorType } from '@csp/messages-api/error'
import { z } from 'zod'
import { SearchError, type SearchErrorCode } from '../../../domain/error.ts'
import { type SentPrompt, upstreamWords } from '../http/upstream-words.ts'

/** An error of the Messages API. */
export interface MessagesFailure {
  readonly type: string
  readonly message: string
  readonly headers: Headers
}

/** Maps a failed reply of the Messages API. Another's, such as a proxy's, has no envelope. */
export function explainMessages({ status, headers, text }: HttpReply, now: Date, sent?: SentPrompt): SearchError {
  const { type, message = text.slice(0, 200) } = envelope.safeParse(parseJson(text)).data?.error ?? {}
  return explainMessagesError({ type: type ?? errorTypeOf(status), message, headers }, now, sent)
}

/** Maps an error, also one in the middle of a stream, to a request with this prompt. */
export function explainMessagesError(
  { type, message, headers }: MessagesFailure,
  now: Date,
  sent: SentPrompt = {},
): SearchError {
  const kind = kinds.find(({ holds }) => holds(type, message))
  const code = kind?.code ?? 'unavailable'
  const status = isErrorType(type) ? ` (${errorStatus[type]})` : ''
  const words = kind?.words ?? `The Anthropic API has failed${status}.`
  const said = code === 'invalid-request' ? upstreamWords(message, sent) : ''
  const detail = said === '' ? '' : ` It says: ${said}`
  const retryAfterSeconds = code === 'rate-limited' || code === 'unavailable' ? retryAfter(headers, now) : undefined
  return new SearchError(code, words + detail, { cause: `${type}: ${message.slice(0, 300)}`, retryAfterSeconds })
}

/** Whether the API refused a request because of a tool in it: it names the tool's type, or a field that only new tools have. */
export function refusesTool(error: unknown, type: string): boolean {
  const said = error instanceof SearchError && typeof error.cause === 'string' ? error.cause : ''
  return said.startsWith('invalid_request_error:') && (said.includes(type) || said.includes('allowed_callers'))
}

interface Kind {
  readonly code: SearchErrorCode
  readonly holds: (type: string, message: string) => boolean
  readonly words: string
}

const kinds: readonly Kind[] = [
  {
    code: 'rate-limited',
    holds: (type, message) => type === 'billing_error' || /credit balance/i.test(message),
    words: 'The credit of this key at the Anthropic API is used up.',
  },
  {
    code: 'rate-limited',
    holds: (type) => type === 'rate_limit_error',
    words: 'The rate limit of this key at the Anthropic API is reached.',
  },
  {
    code: 'signed-out',
    holds: (type) => type === 'authentication_error',
    words: 'The Anthropic API rejects the key. Set another with CSP_ANTHROPIC_API_KEY.',
  },
  {
    code: 'signed-out',
    holds: (type) => type === 'permission_error',
    words: 'The key lacks the permission for this at the Anthropic API. Set another with CSP_ANTHROPIC_API_KEY.',
  },
  {
    code: 'unavailable',
    holds: (_type, message) => /web.?search/i.test(message) && /not (?:enabled|supported|available)/i.test(message),
    words: 'Web search is disabled at the Anthropic API for this account or model. Enable it in the console.',
  },
  {
    code: 'unavailable',
    holds: (type) => type === 'overloaded_error',
    words: 'The Anthropic API is overloaded (529).',
  },
  {
    code: 'invalid-request',
    holds: (type) => type === 'not_found_error',
    words: 'The Anthropic API does not know this model.',
  },
  {
    code: 'invalid-request',
    holds: (type, message) => type === 'request_too_large' || /prompt is too long/i.test(message),
    words: 'The request is too long for the model.',
  },
  {
    code: 'invalid-request',
    holds: (type) => type === 'invalid_request_error',
    words: 'The Anthropic API rejected the request.',
  },
]

const envelope = z.object({ error: z.object({ type: z.string(), message: z.string().optional() }) })
