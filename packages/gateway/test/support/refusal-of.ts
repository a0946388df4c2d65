import { errorWords } from '../../src/catalogue/error-within.ts'
import { understand } from '../../src/catalogue/understand.ts'
import type { Refusal } from '../../src/translation/adapting.ts'

/** A failed reply, with what is known of it. */
export function refusalOf(status: number, body: unknown): Refusal {
  const failure = { status, body }
  const words = errorWords(body)
  return { failure, words, understood: understand(failure, words) }
}

export const nothing: ReadonlySet<string> = new Set()
