import type { ResearchEffort } from '../domain/research-step.ts'

/** What a research may cost at most, whatever its model and its pages say. */
export interface ResearchBounds {
  /** Questions of the outline. */
  readonly questions: number
  /** Rounds after the first, and how many questions each may add. */
  readonly furtherRounds: number
  readonly furtherQuestions: number
  /** Rows that each search has read, and those that the report may rest on. */
  readonly rows: number
  readonly rowsKept: number
  /** For all searches together; the report is written over what has come by then. */
  readonly searchMs: number
  /** Once so many tokens are used no further round is planned. */
  readonly tokens: number
}

/** By effort. */
export const boundsOf: Readonly<Record<ResearchEffort, ResearchBounds>> = {
  low: { ...{ questions: 3, furtherRounds: 0, furtherQuestions: 0 }, rows: 5, rowsKept: 4, ...limits(60, 30_000) },
  medium: { ...{ questions: 5, furtherRounds: 1, furtherQuestions: 3 }, rows: 6, rowsKept: 4, ...limits(150, 60_000) },
  high: { ...{ questions: 10, furtherRounds: 2, furtherQuestions: 4 }, rows: 6, rowsKept: 3, ...limits(400, 150_000) },
}

function limits(seconds: number, tokens: number) {
  return { searchMs: seconds * 1000, tokens }
}
