import { lookup } from 'node:dns/promises'
import { networkInterfaces } from 'node:os'
import { errorCode } from '@csp/lib/errors'
import { isLoopback } from '@csp/lib/url'
import { PageError } from '../page-error.ts'
import { isPublicAddress, plainAddressOf } from './addresses.ts'
import { notPublic, type PageUrl } from './page-url.ts'

/** The addresses of csp itself, and how names become addresses. */
export interface Network {
  /** All addresses of a name. The system's resolver by default. */
  readonly resolve?: ((host: string) => Promise<readonly string[]>) | undefined
  /** The ports and names of this csp, which it never reads. */
  readonly own?: { readonly ports: readonly number[]; readonly hosts: readonly string[] } | undefined
  /** The addresses of this machine, which pages are not read from unless they are opened by name. */
  readonly ownAddresses?: (() => readonly string[]) | undefined
}

/**
 * The addresses that a page may be asked for at. Throws unless every address of the name is public: a name with one
 * private address could mean that one. An opened host may have any address, except with a port of csp's own.
 */
export async function addressesFor(page: PageUrl, network: Network): Promise<readonly string[]> {
  const { resolve = resolveWithSystem, ownAddresses = addressesOfMachine, own } = network
  if (own?.hosts.includes(page.host) && !page.isOpened) throw notPublic()
  const addresses = page.isLiteral ? [page.host] : await resolve(page.host)
  if (addresses.length === 0) throw noSuchHost()
  const machine = new Set(ownAddresses().map(plainAddressOf))
  const isOwn = (address: string) => {
    const plain = plainAddressOf(address)
    return isThisMachine(plain) || machine.has(plain)
  }
  if (page.isOpened) {
    if (own?.ports.includes(page.port) && addresses.some(isOwn)) throw notPublic()
  } else if (addresses.some((address) => !isPublicAddress(address) || isOwn(address))) throw notPublic()
  return addresses
}

export function noSuchHost(cause?: unknown): PageError {
  return new PageError('unreachable', 'There is no such host.', { cause })
}

async function resolveWithSystem(host: string): Promise<readonly string[]> {
  try {
    return (await lookup(host, { all: true, order: 'ipv4first' })).map(({ address }) => address)
  } catch (error) {
    if (errorCode(error) === 'ENOTFOUND' || errorCode(error) === 'ENODATA') throw noSuchHost(error)
    throw new PageError('unreachable', 'The name of the host could not be resolved.', { cause: error })
  }
}

function addressesOfMachine(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((list) => list?.map(({ address }) => address) ?? [])
}

/** The unspecified address reaches the machine itself, too. */
function isThisMachine(address: string): boolean {
  return isLoopback(address) || address === '0.0.0.0' || address === '0:0:0:0:0:0:0:0'
}
