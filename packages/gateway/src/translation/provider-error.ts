import { parseJson } from '@csp/lib/json'
import { withoutSecret } from '@csp/lib/secret'
import { UpstreamError } from '@csp/messages-api/upstream-error'
import { z } from 'zod'

/** An error of a provider's: a reply that is none, or one in the middle of a stream. */
export interface ProviderFailure {
  readonly status: number
  /** The text of the reply, or the value of `error` in a chunk. */
  readonly body: unknown
  readonly retryAfterSeconds?: number | undefined
}

/** Thrown where the failure is met, so that it can be looked at before it is explained. */
export class ProviderReplyError extends Error {
  override readonly name = 'ProviderReplyError'
  readonly failure: ProviderFailure

  constructor(failure: ProviderFailure) {
    super(`The provider failed with status ${failure.status}.`)
    this.failure = failure
  }
}

/** The message of a provider about an error, in whichever form. */
export interface ProviderMessage {
  readonly message: string
  /** The parameter that it names as the cause. */
  readonly param?: string | undefined
  readonly code?: string | undefined
  readonly type?: string | undefined
}

const text = z.string().nullish().catch(undefined)
const issue = z.looseObject({ loc: z.array(z.union([z.string(), z.number()])).nullish(), msg: text })
const fields = z.looseObject({
  message: text,
  msg: text,
  param: text,
  type: text,
  code: z.union([z.string(), z.number()]).nullish().catch(undefined),
  /** OpenRouter keeps in `raw` what the provider behind it said. */
  metadata: z.looseObject({ raw: z.unknown().optional() }).nullish().catch(undefined),
  error: z.unknown().optional(),
  /** FastAPI's, as vLLM and others send it. */
  detail: z
    .union([z.string(), z.array(issue)])
    .nullish()
    .catch(undefined),
})

/** Reads an error of any provider: OpenAI's envelope, OpenRouter's with another within, FastAPI's, a string, or plain text. */
export function readProviderError(body: unknown, depth = 0): ProviderMessage {
  const value = typeof body === 'string' ? (parseJson(body) ?? body) : body
  if (typeof value === 'string') return { message: value }
  const [first] = Array.isArray(value) ? value : [value]
  const error = fields.safeParse(first).data
  if (!error || depth > maxDepth) return { message: '' }
  if (error.error != null) return readProviderError(error.error, depth + 1)
  if (Array.isArray(error.detail)) {
    const [cause] = error.detail
    return { message: cause?.msg ?? '', param: cause?.loc?.filter((place) => place !== 'body').join('.') }
  }
  const { param, code, type, metadata } = error
  const own = {
    message: error.message ?? error.detail ?? error.msg ?? '',
    param: param ?? undefined,
    code: toCode(code, type),
    type: type ?? undefined,
  }
  if (metadata?.raw == null) return own
  const inner = readProviderError(metadata.raw, depth + 1)
  const message = [own.message, inner.message].filter((words) => words !== '').join(': ')
  return { message, param: own.param ?? inner.param, code: inner.code ?? own.code, type: inner.type ?? own.type }
}

const maxDepth = 3

function toCode(code: string | number | null | undefined, type: string | null | undefined): string | undefined {
  return typeof code === 'string' ? code : (type ?? undefined)
}

/** An error in the words of the Messages API, which never holds the key. */
export function explainProvider(failure: ProviderFailure, place: string, key: string | undefined): UpstreamError {
  const { status, body, retryAfterSeconds } = failure
  const { message, code } = readProviderError(body)
  const words = withoutSecret(message, key).trim().slice(0, maxMessage)
  const said = words === '' ? `${place} failed with status ${status}.` : `${place}: ${words}`
  const type = code === 'insufficient_quota' ? 'billing_error' : undefined
  return new UpstreamError(
    toStatus(status),
    isTooLong(message, code) ? `prompt is too long: ${said}` : said + hint(status),
    {
      type,
      retryAfterSeconds,
      cause: code && withoutSecret(code, key),
    },
  )
}

const maxMessage = 1000

/** Claude Code compacts its conversation when it reads these words of the Messages API. */
function isTooLong(message: string, code: string | undefined): boolean {
  if (code === 'context_length_exceeded') return true
  return /maximum context length|context (?:window|length|size)|prompt is too long/i.test(message)
}

function toStatus(status: number): number {
  return status >= 400 && status < 600 ? status : 502
}

function hint(status: number): string {
  if (status === 401 || status === 403) return ' (Is the key of this provider right?)'
  if (status === 404) return ' (Are the address and the name of the model right?)'
  return ''
}
