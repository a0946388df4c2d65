import type { Scenario } from '../scenario.ts'

/** What a reply depends on besides the request. */
export interface ReplyContext {
  readonly scenario: Scenario
  readonly resultCount: number
  readonly now: Date
  /** A fresh id that begins with the prefix. */
  readonly newId: (prefix: string) => string
}
