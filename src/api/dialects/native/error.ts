import type { RemoteFailure } from '../../../executor/wire/failure.ts'
import type { ErrorBody, ErrorReply, Failure } from '../../dialect.ts'
import { fieldPath } from '../../http/refusal.ts'

/** Our own error envelope, with a hint where there is something to be done. */
export function nativeError(failure: Failure, { id }: ErrorReply): ErrorBody {
  const [issue] = failure.code === 'unauthorized' ? [] : failure.issues
  return {
    status: failure.status,
    body: {
      error: {
        code: failure.code.replaceAll('-', '_'),
        message: failure.message,
        field: issue && issue.path.length > 0 ? fieldPath(issue.path) : null,
        hint: hints[failure.code],
        request_id: id,
      },
    },
  }
}

const hints: Partial<Record<Failure['code'], string>> = {
  unauthorized: 'Send the key as `Authorization: Bearer KEY`.',
  'signed-out': 'Run `claude` on the machine that serves this and sign in, then try again.',
  unavailable: '`csp doctor` tells what is missing.',
  'rate-limited':
    'A limit of this server, or of the account behind it, is reached. `Retry-After` says for how long, if it is known.',
  busy: 'Try again after the seconds that `Retry-After` names.',
  ungrounded: 'No page was found to rest an answer on. Ask for something that can be searched for.',
  timeout: 'Ask for less, or start the server with a longer --timeout.',
}

/** An error as one csp tells it to another. */
export function executeError(failure: Failure): ErrorBody & { readonly body: RemoteFailure } {
  const { code, message, retryAfterSeconds, status } = failure
  return { status, body: { type: 'error', code, message, retryAfterSeconds } }
}
