import { resolve } from 'node:path'
import { type ClientAddress, isServed } from '../../../clients/client.ts'
import { settingsText } from '../../../clients/settings-text.ts'
import { clientAddress, clientAddresses, reportMissingKey } from '../../client-files/addresses.ts'
import { filesOf, removalsFor, takeOut } from '../../client-files/client-state.ts'
import { isFound, type KnownClient, knownClients } from '../../client-files/known-clients.ts'
import { keyOf, sayChanges, writeClient } from '../../client-files/write-client.ts'
import { UsageError } from '../../config/usage-error.ts'
import { readKeyFile } from '../../server/key-file.ts'
import { csp, docsPage } from '../../shell/program.ts'
import { wrapped } from '../../shell/wrapped-text.ts'
import { type Call, exitCodes } from '../command.ts'
import { askYesOrNo, confirm } from '../confirm.ts'
import { type OpenClawOptions, setUpOpenClaw } from './openclaw.ts'

/** How `csp setup CLIENT` was called. */
export interface ClientOptions extends OpenClawOptions {
  readonly file: string | undefined
  readonly write: boolean
  readonly undo: boolean
}

type ClientCall = Call & { readonly options: ClientOptions }
type Say = (text: string) => void

/** `csp setup CLIENT`. `undefined` for another name. */
export async function setUpClient(call: ClientCall, id: string): Promise<number | undefined> {
  const { shell, loaded, options } = call
  const found = knownClients(shell.environment, shell.directory).find((one) => one.id === id)
  if (!found) return undefined
  const client = withFile(found, options, shell.directory)
  const say = (text: string) => shell.output.write(wrapped(`${text}\n`, shell.output))
  const address = await clientAddress(loaded, options.url)
  if (options.undo) return undo(call, client, address, say)
  if (client.byPlugin) return setUpOpenClaw(call, client, address)
  if (options.print) {
    await print(call, client, address, say)
    return exitCodes.done
  }
  if (client.file === undefined) {
    await print(call, client, address, say)
    return tryByHand(call, client, address, say)
  }
  say(`${client.title}: ${client.file}`)
  if (options.file === undefined && client.trace && !isFound(client)) {
    say(`${client.title} was not found here: there is no ${client.trace}.`)
  }
  const { outcome } = await writeClient(call, client, address, say, () => mayWrite(call, id, say))
  if (outcome === 'declined') return exitCodes.done
  if (!isServed(client)) say(`${client.title} starts csp by itself. Restart it.`)
  if (outcome === 'written') sayAll(client.steps?.(clientAddresses(call, address)) ?? [], say)
  if (options.noSearch) return exitCodes.done
  return prove(call, client, keyOf(call, client, address), say)
}

/** The client with the file that the user named. */
function withFile(client: KnownClient, { file, write, undo }: ClientOptions, directory: string): KnownClient {
  const { unwritable, title, id, fileHint } = client
  if (unwritable && (file !== undefined || write || undo)) {
    throw new UsageError(`${unwritable} csp cannot write its configuration. ${csp} setup ${id} shows the steps.`)
  }
  if (file !== undefined) return { ...client, file: resolve(directory, file) }
  if (client.file === undefined && (write || undo)) {
    throw new UsageError(`Cannot locate ${title}'s configuration. Pass it with --file FILE, ${fileHint}.`)
  }
  return client
}

/** What stands in the client's files, and what to do by hand. */
async function print(call: ClientCall, client: KnownClient, given: ClientAddress, say: Say): Promise<void> {
  const { title, unwritable, fileHint, id } = client
  await reportMissingKey(call, `setup ${id}`)
  const needsKey = given.key === undefined && (await readKeyFile(call.loaded.config.keyFile)).length > 0
  const addresses = clientAddresses(call, needsKey && isServed(client) ? { ...given, key: 'YOUR-KEY' } : given)
  const nameless = client.file === undefined && fileHint !== undefined
  // For a client without a usual file, the first one is the one to be named.
  for (const file of filesOf(nameless ? { ...client, file: 'FILE' } : client, addresses)) {
    say(`${title}: ${file.file === file.beside ? `${file.beside}, beside it` : file.file}\n`)
    // To be copied as it is.
    call.shell.output.write(`${settingsText(file)}\n`)
  }
  if (unwritable) say(`${title}\n`)
  sayAll(client.steps?.(addresses) ?? [], say)
  if (nameless) say(`csp writes this with --file FILE: ${fileHint}.`)
  if (unwritable) say(unwritable)
  say(`More: ${docsPage(`clients/${id}.md`)}`)
}

/** For a client whose configuration csp does not write. */
async function tryByHand(call: ClientCall, client: KnownClient, address: ClientAddress, say: Say): Promise<number> {
  const { options, shell } = call
  if (options.noSearch) return exitCodes.done
  const question = `Try a search as ${client.title} makes it? It counts towards your plan.`
  const isWanted = options.yes || (await askYesOrNo(shell, question, { usual: 'yes' }))
  return isWanted ? prove(call, client, address, say) : exitCodes.done
}

async function prove(call: ClientCall, client: KnownClient, address: ClientAddress, say: Say): Promise<number> {
  const { proveSearch } = await import('../../client-files/prove-search.ts')
  const { url: own } = await clientAddress(call.loaded, undefined)
  const { environment } = call.shell
  const { ok, lines } = await proveSearch(client, address, own, { ...clientAddresses(call, address), environment })
  sayAll(lines, say)
  return ok ? exitCodes.done : exitCodes.failed
}

async function undo(call: ClientCall, client: KnownClient, address: ClientAddress, say: Say): Promise<number> {
  say(`${client.title}: ${client.file}`)
  const changes = removalsFor(client, clientAddresses(call, address))
  if (changes.every(({ diff }) => !diff)) {
    say('csp is not configured there.')
    return exitCodes.done
  }
  sayChanges(client, changes, say)
  if (await agrees(call, 'Take this out?')) {
    const advice = await takeOut(client, clientAddresses(call, address), call.shell.environment)
    say('Taken out.')
    if (advice) say(advice)
  }
  return exitCodes.done
}

/** Without a terminal, what would change is shown alone, unless `--write` or `--yes` wants more. */
async function mayWrite(call: ClientCall, id: string, say: Say): Promise<boolean> {
  const { options, shell } = call
  const question = 'Write this?'
  if (options.yes || options.write) return agrees(call, question)
  const isWanted = await askYesOrNo(shell, question, { usual: 'yes' })
  if (isWanted !== undefined) {
    if (!isWanted) say('Nothing was changed.')
    return isWanted
  }
  say(`Not a terminal: nothing was written. Run ${csp} setup ${id} --write --yes to write it.`)
  return false
}

/** Throws a `UsageError` where nobody can be asked. */
async function agrees({ shell, options }: ClientCall, question: string): Promise<boolean> {
  if (options.yes) return true
  const instead = 'Not a terminal: nothing was changed. Add --yes, or --print to see the entry alone.'
  return confirm(shell, question, { usual: 'yes', instead })
}

function sayAll(lines: readonly string[], say: Say): void {
  for (const line of lines) say(line)
}
