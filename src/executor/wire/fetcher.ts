/** What carries requests to a csp elsewhere: an address with a key, or a tunnel. Only the path of a URL means anything. */
export interface Fetcher {
  fetch(request: Request): Promise<Response>
}
