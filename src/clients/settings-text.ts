import { isObject } from '@csp/lib/json'
import { stringify } from 'yaml'
import type { Place, SettingsFile } from './client.ts'

/** A client's file with csp's settings only. */
export function settingsText({ format, settings }: Pick<SettingsFile, 'format' | 'settings'>): string {
  if (format === 'env') return settings.map(({ place: [name], value }) => `${envLine(String(name), value)}\n`).join('')
  if (format === 'toml') {
    const texts = settings.map(({ place, value }) => tomlTable(place.map(String), isObject(value) ? value : {}))
    return texts.join('\n')
  }
  const value = settingsValue(settings)
  return format === 'yaml' ? stringify(value, { lineWidth: 0 }) : `${JSON.stringify(value, null, 2)}\n`
}

/** A configuration with these settings only. */
export function settingsValue(settings: SettingsFile['settings']): unknown {
  return freshSettings(settings).reduce<unknown>(withSetting, {})
}

/** What csp writes into an empty configuration. */
export function freshSettings(settings: SettingsFile['settings']): SettingsFile['settings'] {
  return settings.filter(({ value, when }) => value !== undefined && (when?.(undefined, undefined) ?? true))
}

/** A table of TOML with texts, numbers, switches, and tables in braces. */
export function tomlTable(path: readonly string[], value: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(value).map(([name, inner]) => `${name} = ${tomlValue(inner)}\n`)
  return `[${path.join('.')}]\n${lines.join('')}`
}

/** A text of JSON is one of TOML. */
function tomlValue(value: unknown): string {
  if (!isObject(value)) return JSON.stringify(value)
  return `{ ${Object.entries(value)
    .map(([name, inner]) => `${name} = ${tomlValue(inner)}`)
    .join(', ')} }`
}

/** A line of a file of variables. */
export function envLine(name: string, value: unknown): string {
  const text = String(value)
  if (/^[\w.:/@%+,=-]*$/.test(text)) return `${name}=${text}`
  return `${name}=${text.includes("'") ? JSON.stringify(text) : `'${text}'`}`
}

function withSetting(whole: unknown, { place, value }: { readonly place: Place; readonly value: unknown }): unknown {
  const [step, ...rest] = place
  if (step === undefined) return value
  if (typeof step === 'object')
    return [...(Array.isArray(whole) ? whole : []), withSetting(undefined, { place: rest, value })]
  const group = isObject(whole) ? whole : {}
  return { ...group, [step]: withSetting(group[step], { place: rest, value }) }
}
