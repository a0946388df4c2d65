import { AnswerFold, sourcesOf } from '../domain/answer.ts'
import { type SearchError, type SearchErrorCode, toSearchError } from '../domain/error.ts'
import type { Answer, SearchResult } from '../domain/search.ts'
import type { SearchContext, SearchTrace } from '../executor/executor.ts'
import { type Contender, requestFor, type Strategy } from './contender.ts'
import type { Grade, Judge } from './judge.ts'
import { givesAway, goldenRank, setFilters } from './questions/published.ts'
import type { Question } from './questions/question.ts'
import { hasEvidence, holdsAnswer, isGrounded } from './score.ts'

/** One question with one strategy of one backend. A search that failed found nothing and answered nothing. */
export interface Trial {
  readonly question: string
  readonly kind: string
  readonly backend: string
  readonly strategy: Strategy
  /** Milliseconds, to the end of the reply. */
  readonly ms: number
  /** Whether the answer is in one of the first five results. */
  readonly hasEvidence: boolean
  /** The place of the first result that the set names as holding the answer, 0 for none; absent if it names no page. */
  readonly goldenRank?: number | undefined
  /** Whether the written answer is right; absent for a list. */
  readonly isRight?: boolean | undefined
  /** Whether the written answer says anything, right or wrong; absent for a list. */
  readonly isAttempted?: boolean | undefined
  /** Markers in the answer; absent for a list, and for a search that failed. */
  readonly citations?: number | undefined
  /** Whether all that the answer names came from its searches; absent for a list, and for a search that failed. */
  readonly isGrounded?: boolean | undefined
  readonly rows: number
  readonly rowsWithExcerpt: number
  readonly rowsWithDate: number
  readonly searches: number
  /** As far as this process can see; 0 where no model was called, or it cannot be told. */
  readonly modelCalls: number
  /** 0 where the backend does not say. */
  readonly inputTokens: number
  readonly outputTokens: number
  readonly model: string
  readonly failure?: SearchErrorCode | undefined
}

/**
 * Why an evaluation ended: all was asked, so many searches were made, a limit came near, somebody stopped it, or a backend
 * was signed out meanwhile.
 */
export type EndReason = 'complete' | 'max-searches' | 'limit' | 'interrupted' | 'failed'

export interface EvaluationPlan {
  readonly questions: readonly Question[]
  readonly contenders: readonly Contender[]
  /** Absent: an answer is right when it holds one of the expected ones as words. */
  readonly judge?: Judge | undefined
  readonly maxSearches: number
  /** Whether a question has been asked of a contender before, and is left out. */
  readonly isKnown?: ((question: Question, contender: Contender) => boolean) | undefined
  /** Monotonic time, ms. */
  readonly now: () => number
  /** Whether every further search would fail as this one did. */
  readonly endsAll?: ((failure: SearchError) => boolean) | undefined
  /** Whether it continues when the plan warns that a limit is near. */
  readonly goesOn?: boolean | undefined
}

/**
 * Asks each question of each contender, one after the other, so that no time is spent in a queue, and yields what came of
 * it. The contenders take turns in going first. It ends with the reason; trials that a limit or the signal cut off are
 * left out. Throws a `SearchError` when a backend is signed out, or by `endsAll`: nothing would be measured.
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
      if (plan.isKnown?.(question, contender)) continue
      if (signal.aborted) return 'interrupted'
      if (searches >= maxSearches) return 'max-searches'
      const trial = await runTrial(plan, question, contender, signal)
      if (typeof trial === 'string') return trial
      searches += trial.searches
      yield trial
      if (!plan.goesOn && (await isLimitNear(contender))) return 'limit'
    }
  }
  return 'complete'
}

async function runTrial(
  { judge, now, endsAll }: EvaluationPlan,
  question: Question,
  { backend, strategy, executor }: Contender,
  signal: AbortSignal,
): Promise<Trial | EndReason> {
  const calls = new CallCount()
  const fold = new AnswerFold()
  const startedAt = now()
  const common = { question: question.id, kind: question.kind, backend, strategy }
  try {
    const filters = question.isPublished ? setFilters : {}
    const context: SearchContext = { signal, cache: 'no-store', isWhole: true, trace: calls }
    for await (const event of executor.search(requestFor(strategy, question.question, filters), context))
      fold.add(event)
    const measured = { ...common, ms: now() - startedAt, modelCalls: calls.count }
    const answer = fold.finish()
    const judged = strategy === 'results' ? {} : await judgeAnswer(judge, question, answer, signal)
    return { ...measured, ...rowsOf(sourcesOf(answer.searches), question), ...judged, ...costOf(answer) }
  } catch (error) {
    const failure = toSearchError(error)
    const end = endOf(failure.code, signal)
    if (end === 'signed-out' || endsAll?.(failure)) throw failure
    if (end !== undefined) return end
    return {
      ...common,
      ms: now() - startedAt,
      modelCalls: calls.count,
      ...failed(fold, question, strategy, failure.code),
    }
  }
}

/** Why a failure ends the whole evaluation; `undefined` if it is the failure of one trial. */
function endOf(code: SearchErrorCode, signal: AbortSignal): EndReason | 'signed-out' | undefined {
  if (signal.aborted || code === 'cancelled') return 'interrupted'
  if (code === 'rate-limited') return 'limit'
  return code === 'signed-out' || code === 'unauthorized' ? 'signed-out' : undefined
}

/** It found nothing and answered nothing, whatever came before it failed. */
function failed({ searches }: AnswerFold, { urls = [] }: Question, strategy: Strategy, failure: SearchErrorCode) {
  return {
    hasEvidence: false,
    rows: 0,
    rowsWithExcerpt: 0,
    rowsWithDate: 0,
    ...(urls.length > 0 && { goldenRank: 0 }),
    ...(strategy !== 'results' && { isRight: false, isAttempted: false }),
    searches: Math.max(1, searches.length),
    inputTokens: 0,
    outputTokens: 0,
    model: '',
    failure,
  }
}

function rowsOf(found: readonly SearchResult[], question: Question) {
  const { urls = [], isPublished } = question
  const rows = isPublished ? found.filter((row) => !givesAway(row)) : found
  return {
    ...(urls.length > 0 && { goldenRank: goldenRank(rows, urls) }),
    hasEvidence: hasEvidence(rows, question),
    rows: rows.length,
    rowsWithExcerpt: rows.filter(({ snippet }) => snippet).length,
    rowsWithDate: rows.filter(({ publishedAt }) => publishedAt).length,
  }
}

function costOf({ usage, searches, model }: Answer) {
  return { ...usage, searches: Math.max(usage.searches, searches.length), model }
}

/** Without a verdict where the judge fails: that is no failure of the one who is judged. */
async function judgeAnswer(judge: Judge | undefined, question: Question, answer: Answer, signal: AbortSignal) {
  const grounded = { isGrounded: isGrounded(answer), citations: answer.citations.length }
  const graded = (grade: Grade) => ({ ...grounded, isRight: grade === 'right', isAttempted: grade !== 'none' })
  if (!judge) return graded(holdsAnswer(answer.text, question) ? 'right' : answer.text.trim() ? 'wrong' : 'none')
  try {
    return graded(await judge(question, answer.text, { signal, cache: 'no-store' }))
  } catch (error) {
    if (endOf(toSearchError(error).code, signal) !== undefined) throw error
    return grounded
  }
}

/** Whether the plan behind a backend warns. */
async function isLimitNear({ executor }: Contender): Promise<boolean> {
  const { backends } = await executor.health()
  return backends.some(({ rateLimit }) => rateLimit?.status === 'allowed_warning')
}

/** Counts the model calls of one request, and notes nothing else. */
class CallCount implements SearchTrace {
  count = 0

  begin(): () => void {
    return () => {}
  }
  modelCalled(): void {
    this.count++
  }
  uncached(): void {}
  asked(): void {}
  replaced(): void {}
  defaultModel(): void {}
  note(): void {}
}
