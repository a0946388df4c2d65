import { isObject } from '@csp/lib/json'
import { errorStatus, isErrorType } from '@csp/messages-api/error'
import { errorWords } from '../catalogue/error-within.ts'
import { statusOfCode, type UpstreamFailure } from '../catalogue/understand.ts'

/** Thrown where a failure is met, so that it can be looked at before it is explained. */
export class ProviderReplyError extends Error {
  override readonly name = 'ProviderReplyError'
  readonly failure: UpstreamFailure

  constructor(failure: UpstreamFailure) {
    super(`The provider failed with status ${failure.status}.`)
    this.failure = failure
  }
}

/** An error in a reply of status 200. Its status: its code where that is one, else what its code or its type means. */
export function failureInReply(error: unknown): ProviderReplyError {
  return new ProviderReplyError({ status: statusInReply(error), body: error })
}

function statusInReply(error: unknown): number {
  const told = isObject(error) ? Number(error['code']) : Number.NaN
  if (Number.isInteger(told) && told >= 400 && told < 600) return told
  const { code = '', type } = errorWords(error)
  const known = statusOfCode(code) ?? statusOfType(code)
  if (known !== undefined) return known
  if (/^(?:invalid|unsupported|image|empty_image|failed_to_download)_/.test(code)) return 400
  return statusOfCode(type) ?? statusOfType(type) ?? 502
}

function statusOfType(type: string | undefined): number | undefined {
  return isErrorType(type) ? errorStatus[type] : undefined
}
