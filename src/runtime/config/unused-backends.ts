import type { LoadedConfig } from './config.ts'
import { backendSettings } from './declarations/backends.ts'
import { usedBackends } from './settings.ts'

/** A backend that is set up and not asked. */
interface UnusedBackend {
  readonly backend: string
  /** What sets it up, as a person knows it: a variable, or a place in the file. */
  readonly origin: string
}

/** Backends that are set up and not among those that search. */
function unusedBackends({ config, origins }: Pick<LoadedConfig, 'config' | 'origins'>): readonly UnusedBackend[] {
  return Object.entries(backendSettings).flatMap(([backend, setting]) => {
    const isUsed = usedBackends(config).some((name) => name === backend)
    return config[setting] === undefined || isUsed ? [] : [{ backend, origin: origins[setting] }]
  })
}

/** One line on what could search and does not; `undefined`: nothing. */
export function unusedBackendsHint(loaded: Pick<LoadedConfig, 'config' | 'origins'>): string | undefined {
  const unused = unusedBackends(loaded)
  if (unused.length === 0) return undefined
  const named = unused.map(({ backend, origin }) => `${backend} (${origin})`).join(', ')
  const ready = Object.entries(backendSettings).filter(([, setting]) => loaded.config[setting] !== undefined)
  const order = [...ready.map(([backend]) => backend), 'claude'].join(', ')
  return `Set up but not used: ${named}. --backends auto asks in this order, the next where one fails: ${order}.`
}
