import type { Limits } from '../../executor/layers/metering/budget.ts'
import type { Config } from './config-schema.ts'

/** What all callers may spend together, as the configuration has it; 0 stands for no limit. */
export function configuredLimits({ minuteSearches, dailySearches, dailyTokens }: Config): Limits {
  return {
    searchesPerMinute: minuteSearches || undefined,
    searchesPerDay: dailySearches || undefined,
    tokensPerDay: dailyTokens || undefined,
  }
}
