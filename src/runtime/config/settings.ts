import type { z } from 'zod'
import type { ExcerptSource } from '../../domain/search.ts'
import type { Limits } from '../../executor/layers/metering/budget.ts'
import { type BackendName, backendSettings } from './declarations/backends.ts'
import { fields } from './declarations/fields.ts'
import { about, durationText, type SettingMeta } from './setting-types.ts'

/** Every setting of csp, checked. Times are in seconds. */
export type Config = Readonly<z.output<typeof configSchema>>

export type SettingName = keyof z.output<typeof fields>

/** How one setting is named outside, and described. */
export interface Setting extends Omit<SettingMeta, 'secret' | 'isFlag' | 'isVariable'> {
  readonly name: SettingName
  /** Without dashes; also the key in the configuration file. */
  readonly flag: string
  /** Absent if only the file can set it. */
  readonly variable?: string | undefined
  readonly secret: boolean
  readonly isFlag: boolean
  readonly default: unknown
}

export const configSchema = fields
  .superRefine((config, context) => {
    if (config.excerpts === 'pages' && config.pages === 'off') {
      context.addIssue({ code: 'custom', message: 'Excerpts from pages need --pages search or on.' })
    }
    for (const message of missingForBackends(config)) context.addIssue({ code: 'custom', message })
  })
  .transform(({ sandbox, ...config }) => ({
    ...config,
    backends: namedBackends(config),
    sandbox: sandbox !== false,
    /** How fast the sandbox is; as fast as it can be, if absent. */
    sandboxPace: typeof sandbox === 'object' ? sandbox : undefined,
  }))

/** All settings, in the order in which help and docs show them. */
export const settings: readonly Setting[] = fields.keyof().options.map((name) => {
  const meta = about.get(fields.shape[name])
  if (!meta) throw new Error(`The setting ${name} is not described.`)
  const flag = meta.theirs ?? flagOf(name)
  return {
    ...meta,
    name,
    flag,
    variable: meta.theirs ?? (meta.isVariable === false ? undefined : variableOf(flag)),
    secret: meta.secret === true,
    isFlag: meta.isFlag !== false,
    default: fields.shape[name].safeParse(undefined).data,
  }
})

/** The settings that a command takes as flags. */
export function settingsOf(command: string): readonly Setting[] {
  const takesAll = ['serve', 'start', 'restart', 'doctor', 'config'].includes(command)
  return settings.filter(({ isFlag, commands }) => isFlag && (takesAll || commands.includes(command)))
}

/** The value of a setting as it is typed: `1h`, `10%`. */
export function settingText(value: unknown, { hint }: Pick<Setting, 'hint'>): string {
  if (hint === 'TIME' && typeof value === 'number') return durationText(value)
  if (hint === 'PERCENT') return `${value}%`
  if (Array.isArray(value)) return value.join(',')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Whether the value of a setting is the path of a file or folder. */
export function namesFile({ hint }: Pick<Setting, 'hint'>): boolean {
  return hint === 'FILE' || hint === 'FOLDER' || hint === 'PATH'
}

/** The flag, without dashes, of a name in camel case. */
export function flagOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** The variable of a flag. */
export function variableOf(flag: string): string {
  return `CSP_${flag.toUpperCase().replaceAll('-', '_')}`
}

/**
 * What all callers may spend together, as configured; 0 means no limit. `usualSearchesPerDay` holds where nothing is
 * configured.
 */
export function configuredLimits(config: Config, usualSearchesPerDay = 0): Limits {
  const { dailySearches = usualSearchesPerDay, dailyTokens } = config
  return {
    searchesPerDay: dailySearches || undefined,
    tokensPerDay: dailyTokens || undefined,
  }
}

/** The keys of an object literal, which TypeScript types as text. */
function namesOf<Name extends string>(object: Readonly<Record<Name, unknown>>): readonly Name[] {
  return Object.keys(object) as Name[]
}

/** `auto`: what is set up, and Claude last. */
function namedBackends({ backends, ...config }: Omit<z.output<typeof fields>, 'sandbox'>): readonly BackendName[] {
  const named = backends.filter((name) => name !== 'auto')
  if (named.length === backends.length) return named
  const others = namesOf(backendSettings).filter((name) => config[backendSettings[name]] !== undefined)
  return [...others, 'claude']
}

/** The backends that are asked for anything: those that search, and those that only write. */
export function usedBackends({ backends, writers = [] }: Pick<Config, 'backends' | 'writers'>): readonly BackendName[] {
  const writing = (['claude', 'messages'] as const).filter((name) => writers.includes(name) && !backends.includes(name))
  return [...backends, ...writing]
}

/** What the named backends and writers need and lack. On the sandbox no key is needed. */
export function missingForBackends({
  backends,
  writers,
  sandbox,
  ...config
}: z.output<typeof fields>): readonly string[] {
  const used: readonly string[] = [...backends, ...(writers?.includes('messages') ? ['messages'] : [])]
  if (backends.some((name) => name === 'auto') && backends.length > 1) return ['--backends auto stands alone.']
  const isSandboxed = (name: string) => name === 'messages' && sandbox
  return namesOf(backendSettings)
    .filter((name) => used.includes(name) && !config[backendSettings[name]] && !isSandboxed(name))
    .toSorted((left, right) => used.indexOf(left) - used.indexOf(right))
    .map((name) => `The ${backends.includes(name) ? 'backend' : 'writer'} ${name} needs ${needs[name]}`)
}

const needs: Readonly<Record<keyof typeof backendSettings, string>> = {
  searxng: 'the address of an instance: set --searxng-url (CSP_SEARXNG_URL), such as http://127.0.0.1:8080.',
  brave: 'a key: set BRAVE_API_KEY.',
  exa: 'a key: set EXA_API_KEY.',
  tavily: 'a key: set TAVILY_API_KEY.',
  serper: 'a key: set SERPER_API_KEY.',
  remote: 'the address of another csp: set --remote-url (CSP_REMOTE_URL), such as https://csp.example.org.',
  messages: 'a key of its own: set CSP_ANTHROPIC_API_KEY. ANTHROPIC_API_KEY is never read for it.',
}

/**
 * Where the excerpts of lists come from that do not ask for a source. `auto`: from pages, while they can be read.
 */
export function excerptSource({ excerpts, pages }: Config): 'auto' | ExcerptSource {
  return excerpts === 'auto' && pages === 'off' ? 'lines' : excerpts
}
