import type { Contender, Strategy } from '../../src/eval/contender.ts'
import { type EvaluationPlan, evaluate, type Trial } from '../../src/eval/evaluate.ts'
import type { Question } from '../../src/eval/questions/question.ts'
import { reportOf } from '../../src/eval/report.ts'
import { fakeExecutor } from '../support/fake-executor.ts'

/** A question whose id is its text. */
export const question = (id: string, ...expected: string[]): Question => ({
  ...{ id, question: id, answers: expected, kind: 'own', asOf: '2026-11' },
})

/** Evaluates to the end: the trials, why it ended, and the report. */
export async function run(
  plan: Partial<EvaluationPlan> & Pick<EvaluationPlan, 'contenders' | 'questions'>,
  signal = new AbortController().signal,
) {
  const trials: Trial[] = []
  const running = evaluate({ maxSearches: 1000, now: () => 0, ...plan }, signal)
  for (;;) {
    const { done, value } = await running.next()
    if (done) return { end: value, trials, report: reportOf(plan.contenders, trials, value) }
    trials.push(value)
  }
}

/** A contender over a fake executor. */
export const fake = (
  script: Parameters<typeof fakeExecutor>[0],
  strategy: Strategy = 'results',
  backend = 'fake',
): Contender => ({
  ...{ backend, strategy, executor: fakeExecutor(script) },
})
