import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { OwnPrompts } from '../../domain/own-prompts.ts'
import type { Environment } from '../shell/shell.ts'
import { type ConfigFile, readConfigFile } from './config-file.ts'
import { configPath, folderIn, homeFolder, stateFolder } from './home.ts'
import { readInstructions, readPrompts } from './prompt-files.ts'
import { proxyFiles } from './proxy-files.ts'
import { type Config, configSchema, namesFile, type Setting, type SettingName, settings } from './settings.ts'
import { UsageError } from './usage-error.ts'
import { warningsAbout } from './warnings.ts'

/** The flags of the command line, by name without dashes. */
export type Flags = Readonly<Record<string, string | boolean | undefined>>

export interface LoadedConfig {
  readonly config: Config & {
    /** The folder of the answer cache. */
    readonly cacheDir: string
    readonly stateDir: string
    /** Where named keys are stored: beside the configuration file. */
    readonly keyFile: string
    /** The content of the file `instructions`. */
    readonly instructionsText?: string | undefined
    /** The content of the file `prompts`. */
    readonly ownPrompts?: OwnPrompts | undefined
  }
  /** Where each setting came from, in plain words: `--port`, `CSP_PORT`, `…/config.json line 3`, `default`. */
  readonly origins: Readonly<Record<SettingName, string>>
  /** Where the configuration file is or would be. */
  readonly path: string
  readonly found: boolean
  readonly warnings: readonly string[]
  /** What is wrong with the file, where the settings were loaded without it. */
  readonly problem?: string | undefined
}

/** Merges flags, variables and the file; the first wins. Throws a `UsageError` that names each wrong value. */
export function loadConfig(flags: Flags, environment: Environment, directory: string): LoadedConfig {
  const path = configPath(flags, environment, directory)
  const file = readConfigFile(path)
  if (!file && (flags['config'] || environment['CSP_CONFIG'])) {
    throw new UsageError(`There is no configuration file at ${path}.`)
  }
  return mergeConfig({ flags, environment, directory, path, file })
}

/** For commands that mend the file: one that is missing or wrong is left out, and what is wrong is its `problem`. */
export function loadConfigAnyway(flags: Flags, environment: Environment, directory: string): LoadedConfig {
  try {
    return loadConfig(flags, environment, directory)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    const path = configPath(flags, environment, directory)
    const loaded = mergeConfig({ flags, environment, directory, path, file: undefined })
    return { ...loaded, found: existsSync(path), problem: error.message }
  }
}

/** What the settings are made from. */
export interface ConfigSources {
  readonly flags: Flags
  readonly environment: Environment
  readonly directory: string
  /** Where the file is or would be. */
  readonly path: string
  readonly file: ConfigFile | undefined
}

/** A command line with any other is refused before. */
function isFlag(name: string): boolean {
  return name === 'config' || settings.some(({ flag }) => flag === name)
}

/** Throws a `UsageError` that names each wrong value. */
export function mergeConfig({ flags, environment, directory, path, file }: ConfigSources): LoadedConfig {
  for (const name of Object.keys(flags)) if (!isFlag(name)) throw new TypeError(`There is no flag --${name}.`)
  const others = [...proxyFiles(environment)]
  const given = settings.flatMap(
    (setting) => find(setting, flags, environment, file) ?? findElsewhere(setting, others) ?? [],
  )
  // Once only: compiling the schema would take longer than reading it.
  const parsed = configSchema.safeParse(Object.fromEntries(given.map(({ setting, value }) => [setting.name, value])), {
    jitless: true,
  })
  if (!parsed.success) throw new UsageError(complaints(parsed.error.issues, given, file))

  const { instructions, prompts } = parsed.data
  const cacheDir = folderIn(environment, 'XDG_CACHE_HOME', '.cache')
  const stateDir = resolve(directory, parsed.data.stateDir ?? stateFolder(environment))
  return {
    config: {
      ...parsed.data,
      cacheDir,
      stateDir,
      keyFile: join(dirname(path), 'keys.json'),
      instructionsText: instructions === undefined ? undefined : readInstructions(resolve(directory, instructions)),
      ownPrompts: prompts === undefined ? undefined : readPrompts(resolve(directory, prompts)),
    },
    origins: originsOf(given),
    path,
    found: file !== undefined,
    warnings: warningsAbout(environment, file, given),
  }
}

interface Given {
  readonly setting: Setting
  readonly value: unknown
  readonly origin: string
}

function find(setting: Setting, flags: Flags, environment: Environment, file?: ConfigFile): Given | undefined {
  const found = findAsWritten(setting, flags, environment, file)
  const { value } = found ?? {}
  // A shell replaces `~` in a command line; nothing does in a file.
  if (!found || !namesFile(setting) || typeof value !== 'string' || !/^~[/\\]/.test(value)) return found
  return { ...found, value: join(homeFolder(environment), value.slice(2)) }
}

function findAsWritten(
  setting: Setting,
  flags: Flags,
  environment: Environment,
  file: ConfigFile | undefined,
): Given | undefined {
  const flag = flags[setting.flag]
  if (flag !== undefined) return { setting, value: flag, origin: `--${setting.flag}` }
  const variable = setting.variable && environment[setting.variable]
  if (variable) return { setting, value: variable, origin: setting.variable }
  if (!file || !Object.hasOwn(file.values, setting.flag)) return undefined
  const value = file.values[setting.flag]
  // `null` in the file unsets, as an empty variable does.
  if (value === null) return undefined
  return { setting, value, origin: originIn(file, setting.flag) ?? '' }
}

/** A variable of other programs in the files of Claude Code's proxies. */
function findElsewhere(setting: Setting, files: readonly (readonly [string, ReadonlyMap<string, string>])[]) {
  const { theirs } = setting
  if (theirs === undefined) return undefined
  for (const [path, values] of files) {
    const value = values.get(theirs)
    if (value) return { setting, value, origin: path }
  }
  return undefined
}

interface Complaint {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

function complaints(issues: readonly Complaint[], given: readonly Given[], file: ConfigFile | undefined): string {
  const lines = issues.map(({ path: [name, ...inner], message }) => {
    const culprit = given.find(({ setting }) => setting.name === name)
    if (!culprit) return message
    const { setting, value, origin } = culprit
    const place = origin === originIn(file, setting.flag) ? placeIn(file, setting.flag, inner) : origin
    const shown = setting.secret ? '' : `, not ${JSON.stringify(value)}`
    const isNested = setting.name === 'models' || setting.name === 'gateway'
    if (isNested && inner.length > 0) return `${place}: ${[...inner, message].join(': ')}`
    return `${place} ${message}${shown}`
  })
  return [...new Set(lines)].join('\n')
}

/** A place in the file, as deep as the error is. */
function placeIn(file: ConfigFile | undefined, flag: string, inner: readonly PropertyKey[]): string {
  return `${file?.path} line ${file?.lineOf(flag, ...inner)}: "${flag}"`
}

function originIn(file: ConfigFile | undefined, flag: string): string | undefined {
  return file && `${file.path} line ${file.lineOf(flag)}`
}

function originsOf(given: readonly Given[]): Readonly<Record<SettingName, string>> {
  const found = new Map(given.map(({ setting, origin }) => [setting.name, origin]))
  const entries = settings.map(({ name }) => [name, found.get(name) ?? 'default'] as const)
  // Every setting has an entry, which `fromEntries` cannot express.
  return Object.fromEntries(entries) as Record<SettingName, string>
}
