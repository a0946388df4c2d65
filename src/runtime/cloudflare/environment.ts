import type { Limits } from '../../executor/layers/metering/budget.ts'
import type { Fetcher } from '../../executor/wire/fetcher.ts'
import type { KvNamespace } from '../../storage/kv.ts'
import type { SecretVariables } from '../../tunnel/secrets.ts'
import { type Config, configSchema, configuredLimits, settings } from '../config/settings.ts'
import { parseStoredKeys, type StoredKey } from '../config/stored-keys.ts'
import { isLogged, type Log } from '../log/log.ts'

/** The Worker's bindings and variables, from wrangler.toml and `wrangler secret`. */
export interface EdgeEnvironment extends SecretVariables {
  readonly CACHE: KvNamespace
  readonly HOMES: ObjectNamespace
  readonly BUDGET: ObjectNamespace
  readonly [variable: string]: unknown
}

/** The binding of a Durable Object class. */
export interface ObjectNamespace {
  idFromName(name: string): unknown
  get(id: unknown): Fetcher
}

/** The object with this name. Its stub belongs to one request, so each request gets a new one. */
export function objectNamed(namespace: ObjectNamespace, name: string): Fetcher {
  return { fetch: (request) => namespace.get(namespace.idFromName(name)).fetch(request) }
}

/** The settings of the Worker. */
export interface EdgeSettings {
  readonly config: Config
  /** The keys of `csp keys`, as hashes. */
  readonly namedKeys: readonly StoredKey[]
}

/** Reads the same variables as `csp serve`, and `CSP_KEYS`. Returns an error message if one is invalid. */
export function readEdgeSettings(environment: EdgeEnvironment): EdgeSettings | string {
  const given = settings.flatMap(({ name, variable }) => {
    const value = variable === undefined ? undefined : environment[variable]
    return typeof value === 'string' && value ? [{ name, variable, value }] : []
  })
  const parsed = configSchema.safeParse(Object.fromEntries(given.map(({ name, value }) => [name, value])))
  if (!parsed.success) {
    const lines = parsed.error.issues.map(({ path: [name], message }) => {
      const culprit = given.find((entry) => entry.name === name)
      return culprit ? `${culprit.variable} ${message}.` : message
    })
    return [...new Set(lines)].join(' ')
  }
  const keyFile = environment['CSP_KEYS']
  const namedKeys = typeof keyFile === 'string' && keyFile ? parseStoredKeys(keyFile) : []
  if (!namedKeys) return 'CSP_KEYS must be the content of a keys.json file of csp keys.'
  if (parsed.data.apiKeys.length > 0 || namedKeys.length > 0) return { config: parsed.data, namedKeys }
  return 'This csp has no keys yet and rejects all requests. Set them: npx wrangler secret put CSP_API_KEYS'
}

/** The usage limits of the Worker. */
export interface EdgeLimits {
  /** Limits of all callers together. */
  readonly limits: Limits
  /** Limits of one caller. */
  readonly limitsOf: (caller: string) => Limits | undefined
}

/** Reads the limits of the settings and of the named keys. */
export function edgeLimits({ config, namedKeys }: EdgeSettings): EdgeLimits {
  const byName = new Map(namedKeys.map(({ name, limits }) => [name, limits]))
  return { limits: configuredLimits(config), limitsOf: (caller) => byName.get(caller) }
}

/**
 * Writes to the Worker's console, which `npx wrangler tail` and the dashboard show, from a level upwards: one JSON object
 * per line. Cloudflare adds the time.
 */
export function edgeLog(level: Config['logLevel']): Log {
  return (at, message, properties) => {
    if (isLogged(at, level)) write[at](JSON.stringify({ level: at, message, ...properties }))
  }
}

const write = {
  debug: (line: string) => console.debug(line),
  info: (line: string) => console.info(line),
  warning: (line: string) => console.warn(line),
  error: (line: string) => console.error(line),
} as const
