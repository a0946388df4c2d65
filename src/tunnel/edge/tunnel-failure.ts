import type { RemoteFailure } from '../../executor/wire/failure.ts'
import type { LoginRefusal } from '../login.ts'

/** What the edge's end of the tunnel says when it has no reply of a home's to give. */
export function tunnelFailure(kind: keyof typeof failures): Response {
  const { status, code, message, retryAfterSeconds } = failures[kind]
  return reply(status, { type: 'error', code, message, retryAfterSeconds })
}

/** Tells a home why it is not let in. */
export function refuseHome({ code, message }: LoginRefusal): Response {
  return reply(401, { type: 'error', code, message })
}

function reply(status: number, failure: RemoteFailure): Response {
  const { retryAfterSeconds } = failure
  const headers = retryAfterSeconds !== undefined ? { 'retry-after': String(retryAfterSeconds) } : undefined
  return Response.json(failure, { status, ...(headers && { headers }) })
}

type Row = Omit<RemoteFailure, 'type'> & { readonly status: number }

const failures = {
  'no-home': row(503, 'unavailable', 'No home is connected.', 5),
  lost: row(503, 'unavailable', 'Home is stopping or does not answer, or the connection to it was lost.', 2),
  busy: row(429, 'busy', 'Every home has all that it can do.', 5),
  failed: row(502, 'failed', 'Home could not carry the request out.'),
  cancelled: row(499, 'cancelled', 'The request was cancelled.'),
  'too-large': row(413, 'too-large', 'The request is too large for the tunnel.'),
  upgrade: row(426, 'upgrade', 'Homes connect here by WebSocket.'),
  'no-secret': row(503, 'no-secret', 'CSP_CONNECT_SECRET is not set on the edge, or shorter than 16 characters.'),
  'too-many-homes': row(503, 'too-many-homes', 'As many homes are connected as there may be.'),
}

function row(status: number, code: string, message: string, retryAfterSeconds?: number): Row {
  return { status, code, message, retryAfterSeconds }
}
