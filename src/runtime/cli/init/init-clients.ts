import { existsSync } from 'node:fs'
import { nearest, UsageError } from '../../config/usage-error.ts'
import type { KnownClient } from '../clients/known-client.ts'
import { knownClients } from '../clients/known-clients.ts'
import { writeClient } from '../clients/write-client.ts'
import { clientAddress } from '../setup/client-address.ts'
import { writeOpenClaw } from '../setup/openclaw.ts'
import { openClawConfigPath } from '../setup/openclaw-config.ts'
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

interface Choice {
  readonly id: string
  readonly title: string
  readonly file: string
  readonly isFound: boolean
  setUp(call: InitCall): Promise<ClientReport>
}

/** Asks which clients shall search with csp, and writes what each needs, one after the other. */
export async function setUpClients(call: InitCall): Promise<readonly ClientReport[]> {
  const choices = choicesFor(call)
  heading(call, 'Clients')
  const chosen = await choose(call, choices)
  if (chosen.length === 0) say(call, '  None.')
  const reports: ClientReport[] = []
  for (const choice of chosen) {
    say(call, `${choice.title}: ${choice.file}`)
    reports.push(await choice.setUp(call))
  }
  return reports
}

function choicesFor({ shell: { environment, directory } }: InitCall): readonly Choice[] {
  const openClaw = openClawConfigPath(environment)
  const hasOpenClaw = existsSync(openClaw) || Bun.which('openclaw', { PATH: environment['PATH'] ?? '' }) !== null
  return [
    ...knownClients(environment, directory).flatMap((client): readonly Choice[] => {
      const { id, title, file, traces } = client
      // Only csp setup can ask for a file that the user alone knows.
      if (file === undefined) return []
      const isFound = traces.some((path) => existsSync(path))
      return [{ id, title, file, isFound, setUp: (call) => setUpClient(call, client, file) }]
    }),
    {
      id: 'openclaw',
      title: 'OpenClaw',
      file: openClaw,
      isFound: hasOpenClaw,
      setUp: (call) => setUpOpenClaw(call, openClaw),
    },
  ]
}

async function choose(call: InitCall, choices: readonly Choice[]): Promise<readonly Choice[]> {
  const { options, shell } = call
  const found = choices.filter(({ isFound }) => isFound)
  if (options.clients !== undefined) return chosenBy(options.clients, choices)
  if (options.yes) return found
  const width = Math.max(...choices.map(({ title }) => title.length))
  choices.forEach(({ title, file, isFound }, index) => {
    say(call, `  ${index + 1}  ${title.padEnd(width)}  ${isFound ? 'found' : '     '}  ${file}`)
  })
  const usual = found.map((choice) => choices.indexOf(choice) + 1).join(',') || 'none'
  for (;;) {
    const reply = await answerTo(shell, `Which of them shall search with csp? Numbers or names, or none [${usual}] `)
    if (reply === '') return found
    try {
      return chosenBy(reply, choices)
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      say(call, `  ${error.message}`)
    }
  }
}

/** The clients of a list of names or numbers. Throws a `UsageError` for one that is none. */
function chosenBy(text: string, choices: readonly Choice[]): readonly Choice[] {
  const words = text.split(/[\s,]+/).filter(Boolean)
  if (words.length === 1 && words[0] === 'none') return []
  const chosen = words.map((word) => {
    const found = choices.find(({ id }, index) => id === word.toLowerCase() || String(index + 1) === word)
    if (found) return found
    const names = choices.map(({ id }) => id)
    const meant = nearest(word, names)
    throw new UsageError(
      `csp knows no client "${word}". ${meant ? `Did you mean ${meant}?` : `It knows ${names.join(', ')}.`}`,
    )
  })
  return [...new Set(chosen)]
}

async function setUpClient(call: InitCall, client: KnownClient, file: string): Promise<ClientReport> {
  const { id, title, isServed } = client
  const about = { client: id, title, file, needsServer: isServed }
  const isAgreed = () => isWanted(call, '  Write this?')
  const address = await clientAddress(call.loaded, undefined)
  try {
    return { ...about, ...(await writeClient(call, client, address, (text) => say(call, `  ${text}`), isAgreed)) }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    if (!call.options.yes && /cannot prompt/.test(error.message)) throw error
    say(call, `  ${error.message}`)
    return { ...about, outcome: 'failed', problem: error.message }
  }
}

async function setUpOpenClaw(call: InitCall, file: string): Promise<ClientReport> {
  const about = { client: 'openclaw', title: 'OpenClaw', file, needsServer: true }
  const { yes } = call.options
  const options = { url: undefined, file: undefined, plugin: false, print: false, undo: false, noSearch: true, yes }
  try {
    return { ...about, outcome: await writeOpenClaw({ ...call, options }) }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    say(call, `  ${error.message}`)
    return { ...about, outcome: 'failed', problem: error.message }
  }
}
