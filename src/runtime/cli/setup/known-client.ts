import { stringify } from 'yaml'
import type { ClientAddress } from '../../../page/client-snippets.ts'
import { asCalled } from '../../shell/program.ts'
import { changeOf, entryIn } from '../clients/client-file.ts'
import { type KnownClient, knownClients } from '../clients/known-clients.ts'
import { keyOf, roadsOf, writeClient } from '../clients/write-client.ts'
import { type Call, exitCodes } from '../command.ts'
import { confirm } from '../confirm.ts'
import { clientAddress } from './clients.ts'

/** How `csp setup CLIENT` was called. */
export interface KnownClientOptions {
  readonly url: string | undefined
  readonly file: string | undefined
  readonly print: boolean
  readonly undo: boolean
  readonly yes: boolean
  readonly noSearch: boolean
}

type ClientCall = Call & { readonly options: KnownClientOptions }

/** `csp setup CLIENT`, for the clients whose file csp can write. `undefined` for another name. */
export async function setupKnownClient(call: ClientCall, id: string): Promise<number | undefined> {
  const { shell, loaded, options } = call
  const found = knownClients(shell.environment).find((one) => one.id === id)
  if (!found) return undefined
  const client = options.file === undefined ? found : { ...found, file: options.file }
  const say = (text: string) => shell.output.write(asCalled(`${text}\n`, shell.program))
  const isAgreed = (question: string) => agrees(call, question)
  const address = clientAddress(loaded.config, options.url)
  if (options.print) return printEntry(call, client, address)
  say(`${client.title}: ${client.file}`)
  if (options.undo) return takeOut(client, say, isAgreed)
  const { outcome } = await writeClient(call, client, address, say, () => isAgreed('Write this?'))
  if (outcome === 'declined') return exitCodes.done
  if (!client.isServed) say(`${client.title} starts csp by itself. Restart it.`)
  if (options.noSearch || !client.isServed) return exitCodes.done
  const { proveSearch } = await import('../clients/prove-search.ts')
  const proof = await proveSearch(keyOf(entryIn(client), address))
  say(proof.text)
  return proof.ok ? exitCodes.done : exitCodes.failed
}

function printEntry(call: ClientCall, client: KnownClient, address: ClientAddress): number {
  const [group, name] = client.path
  const value = { [group]: { [name]: client.entry(roadsOf(call, address)) } }
  const text = /\.ya?ml$/.test(client.file) ? stringify(value) : `${JSON.stringify(value, null, 2)}\n`
  call.shell.output.write(`${client.title}: ${client.file}\n\n${text}`)
  return exitCodes.done
}

async function takeOut(
  client: KnownClient,
  say: (text: string) => void,
  isAgreed: (question: string) => Promise<boolean>,
): Promise<number> {
  const change = changeOf(client)
  if (!change) {
    say('It has nothing of csp.')
    return exitCodes.done
  }
  for (const line of change.diff.trimEnd().split('\n')) say(line)
  if (await isAgreed('Take this out?')) {
    await change.write()
    say('Taken out.')
  }
  return exitCodes.done
}

/** Throws a `UsageError` where nobody can be asked. */
async function agrees({ shell, options }: ClientCall, question: string): Promise<boolean> {
  if (options.yes) return true
  const instead = 'Nobody can be asked here: add --yes, or --print to see the entry alone.'
  return confirm(shell, question, { usual: 'yes', instead })
}
