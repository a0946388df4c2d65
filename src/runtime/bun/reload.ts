import type { Config, SettingName } from '../config/settings.ts'

/** What the change of a setting is applied to while csp serves. */
const live = {
  logLevel: 'log',
  logFormat: 'log',
  minuteSearches: 'limits',
  dailySearches: 'limits',
  dailyTokens: 'limits',
  apiKeys: 'app',
  allowedHosts: 'app',
  allowedOrigins: 'app',
  models: 'app',
  page: 'app',
} as const satisfies Partial<Record<SettingName, string>>

type LiveName = keyof typeof live

/** What a reload does. */
export interface ReloadPlan<Settings extends Config> {
  /** The settings that hold from now on. */
  readonly config: Settings
  readonly changed: readonly LiveName[]
  /** What is to be made anew. */
  readonly parts: ReadonlySet<(typeof live)[LiveName]>
  /** Settings that have changed and hold from the next start on. */
  readonly waiting: readonly SettingName[]
}

/** Which settings of the new configuration can hold at once. */
export function planReload<Settings extends Config>(now: Settings, next: Settings): ReloadPlan<Settings> {
  // Both have the same settings, whose names `keys` does not know.
  const names = [...new Set([...Object.keys(now), ...Object.keys(next)])] as SettingName[]
  const different = names.sort().filter((name) => JSON.stringify(now[name]) !== JSON.stringify(next[name]))
  const changed = different.filter(isLive)
  const taken = Object.fromEntries(changed.map((name) => [name, next[name]]))
  return {
    config: { ...now, ...taken },
    changed,
    parts: new Set(changed.map((name) => live[name])),
    waiting: different.filter((name) => !isLive(name)),
  }
}

function isLive(name: string): name is LiveName {
  return Object.hasOwn(live, name)
}
