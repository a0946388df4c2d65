import type { ErrorBody, Failure } from '../../exchange/failure.ts'
import { fieldPath } from '../../exchange/refusal.ts'

/** The error envelope of vendors that send only the message: SearXNG, Ollama, Open WebUI. */
export function messageError({ status, message }: Failure): ErrorBody {
  return { status, body: { error: message } }
}

/** OpenAI's error envelope: all four keys, `code` a string or null. */
export function openaiError(failure: Failure): ErrorBody {
  return { status: failure.status, body: { error: openaiErrorFields(failure) } }
}

/** The fields of that envelope. */
export function openaiErrorFields(failure: Failure) {
  const [issue] = failure.issues
  const isField = failure.code === 'invalid-request' || failure.code === 'unknown-model'
  return {
    message: failure.message,
    type: errorType(failure),
    param: isField && issue && issue.path.length > 0 ? fieldPath(issue.path) : null,
    code: errorCode(failure),
  }
}

function errorType({ code, status }: Failure): string {
  if (status === 429) return 'rate_limit_error'
  if (code === 'forbidden') return 'permission_error'
  return status >= 500 ? 'server_error' : 'invalid_request_error'
}

function errorCode({ code, issues }: Failure): string | null {
  const type = issues[0]?.type
  switch (code) {
    case 'invalid-request':
      if (type === 'json_invalid') return null
      return type === 'missing' ? 'missing_required_parameter' : 'invalid_value'
    case 'unknown-model':
      return 'model_not_found'
    case 'unauthorized':
      return type === 'missing' ? null : 'invalid_api_key'
    case 'rate-limited':
    case 'busy':
      return 'rate_limit_exceeded'
    case 'not-found':
      return null
    default:
      return code.replaceAll('-', '_')
  }
}
