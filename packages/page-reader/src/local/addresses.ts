import ipaddr from 'ipaddr.js'

/**
 * Whether an address belongs to the public internet: unicast, and no part of it set aside for private networks, this
 * machine, tests or tunnels. An IPv4 address inside an IPv6 one (mapped, or translated by NAT64) counts as itself.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text) || text.includes('%')) return false
  const address = innerAddress(ipaddr.parse(text))
  if (address.range() !== 'unicast' || cloudHosts.has(address.toNormalizedString())) return false
  return address.kind() === 'ipv4' || address.match(globalUnicast)
}

/** One spelling for each address, to compare by. */
export function plainAddressOf(text: string): string {
  return ipaddr.isValid(text) ? innerAddress(ipaddr.parse(text)).toNormalizedString() : text
}

/** Where clouds answer their own machines alone, though the address looks like any other: Azure's wire server. */
const cloudHosts: ReadonlySet<string> = new Set(['168.63.129.16'])

/** The only part of IPv6 from which public addresses have been given out. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

function innerAddress(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (!(address instanceof ipaddr.IPv6)) return address
  if (!address.isIPv4MappedAddress() && !address.match(nat64)) return address
  return new ipaddr.IPv4(address.toByteArray().slice(12))
}
