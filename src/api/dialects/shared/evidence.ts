import type { Answer } from '../../../domain/search.ts'

/** What the sentences of an answer have on their pages, and the id of its receipt; nothing where that was not compared. */
export function evidenceField({ evidence, receipt }: Pick<Answer, 'evidence' | 'receipt'>) {
  return {
    ...(evidence && { evidence: evidence.map(({ start: _, end: __, ...one }) => one) }),
    ...(receipt && { receipt: receipt.id }),
  }
}
