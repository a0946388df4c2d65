import type { ErrorBody, Failure } from '../../exchange/failure.ts'

export function firecrawlError({ status, code, page, message }: Failure): ErrorBody {
  return { status, body: { success: false, code: (page ?? code).replaceAll('-', '_').toUpperCase(), error: message } }
}
