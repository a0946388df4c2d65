import { digestOf } from '../../../api/http/auth.ts'
import { readKeyFile } from '../../bun/key-file.ts'
import type { LoadedConfig } from '../../config/config.ts'
import { keyFor, type OpenClawConfig, type OpenClawWish } from './openclaw-config.ts'

type Keys = Pick<LoadedConfig['config'], 'apiKeys' | 'keyFile'>

/**
 * The key that OpenClaw is to send: the one that it has for csp already, if csp still takes it, otherwise the first of
 * the settings. The Brave plugin insists on one.
 */
export async function keyOf(
  plugin: OpenClawWish['plugin'],
  url: string,
  config: OpenClawConfig,
  keys: Keys,
): Promise<string | undefined> {
  const other = plugin === 'csp' ? 'brave' : 'csp'
  const present = [keyFor({ plugin, url }, config), keyFor({ plugin: other, url }, config)]
  const kept = present.find((key) => key !== undefined && key !== anyKey)
  if (kept !== undefined && (await isTaken(url, kept, keys))) return kept
  return keys.apiKeys[0] ?? kept ?? (plugin === 'brave' ? anyKey : undefined)
}

/** Whether csp would refuse every search with this key: the one that runs says so, otherwise its keys do. */
export async function isRefused({ url, key }: OpenClawWish, { keyFile }: Keys): Promise<boolean> {
  const said = await verdictOf(url, key)
  if (said !== undefined) return said === 'refused'
  return (key === undefined || key === anyKey) && (await readKeyFile(keyFile)).length > 0
}

async function isTaken(url: string, key: string, { apiKeys, keyFile }: Keys): Promise<boolean> {
  const said = await verdictOf(url, key)
  if (said !== undefined) return said === 'taken'
  if (apiKeys.includes(key)) return true
  const digest = await digestOf(key)
  return (await readKeyFile(keyFile)).some((stored) => stored.digest === digest)
}

/** Whether a key opens the server at an address. `undefined` where nobody answers. */
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

/** What a client sends that must send something, to a csp without keys. */
const anyKey = 'local'
