import { isLoopback, withoutBrackets } from '@csp/lib/url'

/**
 * All addresses that a server listens on: the named ones, and loopback, without which programs of this machine would
 * not find it. Those that another one includes are left out.
 */
export function listeningHosts(named: readonly string[]): readonly string[] {
  const hosts = [...new Set(named.map(withoutBrackets))]
  if (hosts.includes('::')) return ['::']
  if (hosts.includes('0.0.0.0')) return hosts.filter((host) => host === '0.0.0.0' || host.includes(':'))
  return hosts.some(isLoopback) ? hosts : ['127.0.0.1', ...hosts]
}

/** The address at which programs of this machine reach a server that listens on `named`. */
export function localUrl(named: readonly string[], port: number): string {
  const hosts = listeningHosts(named)
  const host = hosts.find((one) => isEverywhere(one) || isLoopback(one)) ?? '127.0.0.1'
  return urlOf(isEverywhere(host) ? '127.0.0.1' : host, port)
}

/** Whether an address to listen on means all of this machine's. */
export function isEverywhere(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}

/** The address of a server as clients write it. */
export function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** The address at which programs of this machine reach a server. */
export function reachable(url: string): string {
  return url.replace(/^http:\/\/(?:0\.0\.0\.0|\[::\])(?=:)/, 'http://127.0.0.1')
}
