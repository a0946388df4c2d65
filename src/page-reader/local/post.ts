import { PageError } from '../../domain/page.ts'
import { raced } from '../../lib/abort.ts'
import { addressesFor, type Network } from './network.ts'
import { checkPageUrl, type OpenedHosts } from './page-url.ts'
import { send } from './send.ts'

export interface PostOptions extends Network {
  readonly opened: OpenedHosts
  readonly userAgent: string
}

export interface Posted {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Sends a text to an address that an untrusted caller names, and returns the status of the reply, which is not read. The
 * address is checked as those of pages are, and the socket gets what was checked. No redirect is followed.
 */
export async function postTo(
  { url, headers, body }: Posted,
  options: PostOptions,
  signal: AbortSignal,
): Promise<number> {
  const both = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  try {
    const page = checkPageUrl(url, options.opened)
    const addresses = await raced(addressesFor(page, options), both)
    const all = { ...headers, 'user-agent': options.userAgent, connection: 'close' }
    const reply = await send({ url: page.url, addresses, headers: all, body, signal: both })
    reply.destroy()
    return reply.statusCode ?? 0
  } catch (error) {
    if (both.aborted && !signal.aborted) throw new PageError('timeout', 'The address took too long to answer.')
    throw error
  }
}

/** Throws a `PageError` for an address that nothing may be sent to. A name that cannot be resolved now may be later. */
export async function checkPostUrl(url: string, options: Pick<PostOptions, 'opened'> & Network): Promise<void> {
  const page = checkPageUrl(url, options.opened)
  try {
    await raced(addressesFor(page, options), AbortSignal.timeout(timeoutMs))
  } catch (error) {
    if (error instanceof PageError && error.code === 'not-allowed') throw error
  }
}

const timeoutMs = 10_000
