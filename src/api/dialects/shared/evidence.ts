import type { Answer } from '../../../domain/search.ts'

/** Evidence and receipt fields; empty if the answer was not checked. */
export function evidenceField({ evidence, receipt }: Pick<Answer, 'evidence' | 'receipt'>) {
  return {
    ...(evidence && { evidence: evidence.map(({ start: _, end: __, ...one }) => one) }),
    ...(receipt && { receipt: receipt.id }),
  }
}
