import { existsSync } from 'node:fs'
import { parseJson } from '@csp/lib/json'
import { claudeFamilies } from '@csp/messages-api/claude-families'
import { messagesUrl } from '../../../executor/backends/messages/messages.ts'
import { runningServers } from '../../background/running-servers.ts'
import { readConfigFile } from '../../config/config-file.ts'
import { withSetting } from '../../config/config-text.ts'
import { fields } from '../../config/declarations/fields.ts'
import { newConfig } from '../../config/json-schema.ts'
import { type Setting, settings } from '../../config/settings.ts'
import { meant, UsageError } from '../../config/usage-error.ts'
import { whileLocked } from '../../server/key-file.ts'
import { csp } from '../../shell/program.ts'
import { type Call, exitCodes } from '../command.ts'
import { explainApiKey, offerMessages, tryApiKey } from './api-key.ts'
import { changeConfigFile, replaceConfig } from './write-config.ts'

/** A call of `csp config` with an action. */
export interface ConfigCall extends Call {
  readonly options: { readonly json: boolean }
}

/** `csp config init`: a file without a setting, for which editors know all of them. */
export async function initConfig(call: ConfigCall): Promise<number> {
  const { path } = call.loaded
  await whileLocked(path, async () => {
    if (existsSync(path)) throw new UsageError(`${path} is there already: ${csp} config edit`)
    await replaceConfig(path, newConfig)
  })
  return report(call, { path, created: true }, [
    `${path} is there, and editors show what can stand in it: ${csp} config edit`,
  ])
}

/** `csp config path`. */
export function printPath(call: ConfigCall): number {
  const { path, found } = call.loaded
  call.shell.output.write(call.options.json ? `${JSON.stringify({ path, found })}\n` : `${path}\n`)
  return exitCodes.done
}

/** `csp config set NAME VALUE`. `apiUrl`: where a key of the Anthropic API is tried. */
export async function setSetting(call: ConfigCall, apiUrl = messagesUrl): Promise<number> {
  const [, name = '', given] = call.arguments
  const setting = settingNamed(name)
  const { flag, secret } = setting
  const isApiKey = setting.name === 'anthropicApiKey'
  if (isApiKey && given === undefined && !call.options.json) explainApiKey(call)
  const value = checkedValue(setting, secret ? await secretValue(call, setting, given) : given)
  if (isApiKey) await tryApiKey(call, String(value), apiUrl)
  const file = await changeConfigFile(call, (path, text) => withSetting(path, text, flag, value))
  const line = file.lineOf(flag)
  return report(call, { path: file.path, line, name: flag }, [
    `${file.path} line ${line}: ${flag} is ${secret ? 'set' : JSON.stringify(value)}.`,
    ...modelHint(flag, value),
    ...overrideOf(call, setting),
    ...(isApiKey && !call.options.json ? await offerMessages(call) : []),
    ...(await runningHint(call)),
  ])
}

/** The CLI takes names that csp does not know, so that an odd one is only a remark. */
function modelHint(flag: string, value: unknown): readonly string[] {
  if (flag !== 'model' && flag !== 'search-model') return []
  if (typeof value !== 'string' || [...claudeFamilies, 'claude'].some((word) => value.toLowerCase().includes(word)))
    return []
  return [
    `${JSON.stringify(value)} is not a Claude model that csp knows: ${claudeFamilies.join(', ')}, or a full name claude-….`,
  ]
}

/** `csp config unset NAME`, also for a name that is no setting and stands in the file. */
export async function unsetSetting(call: ConfigCall): Promise<number> {
  const [, name = ''] = call.arguments
  const { path } = call.loaded
  const before = readConfigFile(path)
  const key = before && Object.hasOwn(before.values, name) ? name : settingNamed(name).flag
  const isThere = before !== undefined && Object.hasOwn(before.values, key)
  if (!isThere) return report(call, { path, name: key, changed: false }, [`${key} is not set in ${path}.`])
  await changeConfigFile(call, (file, text) => withSetting(file, text, key, undefined))
  const setting = settings.find(({ flag }) => flag === key)
  return report(call, { path, name: key, changed: true }, [
    `${path}: ${key} is no longer set.`,
    ...(setting ? overrideOf(call, setting) : []),
    ...(await runningHint(call)),
  ])
}

/** A csp that runs has read the file as it was. */
export async function runningHint({ loaded: { config } }: Pick<Call, 'loaded'>): Promise<readonly string[]> {
  const servers = await runningServers(config.stateDir)
  return servers.map(({ url }) => `csp at ${url} runs with the former settings: ${csp} restart`)
}

/** A setting by its name as people write it: `port`, `--port`, `CSP_PORT`. Throws a `UsageError` with the nearest name. */
export function settingNamed(name: string): Setting {
  const plain = name.replace(/^--/, '')
  const flag = plain.startsWith('CSP_') ? plain.slice(4).toLowerCase().replaceAll('_', '-') : plain
  const found = settings.find((setting) => setting.flag === flag || setting.name === flag)
  if (found) return found
  const known = settings.map((setting) => setting.flag)
  throw new UsageError(
    `${JSON.stringify(name)} is not a setting. ${meant(flag, known, `${csp} config lists the settings.`)}`,
  )
}

/** A secret is asked for, or read from standard input: other users can read a command line, and a shell keeps it. */
async function secretValue({ shell }: Call, { flag }: Setting, given: string | undefined): Promise<string> {
  if (given !== undefined) {
    throw new UsageError(
      `${flag} is a secret, and other users of this machine can read a command line. Leave the value out: ${csp} config set ${flag} asks for it, or reads it from standard input.`,
    )
  }
  const typed = (await shell.askSecret(`${flag} (not shown): `)) ?? (await shell.input())
  if (!typed.trim()) throw new UsageError(`No value was given. ${flag} stays as it was.`)
  return typed
}

/** The value as the file holds it. Throws a `UsageError` when it is wrong. */
function checkedValue({ flag, name, hint, secret }: Setting, given: string | undefined): unknown {
  if (given === undefined) throw new UsageError(`Usage: ${csp} config set ${flag} ${hint ?? 'true|false'}`)
  const json = parseJson(given)
  const value = typeof json === 'object' && json !== null ? json : given.trim()
  const { data, error } = fields.shape[name].safeParse(value)
  if (error) {
    const [issue] = error.issues
    const place = [flag, ...(typeof value === 'object' ? (issue?.path ?? []) : [])].join(': ')
    throw new UsageError(`${place} ${issue?.message}${secret ? '' : `, not ${JSON.stringify(given)}`}`)
  }
  if (typeof data === 'boolean' || (Array.isArray(data) && typeof value === 'string')) return data
  return typeof data === 'number' && /^\d+(?:\.\d+)?$/.test(given.trim()) ? Number(given) : value
}

/** The variable that wins over the file in this terminal. */
function overrideOf({ shell: { environment } }: Call, { variable }: Setting): readonly string[] {
  return variable && environment[variable] ? [`${variable} is set in this terminal, and wins over the file.`] : []
}

function report({ shell, options }: ConfigCall, result: object, lines: readonly string[]): number {
  shell.output.write(`${options.json ? JSON.stringify(result) : lines.join('\n')}\n`)
  return exitCodes.done
}
