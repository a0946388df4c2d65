import { sourcesOf } from '../../src/domain/answer.ts'
import { SearchError, type SearchErrorCode, toSearchError } from '../../src/domain/error.ts'
import type { Answer } from '../../src/domain/search.ts'
import type { Executor } from '../../src/executor/executor.ts'
import {
  countRows,
  endsAll,
  isGrounded,
  measureSearch,
  requestFor,
  type Strategy,
} from '../../src/runtime/cli/doctor/live-search.ts'
import type { Judge } from './judge.ts'
import { givesAway, goldenRank, setFilters } from './published.ts'
import type { Question } from './question.ts'
import { hasEvidence, holdsAnswer } from './score.ts'

/** One backend with one strategy. */
export interface Contender {
  readonly backend: string
  readonly strategy: Strategy
  readonly executor: Executor
}

export function nameOf({ backend, strategy }: Pick<Contender, 'backend' | 'strategy'>): string {
  return `${backend} ${strategy}`
}

/** One question with one strategy of one backend. A search that failed found nothing and answered nothing. */
export interface Trial {
  readonly question: string
  readonly backend: string
  readonly strategy: Strategy
  /** Milliseconds, to the end of the reply. */
  readonly ms: number
  /** Whether the answer is in one of the first five results. */
  readonly hasEvidence: boolean
  /** The place of the first result that the set names as holding the answer, 0 for none; absent if it names no page. */
  readonly goldenRank?: number | undefined
  /** Whether the written answer is right; absent for a list, and where the judge failed. */
  readonly isRight?: boolean | undefined
  /** Whether the written answer says anything, right or wrong; absent as `isRight` is. */
  readonly isAttempted?: boolean | undefined
  /** Whether all that the answer names came from its searches; absent for a list, and for a search that failed. */
  readonly isGrounded?: boolean | undefined
  readonly rows: number
  readonly rowsWithExcerpt: number
  readonly rowsWithDate: number
  readonly searches: number
  readonly modelCalls: number
  /** 0 where the backend does not say. */
  readonly inputTokens: number
  readonly outputTokens: number
  readonly model: string
  readonly failure?: SearchErrorCode | undefined
}

/** Why an evaluation ended: all was asked, so many searches were made, a limit came near, or somebody stopped it. */
export type EndReason = 'complete' | 'max-searches' | 'limit' | 'interrupted'

export interface EvaluationPlan {
  readonly questions: readonly Question[]
  readonly contenders: readonly Contender[]
  /** Absent: an answer is right when it holds one of the expected ones as words. */
  readonly judge?: Judge | undefined
  readonly maxSearches: number
  /** Monotonic time, ms. */
  readonly now: () => number
}

/**
 * Asks each question of each contender, one after the other, so that no time is spent in a queue, and yields each trial.
 * The contenders take turns in going first. It ends with the reason; trials that a limit or the signal cut off are left
 * out. Throws a `SearchError` when a backend is signed out: nothing would be measured.
 */
export async function* evaluate(
  plan: EvaluationPlan,
  signal: AbortSignal,
): AsyncGenerator<Trial, EndReason, undefined> {
  const { questions, contenders, maxSearches } = plan
  let searches = 0
  for (const [round, question] of questions.entries()) {
    const first = round % contenders.length
    for (const contender of [...contenders.slice(first), ...contenders.slice(0, first)]) {
      if (signal.aborted) return 'interrupted'
      if (searches >= maxSearches) return 'max-searches'
      const trial = await runTrial(plan, question, contender, signal).catch(endOf)
      if (typeof trial === 'string') return trial
      searches += trial.searches
      yield trial
      if (await isLimitNear(contender)) return 'limit'
    }
  }
  return 'complete'

  function endOf(error: unknown): EndReason {
    const { code } = toSearchError(error)
    if (signal.aborted || code === 'cancelled') return 'interrupted'
    if (code === 'rate-limited') return 'limit'
    throw error
  }
}

async function runTrial(
  { judge, now }: EvaluationPlan,
  question: Question,
  { backend, strategy, executor }: Contender,
  signal: AbortSignal,
): Promise<Trial> {
  const { urls = [], isPublished } = question
  const request = requestFor(strategy, question.question, isPublished ? setFilters : {})
  const { reply, ...measured } = await measureSearch(executor, request, signal, now)
  const common = { question: question.id, backend, strategy, ...measured }
  if (reply instanceof SearchError) {
    return {
      ...{ ...common, ...countRows([]), hasEvidence: false, inputTokens: 0, outputTokens: 0, model: '' },
      ...(urls.length > 0 && { goldenRank: 0 }),
      ...(strategy !== 'results' && { isRight: false, isAttempted: false }),
      failure: reply.code,
    }
  }
  const rows = sourcesOf(reply.searches).filter((row) => !(isPublished && givesAway(row)))
  return {
    ...{ ...common, ...countRows(rows), hasEvidence: hasEvidence(rows, question), model: reply.model },
    ...{ inputTokens: reply.usage.inputTokens, outputTokens: reply.usage.outputTokens },
    ...(urls.length > 0 && { goldenRank: goldenRank(rows, urls) }),
    ...(strategy !== 'results' && {
      isGrounded: isGrounded(reply),
      ...(await gradeAnswer(judge, question, reply, signal)),
    }),
  }
}

/** Nothing where the judge fails: that is no failure of the one who is judged. */
async function gradeAnswer(judge: Judge | undefined, question: Question, { text }: Answer, signal: AbortSignal) {
  if (!judge) return { isRight: holdsAnswer(text, question), isAttempted: text.trim() !== '' }
  try {
    const grade = await judge(question, text, { signal, cache: 'no-store' })
    return { isRight: grade === 'right', isAttempted: grade !== 'none' }
  } catch (error) {
    if (signal.aborted || endsAll.has(toSearchError(error).code)) throw error
    return {}
  }
}

/** Whether the plan behind a backend warns. */
async function isLimitNear({ executor }: Contender): Promise<boolean> {
  const { backends } = await executor.health()
  return backends.some(({ rateLimit }) => rateLimit?.status === 'allowed_warning')
}
