import type { Evidence } from '../../../domain/evidence.ts'
import { plainText } from '../../../lib/text.ts'
import { guardedText } from '../../answer/grounding/answer-guard.ts'

/** What evidence quotes of an answer and of its pages, as it may leave: without its marks a sentence may be another text. */
export function guardedEvidence(evidence: readonly Evidence[]): readonly Evidence[] {
  return evidence.map((one) => {
    const { sentence, passage, missing } = one
    return {
      ...one,
      sentence: guarded(sentence),
      ...(passage && { passage: { ...passage, text: guarded(passage.text) } }),
      ...(missing && { missing: missing.map(({ kind, text }) => ({ kind, text: guarded(text) })) }),
    }
  })
}

const guarded = (text: string) => guardedText(plainText(text))
