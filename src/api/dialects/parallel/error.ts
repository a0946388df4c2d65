import type { ErrorBody, ErrorReply, Failure } from '../../exchange/failure.ts'
import { fieldPath } from '../../exchange/refusal.ts'

/** Parallel answers 422 to a wrong field. */
export function parallelError({ code, status, message, issues }: Failure, { id }: ErrorReply): ErrorBody {
  const fields = issues.filter(({ path }) => path.length > 0).map(({ path }) => fieldPath(path))
  const detail = fields.length > 0 ? { fields } : undefined
  return {
    status: code === 'invalid-request' ? 422 : status,
    body: { type: 'error', error: { ref_id: id, message, detail } },
  }
}
