import type { Fetcher } from '../../executor/wire/fetcher.ts'
import type { KvNamespace } from '../../storage/kv.ts'
import { type Config, configSchema, settings } from '../config/settings.ts'
import { parseStoredKeys, type StoredKey } from '../config/stored-keys.ts'

/** What wrangler.toml and `wrangler secret` give the Worker: bindings, and variables by their names. */
export interface EdgeEnvironment {
  readonly CACHE: KvNamespace
  readonly HOMES: ObjectNamespace
  readonly BUDGET: ObjectNamespace
  readonly [variable: string]: unknown
}

/** A class of Durable Objects. */
export interface ObjectNamespace {
  idFromName(name: string): unknown
  get(id: unknown): Fetcher
}

/** The one object of a class that goes by a name. What leads to it belongs to a request, so it is asked for each time. */
export function objectNamed(namespace: ObjectNamespace, name: string): Fetcher {
  return { fetch: (request) => namespace.get(namespace.idFromName(name)).fetch(request) }
}

/** What the Worker is to be. */
export interface EdgeSettings {
  readonly config: Config
  /** Those of `csp keys`, by their hashes. */
  readonly namedKeys: readonly StoredKey[]
}

/** Reads the same variables as at home, and `CSP_KEYS`; or says what is wrong with them, for a person to read. */
export function readEdgeSettings(environment: EdgeEnvironment): EdgeSettings | string {
  const given = settings.flatMap(({ name, variable }) => {
    const value = variable && environment[variable]
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
  if (!namedKeys) return 'CSP_KEYS must be the text of a keys.json, as csp keys writes it.'
  if (parsed.data.apiKeys.length > 0 || namedKeys.length > 0) return { config: parsed.data, namedKeys }
  return 'This csp has no keys yet, so it answers nobody. Set them: npx wrangler secret put CSP_API_KEYS'
}
