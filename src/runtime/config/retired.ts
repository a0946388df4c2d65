import { parseJson } from '../../lib/json.ts'
import type { Environment } from '../shell/shell.ts'
import type { ConfigFile } from './config-file.ts'
import { type SettingName, variableOf } from './settings.ts'

/** A setting that csp had. It is still accepted, so that what started yesterday starts today. */
export interface RetiredSetting {
  /** Completes "NAME is no longer a setting: …". */
  readonly instead: string
  /** Its flag stands alone. */
  readonly isSwitch?: true | undefined
  /** The setting that takes its value over. */
  readonly becomes?: Successor | undefined
}

interface Successor {
  readonly setting: SettingName
  /** Made of what stands under former names, and of what the setting itself is given. Absent: the value as it is. */
  readonly value?: ((former: Former, own: unknown) => unknown) | undefined
}

/** What is given under the name of a retired setting. */
export type Former = (name: string) => unknown

const noTraces = { instead: 'csp sends no traces; its log has the phases of each request, and /metrics the figures' }
const inTheList = (field: string) => `set "${field}" of an upstream in the list gateway`

/** Both halves are needed. */
const ofAccess: RetiredSetting = {
  instead: 'set access-token to ID:SECRET',
  becomes: {
    setting: 'accessToken',
    value(former, own) {
      const [id, secret] = [former('access-client-id'), former('access-client-secret')]
      return own ?? (id && secret ? `${id}:${secret}` : undefined)
    },
  },
}

/** A setting whose variable other programs have, too, and know under one name. */
function renamed(variable: string, setting: SettingName): RetiredSetting {
  return { instead: `it is called ${variable}, in the file as well`, becomes: { setting } }
}

function isOn(value: unknown): boolean {
  return value !== undefined && value !== false && !/^(?:false|no|off|0)$/i.test(String(value))
}

function listOf(value: unknown): readonly unknown[] {
  const list = typeof value === 'string' ? parseJson(value) : value
  return Array.isArray(list) ? list : []
}

/** By the names that they had in the file. */
export const retiredSettings: Readonly<Record<string, RetiredSetting>> = {
  'receipts-size': { instead: 'receipts take 200 MB at most' },
  'receipts-days': { instead: 'receipts are kept for 90 days' },
  'memory-size': { instead: 'the memory takes 500 MB at most' },
  'list-concurrency': { instead: 'ten lists and fast answers run at the same time; --concurrency is for written ones' },
  queue: { instead: 'a hundred searches may wait' },
  'minute-searches': { instead: 'use --rate, or a limit of each key: csp keys add NAME --per-minute N' },
  'cache-stale': { instead: 'an older answer stands in for a failure for one day; Cache-Control: no-cache refuses it' },
  'cache-dir': { instead: 'the answer cache is in the folder csp of XDG_CACHE_HOME, which is ~/.cache' },
  'messages-model': { instead: 'the backend messages writes with --model' },
  'brave-api-key': renamed('BRAVE_API_KEY', 'braveApiKey'),
  'exa-api-key': renamed('EXA_API_KEY', 'exaApiKey'),
  'tavily-api-key': renamed('TAVILY_API_KEY', 'tavilyApiKey'),
  'serper-api-key': renamed('SERPER_API_KEY', 'serperApiKey'),
  'gateway-url': renamed('OPENAI_BASE_URL', 'gatewayUrl'),
  'gateway-key': renamed('OPENAI_API_KEY', 'gatewayKey'),
  'gateway-opus': renamed('ANTHROPIC_DEFAULT_OPUS_MODEL', 'gatewayOpus'),
  'gateway-sonnet': renamed('ANTHROPIC_DEFAULT_SONNET_MODEL', 'gatewaySonnet'),
  'gateway-haiku': renamed('ANTHROPIC_DEFAULT_HAIKU_MODEL', 'gatewayHaiku'),
  'gateway-shape': { instead: inTheList('shape') },
  'gateway-tools': { instead: inTheList('tools') },
  'gateway-idle': { instead: inTheList('idle') },
  'gateway-timeout': { instead: 'a request to the gateway may take one hour' },
  'gateway-claude': {
    instead: 'add {"name": "claude"} to the list gateway',
    isSwitch: true,
    becomes: {
      setting: 'gateway',
      value: (former, own) => (isOn(former('gateway-claude')) ? [...listOf(own), { name: 'claude' }] : own),
    },
  },
  'connect-secret-file': {
    instead: 'give "@FILE" as connect-secret',
    becomes: { setting: 'connectSecret', value: (former, own) => own ?? `@${former('connect-secret-file')}` },
  },
  'access-client-id': ofAccess,
  'access-client-secret': ofAccess,
  'sandbox-pace': {
    instead: 'use --sandbox=PACE',
    becomes: { setting: 'sandbox', value: (former, own) => (isOn(own) ? former('sandbox-pace') : own) },
  },
  'otel-endpoint': noTraces,
  'otel-headers': noTraces,
  'otel-service-name': noTraces,
  'otel-queries': { ...noTraces, isSwitch: true },
}

/** Where a retired setting is given, what wins first: `--queue`, `CSP_QUEUE`, a line of the file. */
export function originsOfRetired(name: string, { flags, environment, file }: RetiredSources): readonly string[] {
  const variable = variableOf(name)
  return [
    ...(flags[name] === undefined ? [] : [`--${name}`]),
    ...(environment[variable] ? [variable] : []),
    ...(file && Object.hasOwn(file.values, name) ? [`${file.path} line ${file.lineOf(name)}: "${name}"`] : []),
  ]
}

export interface RetiredSources {
  readonly flags: Readonly<Record<string, unknown>>
  readonly environment: Environment
  readonly file: ConfigFile | undefined
}

/** A line for each setting that csp had. */
export function retiredOnes(sources: RetiredSources): readonly string[] {
  return Object.entries(retiredSettings).flatMap(([name, { instead }]) =>
    originsOfRetired(name, sources).map((origin) => `${origin} is no longer a setting: ${instead}.`),
  )
}

/** What the settings are given, by name, with what stands under former names. A former name wins over the new one. */
export function withFormerNames(
  given: ReadonlyMap<SettingName, unknown>,
  former: Former,
): ReadonlyMap<SettingName, { readonly value: unknown; readonly name: string }> {
  const found = new Map<SettingName, { readonly value: unknown; readonly name: string }>()
  for (const [name, { becomes }] of Object.entries(retiredSettings)) {
    const value = former(name)
    if (!becomes || value === undefined) continue
    const own = found.get(becomes.setting)?.value ?? given.get(becomes.setting)
    const taken = becomes.value ? becomes.value(former, own) : value
    if (taken !== undefined && taken !== own) found.set(becomes.setting, { value: taken, name })
  }
  return found
}
