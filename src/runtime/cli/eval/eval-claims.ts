import { SearchError } from '../../../domain/error.ts'
import type { Evidence } from '../../../domain/evidence.ts'
import {
  type ClaimTrial,
  claimsAtOnce,
  evaluateClaims,
  type LabelledClaim,
  reportOfClaims,
  tableOfClaims,
} from '../../../eval/labelled-claims.ts'
import type { Executor } from '../../../executor/executor.ts'
import { judged } from '../../../executor/layers/evidence/judge.ts'
import { counted } from '../../../lib/text.ts'
import { prettyJson } from '../../shell/printed.ts'
import type { Shell } from '../../shell/shell.ts'
import { version } from '../../version.ts'
import { exitCodes } from '../command.ts'

/** How well the check of evidence, and on request its judge, agree with people. */
export interface ClaimEvaluation {
  readonly claims: readonly LabelledClaim[]
  readonly set?: string | undefined
  /** Who judges; absent: the words alone. */
  readonly executor: Executor | undefined
  readonly agrees: (estimate: string) => Promise<boolean>
  readonly json: boolean
  readonly signal: AbortSignal
}

/** Prints the table of what was measured, as far as it came. Resolves to the exit code. */
export async function evalClaims(
  { output, errors }: Pick<Shell, 'output' | 'errors'>,
  { claims, set, executor, agrees, json, signal }: ClaimEvaluation,
): Promise<number> {
  const calls = counted(Math.ceil(claims.length / claimsAtOnce), 'model call')
  const estimate = `${counted(claims.length, 'claim')}, compared with their pages: no search, ${calls} of the judge at most.`
  if (executor && !(await agrees(estimate))) return exitCodes.interrupted
  const show = (text: string) => errors.isTerminal && errors.write(`\r\x1b[2K${text}`)
  const judge = executor && new CountedJudge(executor, signal)
  const trials: ClaimTrial[] = []
  let code: number = exitCodes.done
  try {
    for await (const some of evaluateClaims(claims, judge?.ask)) {
      if (judge?.failure) {
        show('')
        errors.write(`The judge failed: ${judge.failure}.\n`)
        code = judge.failure === 'rate-limited' ? exitCodes.limited : exitCodes.failed
        break
      }
      trials.push(...some)
      show(`${trials.length} of ${claims.length} compared`)
      if (signal.aborted) throw new SearchError('cancelled', 'Stopped.')
    }
  } catch (error) {
    if (!signal.aborted) throw error
    code = exitCodes.interrupted
  }
  show('')
  const report = reportOfClaims(trials, judge?.calls ?? 0)
  const head = { version, set, judge: executor ? 'claude' : 'none', endedAt: new Date().toISOString() }
  output.write(json ? prettyJson({ ...head, ...report, trials }) : tableOfClaims(report))
  return code
}

class CountedJudge {
  readonly #executor: Executor
  readonly #signal: AbortSignal
  calls = 0
  /** Why the last call failed. */
  failure: string | undefined

  constructor(executor: Executor, signal: AbortSignal) {
    this.#executor = executor
    this.#signal = signal
  }

  readonly ask = async (evidence: readonly Evidence[]): Promise<readonly Evidence[]> => {
    const search: Executor['search'] = (...asked) => {
      this.calls++
      return this.#executor.search(...asked)
    }
    const { evidence: found } = await judged({ search }, evidence, { signal: this.#signal })
    this.failure = found.flatMap(({ judge }) => judge?.problem ?? []).find((problem) => problem !== 'not-counted')
    return found
  }
}
