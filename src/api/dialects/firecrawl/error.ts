import type { ErrorBody, Failure } from '../../exchange/failure.ts'

export function firecrawlError({ status, code, message }: Failure): ErrorBody {
  return { status, body: { success: false, code: code.replaceAll('-', '_').toUpperCase(), error: message } }
}
