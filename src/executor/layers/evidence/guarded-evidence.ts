import type { Evidence, Missing, Passage } from '@csp/evidence/evidence'
import { guardingText } from '@csp/grounding/answer-guard'
import type { Pieces } from '@csp/lib/pieces'
import { plainText } from '@csp/lib/text'

/** What evidence quotes of an answer and of its pages, as it may leave: without its marks a sentence may be another text. */
export function* guardingEvidence(evidence: readonly Evidence[]): Pieces<readonly Evidence[]> {
  const guarded: Evidence[] = []
  for (const one of evidence) {
    const sentence = yield* guarding(one.sentence)
    const passages: Passage[] = []
    for (const passage of one.passages ?? []) passages.push({ ...passage, text: yield* guarding(passage.text) })
    const best = one.passage && { ...one.passage, text: yield* guarding(one.passage.text) }
    const words = one.judge?.words !== undefined && { words: yield* guarding(one.judge.words) }
    const missing: Missing[] = []
    for (const { kind, text } of one.missing ?? []) missing.push({ kind, text: yield* guarding(text) })
    const unseen: string[] = []
    for (const word of one.unseen ?? []) unseen.push(yield* guarding(word))
    const { doubt } = one
    const differs = doubt && {
      doubt: { ...doubt, said: yield* guarding(doubt.said), page: yield* guarding(doubt.page) },
    }
    guarded.push({
      ...one,
      sentence,
      ...(best && { passage: best }),
      ...(one.passages && { passages }),
      ...(one.missing && { missing }),
      ...(one.unseen && { unseen }),
      ...differs,
      ...(one.judge && { judge: { ...one.judge, ...words } }),
    })
  }
  return guarded
}

const guarding = (text: string) => guardingText(plainText(text))
