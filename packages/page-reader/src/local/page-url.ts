import { parseUrl, withoutBrackets } from '@csp/lib/url'
import ipaddr from 'ipaddr.js'
import { PageError } from '../page-error.ts'
import { isPublicAddress } from './addresses.ts'

/** Hosts that may be read although they are not public, each with the ports that are open. */
export type OpenedHosts = ReadonlyMap<string, ReadonlySet<number>>

/** Reads entries such as `wiki.intranet`, `10.0.0.7:8080` and `[fd00::7]:80`. Without a port, 80 and 443 are opened. */
export function openedHosts(entries: readonly string[]): OpenedHosts {
  const hosts = new Map<string, Set<number>>()
  for (const entry of entries) {
    const url = parseOpened(entry)
    if (!url) continue
    const ports = hosts.get(hostOf(url)) ?? new Set()
    for (const port of portIn(entry) ?? webPorts) ports.add(port)
    hosts.set(hostOf(url), ports)
  }
  return hosts
}

/** An address that may be asked, as far as can be said without resolving its name. */
export interface PageUrl {
  readonly url: URL
  readonly host: string
  readonly port: number
  /** Its host and port are opened by name, so that its address need not be public. */
  readonly isOpened: boolean
  /** The host is an address itself, which needs no resolving. */
  readonly isLiteral: boolean
}

/**
 * Checks an address before anything is sent: scheme, credentials, port, and addresses in place of names, in every
 * spelling that the URL standard knows (`2130706433`, `0x7f.1`, `0177.0.0.1`). Throws a `PageError`.
 */
export function checkPageUrl(text: string, opened: OpenedHosts): PageUrl {
  const url = text.length <= maxUrlLength ? parseUrl(text.trim()) : null
  if (!url) throw new PageError('invalid-url', 'This is not the address of a page, such as https://example.org/page.')
  if (!isWeb(url)) throw new PageError('invalid-url', 'Only pages at http:// and https:// addresses can be read.')
  if (url.username || url.password) {
    throw new PageError('invalid-url', 'The address may not contain a user name or password.')
  }
  url.hash = ''
  const host = hostOf(url)
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
  const isOpened = opened.get(host)?.has(port) ?? false
  if (!isOpened && !webPorts.includes(port)) {
    throw new PageError('invalid-url', `Only the ports 80 and 443 can be read, not ${port}.`)
  }
  const isLiteral = ipaddr.isValid(host)
  const isPrivate = isLiteral ? !isPublicAddress(host) : isLocalName(host)
  if (!isOpened && isPrivate) throw notPublic()
  return { url, host, port, isOpened, isLiteral }
}

/** The error for an address inside a private network. */
export function notPublic(): PageError {
  const message = 'The address is not on the public internet. The operator can open it by name.'
  return new PageError('not-allowed', message, { remedy: 'open-host' })
}

const maxUrlLength = 8192
const webPorts: readonly number[] = [80, 443]

function isWeb({ protocol }: URL): boolean {
  return protocol === 'http:' || protocol === 'https:'
}

/** In lower case, without brackets and without the dot of a full name. */
function hostOf({ hostname }: URL): string {
  return withoutBrackets(hostname).replace(/\.$/, '')
}

/** Names that mean this machine or its network wherever they are resolved. */
function isLocalName(host: string): boolean {
  return /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/.test(host)
}

function parseOpened(entry: string): URL | undefined {
  const url = /[/?#@\s]/.test(entry) ? null : parseUrl(`http://${entry}`)
  return url?.hostname ? url : undefined
}

function portIn(entry: string): readonly number[] | undefined {
  const digits = /:(\d+)$/.exec(entry)?.[1]
  return digits === undefined ? undefined : [Number(digits)]
}
