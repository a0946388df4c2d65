import { networkInterfaces } from 'node:os'
import { isLoopback } from '@csp/lib/url'
import { renderUnicodeCompact } from 'uqr'
import type { Config } from '../../config/settings.ts'
import { isEverywhere, listeningHosts, urlOf } from '../../server/addresses.ts'
import { csp } from '../../shell/program.ts'
import { isDumb } from '../../shell/terminal.ts'
import { wrapped } from '../../shell/wrapped-text.ts'
import type { Call } from '../command.ts'
import { servingCsp } from './serving.ts'

type Interfaces = ReturnType<typeof networkInterfaces>

/** Prints how a phone opens the page with a new key: a QR code, or what is missing for one. */
export async function offerPhone(key: string, { shell, loaded }: Pick<Call, 'shell' | 'loaded'>): Promise<void> {
  const { running, config } = await servingCsp({ shell, loaded })
  const [address] = outerAddresses(config)
  if (address === undefined) {
    shell.errors.write(wrapped(`${unreachable()}\n`, shell.errors))
    return
  }
  const link = `${address}/#${new URLSearchParams({ key, remember: 'on' })}`
  const picture = isDumb(shell.environment) ? '' : qrCode(link, shell.errors.columns)
  const start = running ? '' : ` csp does not run yet: ${csp} start.`
  shell.errors.write(
    `\nOn a phone or another computer ${picture ? 'scan this, or open' : 'open'} the link below; the page keeps the key there.${start}\n${picture}${link}\n`,
  )
}

/** Where other devices reach a csp with these settings, the likeliest address first; none where they cannot. */
export function outerAddresses(
  { host, port, allowedHosts }: Pick<Config, 'host' | 'port' | 'allowedHosts'>,
  interfaces: Interfaces = networkInterfaces(),
): readonly string[] {
  const beyond = listeningHosts(host).filter((address) => !isLoopback(address))
  const names = allowedHosts.filter((name) => !isOfThisMachine(name))
  // A csp that takes some names is called by no others. On loopback alone, a proxy with a certificate stands in front.
  if (names.length > 0 && beyond.length === 0) return names.map((name) => `https://${name}`)
  if (names.length > 0) return names.map((name) => (/:\d+$/.test(name) ? `http://${name}` : `http://${name}:${port}`))
  if (allowedHosts.some((name) => name !== '*')) return []
  const local = new Set(addressesOf(interfaces, true))
  const own = addressesOf(interfaces, false)
  const addresses = beyond.flatMap((address) => (isEverywhere(address) ? own : [address]))
  return [...new Set(addresses)].filter((address) => !local.has(address)).map((address) => urlOf(address, port))
}

/** `*` is no name, and containers call their host by names that mean nothing elsewhere. */
function isOfThisMachine(name: string): boolean {
  const host = name.replace(/:\d+$/, '')
  return host === '*' || isLoopback(host) || host.endsWith('.internal')
}

/** Addresses of IPv4, either of networks within this machine or of the others. */
function addressesOf(interfaces: Interfaces, isWithin: boolean): readonly string[] {
  return Object.entries(interfaces).flatMap(([name, addresses = []]) =>
    addresses
      .filter(({ family, internal }) => family === 'IPv4' && (internal || virtualNetwork.test(name)) === isWithin)
      .map(({ address }) => address),
  )
}

/** Networks of containers and virtual machines. */
const virtualNetwork = /^(?:docker|br-|veth|virbr|cni|podman|vmnet|vEthernet)/

function unreachable(): string {
  const [address] = addressesOf(networkInterfaces(), false)
  return [
    'Other devices, such as a phone, cannot reach csp as it is configured. Start it with one of these:',
    `  ${csp} start --host ${address ?? 'ADDRESS'}    # the address of this machine in your network`,
    `  ${csp} start --allowed-hosts NAME    # behind Tailscale or another proxy that is called NAME`,
    'Then open its address with /#key=KEY there.',
  ].join('\n')
}

/** Dark on light, whatever the colours of the terminal. Empty where it does not fit. */
function qrCode(text: string, columns: number): string {
  const lines = renderUnicodeCompact(text, { border: 2 }).split('\n')
  if ((lines[0]?.length ?? 0) > columns) return ''
  return lines.map((line) => `\u001b[97;40m${line}\u001b[0m\n`).join('')
}
