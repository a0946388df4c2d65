import type { ErrorBody, Failure } from '../../dialect.ts'

/** Tavily's error envelope. */
export function tavilyError({ status, message }: Failure): ErrorBody {
  return { status, body: { detail: { error: message } } }
}
