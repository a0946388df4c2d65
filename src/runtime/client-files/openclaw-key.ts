import { withoutLastSlashes } from '@csp/lib/url'
import { digestOf } from '../../api/http/auth.ts'
import type { ClientAddress, ClientAddresses } from '../../clients/client.ts'
import type { LoadedConfig } from '../config/config.ts'
import { readKeyFile } from '../server/key-file.ts'
import { addressIn, waysOf } from './client-state.ts'
import type { KnownClient } from './known-clients.ts'

type Keys = Pick<LoadedConfig['config'], 'apiKeys' | 'keyFile'>

/**
 * The key that OpenClaw is to send: the one that it has for csp already, if csp still takes it, otherwise the first of
 * the settings. One for another address is not csp's, and is not sent to it.
 */
export async function keyFor(client: KnownClient, addresses: ClientAddresses, keys: Keys): Promise<string | undefined> {
  const { url } = addresses.address
  const present = waysOf(client).flatMap((way) => addressIn(way, addresses) ?? [])
  const kept = present.find((found) => found.key !== undefined && withoutLastSlashes(found.url) === url)?.key
  if (kept !== undefined && (await isTaken(url, kept, keys))) return kept
  return keys.apiKeys[0] ?? kept
}

/** Whether csp would refuse every search with this key: the one that runs says so, otherwise its keys do. */
export async function isRefused({ url, key }: ClientAddress, { keyFile }: Keys): Promise<boolean> {
  const said = await verdictOf(url, key)
  if (said !== undefined) return said === 'refused'
  return key === undefined && (await readKeyFile(keyFile)).length > 0
}

async function isTaken(url: string, key: string, { apiKeys, keyFile }: Keys): Promise<boolean> {
  const said = await verdictOf(url, key)
  if (said !== undefined) return said === 'taken'
  if (apiKeys.includes(key)) return true
  const digest = await digestOf(key)
  return (await readKeyFile(keyFile)).some((stored) => stored.digest === digest)
}

/** Whether a key opens the server at an address. `undefined` if nobody answers. */
export async function verdictOf(url: string, key: string | undefined): Promise<'taken' | 'refused' | undefined> {
  try {
    const { status } = await fetch(`${url}/v1/models`, {
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      redirect: 'manual',
      signal: AbortSignal.timeout(5000),
    })
    return status === 401 || status === 403 ? 'refused' : 'taken'
  } catch {
    return undefined
  }
}
