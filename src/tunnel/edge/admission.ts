import type { Sql } from 'cloudflare:workers'
import type { RemoteFailure } from '../../executor/wire/failure.ts'
import type { Fetcher } from '../../executor/wire/fetcher.ts'
import type { LoginRefusal } from '../login.ts'
import { isLogin, verifyLogin } from '../login.ts'
import { objectPaths } from '../protocol.ts'
import { homeSecrets, type SecretVariables } from '../secrets.ts'

/**
 * Checks the login of a home in the Worker, so that invalid ones do not cost a request to the Durable Object behind
 * `tunnel`, which checks the login again and its nonce.
 */
export async function admitHome(request: Request, tunnel: Fetcher, variables: SecretVariables): Promise<Response> {
  const secrets = homeSecrets(variables)
  if (typeof secrets === 'string') return tunnelFailure(secrets)
  const login = await verifyLogin(secrets, request.headers.get('authorization'), new URL(request.url).host)
  if (!isLogin(login)) return refuseHome(login)
  return tunnel.fetch(new Request(new URL(objectPaths.connect, request.url), request))
}

/** The response when no home has replied. */
export function tunnelFailure(kind: keyof typeof failures): Response {
  const { status, code, message, retryAfterSeconds } = failures[kind]
  return reply(status, { type: 'error', code, message, retryAfterSeconds })
}

/** The response to a home that is rejected. */
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
  lost: row(503, 'unavailable', 'The home is stopping, does not answer or lost its connection.', 2),
  busy: row(429, 'busy', 'All homes are at capacity.', 5),
  failed: row(502, 'failed', 'The home could not handle the request.'),
  cancelled: row(499, 'cancelled', 'The request was cancelled.'),
  'too-large': row(413, 'too-large', 'The request is too large for the tunnel.'),
  upgrade: row(426, 'upgrade', 'Homes must connect by WebSocket.'),
  'no-secret': row(503, 'no-secret', 'CSP_CONNECT_SECRET is not set on the edge, or shorter than 16 characters.'),
  'malformed-secrets': row(
    503,
    'malformed-secrets',
    'CSP_HOME_SECRETS on the edge must be NAME=SECRET pairs with commas between them, each name once, each secret of 16 characters or more.',
  ),
  'too-many-homes': row(503, 'too-many-homes', 'Connection limit reached.'),
}

function row(status: number, code: string, message: string, retryAfterSeconds?: number): Row {
  return { status, code, message, retryAfterSeconds }
}

/** Remembers the nonces of logins that have not expired yet. */
export class Nonces {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
    sql.exec('CREATE TABLE IF NOT EXISTS nonce (value TEXT PRIMARY KEY, expires INTEGER NOT NULL)')
  }

  /** Marks a nonce as used. Returns `false` if it was used before. */
  spend(nonce: string, expiresAt: number, now: number): boolean {
    this.#sql.exec('DELETE FROM nonce WHERE expires < ?', now)
    const { rowsWritten } = this.#sql.exec('INSERT OR IGNORE INTO nonce VALUES (?, ?)', nonce, expiresAt)
    return rowsWritten > 0
  }
}
