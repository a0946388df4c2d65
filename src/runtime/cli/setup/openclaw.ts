import { existsSync, readFileSync, rmSync } from 'node:fs'
import { shellWord } from '@csp/lib/text'
import type { ClientAddress } from '../../../clients/client.ts'
import { freshSettings } from '../../../clients/settings-text.ts'
import { clientAddress, clientAddresses, reportMissingKey } from '../../client-files/addresses.ts'
import { backupOf, type ClientFile, changeOf, keepFormer } from '../../client-files/client-file.ts'
import { filesOf, waysOf } from '../../client-files/client-state.ts'
import type { KnownClient } from '../../client-files/known-clients.ts'
import { isRefused, keyFor, verdictOf } from '../../client-files/openclaw-key.ts'
import {
  hasOwnPlugin,
  installCommand,
  installWords,
  type OpenClawProgram,
  openClawProgram,
  ownPluginFolder,
} from '../../client-files/openclaw-program.ts'
import { proveOpenClaw } from '../../client-files/openclaw-proof.ts'
import { sayChanges, type WrittenClient } from '../../client-files/write-client.ts'
import { UsageError } from '../../config/usage-error.ts'
import { readKeyFile } from '../../server/key-file.ts'
import { csp } from '../../shell/program.ts'
import { wrapped } from '../../shell/wrapped-text.ts'
import { type Call, exitCodes } from '../command.ts'
import { askYesOrNo } from '../confirm.ts'

/** How `csp setup openclaw` was called. */
export interface OpenClawOptions {
  /** Address of csp, if other than configured. */
  readonly url?: string | undefined
  /** By our plugin, not by OpenClaw's for Brave. */
  readonly plugin: boolean
  readonly print?: boolean | undefined
  readonly noSearch?: boolean | undefined
  readonly yes: boolean
}

type OpenClawCall = Call & { readonly options: OpenClawOptions }

/** How OpenClaw is to search. */
interface Plan {
  readonly plugin: 'brave' | 'csp'
  readonly address: ClientAddress
  /** Its configuration, with what csp wants there. */
  readonly file: ClientFile
  readonly program: OpenClawProgram | undefined
  /** How its plugin is installed. */
  readonly install: string
}

/** Makes csp the web search of the OpenClaw on this machine. Resolves to the exit code. */
export async function setUpOpenClaw(call: OpenClawCall, client: KnownClient, address: ClientAddress): Promise<number> {
  const plan = await planFor(call, client, address)
  if (call.options.print) {
    await reportMissingKey(call, 'setup openclaw')
    sayCommands(call, plan)
    return exitCodes.done
  }
  const outcome = await writePlan(call, plan)
  if (outcome === 'failed') return exitCodes.failed
  return outcome === 'declined' ? exitCodes.done : prove(call, plan)
}

/** The same without the search at the end. */
export async function writeOpenClaw(call: OpenClawCall, client: KnownClient): Promise<OpenClawOutcome> {
  return writePlan(call, await planFor(call, client, await clientAddress(call.loaded, undefined)))
}

type OpenClawOutcome = WrittenClient['outcome'] | 'failed'

async function planFor(call: OpenClawCall, client: KnownClient, given: ClientAddress): Promise<Plan> {
  const { shell, options, loaded } = call
  const [brave = client, own = client] = waysOf(client)
  if (options.plugin && !ownPluginFolder()) {
    throw new UsageError(
      'This csp is a single file and has no plugin with it: leave --plugin out, or use the npm package.',
    )
  }
  const [way, plugin] = options.plugin ? [own, 'csp' as const] : [brave, 'brave' as const]
  const key = options.print ? given.key : await keyFor(client, clientAddresses(call, given), loaded.config)
  const address = { ...given, key }
  const [file] = filesOf(way, clientAddresses(call, address))
  if (!file) throw new UsageError('OpenClaw has no configuration: --file FILE names one.')
  const program = openClawProgram(shell.environment, file.file)
  return { plugin, address, file, program, install: installCommand(plugin, ownPluginFolder()) }
}

async function writePlan(call: OpenClawCall, plan: Plan): Promise<OpenClawOutcome> {
  const { shell, loaded } = call
  const { plugin, address, file, program, install } = plan
  const needsInstall = plugin === 'csp' && !hasOwnPlugin(shell.environment, ownPluginFolder() ?? '')
  if (!program && (!existsSync(file.file) || needsInstall)) {
    const why = existsSync(file.file)
      ? 'openclaw is not on PATH, and only it can install the plugin. Where it is, run:'
      : `OpenClaw was not found: ${file.file} is not there, nor is openclaw on PATH. Where it is installed, run:`
    shell.errors.write(wrapped(`${why}\n`, shell.errors))
    sayCommands(call, plan)
    return 'failed'
  }
  if (await isRefused(address, loaded.config)) {
    await reportRefusal(call, address.url)
    return 'failed'
  }
  const { diff } = changeOf(file)
  if (!diff && !needsInstall) {
    say(call, `OpenClaw already searches with csp at ${address.url}.`)
    return 'unchanged'
  }
  say(call, file.file)
  sayChanges(file, [{ file: file.file, diff: needsInstall ? `${diff}+ ${install}\n` : diff }], (text) =>
    say(call, text),
  )
  if (!(await isAgreed(call))) return 'declined'
  return (await write(call, plan, needsInstall)) ? 'written' : 'failed'
}

async function isAgreed(call: OpenClawCall): Promise<boolean> {
  if (call.options.yes) return true
  const reply = await askYesOrNo(call.shell, 'Write this?', { usual: 'no' })
  if (reply === false) say(call, 'Nothing was changed.')
  if (reply === undefined) {
    say(call, 'Not a terminal: nothing was written. Add --yes to write it, or --print to see the commands.')
  }
  return reply === true
}

async function reportRefusal(call: OpenClawCall, url: string): Promise<void> {
  const { shell, loaded } = call
  await reportMissingKey(call, 'setup openclaw')
  const { apiKeys, keyFile } = loaded.config
  const who = apiKeys.length > 0 ? 'this key' : 'OpenClaw'
  const isStale = apiKeys.length === 0 && (await readKeyFile(keyFile)).length === 0
  const advice = isStale ? ` It still uses removed keys: ${csp} restart.` : ''
  shell.errors.write(wrapped(`Nothing was changed: csp at ${url} would refuse ${who}.${advice}\n`, shell.errors))
}

/** Installs the plugin, where it is ours, and writes the settings. Resolves to whether that went well. */
async function write(call: OpenClawCall, plan: Plan, needsInstall: boolean): Promise<boolean> {
  const { plugin, file, install } = plan
  const isThere = existsSync(file.file)
  const isFirst = !existsSync(backupOf(file.file))
  const backup = await keepFormer(file)
  if (needsInstall && !(await installPlugin(call, plan, isFirst))) return false
  // OpenClaw writes there, too, when it installs.
  await changeOf(file).write()
  say(call, isThere ? `Written; the former file is ${backup}.` : 'Written.')
  say(
    call,
    plugin === 'csp'
      ? 'The gateway starts csp, and csp ends with it. If the gateway runs now: openclaw gateway restart'
      : `If you have not yet:\n  ${install}`,
  )
  return true
}

async function installPlugin(call: OpenClawCall, { plugin, file, program, install }: Plan, isFirst: boolean) {
  const fileText = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined)
  const before = fileText(file.file)
  say(call, 'Installing the plugin …')
  const reply = await program?.run(...installWords(plugin, ownPluginFolder()))
  if (reply?.code === 0) return true
  const said = `${reply?.output ?? ''}${reply?.errors ?? ''}`.trim().split('\n').slice(-5).join('\n')
  call.shell.errors.write(
    wrapped(`OpenClaw did not install the plugin:\n${said}\nTry it yourself: ${install}\n`, call.shell.errors),
  )
  if (isFirst && fileText(file.file) === before) rmSync(backupOf(file.file), { force: true })
  return false
}

/** Ends with a search as OpenClaw makes it. */
async function prove(call: OpenClawCall, { plugin, address, program, install }: Plan): Promise<number> {
  const { shell, loaded, options } = call
  if (options.noSearch) return exitCodes.done
  const isHeld = plugin === 'csp' && options.url === undefined && (await hold(shell, loaded.config))
  if (!isHeld && !(await verdictOf(address.url, address.key))) {
    say(
      call,
      `csp does not answer at ${address.url} now, so no search was tried. ${csp} start starts it, ${csp} start --at-login from each login on; then ${csp} setup openclaw tries it.`,
    )
    return exitCodes.done
  }
  say(call, program ? 'Searching through OpenClaw …' : 'Searching …')
  const proof = await proveOpenClaw({ ...address, plugin }, program, install)
  for (const line of proof.lines) say(call, line)
  return proof.ok ? exitCodes.done : exitCodes.failed
}

/** Has csp run for the search, as the gateway will. Where it does not start, the search says so. */
async function hold(shell: Call['shell'], { stateDir, port }: Call['loaded']['config']): Promise<boolean> {
  const { StartError } = await import('../../background/background.ts')
  const { holdCsp } = await import('../../background/hold.ts')
  try {
    await holdCsp({ stateDir, port, pid: process.pid, environment: shell.environment, flags: [] })
    return true
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    shell.errors.write(wrapped(`${error.message}\n`, shell.errors))
    return false
  }
}

/** The commands of OpenClaw's own that do the same, to be run where it is installed. */
function sayCommands({ shell }: OpenClawCall, { file, install }: Plan): void {
  const commands = freshSettings(file.settings).map(({ place, value }) => {
    // OpenClaw reads a list as JSON only where it is told so.
    const words = typeof value === 'object' ? [JSON.stringify(value), '--json'] : [String(value)]
    return ['openclaw config set', ...[place.join('.'), ...words].map(shellWord)].join(' ')
  })
  shell.output.write(`${[install, ...commands].join('\n')}\n`)
}

function say({ shell }: OpenClawCall, text: string): void {
  shell.output.write(wrapped(`${text}\n`, shell.output))
}
