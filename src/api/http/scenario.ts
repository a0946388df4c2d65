import type { Executor } from '../../executor/executor.ts'
import { invalid } from '../exchange/refusal.ts'

/** The header by which a caller of the sandbox asks for a scenario. */
const scenarioHeader = 'x-csp-sandbox'

/**
 * The scenario that a request asks for. `undefined` without the header, and where the executor has no scenarios: there
 * the header is ignored. Throws a `Refusal` that lists the names.
 */
export function scenarioOf(headers: Headers, { scenarios }: Pick<Executor, 'scenarios'>): string | undefined {
  const name = headers.get(scenarioHeader)?.trim()
  if (!name || !scenarios) return undefined
  if (scenarios.includes(name)) return name
  const message = `The sandbox has no scenario '${name.slice(0, 80)}'. It has: ${scenarios.join(', ')}`
  throw invalid({ path: [scenarioHeader], type: 'value_error', message, input: name })
}

/** The header, where it is set and no scenario was played: for the names of what was ignored. */
export function unplayedScenario(headers: Headers, played?: string): readonly string[] {
  return played === undefined && headers.get(scenarioHeader) ? [scenarioHeader] : []
}
