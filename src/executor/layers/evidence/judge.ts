import { type Evidence, type JudgedClaim, type Judgement, passagesOf } from '@csp/evidence/evidence'
import { judgedEvidence, readJudgements } from '@csp/evidence/judged'
import { guardedText } from '@csp/grounding/answer-guard'
import { abortError } from '../../../domain/abort.ts'
import { collect } from '../../../domain/answer.ts'
import { toSearchError } from '../../../domain/error.ts'
import type { Usage } from '../../../domain/search.ts'
import type { Executor, SearchContext } from '../../executor.ts'
import { judgeRequest } from './judge-request.ts'

export interface Judged {
  readonly evidence: readonly Evidence[]
  /** What the call cost. */
  readonly usage: Usage
}

/**
 * Asks a model once about the sentences whose verdicts it can change. Where that fails, the words of the sentences decide,
 * and each says why. The claims and passages are those of this one reply.
 */
export async function judged(
  executor: Pick<Executor, 'search'>,
  evidence: readonly Evidence[],
  { signal, caller, trace }: SearchContext,
  leftMs = maxMs,
): Promise<Judged> {
  const asked = evidence.filter(isOpen).slice(0, maxClaims)
  if (asked.length === 0) return { evidence, usage: nothing }
  const claims = asked.map(({ sentence, ...one }): JudgedClaim => ({ sentence, passages: passagesOf(one) }))
  const withEach = (judge: (one: Evidence, place: number) => Evidence) =>
    evidence.map((one) => (asked.includes(one) ? judge(one, asked.indexOf(one)) : one))
  const failed = (problem: Judgement['problem']) => ({
    evidence: withEach((one) => ({ ...one, judge: { problem } })),
    usage: nothing,
  })
  if (leftMs < minMs) return failed('timeout')
  const limit = AbortSignal.timeout(Math.min(leftMs, maxMs))
  try {
    const context = { caller, trace, signal: AbortSignal.any([signal, limit]), isWhole: true } as const
    const reply = await collect(executor.search(judgeRequest(claims), { ...context, cache: 'no-store' }))
    const written = readJudgements(reply.text, claims.length)
    return {
      usage: reply.usage,
      evidence: withEach((one, place) => guarded(judgedEvidence(one, written.get(place + 1), reply.model))),
    }
  } catch (error) {
    if (signal.aborted) throw abortError(signal)
    trace?.note('The judge failed, so the words decide', error)
    return failed(limit.aborted ? 'timeout' : toSearchError(error).code)
  }
}

/** A part of a passage may be a link where the whole was none. */
function guarded(one: Evidence): Evidence {
  const { judge } = one
  return judge?.words === undefined ? one : { ...one, judge: { ...judge, words: guardedText(judge.words) } }
}

/** Whether a judgement could change anything, and has passages to rest on. */
function isOpen(one: Evidence): boolean {
  return one.verdict !== 'not-found' && passagesOf(one).length > 0
}

const maxClaims = 20
/** Clients wait for 15 to 30 s in all. */
const maxMs = 8000
const minMs = 1000
const nothing: Usage = { searches: 0, inputTokens: 0, outputTokens: 0 }
