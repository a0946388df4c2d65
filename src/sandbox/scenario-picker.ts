import type { CallKind } from './classify.ts'
import type { Scenario, ScenarioRule } from './scenario.ts'

/** Picks the scenario of each call: the first rule that fits and is not used up, else `ok`. */
export class ScenarioPicker {
  readonly #rules: { readonly rule: ScenarioRule; left: number }[]

  constructor(rules: Scenario | readonly ScenarioRule[] = 'ok') {
    const list = typeof rules === 'string' ? [{ scenario: rules }] : rules
    this.#rules = list.map((rule) => ({ rule, left: rule.times ?? Number.POSITIVE_INFINITY }))
  }

  next(kind: CallKind): Scenario {
    const entry = this.#rules.find(({ rule, left }) => left > 0 && (rule.kind ?? kind) === kind)
    if (!entry) return 'ok'
    entry.left -= 1
    return entry.rule.scenario
  }
}
