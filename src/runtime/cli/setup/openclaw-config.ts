import { join } from 'node:path'
import { messageOf } from '../../../lib/errors.ts'
import { UsageError } from '../../config/usage-error.ts'
import type { Environment } from '../../shell/shell.ts'
import { isObject, leavesOf } from './setting-diff.ts'
import { shellWord } from './shell-word.ts'

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
  const home = environment['OPENCLAW_HOME'] || environment['HOME'] || '.'
  const state = environment['OPENCLAW_STATE_DIR'] || join(home, '.openclaw')
  return environment['OPENCLAW_CONFIG_PATH'] || join(state, 'openclaw.json')
}

/** Reads a configuration of OpenClaw's, which is JSON5. Throws a `UsageError` when it is no object. */
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

/** The same configuration with csp as the place to search, by OpenClaw's Brave plugin. Everything else stays. */
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
