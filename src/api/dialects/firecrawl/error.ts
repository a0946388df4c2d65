import type { ErrorBody, Failure } from '../../dialect.ts'

/** Firecrawl's error envelope. */
export function firecrawlError({ status, code, message }: Failure): ErrorBody {
  return { status, body: { success: false, code: code.replaceAll('-', '_').toUpperCase(), error: message } }
}
