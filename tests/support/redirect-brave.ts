/**
 * Preloaded into Brave's MCP server: its base URL is a constant, so what it sends there is sent to the address in
 * `TEST_BRAVE_URL` instead. The path, the headers and the rest of the server are its own.
 */
const base = process.env['TEST_BRAVE_URL'] ?? ''
const fetchAnywhere = globalThis.fetch

globalThis.fetch = Object.assign(
  (input: string | URL | Request, init?: RequestInit) => {
    const url = new URL(input instanceof Request ? input.url : input)
    if (url.origin !== 'https://api.search.brave.com') throw new Error(`Nothing else is called: ${url.origin}`)
    return fetchAnywhere(new URL(url.pathname + url.search, base), init)
  },
  { preconnect: fetchAnywhere.preconnect },
)
