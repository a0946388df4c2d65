import { parseUrl } from './url.ts'

/** Sites that may be visited, or may not: `example.com` with its subdomains, `example.com/docs` with what lies below. */
export interface DomainLists {
  readonly allowed?: readonly string[] | undefined
  readonly blocked?: readonly string[] | undefined
}

/** Whether both lists let an address be visited. A list without entries is none. */
export function mayVisit(url: URL, { allowed = [], blocked = [] }: DomainLists): boolean {
  const holds = (entry: string) => isBelow(url, entry)
  return !blocked.some(holds) && (allowed.length === 0 || allowed.some(holds))
}

/** The host of an entry as addresses have it: in small letters, in Punycode, without a dot at its end. */
export function hostOfEntry(entry: string): string {
  return hostOf(entryUrl(entry))
}

function isBelow(url: URL, entry: string): boolean {
  const place = entryUrl(entry)
  const wanted = hostOf(place)
  const host = hostOf(url)
  if (wanted === '' || (host !== wanted && !host.endsWith(`.${wanted}`))) return false
  return `${url.pathname}/`.startsWith(place?.pathname.replace(/[^/]$/, '$&/') ?? '/')
}

function entryUrl(entry: string): URL | null {
  const bare = entry.trim().replace(/^(?:[a-z]+:)?\/\//i, '')
  return parseUrl(`http://${bare.replace(/^\*\./, '')}`)
}

function hostOf(url: URL | null): string {
  return url?.hostname.replace(/\.$/, '') ?? ''
}
