/** The address of something below a base, whether that ends with a slash or not. */
export function under(base: string, path: string): URL {
  const url = new URL(base)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`
  url.search = ''
  url.hash = ''
  return url
}
