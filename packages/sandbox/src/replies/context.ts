import type { Scenario } from '../scenario.ts'

/** The settings of one reply, beside its request. */
export interface ReplyContext {
  readonly scenario: Scenario
  readonly resultCount: number
  readonly excerptLength: number
  readonly sites?: readonly string[] | undefined
  /** Whether searches find the library's pages. */
  readonly library?: boolean | undefined
  readonly now: Date
  /** Returns a new id with the prefix. */
  readonly newId: (prefix: string) => string
}
