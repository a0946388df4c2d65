/**
 * Guards a csp without keys from the rest of the world. Its port is open on loopback only, but a reverse proxy, a tunnel or
 * an editor that forwards the port calls it from there for everyone who reaches them.
 */

/** The proxied requests that were refused since the start, for `/health`. */
export interface ProxyRefusals {
  last?: { readonly sign: string; readonly at: string } | undefined
}

/**
 * How a request shows that it came through a proxy: `the header x-forwarded-for`. `undefined`: it does not show. A proxy
 * that is configured to add nothing cannot be told from a program of this machine by every request, only by some.
 */
export function proxySign(headers: Headers): string | undefined {
  for (const name of headers.keys()) if (isForwarding(name)) return `the header ${name}`
  // What nginx makes of `proxy_pass` alone. These clients, and browsers, never ask for the connection to be closed.
  const isClosing = /\bclose\b/i.test(headers.get('connection') ?? '')
  const keepsOpen = headers.has('sec-fetch-mode') || /^curl\//i.test(headers.get('user-agent') ?? '')
  return isClosing && keepsOpen ? 'the header connection: close, which its client did not send' : undefined
}

/** The message for the caller, who can pass it on to the operator of csp. */
export function proxyRefusal(sign: string): string {
  return `This request came through a proxy (it has ${sign}), and csp has no keys, so everyone who can reach the proxy could search on its owner's subscription. Make a key on the machine that csp runs on, with csp keys add NAME, and send it as "Authorization: Bearer KEY".`
}

/** The address of this csp as its caller wrote it: a proxy says what it has changed. */
export function addressOf({ url, headers }: Request): string {
  const { protocol, host } = new URL(url)
  const [scheme] = /^https?$/.exec(headers.get('x-forwarded-proto') ?? '') ?? [protocol.slice(0, -1)]
  const [prefix] = /^(?:\/[\w.-]{1,64}){1,8}$/.exec(headers.get('x-forwarded-prefix') ?? '') ?? ['']
  return `${scheme}://${host}${prefix}`
}

const names = new Set([
  ...['forwarded', 'via', 'x-real-ip', 'x-client-ip', 'x-cluster-client-ip', 'x-proxyuser-ip', 'true-client-ip'],
  ...['client-ip', 'cdn-loop', 'fastly-client-ip', 'fly-client-ip', 'x-azure-clientip', 'x-appengine-user-ip'],
  ...['cf-connecting-ip', 'cf-connecting-ipv6', 'cf-ray', 'cf-visitor', 'cf-ipcountry'],
  ...['x-original-host', 'x-original-forwarded-for', 'x-originating-ip', 'x-remote-ip', 'x-remote-addr'],
])

const prefixes = ['x-forwarded-', 'tailscale-', 'ngrok-', 'x-ngrok-', 'x-envoy-']

function isForwarding(name: string): boolean {
  return names.has(name) || prefixes.some((prefix) => name.startsWith(prefix))
}
