import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { shellWord } from '@csp/lib/text'
import { openClawFolder } from '../../clients/programs/openclaw.ts'
import { homeFolder } from '../config/home.ts'
import { packageRoot } from '../shell/package-root.ts'
import { type ProgramEnd, runProgram } from '../shell/run-program.ts'
import type { Environment } from '../shell/shell.ts'
import { backupOf, valueAt } from './client-file.ts'
import type { KnownClient } from './known-clients.ts'

/** OpenClaw's command line on this machine. */
export interface OpenClawProgram {
  /** Runs a command of its own to the end, or to the deadline. */
  run(...args: readonly string[]): Promise<ProgramEnd>
}

/** The program that PATH leads to, with the same configuration file as csp reads. */
export function openClawProgram(environment: Environment, file: string): OpenClawProgram | undefined {
  const program = Bun.which('openclaw', { PATH: environment['PATH'] ?? '' })
  if (!program) return undefined
  const env = { ...environment, OPENCLAW_CONFIG_PATH: file, NO_COLOR: '1' }
  return { run: (...args) => runProgram([program, ...args], { env, timeoutMs: deadlineMs }) }
}

/** It takes some ten seconds to start, and a first search waits for the CLI. */
const deadlineMs = 180_000

/** Our plugin, as it lies in this package; `undefined` for a csp that is one file. */
export function ownPluginFolder(): string | undefined {
  const folder = join(packageRoot, 'integrations/openclaw')
  return existsSync(join(folder, 'openclaw.plugin.json')) ? folder : undefined
}

/** Whether OpenClaw has our plugin, just as it is in this package. */
export function hasOwnPlugin(environment: Environment, folder: string): boolean {
  const installed = installedPluginFolder(environment)
  return ['package.json', 'openclaw.plugin.json', 'index.js', 'csp.js', 'service.js'].every((name) => {
    const [there, here] = [join(installed, name), join(folder, name)]
    return existsSync(there) && readFileSync(there, 'utf8') === readFileSync(here, 'utf8')
  })
}

/** Where OpenClaw puts our plugin. */
function installedPluginFolder(environment: Environment): string {
  const folder = openClawFolder({ home: homeFolder(environment), variable: (name) => environment[name] })
  return join(folder, 'extensions/csp')
}

/**
 * Has OpenClaw remove our plugin, where it has it only since csp: with its settings gone OpenClaw would load it all the
 * same. Resolves to what the user has to do where that fails.
 */
export async function removePlugin(
  { title, file = '' }: KnownClient,
  environment: Environment,
): Promise<string | undefined> {
  const former = valueAt({ title, file: backupOf(file), format: 'json5', settings: [] }, ['plugins'])
  const isLeft = existsSync(installedPluginFolder(environment)) && !JSON.stringify(former ?? {}).includes('"csp"')
  if (!isLeft) return undefined
  const reply = await openClawProgram(environment, file)?.run(...uninstallWords, '--force')
  return reply?.code === 0 ? undefined : `The plugin is still there: openclaw ${uninstallWords.join(' ')}`
}

const uninstallWords = ['plugins', 'uninstall', 'csp']

/** The words behind `openclaw` that bring a plugin. For one from a folder OpenClaw wants to hear that it is meant. */
export function installWords(plugin: 'brave' | 'csp', folder: string | undefined): readonly string[] {
  if (plugin === 'brave') return ['plugins', 'install', '@openclaw/brave-plugin']
  return ['plugins', 'install', folder ?? 'claude-search-proxy-openclaw', '--force', '--accept-capabilities']
}

export function installCommand(plugin: 'brave' | 'csp', folder: string | undefined): string {
  return ['openclaw', ...installWords(plugin, folder)].map(shellWord).join(' ')
}
