import { join } from 'node:path'
import { messageOf } from '../../../lib/errors.ts'
import { isObject, parseJson } from '../../../lib/json.ts'
import { shellWord } from '../../../lib/text.ts'
import { withoutLastSlashes } from '../../../lib/url.ts'
import { homeFolder } from '../../config/home.ts'
import { UsageError } from '../../config/usage-error.ts'
import type { Environment } from '../../shell/shell.ts'
import { leavesOf } from '../clients/setting-diff.ts'

/** A configuration of OpenClaw. */
export type OpenClawConfig = Readonly<Record<string, unknown>>

export interface OpenClawWish {
  /** The id of the plugin through which OpenClaw searches: its own for Brave, or ours. */
  readonly plugin: 'brave' | 'csp'
  /** Where csp listens. */
  readonly url: string
  /** What OpenClaw sends as its key. The Brave plugin insists on one. */
  readonly key: string | undefined
  /** How long a search may take. */
  readonly timeoutSeconds: number
  /** How our plugin calls csp, if not by its name. */
  readonly command?: readonly string[] | undefined
}

/** Where OpenClaw keeps its files. */
export function openClawStateDir(environment: Environment): string {
  const home = environment['OPENCLAW_HOME'] || homeFolder(environment)
  return environment['OPENCLAW_STATE_DIR'] || join(home, '.openclaw')
}

/** Where OpenClaw reads its configuration. */
export function openClawConfigPath(environment: Environment): string {
  return environment['OPENCLAW_CONFIG_PATH'] || join(openClawStateDir(environment), 'openclaw.json')
}

/** Reads a configuration of OpenClaw's, which is JSON5. Throws a `UsageError` when it is not an object. */
export function parseOpenClawConfig(text: string, path: string): OpenClawConfig {
  let value: unknown
  try {
    value = text.trim() ? Bun.JSON5.parse(text) : {}
  } catch (error) {
    throw new UsageError(`${path} is not JSON5: ${messageOf(error)}`)
  }
  if (!isObject(value)) throw new UsageError(`${path} does not hold one object.`)
  return value
}

/** The same configuration with csp as the place to search. All other settings stay. */
export function withSearch(config: OpenClawConfig, wish: OpenClawWish): OpenClawConfig {
  return merge(config, settingsFor(wish, config))
}

/** The commands of OpenClaw's own that do what `withSearch` does, to be run where it is installed. */
export function openClawCommands(wish: OpenClawWish, install: string): readonly string[] {
  const leaves = [...leavesOf(settingsFor(wish, {}))]
  return [install, ...leaves.map(([path, value]) => `openclaw config set ${settingWords(path, parseJson(value))}`)]
}

/** OpenClaw reads a list as JSON only where it is told so. */
function settingWords(path: string, value: unknown): string {
  if (typeof value === 'object') return `${path} ${shellWord(JSON.stringify(value))} --json`
  return [path, String(value)].map(shellWord).join(' ')
}

/** The key that OpenClaw has for csp already. One for another address is not csp's, and is not sent to it. */
export function keyFor(
  { plugin, url }: Pick<OpenClawWish, 'plugin' | 'url'>,
  config: OpenClawConfig,
): string | undefined {
  const own = ['plugins', 'entries', plugin, 'config', 'webSearch']
  const [address, key] = [valueAt(config, [...own, 'baseUrl']), valueAt(config, [...own, 'apiKey'])]
  return typeof address === 'string' && withoutLastSlashes(address) === url && typeof key === 'string' ? key : undefined
}

/** A configuration whose settings for searching are those of another one. All other settings stay. */
export function withSearchOf(config: OpenClawConfig, former: OpenClawConfig): OpenClawConfig {
  const paths = ownedPaths.map((path) => path.split('.'))
  return paths.reduce((changed, path) => withValueAt(changed, path, valueAt(former, path)), config)
}

/** What csp writes, or OpenClaw with its plugins. */
const ownedPaths = [
  'tools.web.search.enabled',
  'tools.web.search.provider',
  'tools.web.search.timeoutSeconds',
  'tools.web.fetch.provider',
  'plugins.entries.brave',
  'plugins.entries.csp',
  'plugins.allow',
]

function settingsFor({ plugin, url, key, timeoutSeconds, command }: OpenClawWish, present: OpenClawConfig) {
  const patience = valueAt(present, ['tools', 'web', 'search', 'timeoutSeconds'])
  const longer = typeof patience === 'number' ? Math.max(patience, timeoutSeconds) : timeoutSeconds
  const isOff = valueAt(present, ['tools', 'web', 'search', 'enabled']) === false
  const allowed = valueAt(present, ['plugins', 'allow'])
  const isShutOut = Array.isArray(allowed) && !allowed.includes(plugin)
  const webSearch = { baseUrl: url, ...(key !== undefined && { apiKey: key }) }
  return {
    plugins: {
      entries: { [plugin]: { enabled: true, config: { ...(command && { command }), webSearch } } },
      ...(isShutOut && { allow: [...allowed, plugin] }),
    },
    tools: {
      web: {
        search: { ...(isOff && { enabled: true }), provider: plugin, timeoutSeconds: longer },
        ...(plugin === 'csp' && { fetch: { provider: plugin } }),
      },
    },
  }
}

function valueAt(config: unknown, path: readonly string[]): unknown {
  return path.reduce((value, key) => (isObject(value) ? value[key] : undefined), config)
}

/** Without a value what stands there goes, and with it the objects that held nothing else. */
function withValueAt(config: OpenClawConfig, [key = '', ...rest]: readonly string[], value: unknown): OpenClawConfig {
  const { [key]: present, ...others } = config
  if (rest.length === 0) return value === undefined ? others : { ...config, [key]: value }
  if (value === undefined && !isObject(present)) return config
  const changed = withValueAt(isObject(present) ? present : {}, rest, value)
  return Object.keys(changed).length > 0 || isEmpty(present) ? { ...config, [key]: changed } : others
}

function isEmpty(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0
}

function merge(target: unknown, source: OpenClawConfig): OpenClawConfig {
  const base = isObject(target) ? target : {}
  const changes = Object.entries(source).map(([key, value]) => [key, isObject(value) ? merge(base[key], value) : value])
  return { ...base, ...Object.fromEntries(changes) }
}
