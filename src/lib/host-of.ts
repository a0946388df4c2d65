/** The host that a domain filter names: callers may write a scheme, `*.`, `www.` or a path around it. */
export function hostOf(domain: string): string {
  return domain
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/^(\*\.|www\.)/, '')
    .replace(/\/.*$/, '')
}
