import { existsSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../../../lib/errors.ts'
import { isObject, parseJson } from '../../../lib/json.ts'
import { shellWord } from '../../../lib/text.ts'
import { readKeyFile } from '../../bun/key-file.ts'
import { cspAt } from '../../bun/server.ts'
import { homeFolder } from '../../config/home.ts'
import { UsageError } from '../../config/usage-error.ts'
import { asCalled } from '../../shell/program.ts'
import type { Environment, Shell } from '../../shell/shell.ts'
import { backupOf } from '../clients/client-file.ts'
import { leavesOf, settingDiff } from '../clients/setting-diff.ts'
import { type Call, exitCodes } from '../command.ts'
import { confirm } from '../confirm.ts'
import { clientAddress, reportMissingKey } from './clients.ts'

export interface OpenClawCall extends Call {
  readonly options: {
    /** Where csp listens, if not as configured. */
    readonly url: string | undefined
    /** The configuration of OpenClaw, if not in its usual place. */
    readonly file: string | undefined
    readonly print: boolean
    readonly undo: boolean
    readonly yes: boolean
  }
}

/** Makes csp the web search of the OpenClaw on this machine, or undoes that. Resolves to the exit code. */
export async function setupOpenClaw(invocation: OpenClawCall): Promise<number> {
  const { shell, loaded, options } = invocation
  const { url, key } = clientAddress(loaded.config, options.url)
  const { timeout: timeoutSeconds } = loaded.config
  if (options.print) {
    await reportMissingKey(invocation, 'setup openclaw')
    return print(shell, { url, key: key ?? 'local', timeoutSeconds })
  }

  const path = options.file ?? openClawConfigPath(shell.environment)
  const isThere = existsSync(path)
  if (!isThere && !Bun.which('openclaw', { PATH: shell.environment['PATH'] ?? '' }))
    return reportMissing(shell, path, { url, key: key ?? 'local', timeoutSeconds })
  const file = isThere ? realpathSync(path) : path
  if (options.undo) return undo(shell, file, options.yes)

  const text = isThere ? readFileSync(file, 'utf8') : ''
  const config = parseOpenClawConfig(text, file)
  const wish = { url, key: key ?? keyFor(url, config) ?? 'local', timeoutSeconds }
  if (await isRefused(wish, loaded.config.keyFile)) {
    await reportMissingKey(invocation, 'setup openclaw')
    shell.errors.write(`Nothing was changed: csp at ${url} would refuse ${key ? 'this key' : 'OpenClaw'}.\n`)
    return exitCodes.failed
  }
  const changed = withSearch(config, wish)
  const diff = settingDiff(config, changed)
  if (!diff) {
    shell.output.write(`OpenClaw already searches with csp at ${url}.\n`)
    return exitCodes.done
  }
  if (!(await agree(shell, file, diff, options.yes))) return exitCodes.done
  const backup = backupOf(file)
  // An existing backup is from before csp, so it stays.
  if (isThere && !existsSync(backup)) writeFileSync(backup, text, { mode: modeOf(file) })
  writeWhole(file, `${JSON.stringify(changed, null, 2)}\n`)
  shell.output.write(existsSync(backup) ? `Written; the former file is ${backup}.\n` : 'Written.\n')
  shell.output.write(
    `If you have not yet:\n  ${installCommand}\nTry it:\n  openclaw infer web search --query hello --json\n`,
  )
  if (!(await cspAt(url, key))) {
    shell.output.write(asCalled(`csp does not answer at ${url} now: start it with csp serve.\n`, shell.program))
  }
  return exitCodes.done
}

/** The key that OpenClaw has for csp already. One for another address is not csp's, and is not sent to it. */
function keyFor(url: string, config: Readonly<Record<string, unknown>>): string | undefined {
  const present = leavesOf(config)
  const read = (name: string): unknown => parseJson(present.get(`plugins.entries.brave.config.webSearch.${name}`) ?? '')
  const [address, key] = [read('baseUrl'), read('apiKey')]
  return typeof address === 'string' && address.replace(/\/+$/, '') === url && typeof key === 'string' ? key : undefined
}

/** Whether csp would refuse every search with this key: the one that runs says so, otherwise its keys do. */
async function isRefused({ url, key }: OpenClawWish, keyFile: string): Promise<boolean> {
  try {
    const headers = { authorization: `Bearer ${key}` }
    const { status } = await fetch(`${url}/v1/models`, {
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(2000),
    })
    return status === 401 || status === 403
  } catch {
    return key === 'local' && (await readKeyFile(keyFile)).length > 0
  }
}

async function undo(shell: Shell, file: string, isAgreed: boolean): Promise<number> {
  const backup = backupOf(file)
  if (!existsSync(backup)) throw new UsageError(`Nothing to undo: ${backup} does not exist.`)
  const text = readFileSync(backup, 'utf8')
  const now = existsSync(file) ? parseOpenClawConfig(readFileSync(file, 'utf8'), file) : {}
  const diff = settingDiff(now, parseOpenClawConfig(text, backup))
  if (!(await agree(shell, file, diff, isAgreed))) return exitCodes.done
  writeWhole(file, text)
  rmSync(backup)
  shell.output.write('The former file is restored.\n')
  return exitCodes.done
}

async function agree(shell: Shell, file: string, diff: string, isAgreed: boolean): Promise<boolean> {
  shell.output.write(`${file}\n${diff}`)
  if (isAgreed) return true
  const instead = 'Not a terminal: cannot prompt. --yes writes without asking, --print only shows the commands.'
  if (await confirm(shell, 'Write this? Comments in the file are not kept.', { usual: 'no', instead })) return true
  shell.output.write('Nothing was changed.\n')
  return false
}

function print(shell: Shell, wish: OpenClawWish): number {
  shell.output.write(`${openClawCommands(wish).join('\n')}\n`)
  return exitCodes.done
}

function reportMissing(shell: Shell, path: string, wish: OpenClawWish): number {
  shell.errors.write(
    `OpenClaw was not found: ${path} is not there, nor is openclaw on PATH. Where it is installed, run:\n`,
  )
  print(shell, wish)
  return exitCodes.failed
}

/** Replaces the file atomically, because OpenClaw watches it. */
function writeWhole(file: string, text: string): void {
  const draft = `${file}.csp-draft`
  writeFileSync(draft, text, { mode: existsSync(file) ? modeOf(file) : 0o600 })
  renameSync(draft, file)
}

function modeOf(file: string): number {
  return statSync(file).mode & 0o777
}

export interface OpenClawWish {
  /** Where csp listens. */
  readonly url: string
  /** What OpenClaw sends as its key; its plugin insists on one. */
  readonly key: string
  /** How long a search may take. */
  readonly timeoutSeconds: number
}

/** Where OpenClaw reads its configuration. */
export function openClawConfigPath(environment: Environment): string {
  const home = environment['OPENCLAW_HOME'] || homeFolder(environment)
  const state = environment['OPENCLAW_STATE_DIR'] || join(home, '.openclaw')
  return environment['OPENCLAW_CONFIG_PATH'] || join(state, 'openclaw.json')
}

/** Reads a configuration of OpenClaw's, which is JSON5. Throws a `UsageError` when it is not an object. */
export function parseOpenClawConfig(text: string, path: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = text.trim() ? Bun.JSON5.parse(text) : {}
  } catch (error) {
    throw new UsageError(`${path} is not JSON5: ${messageOf(error)}`)
  }
  if (!isObject(value)) throw new UsageError(`${path} does not hold one object.`)
  return value
}

/** The same configuration with csp as the place to search, by OpenClaw's Brave plugin. All other settings stay. */
export function withSearch(config: Readonly<Record<string, unknown>>, wish: OpenClawWish) {
  return merge(config, settingsFor(wish, searchSettingsIn(config)))
}

/** The commands of OpenClaw's own that do what `withSearch` does, to be run where it is installed. */
export function openClawCommands(wish: OpenClawWish): readonly string[] {
  const leaves = [...leavesOf(settingsFor(wish, {}))]
  const words = leaves.map(([path, value]) => [path, String(JSON.parse(value))].map(shellWord).join(' '))
  return [installCommand, ...words.map((pair) => `openclaw config set ${pair}`)]
}

/** Brings the plugin that the settings are for. It does not come with OpenClaw. */
export const installCommand = 'openclaw plugins install @openclaw/brave-plugin'

function settingsFor({ url, key, timeoutSeconds }: OpenClawWish, present: Readonly<Record<string, unknown>>) {
  const { timeoutSeconds: patience } = present
  const longer = typeof patience === 'number' ? Math.max(patience, timeoutSeconds) : timeoutSeconds
  return {
    plugins: { entries: { brave: { enabled: true, config: { webSearch: { baseUrl: url, apiKey: key } } } } },
    tools: {
      web: {
        search: { ...(present['enabled'] === false && { enabled: true }), provider: 'brave', timeoutSeconds: longer },
      },
    },
  }
}

function searchSettingsIn(config: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  let value: unknown = config
  for (const key of ['tools', 'web', 'search']) value = isObject(value) ? value[key] : undefined
  return isObject(value) ? value : {}
}

function merge(target: unknown, source: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const base = isObject(target) ? target : {}
  const changes = Object.entries(source).map(([key, value]) => [key, isObject(value) ? merge(base[key], value) : value])
  return { ...base, ...Object.fromEntries(changes) }
}
