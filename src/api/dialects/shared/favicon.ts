/** Where a site keeps its icon by custom. The site's own address, so that no third party learns what was found. */
export function faviconOf(url: URL): string {
  return `${url.origin}/favicon.ico`
}
