import { listPriceOf } from '../domain/list-price.ts'
import { type Contender, nameOf, type Strategy } from './contender.ts'
import type { EndReason, Trial } from './evaluate.ts'
import { type Difference, mean, pairedDifference, quantile, type Share, shareOf } from './statistics.ts'

/** What was measured of one backend with one strategy. */
export interface Summary {
  readonly backend: string
  readonly strategy: Strategy
  readonly trials: number
  readonly failures: number
  /** The answer is in one of the first five results. */
  readonly evidence: Share | undefined
  /** A page that the set names is among the first 1, 5 and 10 results; absent if it names none. */
  readonly hits: readonly (Share | undefined)[]
  /** The written answer is right; absent for lists. */
  readonly right: Share | undefined
  /** The written answer says anything; absent for lists. */
  readonly attempted: Share | undefined
  /** The harmonic mean of the right ones among all and among those attempted, as SimpleQA counts; absent for lists. */
  readonly fScore: number | undefined
  /** All that the answer names came from its searches; absent for lists. */
  readonly grounded: Share | undefined
  /** Parts of all rows, 0 to 1; absent without rows. */
  readonly withExcerpt: number | undefined
  readonly withDate: number | undefined
  /** Milliseconds. */
  readonly p50: number | undefined
  readonly p90: number | undefined
  readonly p95: number | undefined
  /** Means, for one question. Absent if the backend does not say. */
  readonly modelCalls: number | undefined
  readonly inputTokens: number | undefined
  readonly outputTokens: number | undefined
  /** US dollars for one question, by the vendor's list; absent if no list is known. */
  readonly listPrice: number | undefined
  /** In all. */
  readonly searches: number
}

/** How one contender differs from the first, over the questions that both were asked. */
export interface Comparison {
  readonly name: string
  readonly against: string
  readonly evidence: Difference | undefined
  readonly right: Difference | undefined
}

export interface Report {
  readonly end: EndReason
  readonly questions: number
  readonly searches: number
  readonly summaries: readonly Summary[]
  readonly comparisons: readonly Comparison[]
  readonly trials: readonly Trial[]
}

type Named = Pick<Contender, 'backend' | 'strategy'>

/** Sums up the trials of an evaluation, whole or cut off. */
export function reportOf(contenders: readonly Named[], trials: readonly Trial[], end: EndReason): Report {
  const of = (contender: Named) => trials.filter((trial) => nameOf(trial) === nameOf(contender))
  const [first, ...others] = contenders
  return {
    end,
    questions: new Set(trials.map(({ question }) => question)).size,
    searches: sum(trials.map(({ searches }) => searches)),
    summaries: contenders.map((contender) => summarise(contender, of(contender))),
    comparisons: first ? others.map((other) => compare(first, other, of(first), of(other))) : [],
    trials,
  }
}

function summarise({ backend, strategy }: Named, trials: readonly Trial[]): Summary {
  const answered = trials.filter(({ failure }) => failure === undefined)
  const rows = sum(answered.map((trial) => trial.rows))
  const part = (count: number) => (rows > 0 ? count / rows : undefined)
  const times = answered.map(({ ms }) => ms)
  const known = (value: (trial: Trial) => number) => mean(answered.map(value)) || undefined
  return {
    backend,
    strategy,
    trials: trials.length,
    failures: trials.length - answered.length,
    evidence: shareOf(trials.map(({ hasEvidence }) => hasEvidence)),
    hits: [1, 5, 10].map((count) =>
      shareOf(
        trials.flatMap(({ goldenRank }) => (goldenRank === undefined ? [] : goldenRank > 0 && goldenRank <= count)),
      ),
    ),
    ...gradesOf(trials),
    grounded: shareOf(trials.flatMap(({ isGrounded }) => isGrounded ?? [])),
    withExcerpt: part(sum(answered.map(({ rowsWithExcerpt }) => rowsWithExcerpt))),
    withDate: part(sum(answered.map(({ rowsWithDate }) => rowsWithDate))),
    p50: quantile(times, 0.5),
    p90: quantile(times, 0.9),
    p95: quantile(times, 0.95),
    modelCalls: known(({ modelCalls }) => modelCalls),
    inputTokens: known(({ inputTokens }) => inputTokens),
    outputTokens: known(({ outputTokens }) => outputTokens),
    listPrice: mean(answered.flatMap((trial) => listPriceOf(trial.model, trial) ?? [])),
    searches: sum(trials.map(({ searches }) => searches)),
  }
}

function gradesOf(trials: readonly Trial[]): Pick<Summary, 'right' | 'attempted' | 'fScore'> {
  const right = shareOf(trials.flatMap(({ isRight }) => isRight ?? []))
  const attempted = shareOf(trials.flatMap(({ isAttempted }) => isAttempted ?? []))
  // 2ab / (a + b) of right/all and right/attempted.
  const fScore = right && attempted && (2 * right.hits) / (right.of + attempted.hits)
  return { right, attempted, fScore }
}

function compare(first: Named, second: Named, ofFirst: readonly Trial[], ofSecond: readonly Trial[]): Comparison {
  const pairs = ofFirst.flatMap((a) => {
    const b = ofSecond.find(({ question }) => question === a.question)
    return b ? [[a, b] as const] : []
  })
  return {
    name: nameOf(second),
    against: nameOf(first),
    evidence: pairedDifference(pairs.map(([a, b]) => [a.hasEvidence, b.hasEvidence])),
    right: pairedDifference(
      pairs.flatMap(([a, b]) =>
        a.isRight === undefined || b.isRight === undefined ? [] : [[a.isRight, b.isRight] as const],
      ),
    ),
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
