import type { ErrorBody, Failure } from '../../exchange/failure.ts'
import { isSpent } from '../../http/failure-of.ts'
import { openaiErrorFields } from '../shared/errors.ts'

/** OpenAI's envelope of an error. */
export function responsesError(failure: Failure): ErrorBody {
  return { status: failure.status, body: { error: responsesErrorFields(failure) } }
}

/**
 * The fields of that envelope. A limit that lasts has the type by which Codex says until when, and stops: any other 429
 * is for it a server that is too busy.
 */
export function responsesErrorFields(failure: Failure) {
  const fields = openaiErrorFields(failure)
  if (!isSpent(failure)) return fields
  const { retryAfterSeconds: seconds } = failure
  const end = seconds === undefined ? {} : { resets_at: Math.ceil(Date.now() / 1000) + seconds }
  return { ...fields, type: 'usage_limit_reached', ...end }
}
