import { withoutLastSlashes } from '@csp/lib/url'

/** Sends requests to another csp: to an address with a key, or through a tunnel. Only the path of a URL is used. */
export interface Fetcher {
  fetch(request: Request): Promise<Response>
}

/** Sends requests to a csp at an address, with its key as a bearer token. A path of the address is kept as a prefix. */
export function urlFetcher(address: string, key?: string): Fetcher {
  const base = withoutLastSlashes(address)
  return {
    fetch(request) {
      const { pathname, search } = new URL(request.url)
      const carried = new Request(`${base}${pathname}${search}`, request)
      if (key) carried.headers.set('authorization', `Bearer ${key}`)
      return fetch(carried)
    },
  }
}
