import { type ClientAddress, isServed } from '../../clients/client.ts'
import { addKey, changeKeyFile, readKeyFile } from '../server/key-file.ts'
import { type ClientCall, clientAddresses } from './addresses.ts'
import { type ClientChange, changeOf } from './client-file.ts'
import { addressIn, filesOf, removalsFor, removeEmptyFolders } from './client-state.ts'
import type { KnownClient } from './known-clients.ts'

/** The outcome for a client's files. */
export interface WrittenClient {
  readonly outcome: 'written' | 'unchanged' | 'declined'
  /** The path of the former file. */
  readonly backup?: string | undefined
  /** The name of the key that was made for it. */
  readonly key?: string | undefined
}

/**
 * Shows what changes in a client's files, asks, makes a key where csp wants one and there is none yet, and writes them.
 * Each file as it was is kept beside it. Throws a `UsageError` for a file that csp cannot read.
 */
export async function writeClient(
  call: ClientCall,
  client: KnownClient,
  address: ClientAddress,
  say: (text: string) => void,
  isAgreed: () => Promise<boolean>,
): Promise<WrittenClient> {
  const { keyFile } = call.loaded.config
  const known = keyOf(call, client, address)
  const isNeeded = isServed(client) && known.key === undefined && (await readKeyFile(keyFile)).length > 0
  // The diff hides keys, so it is right before there is one.
  const planned = changesFor(call, client, isNeeded ? { ...address, key: 'new' } : known)
  if (planned.every(({ diff }) => !diff)) {
    say('Searches with csp already.')
    return { outcome: 'unchanged' }
  }
  sayChanges(client, planned, say)
  if (!(await isAgreed())) return { outcome: 'declined' }
  const made = isNeeded ? await newKey(keyFile, client.id) : undefined
  const changes = made ? changesFor(call, client, { ...address, key: made.key }) : planned
  const backups: string[] = []
  try {
    for (const change of changes) {
      const backup = await change.write()
      if (backup && change.diff) backups.push(backup)
    }
  } catch (error) {
    // Roll back: all files or none, and no orphaned key.
    for (const change of removalsFor(client, clientAddresses(call, address))) await change.write().catch(() => {})
    removeEmptyFolders(client)
    if (made) await changeKeyFile(keyFile, (keys) => keys.filter(({ name }) => name !== made.name))
    throw error
  }
  const copies = backups.length > 0 ? `; the former file is ${backups.join(', ')}` : ''
  say(`Written${copies}${made ? `. Its key is "${made.name}"` : ''}.`)
  return { outcome: 'written', backup: backups[0], key: made?.name }
}

/** Shows the changes of each file, with its name if there are several. */
export function sayChanges(
  { file: usual }: Pick<KnownClient, 'file'>,
  changes: readonly Pick<ClientChange, 'file' | 'diff'>[],
  say: (text: string) => void,
): void {
  for (const { file, diff } of changes) {
    if (!diff) continue
    if (file !== usual) say(file)
    for (const line of diff.trimEnd().split('\n')) say(line)
  }
}

/** The address with the key that a client's files have for it already. */
export function keyOf(call: ClientCall, client: KnownClient, address: ClientAddress): ClientAddress {
  if (address.key !== undefined) return address
  const present = addressIn(client, clientAddresses(call, address))
  return present?.url === address.url ? present : address
}

function changesFor(call: ClientCall, client: KnownClient, address: ClientAddress): readonly ClientChange[] {
  return filesOf(client, clientAddresses(call, address)).map(changeOf)
}

/** A key named after a client; with a number behind it where there is one by that name. */
async function newKey(keyFile: string, id: string): Promise<{ readonly key: string; readonly name: string }> {
  const taken = (await readKeyFile(keyFile)).map(({ name }) => name)
  let name = id
  for (let number = 2; taken.includes(name); number++) name = `${id}-${number}`
  return { key: (await addKey(keyFile, name)).key, name }
}
