/** The hosts that a search may find pages on: the sandbox's own, or the allowed ones that are reserved for examples. */
export function siteHosts(allowed: readonly string[], blocked: readonly string[]): readonly string[] {
  const hosts = allowed.length > 0 ? new Set(allowed.map(hostOf).filter(isReserved)) : ownHosts
  return [...hosts].filter((host) => !blocked.some((domain) => isUnder(host, hostOf(domain))))
}

/** A path for the n-th page. Some have a query string, one has brackets of its own. */
export function sitePath(place: number, slug: string): string {
  return paths[place % paths.length]?.(slug) ?? `/${slug}`
}

const ownHosts = [
  'www.example.org',
  'news.example',
  'docs.example.com',
  'encyclopedia.example',
  'example.net',
  'forum.example',
  'blog.example.org',
  'archive.example',
  'example.com',
  'journal.example.net',
]

const paths: readonly ((slug: string) => string)[] = [
  (slug) => `/${slug}`,
  (slug) => `/articles/${slug}.html`,
  (slug) => `/search/view?id=${slug}&ref=sandbox`,
  (slug) => `/wiki/${slug}_(sandbox)`,
  (slug) => `/2024/05/${slug}/`,
  (slug) => `/questions/4711/${slug}`,
  (slug) => `/read?page=${slug}`,
]

function isReserved(host: string): boolean {
  return /^([a-z0-9-]+\.)+example$|^([a-z0-9-]+\.)*example\.(com|net|org)$/.test(host)
}

function isUnder(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`)
}

/** Callers may write a scheme, a path or a leading wildcard; the host decides. */
function hostOf(domain: string): string {
  return domain
    .trim()
    .toLowerCase()
    .replace(/^[a-z]+:\/\//, '')
    .replace(/^(\*\.)+/, '')
    .replace(/[/:].*$/, '')
}
