import type { Evidence, Missing } from '../../../domain/evidence.ts'
import type { Pieces } from '../../../lib/pieces.ts'
import { plainText } from '../../../lib/text.ts'
import { guardingText } from '../../answer/grounding/answer-guard.ts'

/** What evidence quotes of an answer and of its pages, as it may leave: without its marks a sentence may be another text. */
export function* guardingEvidence(evidence: readonly Evidence[]): Pieces<readonly Evidence[]> {
  const guarded: Evidence[] = []
  for (const one of evidence) {
    const sentence = yield* guarding(one.sentence)
    const passage = one.passage && { passage: { ...one.passage, text: yield* guarding(one.passage.text) } }
    const missing: Missing[] = []
    for (const { kind, text } of one.missing ?? []) missing.push({ kind, text: yield* guarding(text) })
    const { doubt } = one
    const differs = doubt && {
      doubt: { ...doubt, said: yield* guarding(doubt.said), page: yield* guarding(doubt.page) },
    }
    guarded.push({ ...one, sentence, ...passage, ...(one.missing && { missing }), ...differs })
  }
  return guarded
}

const guarding = (text: string) => guardingText(plainText(text))
