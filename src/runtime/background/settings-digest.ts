import { createHash } from 'node:crypto'
import type { LoadedConfig } from '../config/config.ts'
import { backendSettings } from '../config/declarations/backends.ts'
import { usedBackends } from '../config/settings.ts'
import { claudeBinary } from '../server/claude-cli.ts'
import type { Environment } from '../shell/shell.ts'

/** What decides neither what an answer is nor what it costs: where csp listens, for whom, and what it logs. */
const surroundings: ReadonlySet<string> = new Set([
  'host',
  'port',
  'apiKeys',
  'allowedHosts',
  'allowedOrigins',
  'logLevel',
  'logFormat',
  'connectUrl',
  'connectName',
  'connectSecret',
  'accessToken',
  'models',
])

/**
 * A digest of the settings that shape an answer. Two processes with the same one answer alike, so that one may answer
 * for the other. What sets up a backend that is not asked is left out. The CLI is the one that is found: one may have its path from a setting, the other from PATH.
 */
export function settingsDigest(config: LoadedConfig['config'], environment: Environment): string {
  const found = { ...config, claudeBin: claudeBinary(config, environment) }
  const used: readonly string[] = usedBackends(config)
  const idle = Object.entries(backendSettings).filter(([backend]) => !used.includes(backend))
  const unused = new Set<string>(idle.map(([, setting]) => setting))
  const entries = Object.entries(found).filter(([name]) => !surroundings.has(name) && !unused.has(name))
  entries.sort(([left], [right]) => (left < right ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(entries)).digest('hex')
}
