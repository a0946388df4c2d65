import type { PageErrorCode } from '@csp/page-reader/page-error'
import { writtenPageCode } from '../../../domain/unread-pages.ts'
import type { ErrorBody, Failure } from '../../exchange/failure.ts'
import { fieldPath } from '../../exchange/refusal.ts'

/** Linkup's error envelope. A page that cannot be read is a 400, by which its client knows the error. */
export function linkupError({ code, page, status, message, issues }: Failure): ErrorBody {
  const statusCode = code === 'page-unreadable' ? 400 : status
  const details = issues
    .filter(({ path }) => path.length > 0)
    .map((issue) => ({ field: fieldPath(issue.path), message: issue.message }))
  if (page) details.push({ field: 'url', message: writtenPageCode(page) })
  const known = (page && pageCodes[page]) ?? codes[code]
  const error = { code: known ?? code.replaceAll('-', '_').toUpperCase(), message, details }
  return { status: statusCode, body: { statusCode, error } }
}

/** Those that clients look for. */
const codes: Partial<Record<Failure['code'], string>> = {
  'invalid-request': 'VALIDATION_ERROR',
  'rate-limited': 'TOO_MANY_REQUESTS',
  busy: 'TOO_MANY_REQUESTS',
  'page-unreadable': 'FETCH_ERROR',
}

const pageCodes: Partial<Record<PageErrorCode, string>> = {
  'too-large': 'FETCH_RESPONSE_TOO_LARGE',
  'unsupported-type': 'FETCH_URL_IS_FILE',
}
