import type { CallKind } from './classify.ts'

/** How the sandbox behaves. One that does not concern a kind of call leaves that call `ok`. */
export type Scenario = (typeof scenarios)[number]

/** A scenario for some calls only. */
export interface ScenarioRule {
  readonly scenario: Scenario
  /** Absent: every kind. */
  readonly kind?: CallKind | undefined
  /** For so many matching calls, then no more. Absent: for good. */
  readonly times?: number | undefined
}

/** Every scenario's name, for a flag or a table of tests. */
export const scenarios = [
  'ok',
  // HTTP errors, in the envelope and with the headers of the real API.
  'error-400',
  'error-401',
  'error-403',
  'error-404',
  'error-413',
  'error-429',
  'error-429-bare', // without a word on when the limit ends
  'error-500',
  'error-529',
  // The connection.
  'hang',
  'hang-midway',
  'cut',
  'garbage',
  'slow',
  // What the web search server tool reports in place of results.
  'search-too-many-requests',
  'search-max-uses-exceeded',
  'search-unavailable',
  'search-query-too-long',
  'empty',
  // What the model does.
  'no-search',
  'non-compliant',
  'preamble',
  'invented-url',
  'trailing-sources',
  'max-tokens',
  'refusal',
  'use-tool',
  'use-two-tools',
  'pause-turn',
] as const
