import { withoutBrackets } from '@csp/lib/url'
import { UsageError } from '../../config/usage-error.ts'
import type { Environment } from '../../shell/shell.ts'

/**
 * The proxy that the environment names for an address, read as curl reads it: `https_proxy` or `http_proxy`, then
 * `all_proxy`, in small or capital letters, unless `no_proxy` lists the host. Throws a `UsageError` for one that cannot
 * be used.
 */
export function proxyFor(address: string, environment: Environment): string | undefined {
  const url = new URL(address)
  const names = [`${url.protocol.slice(0, -1)}_proxy`, 'all_proxy']
  const [found] = names.flatMap((name) => [name, name.toUpperCase()]).filter((name) => environment[name])
  const value = found && environment[found]
  if (!value || isExempt(url, environment['no_proxy'] ?? environment['NO_PROXY'] ?? '')) return undefined
  const proxy = value.includes('://') ? value : `http://${value}`
  // Its value may hold a password, so the message does not repeat it.
  if (!/^https?:$/.test(URL.parse(proxy)?.protocol ?? ''))
    throw new UsageError(`${found} must be an address such as http://proxy.example.com:3128.`)
  return proxy
}

/** Whether the list names the host, a domain above it, or all hosts; an entry may add a port. */
function isExempt({ protocol, hostname, port }: URL, list: string): boolean {
  const host = withoutBrackets(hostname)
  const ownPort = port || (protocol === 'https:' ? '443' : '80')
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === '*') return true
    const [, name = '', entryPort] = /^(\[.*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? []
    const domain = withoutBrackets(name).replace(/^\*?\./, '')
    if (!domain || (entryPort !== undefined && entryPort !== ownPort)) return false
    return host === domain || host.endsWith(`.${domain}`)
  })
}
