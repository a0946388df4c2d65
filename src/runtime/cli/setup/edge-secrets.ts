import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseStoredKeys, printStoredKeys } from '../../config/stored-keys.ts'
import { CommandError } from '../../config/usage-error.ts'
import { createKey } from '../../server/key-file.ts'
import type { Shell } from '../../shell/shell.ts'
import type { Wrangler } from './wrangler.ts'
import { mustSucceed, tick } from './wrangler.ts'

export interface PutSecretsOptions {
  readonly shell: Shell
  readonly wrangler: Wrangler
  /** The configuration of the Worker. */
  readonly file: string
  /** The folder on this machine for its copy of the secret. */
  readonly folder: string
  /** The named keys of this machine. */
  readonly keyFile: string
  /** Whether existing secrets are replaced. */
  readonly isRenewed: boolean
}

/** Sends the Worker its secrets over standard input. Existing ones stay, unless they are renewed. Resolves to the new key for clients, if one was made. */
export async function putSecrets(options: PutSecretsOptions): Promise<string | undefined> {
  const { shell, wrangler, file, folder, isRenewed } = options
  const secretFile = join(folder, 'connect-secret')
  const list = mustSucceed(await wrangler.run(['secret', 'list', '--config', file]), 'Listing the secrets')
  const isThere = (name: string) => !isRenewed && list.output.includes(`"${name}"`)
  const key = isThere('CSP_API_KEYS') ? undefined : createKey()
  // The Worker's copy is of no use without the one on this machine.
  const isPaired = isThere('CSP_CONNECT_SECRET') && existsSync(secretFile)
  const connectSecret = isPaired ? undefined : createKey()
  const namedKeys = namedKeysIn(options.keyFile)
  const fresh = {
    // The keys of this machine also work on the edge, until they are revoked.
    ...(namedKeys !== undefined && { CSP_KEYS: namedKeys }),
    ...(namedKeys === undefined && list.output.includes('"CSP_KEYS"') && { CSP_KEYS: null }),
    ...(key !== undefined && { CSP_API_KEYS: key }),
    ...(connectSecret !== undefined && { CSP_CONNECT_SECRET: connectSecret }),
  }
  const names = Object.keys(fresh)
  if (names.length === 0) {
    tick(shell, 'the secrets are already set')
    return undefined
  }
  // If csp ends before the file is written, the next run creates a new pair.
  if (connectSecret !== undefined) rmSync(secretFile, { force: true })
  const input = JSON.stringify(fresh)
  mustSucceed(await wrangler.run(['secret', 'bulk', '--config', file], { input }), 'Setting the secrets')
  if (connectSecret !== undefined) writeFileSync(secretFile, `${connectSecret}\n`, { mode: 0o600 })
  tick(shell, `secrets set: ${names.join(', ')}`)
  return key
}

/** The keys of `csp keys` on one line, as hashes. `undefined` if there are none. */
function namedKeysIn(path: string): string | undefined {
  if (!existsSync(path)) return undefined
  const keys = parseStoredKeys(readFileSync(path, 'utf8'))
  if (!keys) throw new CommandError(`The key file ${path} is damaged. Repair or move it, and try again.`)
  return keys.length > 0 ? JSON.stringify(JSON.parse(printStoredKeys(keys))) : undefined
}
