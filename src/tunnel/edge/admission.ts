import type { Fetcher } from '../../executor/wire/fetcher.ts'
import { isLogin, minSecretLength, verifyLogin } from '../login.ts'
import { refuseHome, tunnelFailure } from './tunnel-failure.ts'

/**
 * The Worker's part in taking a home in: strangers are sent away before they cost a request to the object behind
 * `tunnel`, which checks the login again, and its nonce.
 */
export async function admitHome(request: Request, tunnel: Fetcher, secret: string | undefined): Promise<Response> {
  if (!secret || secret.length < minSecretLength) return tunnelFailure('no-secret')
  const login = await verifyLogin(secret, request.headers.get('authorization'))
  if (!isLogin(login)) return refuseHome(login)
  return tunnel.fetch(new Request(new URL('/__connect', request.url), request))
}
