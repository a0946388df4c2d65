import type { Limits } from '../../executor/budget.ts'
import type { EdgeSettings } from './edge-environment.ts'

/** What may be spent, as the settings of the Worker have it. */
export interface EdgeLimits {
  /** What all may spend together. */
  readonly limits: Limits
  /** What one may spend alone. */
  readonly limitsOf: (caller: string) => Limits | undefined
}

/** 0 stands for no limit. */
export function edgeLimits({ config, namedKeys }: EdgeSettings): EdgeLimits {
  const { minuteSearches, dailySearches, dailyTokens } = config
  const byName = new Map(namedKeys.map(({ name, limits }) => [name, limits]))
  return {
    limits: {
      searchesPerMinute: minuteSearches || undefined,
      searchesPerDay: dailySearches || undefined,
      tokensPerDay: dailyTokens || undefined,
    },
    limitsOf: (caller) => byName.get(caller),
  }
}
