import type { HttpFailureCode, Issue } from '../dialect.ts'
import { fieldPath } from '../fields/field-path.ts'

export type RefusalCode = HttpFailureCode | 'invalid-request' | 'unauthorized'

/** Why a request gets no search: thrown by whatever reads or checks one. It never leaves `src/api`. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: RefusalCode
  readonly issues: readonly Issue[]

  constructor(code: RefusalCode, message: string, issues: readonly Issue[] = []) {
    super(message)
    this.code = code
    this.issues = issues
  }
}

/** A refusal of what the caller sent; its message names every field that is wrong. */
export function invalid(...issues: readonly Issue[]): Refusal {
  return new Refusal('invalid-request', issues.map(describe).join(' '), issues)
}

function describe({ path, message }: Issue): string {
  return path.length > 0 ? `${fieldPath(path)}: ${message}.` : `${message}.`
}
