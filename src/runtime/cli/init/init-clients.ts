import { isServed } from '../../../clients/client.ts'
import { clientAddress } from '../../client-files/addresses.ts'
import { isFound, type KnownClient, knownClients } from '../../client-files/known-clients.ts'
import { openClawProgram, ownPluginFolder } from '../../client-files/openclaw-program.ts'
import { type WrittenClient, writeClient } from '../../client-files/write-client.ts'
import { meant, UsageError } from '../../config/usage-error.ts'
import { tableLines } from '../../shell/printed.ts'
import { writeOpenClaw } from '../setup/openclaw.ts'
import { answerTo, heading, type InitCall, isWanted, say } from './init-call.ts'

/** What became of a client. */
export interface ClientReport {
  readonly client: string
  readonly title: string
  readonly file: string
  readonly outcome: 'written' | 'unchanged' | 'declined' | 'failed'
  /** Where the former file is. */
  readonly backup?: string | undefined
  /** The name of the key that was made for it. */
  readonly key?: string | undefined
  readonly problem?: string | undefined
  readonly needsServer: boolean
}

/** A client that csp can set up. */
export interface ClientChoice extends KnownClient {
  readonly file: string
  readonly isFound: boolean
}

/** Writes what each of these clients needs to search with csp, one after the other. */
export async function setUpClients(call: InitCall, chosen: readonly ClientChoice[]): Promise<readonly ClientReport[]> {
  if (call.options.yes) heading(call, 'Clients')
  if (chosen.length === 0) say(call, '  None.')
  const reports: ClientReport[] = []
  for (const choice of chosen) {
    say(call, `${choice.title}: ${choice.file}`)
    reports.push(await setUpClient(call, choice))
  }
  return reports
}

/** Throws a `UsageError` if `--clients` names an unknown one: before anything is fetched. */
export function checkClients(call: InitCall): void {
  if (call.options.clients !== undefined) chosenBy(call.options.clients, choicesFor(call))
}

/** The clients that csp would set up by itself. */
export function foundClients(call: InitCall): readonly { readonly title: string; readonly file: string }[] {
  return choicesFor(call).filter(({ isFound }) => isFound)
}

function choicesFor({ shell: { environment, directory } }: InitCall): readonly ClientChoice[] {
  return knownClients(environment, directory).flatMap((client): readonly ClientChoice[] => {
    const { file } = client
    // Only csp setup can ask for a file that the user alone knows.
    if (file === undefined) return []
    const isOnPath = client.byPlugin && Bun.which(client.id, { PATH: environment['PATH'] ?? '' }) !== null
    return [{ ...client, file, isFound: isFound(client) || isOnPath === true }]
  })
}

/** Asks which clients shall search with csp. With `--yes` these are all that are found. */
export async function chooseClients(call: InitCall): Promise<readonly ClientChoice[]> {
  const { options, shell } = call
  const choices = choicesFor(call)
  if (!options.yes) heading(call, 'Clients')
  const found = choices.filter(({ isFound }) => isFound)
  if (options.clients !== undefined) return chosenBy(options.clients, choices)
  if (options.yes) return found
  const rows = choices.map(({ title, file, isFound }, index) => [`  ${index + 1}`, title, isFound ? 'found' : '', file])
  for (const line of tableLines(rows)) say(call, line)
  const usual = found.map((choice) => choices.indexOf(choice) + 1).join(',') || 'none'
  for (;;) {
    const reply = await answerTo(shell, `Which of them should search with csp? Numbers or names, or none [${usual}] `)
    // An answer to the usual question: yes to what is shown, or no.
    if (/^(?:y|yes)?$/i.test(reply)) return found
    if (/^no?$/i.test(reply)) return []
    try {
      return chosenBy(reply, choices)
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      say(call, `  ${error.message}`)
    }
  }
}

/** The clients of a list of names or numbers. Throws a `UsageError` for an unknown client. */
function chosenBy(text: string, choices: readonly ClientChoice[]): readonly ClientChoice[] {
  const words = text.split(/[\s,]+/).filter(Boolean)
  if (words.length === 1 && words[0] === 'none') return []
  const chosen = words.map((word) => {
    const found = choices.find(({ id }, index) => id === word.toLowerCase() || String(index + 1) === word)
    if (found) return found
    const names = choices.map(({ id }) => id)
    throw new UsageError(`csp knows no client "${word}". ${meant(word, names, `It knows ${names.join(', ')}.`)}`)
  })
  return [...new Set(chosen)]
}

async function setUpClient(call: InitCall, client: ClientChoice): Promise<ClientReport> {
  const { id, title, file } = client
  const about = { client: id, title, file, needsServer: isServed(client) }
  try {
    return { ...about, ...(await write(call, client)) }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    if (!call.options.yes && /cannot prompt/.test(error.message)) throw error
    say(call, `  ${error.message}`)
    return { ...about, outcome: 'failed', problem: error.message }
  }
}

async function write(call: InitCall, client: ClientChoice): Promise<Pick<ClientReport, 'outcome'> | WrittenClient> {
  const { yes } = call.options
  if (client.byPlugin) {
    // With its program here ours needs no further command, and starts csp with the gateway.
    const plugin =
      yes && ownPluginFolder() !== undefined && openClawProgram(call.shell.environment, client.file) !== undefined
    return { outcome: await writeOpenClaw({ ...call, options: { plugin, yes } }, client) }
  }
  const address = await clientAddress(call.loaded, undefined)
  return writeClient(
    call,
    client,
    address,
    (text) => say(call, `  ${text}`),
    () => isWanted(call, '  Write this?'),
  )
}
