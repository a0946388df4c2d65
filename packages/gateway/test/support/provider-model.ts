import { type ModelPatterns, matchesPattern } from '../../src/models.ts'

/** The provider's name of a model: that of the first pattern that matches, otherwise the name itself. */
export function providerModel(name: string, patterns: ModelPatterns): string {
  return patterns.find(([pattern]) => matchesPattern(name, pattern))?.[1] ?? name
}
