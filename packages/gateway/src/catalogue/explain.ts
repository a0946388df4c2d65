import { withoutSecret } from '@csp/lib/secret'
import { isErrorType } from '@csp/messages-api/error'
import { UpstreamError } from '@csp/messages-api/upstream-error'
import { type ErrorWords, errorWords } from './error-within.ts'
import { type Understood, type UpstreamFailure, understand } from './understand.ts'

/** The upstream of an error, and the secrets that its errors may repeat. */
export interface Explaining {
  /** What it is called where it says nothing itself. */
  readonly name: string
  /** Whether the name also stands in front of its words. Otherwise they go on as they are: clients look for some of them. */
  readonly isNamed?: boolean | undefined
  /** Whether it is the vendor's own API, whose errors are what clients know. */
  readonly isVendor?: boolean | undefined
  readonly key: string | undefined
  /** Others, such as the values of headers. */
  readonly secrets?: readonly string[] | undefined
}

/** An error in a status and words that clients of the Messages API know, with what the upstream said. It never holds a secret. */
export function explain(failure: UpstreamFailure, explaining: Explaining): UpstreamError {
  const { name, isNamed, isVendor, key, secrets = [] } = explaining
  const withoutAll = (text: string): string => [key, ...secrets].reduce<string>(withoutSecret, text)
  const words = errorWords(failure.body)
  const understood = isVendor ? undefined : understand(failure, words)
  const { status } = failure
  const message = withoutAll(words.message).trim().slice(0, maxMessage)
  const said = message === '' ? `${name} failed with status ${status}.` : isNamed ? `${name}: ${message}` : message
  const code = words.code ?? words.type
  const ownType = understood === undefined && !isNamed && isErrorType(words.type) ? words.type : undefined
  return new UpstreamError(statusFor(failure, understood), worded(said, status, understood), {
    type: understood?.meaning === 'quota' ? 'billing_error' : ownType,
    retryAfterSeconds: failure.retryAfterSeconds ?? toldSeconds(words, understood),
    cause: code && withoutAll(code),
  })
}

const maxMessage = 2000

function worded(said: string, status: number, understood: Understood | undefined): string {
  if (understood?.meaning === 'full') return tooLong(said, understood)
  return said + hint(status)
}

/** Claude Code compacts its conversation when it reads these words of the Messages API. */
function tooLong(said: string, { holes: { prompt, more = 0, context } }: Understood): string {
  const all = prompt === undefined ? undefined : prompt + more
  const isOver = all !== undefined && context !== undefined && all > context
  const told = isOver ? `prompt is too long: ${all} tokens > ${context} maximum` : 'prompt is too long'
  if (said.toLowerCase().startsWith('prompt is too long')) return said
  return `${told}: ${said}`
}

function statusFor({ status }: UpstreamFailure, understood: Understood | undefined): number {
  switch (understood?.meaning) {
    case 'full':
      return 400
    case 'quota':
      return 402
    case 'rate':
      return status === 503 || status === 529 ? status : 429
    case 'busy':
      return status >= 500 && status < 600 ? status : 529
    default:
      return status >= 400 && status < 600 ? status : 502
  }
}

/** When to ask again, in whole seconds, where the error says it in words. */
function toldSeconds({ message }: ErrorWords, understood: Understood | undefined): number | undefined {
  if (understood?.meaning !== 'rate') return undefined
  const [, digits, unit] =
    /(?:retry|again) (?:in|after) (\d{1,6}(?:\.\d{1,9})?) ?(ms|s\b|sec|m\b|min|h)?/i.exec(message) ?? []
  if (digits === undefined) return undefined
  const factor = unit === 'ms' ? 0.001 : unit?.startsWith('m') ? 60 : unit === 'h' ? 3600 : 1
  return Math.max(1, Math.ceil(Number(digits) * factor))
}

function hint(status: number): string {
  if (status === 401 || status === 403)
    return ' (Is the key of this provider right? csp config shows which one is sent there.)'
  if (status === 404) return ' (Are the address and the name of the model right?)'
  return ''
}
