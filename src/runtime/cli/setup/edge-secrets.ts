import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createKey } from '../../bun/key-file.ts'
import { parseStoredKeys, printStoredKeys } from '../../config/stored-keys.ts'
import type { Shell } from '../../shell/shell.ts'
import type { Wrangler } from './wrangler.ts'
import { mustSucceed, StepError, tick } from './wrangler.ts'

export interface Secrets {
  /** The new key for clients. Absent: the Worker has keys from before. */
  readonly key?: string | undefined
  /** Where this machine keeps what its login is signed with. */
  readonly secretFile: string
}

export interface PutSecretsOptions {
  readonly shell: Shell
  readonly wrangler: Wrangler
  /** The configuration of the Worker. */
  readonly file: string
  /** Where this machine keeps its half. */
  readonly folder: string
  /** The named keys of this machine. */
  readonly keyFile: string
  /** Whether new ones take the place of those that are there. */
  readonly isRenewed: boolean
}

/** Gives the Worker its secrets, by standard input. Those that it has stay, unless they are renewed. */
export async function putSecrets(options: PutSecretsOptions): Promise<Secrets> {
  const { shell, wrangler, file, folder, isRenewed } = options
  const secretFile = join(folder, 'connect-secret')
  const list = mustSucceed(await wrangler.run(['secret', 'list', '--config', file]), 'Listing the secrets')
  const isThere = (name: string) => !isRenewed && list.output.includes(`"${name}"`)
  const key = isThere('CSP_API_KEYS') ? undefined : createKey()
  // Without our half the other is of no use.
  const isPaired = isThere('CSP_CONNECT_SECRET') && existsSync(secretFile)
  const connectSecret = isPaired ? undefined : createKey()
  const namedKeys = namedKeysIn(options.keyFile)
  const fresh = {
    // Whoever has a key of this machine may use it on the edge, and nobody any more when it is revoked.
    ...(namedKeys !== undefined && { CSP_KEYS: namedKeys }),
    ...(namedKeys === undefined && list.output.includes('"CSP_KEYS"') && { CSP_KEYS: null }),
    ...(key !== undefined && { CSP_API_KEYS: key }),
    ...(connectSecret !== undefined && { CSP_CONNECT_SECRET: connectSecret }),
  }
  const names = Object.keys(fresh)
  if (names.length === 0) {
    tick(shell, 'the secrets are set already')
    return { secretFile }
  }
  // Whenever this ends in between, our half is missing, and the next run makes a new pair.
  if (connectSecret !== undefined) rmSync(secretFile, { force: true })
  const input = JSON.stringify(fresh)
  mustSucceed(await wrangler.run(['secret', 'bulk', '--config', file], { input }), 'Setting the secrets')
  if (connectSecret !== undefined) writeFileSync(secretFile, `${connectSecret}\n`, { mode: 0o600 })
  tick(shell, `secrets set: ${names.join(', ')}`)
  return { key, secretFile }
}

/** The keys of `csp keys`, on one line: hashes alone. Nothing where there are none. */
function namedKeysIn(path: string): string | undefined {
  if (!existsSync(path)) return undefined
  const keys = parseStoredKeys(readFileSync(path, 'utf8'))
  if (!keys) throw new StepError(`The key file ${path} is damaged. Mend it or move it away, and try again.`)
  return keys.length > 0 ? JSON.stringify(JSON.parse(printStoredKeys(keys))) : undefined
}
