import type { ErrorBody, Failure } from '../../exchange/failure.ts'

export function tavilyError({ status, message }: Failure): ErrorBody {
  return { status, body: { detail: { error: message } } }
}
