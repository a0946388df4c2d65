import type { Limits } from '../../executor/layers/metering/budget.ts'
import { configuredLimits } from '../config/settings.ts'
import type { EdgeSettings } from './environment.ts'

/** What may be spent, as the settings of the Worker have it. */
export interface EdgeLimits {
  /** What all may spend together. */
  readonly limits: Limits
  /** What one may spend alone. */
  readonly limitsOf: (caller: string) => Limits | undefined
}

/** Those of the settings, and those of the named keys. */
export function edgeLimits({ config, namedKeys }: EdgeSettings): EdgeLimits {
  const byName = new Map(namedKeys.map(({ name, limits }) => [name, limits]))
  return { limits: configuredLimits(config), limitsOf: (caller) => byName.get(caller) }
}
