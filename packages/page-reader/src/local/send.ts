import { type IncomingMessage, request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { isIPv6 } from 'node:net'
import { deferred } from '@csp/lib/deferred'
import { errorCode } from '@csp/lib/errors'
import { PageError } from '../page-error.ts'

export interface Sending {
  readonly url: URL
  /** The addresses of its host. The socket gets these, so that no second look-up can give others. */
  readonly addresses: readonly string[]
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  /** Certificates to trust instead of the usual ones. */
  readonly ca?: string | undefined
}

/** Sends one GET on a connection of its own, and resolves with the head of the reply. Follows no redirect. */
export async function send({ url, addresses, headers, signal, ca }: Sending): Promise<IncomingMessage> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = deferred<IncomingMessage>()
  const request = (url.protocol === 'https:' ? requestSecure : requestPlain)(url, {
    headers,
    agent: false,
    ...(ca !== undefined && { ca }),
    lookup: (_, { all }, done) => {
      const known = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
      const [first] = known
      if (all || !first) done(null, known)
      else done(null, first.address, first.family)
    },
  })
  // Not the option `signal`: its listener would stay, and keep the request alive as long as the signal.
  const stop = (): void => reject(signal.reason)
  signal.addEventListener('abort', stop)
  request.once('response', (reply) => {
    // Who reads the body gets its errors; one that comes when nobody reads would end the process.
    reply.on('error', () => {})
    resolve(reply)
  })
  // The listener stays: an error behind the head would otherwise end the process. The body tells of it, too.
  request.on('error', reject)
  request.end()
  try {
    return await promise
  } catch (error) {
    request.destroy()
    throw signal.aborted ? signal.reason : networkError(error)
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** Maps errors of connections to `PageError`. */
export function networkError(error: unknown): PageError {
  if (error instanceof PageError) return error
  const code = String(errorCode(error) ?? '')
  if (certificateErrors.test(code)) {
    return new PageError('bad-certificate', 'The certificate of the site is not valid for it.', { cause: error })
  }
  const reason = reasons[code] ?? 'The connection failed.'
  return new PageError('unreachable', reason, { cause: error })
}

const certificateErrors =
  /CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY|DECRYPT)|HOSTNAME_MISMATCH|INVALID_(?:CA|PURPOSE)|PATH_LENGTH_EXCEEDED/

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The site refused the connection.',
  ECONNRESET: 'The site broke the connection.',
  EHOSTUNREACH: 'The site cannot be reached from here.',
  ENETUNREACH: 'The site cannot be reached from here.',
  ETIMEDOUT: 'The site did not answer.',
}
