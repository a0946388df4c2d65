import type { ErrorBody, ErrorReply, Failure } from '../../exchange/failure.ts'

/** The code is a number in a reply and text in an error, as the vendor has it. */
export function bochaError({ status, message }: Failure, { id }: ErrorReply): ErrorBody {
  return { status, body: { code: String(status), message, log_id: id } }
}
