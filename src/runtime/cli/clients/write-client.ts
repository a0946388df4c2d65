import { isObject } from '../../../lib/json.ts'
import type { ClientAddress } from '../../../page/client-snippets.ts'
import { claudeBinary } from '../../bun/claude-cli.ts'
import { addKey, readKeyFile } from '../../bun/key-file.ts'
import { ownProgram } from '../../shell/program.ts'
import type { Call } from '../command.ts'
import { changeOf, entryIn } from './client-file.ts'
import type { ClientRoads, KnownClient } from './known-clients.ts'

/** What became of a client's file. */
export interface WrittenClient {
  readonly outcome: 'written' | 'unchanged' | 'declined'
  /** Where the former file is. */
  readonly backup?: string | undefined
  /** The name of the key that was made for it. */
  readonly key?: string | undefined
}

/**
 * Shows what changes in a client's file, asks, makes a key where csp wants one and there is none yet, and writes it. The
 * file as it was is kept beside it. Throws a `UsageError` for a file that csp cannot read.
 */
export async function writeClient(
  call: Call,
  client: KnownClient,
  address: ClientAddress,
  say: (text: string) => void,
  isAgreed: () => Promise<boolean>,
): Promise<WrittenClient> {
  const { keyFile } = call.loaded.config
  const own = entryIn(client)
  const isNeeded = client.isServed && (await needsNewKey(keyFile, address, own))
  // The diff hides keys, so it is right before there is one.
  const trial = isNeeded ? { ...address, key: 'new' } : keyOf(own, address)
  const planned = changeOf(client, client.entry(roadsOf(call, trial)))
  if (!planned) {
    say('Searches with csp already.')
    return { outcome: 'unchanged' }
  }
  for (const line of planned.diff.trimEnd().split('\n')) say(line)
  if (!(await isAgreed())) return { outcome: 'declined' }
  const made = isNeeded ? await newKey(keyFile, client.id) : undefined
  const entry = made && client.entry(roadsOf(call, { ...address, key: made.key }))
  const backup = await (entry === undefined ? planned : changeOf(client, entry))?.write()
  say(`Written${backup ? `; the former file is ${backup}` : ''}${made ? `. Its key is "${made.name}"` : ''}.`)
  return { outcome: 'written', backup, key: made?.name }
}

/** How a client can reach the csp of a call. */
export function roadsOf({ shell, loaded }: Call, address: ClientAddress): ClientRoads {
  return {
    address,
    program: ownProgram(shell.environment, ['mcp']),
    claudeBin: claudeBinary(loaded.config, shell.environment),
  }
}

/** Whether csp wants a key, and neither the settings nor the client's file have one for this address. */
async function needsNewKey(keyFile: string, address: ClientAddress, own: unknown): Promise<boolean> {
  if (address.key !== undefined || keyOf(own, address).key !== undefined) return false
  return (await readKeyFile(keyFile)).length > 0
}

/** The address with the key that a client's entry has for it already. */
export function keyOf(own: unknown, address: ClientAddress): ClientAddress {
  if (address.key !== undefined || !isObject(own)) return address
  if ((own['url'] ?? own['uri']) !== `${address.url}/mcp`) return address
  const { headers } = own
  const header = isObject(headers) ? headers['Authorization'] : undefined
  const [, key] = typeof header === 'string' ? (/^Bearer (.+)$/.exec(header) ?? []) : []
  return { ...address, key }
}

/** A key named after a client; with a number behind it where there is one by that name. */
async function newKey(keyFile: string, id: string): Promise<{ readonly key: string; readonly name: string }> {
  const taken = (await readKeyFile(keyFile)).map(({ name }) => name)
  let name = id
  for (let number = 2; taken.includes(name); number++) name = `${id}-${number}`
  return { key: (await addKey(keyFile, name)).key, name }
}
