import { existsSync } from 'node:fs'
import type { ClientAddress } from '../../../page/client-snippets.ts'
import { claudeBinary } from '../../bun/claude-cli.ts'
import { addKey, readKeyFile } from '../../bun/key-file.ts'
import { nearest, UsageError } from '../../config/usage-error.ts'
import { ownProgram } from '../../shell/program.ts'
import { changeOf, entryIn } from '../clients/client-file.ts'
import { type KnownClient, knownClients } from '../clients/known-clients.ts'
import { exitCodes } from '../command.ts'
import { clientAddress } from '../setup/clients.ts'
import { isObject, openClawConfigPath, setupOpenClaw } from '../setup/openclaw.ts'
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

function choicesFor({ shell: { environment } }: InitCall): readonly Choice[] {
  const openClaw = openClawConfigPath(environment)
  const hasOpenClaw = existsSync(openClaw) || Bun.which('openclaw', { PATH: environment['PATH'] ?? '' }) !== null
  return [
    ...knownClients(environment).map((client) => ({
      id: client.id,
      title: client.title,
      file: client.file,
      isFound: client.traces.some((path) => existsSync(path)),
      setUp: (call: InitCall) => setUpClient(call, client),
    })),
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

async function setUpClient(call: InitCall, client: KnownClient): Promise<ClientReport> {
  const { shell, loaded } = call
  const { id, title, file, isServed } = client
  const about = { client: id, title, file, needsServer: isServed }
  try {
    const address = clientAddress(loaded.config, undefined)
    const roads = {
      address,
      program: ownProgram('mcp'),
      claudeBin: claudeBinary(loaded.config, shell.environment),
    }
    const own = entryIn(client)
    const isNeeded = isServed && (await needsNewKey(call, address, own))
    // The diff hides keys, so it is right before there is one.
    const trial = { ...roads, address: isNeeded ? { ...address, key: 'new' } : keyOf(own, address) }
    const planned = changeOf(client, client.entry(trial))
    if (!planned) {
      say(call, '  Searches with csp already.')
      return { ...about, outcome: 'unchanged' }
    }
    shell.output.write(planned.diff.replaceAll(/^/gm, '  ').trimEnd().concat('\n'))
    if (!(await isWanted(call, '  Write this?'))) return { ...about, outcome: 'declined' }
    const made = isNeeded ? await newKey(loaded.config.keyFile, id) : undefined
    const change = made ? changeOf(client, client.entry({ ...roads, address: { ...address, key: made.key } })) : planned
    const backup = await change?.write()
    say(call, `  Written${backup ? `; the former file is ${backup}` : ''}${made ? `. Its key is "${made.name}"` : ''}.`)
    return { ...about, outcome: 'written', backup, key: made?.name }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    if (!call.options.yes && /cannot prompt/.test(error.message)) throw error
    say(call, `  ${error.message}`)
    return { ...about, outcome: 'failed', problem: error.message }
  }
}

/** Whether csp wants a key, and neither the settings nor the client's file have one for this address. */
async function needsNewKey({ loaded: { config } }: InitCall, address: ClientAddress, own: unknown): Promise<boolean> {
  if (address.key !== undefined || keyOf(own, address).key !== undefined) return false
  return (await readKeyFile(config.keyFile)).length > 0
}

/** The address with the key that a client's entry has for it already. */
function keyOf(own: unknown, address: ClientAddress): ClientAddress {
  if (address.key !== undefined || !isObject(own) || own['url'] !== `${address.url}/mcp`) return address
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

async function setUpOpenClaw(call: InitCall, file: string): Promise<ClientReport> {
  const about = { client: 'openclaw', title: 'OpenClaw', file, needsServer: true }
  const options = { url: undefined, file: undefined, print: false, undo: false, yes: call.options.yes }
  try {
    const code = await setupOpenClaw({ ...call, options })
    return { ...about, outcome: code === exitCodes.done ? 'written' : 'failed' }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    say(call, `  ${error.message}`)
    return { ...about, outcome: 'failed', problem: error.message }
  }
}
