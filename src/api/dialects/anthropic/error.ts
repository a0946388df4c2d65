import { errorEnvelope, errorStatus, errorTypeOf } from '@csp/messages-api/error'
import type { ErrorBody, ErrorReply, Failure } from '../../exchange/failure.ts'

/** Anthropic's error envelope, with the id in the header that its client reads. */
export function anthropicError(failure: Failure, { id }: ErrorReply): ErrorBody {
  const { code, message, status, issues } = failure
  // The login of csp, not the caller's key.
  const type = code === 'signed-out' ? 'api_error' : errorTypeOf(status)
  const envelope = errorEnvelope(type, message)
  const details = issues.some(({ type }) => type === unsupportedThread) ? { details: threadDetails } : undefined
  return {
    status: type === 'overloaded_error' ? errorStatus[type] : status,
    body: { type: envelope.type, error: { ...envelope.error, ...details }, request_id: id },
    headers: { 'request-id': id },
  }
}

/** The type of issue that a `thread` is, and the code by which the vendor's client knows it. */
export const unsupportedThread = 'thread_unsupported_request'

const threadDetails = { error_code: unsupportedThread, unsupported: ['thread'] }
