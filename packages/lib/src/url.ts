import { hasUnseen } from './text.ts'

/**
 * A key under which two spellings of one page's address are equal: `host/path?query`, without scheme, `www.`, default
 * port, trailing slash, fragment and tracking parameters. A missing scheme counts as https. `undefined` when the text
 * is not an http or https address.
 */
export function normaliseUrl(text: string): string | undefined {
  const trimmed = text.trim().replaceAll('&amp;', '&')
  const url = parseUrl(withScheme.test(trimmed) ? trimmed : `https://${trimmed.replace(/^\/\//, '')}`)
  if (!url?.hostname || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined
  const user = url.username || url.password ? `${url.username}:${url.password}@` : ''
  const host = url.host.replace(/^www\./, '')
  return user + host + evenEscapes(url.pathname.replace(/\/$/, '') + keptQuery(url.search))
}

/** Equal for two addresses of one page, such as with and without tracking parameters, whatever the text is. */
export function pageKey(text: string): string {
  return normaliseUrl(text) ?? text
}

const withScheme = /^[a-z][a-z\d+.-]*:(?!\d)/i
/** What mailings and advertisements add to an address, and no site needs to show the page. */
const tracking = /^(?:utm_[^=]*|gclid|dclid|gbraid|wbraid|srsltid|fbclid|msclkid|mc_[ce]id)(?:=|$)/i

function keptQuery(search: string): string {
  const kept = search
    .slice(1)
    .split('&')
    .filter((part) => part && !tracking.test(part))
  return kept.length > 0 ? `?${kept.join('&')}` : ''
}

/** Models write `Foo_%28bar%29` for `Foo_(bar)`, because a parenthesis would end a Markdown link. */
function evenEscapes(path: string): string {
  return path.replace(/%[\da-f]{2}/gi, (octet) => plain[octet.toUpperCase()] ?? octet.toUpperCase())
}

const plain: Readonly<Record<string, string>> = {
  '%28': '(',
  '%29': ')',
  '%2D': '-',
  '%2E': '.',
  '%5F': '_',
  '%7E': '~',
}

/** Some clients reject a whole reply because of a longer one. */
const maxLength = 2048

/**
 * Whether an address may stand among the results: http or https, whole, without a user name or password, and without
 * characters that cannot be seen.
 */
export function isWebAddress(text: string): boolean {
  if (text.length > maxLength || !/^https?:\/\//i.test(text) || hasUnseen(text)) return false
  const url = parseUrl(text)
  return url !== null && !url.username && !url.password
}

/** The host that a domain filter names: callers may write a scheme, `*.`, `www.`, a path or a last dot around it. */
export function hostOf(domain: string): string {
  return domain
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/^(\*\.|www\.)/, '')
    .replace(/\/.*/s, '')
    .replace(/\.$/, '')
}

/** A URL below a base URL, with or without a slash at its end. */
export function joinUrl(base: string, path: string): URL {
  const url = new URL(base)
  url.pathname = `${withoutLastSlashes(url.pathname)}/${path}`
  url.search = ''
  url.hash = ''
  return url
}

/** A base URL as the log shows it and knowledge is kept under it: without credentials, query and last slash. */
export function plainUrl(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl)
  return origin + withoutLastSlashes(pathname)
}

/** A text without the slashes at its end. */
export function withoutLastSlashes(text: string): string {
  let end = text.length
  while (text[end - 1] === '/') end--
  return text.slice(0, end)
}

/**
 * `URL.parse`, which Node.js 20 does not have, for texts of others: a host that no name is as long as is refused, because a
 * runtime takes quadratic time to put the accents of one in order.
 */
export function parseUrl(text: string, base?: URL | string): URL | null {
  if (text.length > maxHostLength && hostLength(text) > maxHostLength) return null
  try {
    return new URL(text, base)
  } catch {
    return null
  }
}

/** Names of hosts have 253 letters at most; there may be a user name before one, and its letters may be escaped. */
const maxHostLength = 512

function hostLength(text: string): number {
  const plain = text.replace(/[\t\n\r]/g, '')
  return /^[\0- ]*(?:[a-z][a-z\d+.-]*:)?[/\\]*([^/\\?#]*)/i.exec(plain)?.[1]?.length ?? 0
}

/** Whether a host name or an address, with or without brackets, is this machine's own and reached from nowhere else. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\]|(?:0:){7}1)$/.test(host)
}

/** Whether a page led to a front page: sites send readers there of one that is gone, or behind a login. */
export function leadsElsewhere(url: string, finalUrl: string): boolean {
  const asked = parseUrl(url)
  const got = parseUrl(finalUrl)
  return asked !== null && got !== null && asked.pathname !== '/' && got.pathname === '/' && got.search === ''
}

/** A host without the brackets around an IPv6 address. */
export function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1')
}

/** A text without its percent encoding; unchanged if that is broken. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
