import type { RemoteFailure } from '../../../executor/wire/failure.ts'
import type { ErrorBody, ErrorReply, Failure } from '../../exchange/failure.ts'
import { fieldPath } from '../../exchange/refusal.ts'

/** Our own error envelope, with a hint where the caller can do something. */
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
  unavailable: 'Try again in a moment. On the server, `csp doctor` says whether something is missing there.',
  'rate-limited': 'A limit of this server or of its Claude account is reached. `csp status` shows which.',
  busy: 'Wait as long as `Retry-After` says.',
  ungrounded: 'No page was found to support an answer. Ask a question that a web search can answer.',
  'pages-off': 'Start the server with `--pages on`, or read the page yourself.',
  'jobs-off': 'Start the server with `--jobs on`, or wait for the reply.',
  timeout: 'Ask for less, or start the server with a longer --timeout.',
}

/** An error as one csp sends it to another. */
export function executeError(failure: Failure): ErrorBody & { readonly body: RemoteFailure } {
  const { code, message, reason = message, retryAfterSeconds, status } = failure
  return { status, body: { type: 'error', code, message: reason, retryAfterSeconds } }
}
