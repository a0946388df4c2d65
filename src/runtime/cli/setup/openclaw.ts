import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { readKeyFile } from '../../bun/key-file.ts'
import { UsageError } from '../../config/usage-error.ts'
import { asCalled, serviceProgram } from '../../shell/program.ts'
import type { Shell } from '../../shell/shell.ts'
import { backupOf } from '../clients/client-file.ts'
import { settingDiff } from '../clients/setting-diff.ts'
import type { WrittenClient } from '../clients/write-client.ts'
import { type Call, exitCodes } from '../command.ts'
import { clientAddress } from './client-address.ts'
import { reportMissingKey } from './clients.ts'
import {
  type OpenClawWish,
  openClawCommands,
  openClawConfigPath,
  parseOpenClawConfig,
  withSearch,
} from './openclaw-config.ts'
import { agree, modeOf, type OpenClawCall, writeWhole } from './openclaw-file.ts'
import { isRefused, keyOf, verdictOf } from './openclaw-key.ts'
import {
  hasOwnPlugin,
  installCommand,
  installWords,
  type OpenClawProgram,
  openClawProgram,
  ownPluginFolder,
} from './openclaw-program.ts'
import { proveOpenClaw } from './openclaw-proof.ts'
import { undoOpenClaw } from './openclaw-undo.ts'

/** How OpenClaw is to search. */
interface Plan {
  readonly wish: OpenClawWish
  readonly file: string
  /** What stands in the file now. */
  readonly config: Readonly<Record<string, unknown>>
  readonly program: OpenClawProgram | undefined
  /** How its plugin is installed. */
  readonly install: string
}

/** Makes csp the web search of the OpenClaw on this machine, or undoes that. Resolves to the exit code. */
export async function setupOpenClaw(call: OpenClawCall): Promise<number> {
  const { shell, options } = call
  if (options.undo) {
    const { path, file, program } = installationOf(call)
    if (existsSync(path) || program) return undoOpenClaw(call, file, program)
  }
  const plan = await planFor(call)
  if (options.print) {
    await reportMissingKey(call, 'setup openclaw')
    return print(shell, plan)
  }
  const outcome = await writePlan(call, plan)
  if (outcome === 'failed') return exitCodes.failed
  return outcome === 'declined' ? exitCodes.done : prove(call, plan)
}

/** The same without the search at the end. */
export async function writeOpenClaw(call: OpenClawCall): Promise<OpenClawOutcome> {
  return writePlan(call, await planFor(call))
}

export type OpenClawOutcome = WrittenClient['outcome'] | 'failed'

function installationOf({ shell, options }: OpenClawCall) {
  const path = options.file ?? openClawConfigPath(shell.environment)
  const program = openClawProgram(shell.environment, path)
  return { path, file: existsSync(path) ? realpathSync(path) : path, program }
}

async function planFor(call: OpenClawCall): Promise<Plan> {
  const { file, program } = installationOf(call)
  const isRead = existsSync(file) && !call.options.print
  const config = isRead ? parseOpenClawConfig(readFileSync(file, 'utf8'), file) : {}
  const wish = await wishOf(call, config)
  return { wish, file, config, program, install: installCommand(wish.plugin, ownPluginFolder()) }
}

async function writePlan(call: OpenClawCall, plan: Plan): Promise<OpenClawOutcome> {
  const { shell, loaded } = call
  const { wish, file, config, program } = plan
  const needsInstall = wish.plugin === 'csp' && !hasOwnPlugin(shell.environment, ownPluginFolder() ?? '')
  if (!program && (!existsSync(file) || needsInstall)) {
    reportMissing(shell, plan)
    return 'failed'
  }
  if (await isRefused(wish, loaded.config)) {
    await reportRefusal(call, wish.url)
    return 'failed'
  }
  const diff = settingDiff(config, withSearch(config, wish))
  if (!diff && !needsInstall) {
    shell.output.write(`OpenClaw already searches with csp at ${wish.url}.\n`)
    return 'unchanged'
  }
  const shown = needsInstall ? `${diff}+ ${plan.install}\n` : diff
  const isAgreed = await agree(call, `${file}\n${shown}`)
  if (isAgreed === undefined) {
    shell.output.write(asCalled(`${unasked}\n`, shell.program))
  }
  if (!isAgreed) return 'declined'
  return (await write(shell, plan, needsInstall)) ? 'written' : 'failed'
}

const unasked =
  'Nothing was written, since nobody can be asked here: csp setup openclaw --yes writes it, --print shows the commands.'

async function reportRefusal(call: OpenClawCall, url: string): Promise<void> {
  const { shell, loaded } = call
  await reportMissingKey(call, 'setup openclaw')
  const { apiKeys, keyFile } = loaded.config
  const who = apiKeys.length > 0 ? 'this key' : 'OpenClaw'
  const isStale = apiKeys.length === 0 && (await readKeyFile(keyFile)).length === 0
  const advice = isStale ? ' It knows keys that are gone: csp restart.' : ''
  shell.errors.write(asCalled(`Nothing was changed: csp at ${url} would refuse ${who}.${advice}\n`, shell.program))
}

async function wishOf({ loaded, options, shell }: OpenClawCall, config: Readonly<Record<string, unknown>>) {
  const { url } = await clientAddress(loaded, options.url)
  const plugin = options.plugin ? 'csp' : 'brave'
  if (plugin === 'csp' && !ownPluginFolder()) {
    throw new UsageError(
      'This csp is a single file and has no plugin with it: leave --plugin out, or use the npm package.',
    )
  }
  const own = serviceProgram(shell.environment)
  const key = await keyOf(plugin, url, config, loaded.config)
  const command = plugin === 'csp' && own ? [own.command, ...own.args] : undefined
  return { plugin, url, key, timeoutSeconds: loaded.config.timeout, command } as const
}

/** Installs the plugin, where it is ours, and writes the settings. Resolves to whether that went well. */
async function write(shell: Shell, { wish, file, program, install }: Plan, needsInstall: boolean): Promise<boolean> {
  const isThere = existsSync(file)
  const text = isThere ? readFileSync(file, 'utf8') : ''
  const backup = backupOf(file)
  // An existing backup is from before csp, so it stays.
  const isFirst = !existsSync(backup)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  if (isFirst) writeFileSync(backup, isThere ? text : '{}\n', { mode: isThere ? modeOf(file) : 0o600 })
  if (needsInstall && program) {
    shell.output.write('Installing the plugin …\n')
    const { code, output, errors } = await program.run(...installWords(wish.plugin, ownPluginFolder()))
    if (code !== 0) {
      const said = `${output}${errors}`.trim().split('\n').slice(-5).join('\n')
      shell.errors.write(`OpenClaw did not install the plugin:\n${said}\nTry it yourself: ${install}\n`)
      if (isFirst && (!existsSync(file) || readFileSync(file, 'utf8') === text)) rmSync(backup)
      return false
    }
  }
  // OpenClaw writes there, too, when it installs.
  const present = existsSync(file) ? parseOpenClawConfig(readFileSync(file, 'utf8'), file) : {}
  writeWhole(file, `${JSON.stringify(withSearch(present, wish), null, 2)}\n`)
  shell.output.write(isThere ? `Written; the former file is ${backup}.\n` : 'Written.\n')
  shell.output.write(
    wish.plugin === 'csp'
      ? 'The gateway starts csp, and csp ends with it. If the gateway runs now: openclaw gateway restart\n'
      : `If you have not yet:\n  ${install}\n`,
  )
  return true
}

/** Ends with a search as OpenClaw makes it. */
async function prove({ shell, loaded, options }: OpenClawCall, plan: Plan): Promise<number> {
  const { wish, program, install } = plan
  const say = (text: string) => shell.output.write(asCalled(`${text}\n`, shell.program))
  if (options.noSearch) return exitCodes.done
  const isHeld = wish.plugin === 'csp' && options.url === undefined && (await hold(shell, loaded.config))
  if (!isHeld && !(await verdictOf(wish.url, wish.key))) {
    say(
      `csp does not answer at ${wish.url} now, so no search was tried. csp start starts it, csp service install from each login on; then csp setup openclaw tries it.`,
    )
    return exitCodes.done
  }
  say(program ? 'Searching through OpenClaw …' : 'Searching …')
  const proof = await proveOpenClaw(wish, program, install)
  for (const line of proof.lines) say(line)
  return proof.ok ? exitCodes.done : exitCodes.failed
}

/** Has csp run for the search, as the gateway will. Where it does not start, the search says so. */
async function hold(shell: Shell, { stateDir, port }: Call['loaded']['config']): Promise<boolean> {
  const { StartError } = await import('../../background/background.ts')
  const { holdCsp } = await import('../../background/hold.ts')
  try {
    return (
      (await holdCsp({ stateDir, port, pid: process.pid, environment: shell.environment, flags: [] })) !== undefined
    )
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    shell.errors.write(asCalled(`csp did not start. It said:\n${error.message}\n`, shell.program))
    return false
  }
}

function print(shell: Shell, { wish, install }: Plan): number {
  shell.output.write(`${openClawCommands(wish, install).join('\n')}\n`)
  return exitCodes.done
}

function reportMissing(shell: Shell, plan: Plan): void {
  const { file } = plan
  shell.errors.write(
    existsSync(file)
      ? 'openclaw is not on PATH, and only it can install the plugin. Where it is, run:\n'
      : `OpenClaw was not found: ${file} is not there, nor is openclaw on PATH. Where it is installed, run:\n`,
  )
  print(shell, plan)
}
