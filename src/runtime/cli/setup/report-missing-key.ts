import { readKeyFile } from '../../bun/keys/key-file.ts'
import type { Call } from '../command.ts'

/** Says how a client gets a key, where one will be asked for and none is at hand: of named keys only hashes are kept. */
export async function tellMissingKey({ shell, loaded }: Call, command: string): Promise<void> {
  if (loaded.config.apiKeys.length > 0 || (await readKeyFile(loaded.config.keyFile)).length === 0) return
  shell.errors.write(
    `csp asks for a key, and none is given here. Make one for this client:\n  CSP_API_KEYS=$(csp keys add NAME) csp ${command}\n`,
  )
}
