import { createHmac } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { parseJson } from '@csp/lib/json'
import { z } from 'zod'
import type { LoadedConfig } from '../config/config.ts'
import { type BackendName, backendSettings } from '../config/declarations/backends.ts'
import { flagOf, type SettingName, settings, settingText, usedBackends } from '../config/settings.ts'
import { claudeBinary } from '../server/claude-cli.ts'
import type { Environment } from '../shell/shell.ts'

/** What changes a search or its answer, and what it may cost. */
const ofSearches = [
  ...(['sandbox', 'backends', 'merge'] as const),
  ...(['model', 'searchModel', 'writers', 'instructions', 'prompts', 'defaultLanguage'] as const),
  ...(['excerpts', 'evidence', 'receipts', 'memory', 'cacheTtl', 'cacheScope', 'timeout'] as const),
  ...(['pages', 'pagesAllow', 'pagesRobots', 'pagesBrowser'] as const),
  ...(['dailySearches', 'dailyTokens'] as const),
] satisfies readonly SettingName[]

/** What matters only where a backend is asked. */
const ofBackends: Readonly<Partial<Record<BackendName, readonly SettingName[]>>> = {
  ...Object.fromEntries(Object.entries(backendSettings).map(([backend, name]) => [backend, [name]])),
  remote: ['remoteUrl', 'remoteKey'],
  claude: ['auth', 'claudeBin', 'planReserve', 'planOnly'],
}

/** What a program on the gateway is told of it, or notices. */
const ofGateway = [
  ...(['sandbox', 'gateway', 'gatewayUrl', 'gatewayKey', 'gatewayOpus', 'gatewaySonnet', 'gatewayHaiku'] as const),
  'gatewayTrace',
] satisfies readonly SettingName[]

/** Variables that say whose login the CLI uses. Each stands in a record by itself. */
const ofAccount = ['CLAUDE_CONFIG_DIR', 'CLAUDE_CODE_OAUTH_TOKEN', 'ANTHROPIC_BASE_URL', 'ANTHROPIC_API_KEY'] as const

/** The settings that matter to others, by their names outside; what is secret or long only as a keyed digest. */
export type AnswerSettings = ReadonlyMap<string, string>

/** Where settings come from. */
export interface SettingSources {
  readonly config: LoadedConfig['config']
  readonly environment: Environment
  /** The key of digests: the token of a record, so that they tell nobody else anything. */
  readonly token: string
}

/** The settings of a csp, for its record. */
export function answerSettings(sources: SettingSources): AnswerSettings {
  const names = new Set<SettingName>([...ofSearches, ...Object.values(ofBackends).flat(), ...ofGateway])
  const found = [...names].flatMap((name) => entryOf(name, sources))
  return new Map([...found, ...accountOf(sources)])
}

export function writeAnswerSettings(sources: SettingSources): string {
  return JSON.stringify(Object.fromEntries(answerSettings(sources)))
}

/** Reads what `writeAnswerSettings` wrote; `undefined` if another version did. */
export function readAnswerSettings(text: string): AnswerSettings | undefined {
  const { data } = z.record(z.string(), z.string()).safeParse(parseJson(text))
  return data && new Map(Object.entries(data))
}

/** A setting of a command that the csp that runs does not have. */
export interface Difference {
  /** As it is called outside. */
  readonly name: string
  /** In plain words, what it is there and here. */
  readonly text: string
}

/**
 * What a command was told otherwise than the csp that runs. What nobody chose for the command is as it is there: who has
 * started csp with another model, or on the sandbox, means that csp.
 */
export function differencesForSearch(
  { origins }: Pick<LoadedConfig, 'origins'>,
  sources: SettingSources,
  there: AnswerSettings,
): readonly Difference[] {
  const names = [...ofSearches, ...usedBackends(sources.config).flatMap((backend) => ofBackends[backend] ?? [])]
  const chosen = names.filter((name) => origins[name] !== 'default')
  const own = new Map(chosen.flatMap((name) => entryOf(name, sources)))
  const account = there.get('sandbox') === 'true' ? [] : accountOf(sources)
  const from = new Map(chosen.map((name) => [nameOf(name), origins[name]]))
  return [...own, ...account].flatMap(([name, here]) =>
    there.get(name) === here ? [] : [{ name, text: textOf(name, here, there.get(name), from.get(name)) }],
  )
}

/** In what a gateway differs: a program needs the one that this terminal describes. */
export function differencesForGateway(sources: SettingSources, there: AnswerSettings): readonly Difference[] {
  return ofGateway.flatMap((setting) => {
    const name = nameOf(setting)
    const here = entryOf(setting, sources)[0]?.[1]
    return there.get(name) === here ? [] : [{ name, text: textOf(name, here, there.get(name), undefined) }]
  })
}

function nameOf(name: SettingName): string {
  return settings.find((setting) => setting.name === name)?.flag ?? flagOf(name)
}

type Entry = readonly [name: string, text: string]

/** Nothing where it is not set. */
function entryOf(name: SettingName, { config, environment, token }: SettingSources): readonly Entry[] {
  const setting = settings.find((each) => each.name === name)
  const value = settingValue(name, config, environment)
  if (value === undefined || setting === undefined) return []
  const text = settingText(value, setting)
  const isPlain = typeof value !== 'object' || (Array.isArray(value) && value.every((each) => typeof each === 'string'))
  const isShown = isPlain && !setting.secret && text.length <= maxShown
  return [[setting.flag, isShown ? text : digest(`${setting.flag} ${text}`, token)]]
}

function settingValue(name: SettingName, config: LoadedConfig['config'], environment: Environment): unknown {
  // One may have its path from a setting, the other from PATH.
  if (name === 'claudeBin') return targetOf(claudeBinary(config, environment))
  // What counts is what stands in the files.
  if (name === 'instructions') return config.instructionsText && { text: config.instructionsText }
  if (name === 'prompts') return config.ownPrompts
  return config[name]
}

function targetOf(path: string | undefined): string | undefined {
  try {
    return path && realpathSync(path)
  } catch {
    return path
  }
}

function accountOf({ config, environment, token }: SettingSources): readonly Entry[] {
  if (config.sandbox || !usedBackends(config).includes('claude')) return []
  const names = ofAccount.filter((name) => name !== 'ANTHROPIC_API_KEY' || config.auth === 'api-key')
  return names.flatMap((name) => {
    const value = environment[name]
    return value ? [[name, digest(`${name} ${value}`, token)] as const] : []
  })
}

/** `origin`: where the command has it from. */
function textOf(name: string, here: string | undefined, there: string | undefined, origin = 'this terminal'): string {
  if (name === 'sandbox') return here === 'true' ? 'it is not on the sandbox' : 'it is on the sandbox'
  const isSecret = [here, there].some((text) => text?.startsWith(digestMark))
  if (isSecret && there !== undefined && here !== undefined) return `it has another ${name}`
  const says = isSecret ? 'has one' : here === undefined ? 'has none' : `says ${here}`
  return `it runs ${there === undefined ? `without ${name}` : `with ${name}${isSecret ? '' : ` ${there}`}`}, and ${origin} ${says}`
}

function digest(text: string, token: string): string {
  return `${digestMark}${createHmac('sha256', token).update(text).digest('base64url')}`
}

const digestMark = 'hmac:'
const maxShown = 200
