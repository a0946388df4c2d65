/** Where a site keeps its icon by custom. The site's own address, so that no third party learns what was found. */
export function faviconOf(url: string): string | undefined {
  const site = URL.parse(url)
  return site ? `${site.origin}/favicon.ico` : undefined
}
