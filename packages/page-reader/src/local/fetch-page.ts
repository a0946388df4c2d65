import type { IncomingMessage } from 'node:http'
import { raced } from '@csp/lib/abort'
import { parseUrl } from '@csp/lib/url'
import { PageError } from '../page-error.ts'
import { acceptedEncodings, type BodyLimit, readBody } from './body.ts'
import { addressesFor, type Network } from './network.ts'
import { checkPageUrl, type OpenedHosts, type PageUrl } from './page-url.ts'
import { send } from './send.ts'

export interface FetchOptions extends Network {
  readonly opened: OpenedHosts
  readonly userAgent: string
  /** For the network alone, all redirects together; 10 s by default. */
  readonly timeoutMs?: number | undefined
  /** Certificates to trust instead of the usual ones. */
  readonly ca?: string | undefined
  /** Sends each request; for tests of what it is given. */
  readonly send?: typeof send | undefined
}

export interface FetchRequest extends BodyLimit {
  readonly url: string
  readonly accept: string
  readonly language?: string | undefined
  /** Asked before each request, the redirected ones included. Throws when it must not be sent. */
  readonly allow?: ((url: URL) => Promise<void>) | undefined
}

export interface FetchReply {
  readonly url: URL
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Uint8Array<ArrayBuffer>
}

/**
 * Fetches what an untrusted caller names. Each address of the way, from the first to the last redirect, is checked and
 * resolved again, and the socket gets the addresses that were checked. Sends no cookies and no credentials.
 */
export async function fetchPage(request: FetchRequest, options: FetchOptions): Promise<FetchReply> {
  const { signal } = request
  let page = checkPageUrl(request.url, options.opened)
  let msLeft = options.timeoutMs ?? usualTimeoutMs
  for (let hops = 0; hops <= maxRedirects; hops++) {
    await request.allow?.(page.url)
    const startedAt = performance.now()
    const inTime = AbortSignal.timeout(Math.max(1, msLeft))
    const both = AbortSignal.any([signal, inTime])
    try {
      const reply = await ask(page, request, options, both)
      try {
        const next = redirectOf(reply, page, options.opened)
        if (!next) {
          const body = await readBody(reply, { ...request, signal: both })
          return { url: page.url, status: reply.statusCode ?? 0, headers: reply.headers, body }
        }
        page = next
      } finally {
        reply.destroy()
      }
    } catch (error) {
      if (inTime.aborted && !signal.aborted) throw new PageError('timeout', 'The site took too long to answer.')
      throw error
    }
    msLeft -= performance.now() - startedAt
  }
  throw new PageError('unreachable', `The site redirected more than ${maxRedirects} times.`)
}

const usualTimeoutMs = 10_000
const maxRedirects = 5

async function ask(
  page: PageUrl,
  { accept, language }: FetchRequest,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  // A resolver cannot be stopped, so it is not waited for.
  const addresses = await raced(addressesFor(page, options), signal)
  const headers = {
    'user-agent': options.userAgent,
    accept,
    'accept-encoding': acceptedEncodings,
    ...(language !== undefined && /^[\w\-,;=.* ]{1,200}$/.test(language) && { 'accept-language': language }),
    connection: 'close',
  }
  return (options.send ?? send)({ url: page.url, addresses, headers, signal, ca: options.ca })
}

/** Where a reply sends its reader, checked like the first address. */
function redirectOf(reply: IncomingMessage, from: PageUrl, opened: OpenedHosts): PageUrl | undefined {
  const { statusCode = 0, headers } = reply
  if (![301, 302, 303, 307, 308].includes(statusCode)) return undefined
  const target = headers.location === undefined ? null : parseUrl(headers.location, from.url)
  if (!target) throw new PageError('site-failed', 'The redirect of the site has no address.', { status: statusCode })
  const to = checkPageUrl(target.href, opened)
  checkStep(from.url, to.url)
  return to
}

/** Throws where a site sends its reader on without the encryption that it had. */
export function checkStep(from: URL, to: URL): void {
  if (from.protocol === 'https:' && to.protocol === 'http:') {
    throw new PageError('unreachable', 'The site redirected from https to http, which is not followed.')
  }
}
