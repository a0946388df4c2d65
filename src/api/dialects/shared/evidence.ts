import type { Answer } from '../../../domain/search.ts'

/** What the sentences of an answer have on their pages, beside its sources; nothing where that was not compared. */
export function evidenceField({ evidence }: Pick<Answer, 'evidence'>) {
  return evidence && { evidence: evidence.map(({ start: _, end: __, ...one }) => one) }
}
